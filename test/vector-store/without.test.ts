import { build } from 'esbuild'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createToolSearcher } from '../../src/searcher.js'
import { wordEmbedder } from '../searcher/word-embedder.js'
import { memoryStore } from './memory-store.js'
import { officeTools } from './store-contract.js'

const STORE_LAYER = '../../src/vector-store/store-layer.js'

afterEach(() => vi.doUnmock(STORE_LAYER))

describe('without vectorStore', () => {
  it('a search loads nothing of the vector store, and with it does', async () => {
    let loads = 0
    vi.doMock(STORE_LAYER, async importOriginal => {
      loads++
      return importOriginal()
    })
    const tools = officeTools()
    await createToolSearcher({ tools, embedder: wordEmbedder() }).search('send the mail')
    expect(loads).toBe(0)
    const vectorStore = { store: memoryStore(), indexName: 'tools' }
    await createToolSearcher({ tools, embedder: wordEmbedder(), vectorStore }).warmup()
    expect(loads).toBe(1)
  })

  it('the entry imports nothing of it at its start, and the library imports no store', async () => {
    const { metafile } = await build({
      entryPoints: ['src/index.ts'],
      bundle: true,
      splitting: true,
      packages: 'external',
      format: 'esm',
      platform: 'node',
      outdir: 'unwritten',
      write: false,
      metafile: true,
    })
    const { outputs } = metafile
    const [entry] = Object.entries(outputs).find(([, { entryPoint }]) => entryPoint === 'src/index.ts')!
    const atStart = new Set<string>()
    const imported: string[] = []
    const follow = (path: string) => {
      if (atStart.has(path) || !outputs[path]) return
      atStart.add(path)
      for (const { path: next, kind } of outputs[path].imports) if (kind === 'import-statement') follow(next)
    }
    follow(entry)
    const inputs = [...atStart].flatMap(path => Object.keys(outputs[path]!.inputs))
    expect(inputs.filter(path => path.includes('vector-store/'))).toEqual([])
    expect(inputs).toContain('src/searcher.ts')
    for (const { imports } of Object.values(outputs)) imported.push(...imports.map(({ path }) => path))
    expect(imported.filter(path => /^(@mastra\/(pg|libsql)|pg)$/.test(path))).toEqual([])
    // Where it is, so that this test can tell.
    const all = Object.values(outputs).flatMap(output => Object.keys(output.inputs))
    expect(all).toContain('src/vector-store/store-layer.ts')
  })
})
