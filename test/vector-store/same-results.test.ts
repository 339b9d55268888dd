import { describe, expect } from 'vitest'
import { cachedEmbedder } from '../../bench/cached-embedder.js'
import { loadCorpus, sample } from '../../bench/corpora.js'
import { defaultEmbedder } from '../../src/embedding/default-embedder.js'
import { createToolSearcher } from '../../src/searcher.js'
import { withPostgres } from './with-postgres.js'

const QUERIES = 500

describe('PgVector with the bundled model', () => {
  const { test } = withPostgres()

  test('gives the top 5 of the local index in at least 98 % of 500 queries over 4,076 tools', async ({ store }) => {
    const { tools, queries } = loadCorpus('seal-tools')
    // Each text is embedded once for both: it takes longer than all else here.
    const embedder = cachedEmbedder(defaultEmbedder())
    const local = createToolSearcher({ tools, embedder, strict: true })
    const vectorStore = { store, indexName: 'seal_tools', timeoutMs: 30_000 }
    const remote = createToolSearcher({ tools, embedder, strict: true, vectorStore })
    await local.warmup()
    await remote.warmup()
    let equal = 0
    for (const { query } of sample(queries, QUERIES)) {
      const [here, there] = await Promise.all([local, remote].map(searcher => searcher.search(query)))
      const names = (response: typeof here) => response!.results.map(({ name }) => name).join()
      if (names(here) === names(there)) equal++
    }
    expect(equal / QUERIES).toBeGreaterThanOrEqual(0.98)
  }, 600_000)
})
