import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, vi } from 'vitest'
import { createCatalog } from '../../src/catalog/catalog.js'
import { checkedEmbedder } from '../../src/embedding/checked.js'
import { buildLexicalLayer, documentsOf } from '../../src/layer-index.js'
import { rankQuery } from '../../src/ranking/rank.js'
import { createToolSearcher } from '../../src/searcher.js'
import { createExactIndex } from '../../src/vector/exact.js'
import { vectorIndexName } from '../../src/vector-index-name.js'
import { bulkIndex } from './bulk.js'
import { DIMENSIONS, syntheticEmbedder, syntheticQueries, syntheticTools } from './synthetic.js'
import { withPostgres } from './with-postgres.js'

const TOOLS = 100_000
const QUERIES = 500
const TENANTS = 10

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/** Bytes of typed arrays and buffers in use. What is collected is freed by another thread, so until no more is. */
async function bufferBytes(): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (;;) {
    collectGarbage()
    await new Promise(resolve => setTimeout(resolve, 100))
    const bytes = process.memoryUsage().arrayBuffers
    if (bytes >= least) return least
    least = bytes
  }
}

/** The five best by comparing all vectors, over the same words. */
async function exactTopFive(tools: Record<string, { description: string }>) {
  const [layer] = createCatalog(tools).layers
  const documents = await documentsOf(layer!)
  const embedder = checkedEmbedder(syntheticEmbedder())
  const vectors = new Float32Array(documents.length * DIMENSIONS)
  for (let at = 0; at < documents.length; at += 1_000) {
    const batch = await embedder.embedDocuments(documents.slice(at, at + 1_000).map(({ text }) => text))
    batch.forEach((vector, i) => {
      vectors.set(vector, (at + i) * DIMENSIONS)
    })
  }
  const readableShares = new Float32Array(documents.length).fill(1)
  const dense = { vectors: createExactIndex(vectors, DIMENSIONS), readableShares }
  const lexical = await buildLexicalLayer(documents)
  return async (query: string) => {
    const [vector] = await embedder.embedQueries([query])
    const best = await rankQuery({ text: query, vector, readableShare: 1, smallTalk: 0 }, [{ lexical, dense }]).best(5)
    return best.map(({ position }) => layer!.entries[position]!.name)
  }
}

/** Each connection tells its counts at the latest when it has been idle for ten seconds. */
const settled = () => new Promise(resolve => setTimeout(resolve, 11_000))

describe('PgVector with 100,000 tools', () => {
  const { test } = withPostgres()

  test('gives the top 5 of the exact index in at least 98 % of 500 queries, and leaves the vectors to the store', async ({
    store,
  }) => {
    const tools = syntheticTools(TOOLS)
    const warn = vi.fn()
    const vectorStore = { store, indexName: 'tools', timeoutMs: 30_000 }
    const searcher = createToolSearcher({ tools, embedder: syntheticEmbedder(), warn, vectorStore })
    const before = await bufferBytes()
    await bulkIndex(store, { name: 'tools', dimension: DIMENSIONS }, () => searcher.warmup())
    expect(await store.describeIndex({ indexName: 'tools' })).toMatchObject({ type: 'hnsw', count: TOOLS })

    const found: string[][] = []
    for (const query of syntheticQueries(QUERIES)) {
      const { results, mode } = await searcher.search(query, { minScore: 0 })
      expect(mode).toBe('hybrid')
      found.push(results.map(({ name }) => name))
    }
    // The vectors alone would be 154 MB, their graph some 15 MB more.
    expect((await bufferBytes()) - before).toBeLessThan(30e6)
    expect(warn).not.toHaveBeenCalled()
    await settled()
    const { rows } = await store.pool.query(
      `SELECT idx_scan FROM pg_stat_user_indexes WHERE indexrelname = 'tools_vector_idx'`,
    )
    expect(Number(rows[0].idx_scan)).toBeGreaterThanOrEqual(QUERIES)

    const exact = await exactTopFive(tools)
    let equal = 0
    for (const [at, query] of syntheticQueries(QUERIES).entries()) {
      const best = await exact(query)
      if (best.length === 5 && found[at]!.join() === best.join()) equal++
    }
    expect(equal / QUERIES).toBeGreaterThanOrEqual(0.98)
  }, 900_000)

  test('reads rows of its own namespace alone, whatever other tenants have', async ({ store }) => {
    const size = TOOLS / TENANTS
    const tenants = Array.from({ length: TENANTS }, (_, at) => ({
      namespace: `tenant-${at}`,
      tools: syntheticTools(size, at * size),
    }))
    const searchers = []
    for (const { namespace, tools } of tenants) {
      const vectorStore = { store, indexName: 'shared', namespace, timeoutMs: 30_000 }
      const searcher = createToolSearcher({ tools, embedder: syntheticEmbedder(), warn: vi.fn(), vectorStore })
      const name = vectorIndexName({ store, indexName: 'shared', namespace })
      await bulkIndex(store, { name, dimension: DIMENSIONS }, () => searcher.warmup())
      expect((await store.describeIndex({ indexName: name })).count).toBe(size)
      searchers.push({ ...searcher, name, tools })
    }
    const reads = async () => {
      const { rows } = await store.pool.query(
        `SELECT relname, seq_scan + coalesce(idx_scan, 0) AS scans FROM pg_stat_user_tables WHERE relname LIKE 'shared_%'`,
      )
      return new Map(rows.map(({ relname, scans }: { relname: string; scans: string }) => [relname, Number(scans)]))
    }
    await settled()
    const before = await reads()
    const [first] = searchers
    for (const query of syntheticQueries(200)) {
      const { results } = await first!.search(query, { minScore: 0, topK: 10 })
      for (const { name } of results) expect(first!.tools).toHaveProperty(name)
    }
    await settled()
    const after = await reads()
    const readFrom = [...after].filter(([name, scans]) => scans !== before.get(name)).map(([name]) => name)
    expect(readFrom).toEqual([first!.name])
  }, 900_000)
})
