import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Names of the native modules and of the chosen packages that a fresh Node process loads when it runs `code`. */
function loadedBy(code: string): string[] {
  const script = `
    import { createRequire } from 'node:module'
    const native = []
    const dlopen = process.dlopen
    process.dlopen = (module, path, ...rest) => {
      native.push(path.split(/[\\\\/]/).at(-1))
      return dlopen.call(process, module, path, ...rest)
    }
    ${code}
    const require = createRequire(import.meta.url)
    const packages = Object.keys(require.cache).filter(path => /onnxruntime|hnswlib|xenova|sharp/.test(path))
    console.log(JSON.stringify([...native, ...packages]))`
  const output = execFileSync(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], {
    cwd: root,
    encoding: 'utf8',
  })
  return JSON.parse(output.trim().split('\n').at(-1)!) as string[]
}

describe('importing', () => {
  it('the embedders loads no native module and no transformers.js', () => {
    const files = ['transformers-js', 'ai-sdk', 'checked', 'vector-cache', 'model-cards']
    const code = `${files.map(file => `await import('./src/embedding/${file}.ts')`).join('\n')}
      const { transformersEmbedder } = await import('./src/embedding/transformers-js.ts')
      transformersEmbedder()`
    expect(loadedBy(code)).toEqual([])
  })

  it('the package loads no native module', () => {
    expect(loadedBy(`await import('./src/index.ts')`)).toEqual([])
  })

  it('the runtime does load one, so that this test can tell', () => {
    const loaded = loadedBy(`await import('./src/embedding/transformers-runtime.ts')`)
    expect(loaded).toContain('onnxruntime_binding.node')
  })
})
