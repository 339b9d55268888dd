import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const run = promisify(execFile)
let folder: string

// Built to plain ES modules, as users get them: what Node does with an import that fails differs under tsx and vitest.
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'native-runtime-test-'))
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction')
  await mkdir(join(folder, 'broken'))
  const standIn = join(folder, 'broken/onnxruntime-node.cjs')
  await writeFile(standIn, 'throw new Error("stand-in: no binary for this machine")')
  const withStandIn = {
    name: 'stand-in for onnxruntime-node',
    setup(builder: Parameters<NonNullable<Parameters<typeof build>[0]['plugins']>[number]['setup']>[0]) {
      builder.onResolve({ filter: /^onnxruntime-node$/ }, () => ({ path: pathToFileURL(standIn).href, external: true }))
    },
  }
  for (const [name, plugins] of [
    ['real', []],
    ['broken', [withStandIn]],
  ] as const) {
    await build({
      absWorkingDir: root,
      entryPoints: ['src/index.ts'],
      outdir: join(folder, name),
      outExtension: { '.js': '.mjs' },
      bundle: true,
      splitting: true,
      packages: 'external',
      format: 'esm',
      platform: 'node',
      target: 'node20',
      plugins: [...plugins],
    })
  }
})

afterAll(async () => {
  await rm(folder, { recursive: true, force: true })
})

/** Lines that a fresh Node process prints when it runs `code` as a module; rejects where the process dies. */
async function linesOf(name: string, code: string): Promise<string[]> {
  const script = join(folder, name)
  await writeFile(script, code)
  const { stdout } = await run(process.execPath, [script], { cwd: root })
  return stdout.trim().split('\n')
}

describe('a native runtime that cannot be loaded', () => {
  it('rejects each load, makes searches lexical, and leaves no unhandled rejection', async () => {
    const lines = await linesOf(
      'broken/main.mjs',
      `import { createToolSearcher, transformersEmbedder } from './index.mjs'
      for (let i = 0; i < 2; i++) await transformersEmbedder().load().catch(error => console.log(error.code))
      const tools = { a: { id: 'a', description: 'weather forecast' } }
      const searcher = createToolSearcher({ tools, warn: () => {} })
      console.log((await searcher.search('is rain forecast')).mode)
      await new Promise(resolve => setTimeout(resolve, 50))
      console.log('alive')`,
    )
    expect(lines).toEqual(['MODEL_LOAD_FAILED', 'MODEL_LOAD_FAILED', 'lexical', 'alive'])
  })

  // onnxruntime-node 1.14 fails in a second worker thread, unless the main thread loaded it first.
  it('makes searches lexical in the second and third worker thread, which live on', async () => {
    const lines = await linesOf(
      'real/main.mjs',
      `import { isMainThread, parentPort, Worker } from 'node:worker_threads'
      if (isMainThread) {
        for (const n of [1, 2, 3]) {
          const worker = new Worker(new URL(import.meta.url))
          worker.on('message', message => console.log(n, message))
          worker.on('error', error => console.log(n, 'error', error.message))
          await new Promise(resolve => worker.on('exit', resolve))
        }
      } else {
        const { createToolSearcher } = await import('./index.mjs')
        const tools = { a: { id: 'a', description: 'weather forecast' } }
        const searcher = createToolSearcher({ tools, warn: () => {} })
        parentPort.postMessage((await searcher.search('is rain forecast')).mode)
        await new Promise(resolve => setTimeout(resolve, 50))
        parentPort.postMessage((await searcher.search('rain again')).mode)
      }`,
    )
    expect(lines.slice(0, 2)).toEqual(['1 hybrid', '1 hybrid'])
    expect(lines.slice(2)).toEqual(['2 lexical', '2 lexical', '3 lexical', '3 lexical'])
  })
})
