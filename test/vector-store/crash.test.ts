import { describe, expect, vi } from 'vitest'
import { createToolSearcher } from '../../src/searcher.js'
import { wordEmbedder } from '../searcher/word-embedder.js'
import { officeTools } from './store-contract.js'
import { syntheticEmbedder, syntheticQueries, syntheticTools } from './synthetic.js'
import { withPostgres } from './with-postgres.js'

const TOOLS = 3_000
const RECOVERY = { timeout: 60_000, interval: 200 }

describe('PostgreSQL that is killed and started again', () => {
  const { test } = withPostgres()

  test('in the middle of a synchronisation: the rest is written when it is back', async ({ server, store }) => {
    const embedder = syntheticEmbedder()
    const warn = vi.fn()
    const vectorStore = { store, indexName: 'killed_in_sync' }
    const searcher = createToolSearcher({ tools: syntheticTools(TOOLS), embedder, warn, vectorStore })
    const warmed = searcher.warmup().catch((error: Error) => error)
    await vi.waitFor(() => expect(embedder.documents).toBeGreaterThan(TOOLS / 3), RECOVERY)
    await server.crash()
    expect(await warmed).toMatchObject({ code: 'VECTOR_STORE_FAILED' })
    expect((await searcher.search('tool_7 please')).results[0]!.name).toBe('tool_7')
    await server.start()
    await vi.waitFor(async () => {
      expect((await store.describeIndex({ indexName: 'killed_in_sync' })).count).toBe(TOOLS)
    }, RECOVERY)
    await vi.waitFor(async () => expect((await searcher.search('heap7')).mode).toBe('hybrid'), RECOVERY)
    // Two batches at most were embedded twice: the one being written, and the one after it.
    expect(embedder.documents).toBeGreaterThanOrEqual(TOOLS)
    expect(embedder.documents).toBeLessThanOrEqual(TOOLS + 2 * 128)
  })

  test('in the middle of searches: all are answered, and by meaning again when it is back', async ({
    server,
    store,
  }) => {
    const warn = vi.fn()
    const vectorStore = { store, indexName: 'killed_in_search' }
    const tools = syntheticTools(500)
    const searcher = createToolSearcher({ tools, embedder: syntheticEmbedder(), warn, vectorStore })
    await searcher.warmup()
    const queries = syntheticQueries(400)
    const modes: string[] = []
    let crashed: Promise<void> | undefined
    const searchAll = async (from: number) => {
      for (let at = from; at < queries.length; at += 4) {
        const { mode } = await searcher.search(queries[at]!)
        // Of this search, not read again after a wait: the others go on meanwhile, and the server must start once.
        const answered = modes.push(mode)
        if (answered === 100) {
          crashed = server.crash()
          await crashed
        } else if (answered === 300) {
          await crashed
          await server.start()
        }
      }
    }
    await Promise.all([0, 1, 2, 3].map(searchAll))
    expect(modes).toHaveLength(400)
    expect(modes.slice(0, 90)).toEqual(Array.from({ length: 90 }, () => 'hybrid'))
    expect(modes).toContain('lexical')
    await vi.waitFor(async () => expect((await searcher.search('heap7')).mode).toBe('hybrid'), RECOVERY)
    expect(warn).toHaveBeenCalledTimes(1)
  })
})

describe('a table that somebody else drops', () => {
  const { test } = withPostgres()

  test('is made and filled anew, each time', async ({ store }) => {
    const vectorStore = { store, indexName: 'dropped', timeoutMs: 30_000 }
    for (let times = 0; times < 3; times++) {
      const searcher = createToolSearcher({ tools: officeTools(), embedder: wordEmbedder(), vectorStore })
      await searcher.warmup()
      expect((await searcher.search('send the mail')).mode).toBe('hybrid')
      expect(await store.describeIndex({ indexName: 'dropped' })).toMatchObject({ count: 80, type: 'hnsw' })
      await store.pool.query('DROP TABLE dropped')
    }
  })
})
