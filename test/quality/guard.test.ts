import { expect, it } from 'vitest'
import { rankAll, retrievalMetrics } from '../../bench/benchmarks/retrieval.js'
import { cachedEmbedder } from '../../bench/cached-embedder.js'
import { changeOf } from '../../bench/compare.js'
import { loadCorpus } from '../../bench/corpora.js'
import { indexCorpus } from '../../bench/corpus-index.js'
import { GUARD_OPTIONS, GUARD_RESULTS } from '../../bench/guard.js'
import { readRecord } from '../../bench/record.js'
import { defaultEmbedder } from '../../src/embedding/default-embedder.js'

// Where a change of ranking is wanted: `npm run bench -- guard` measures anew.
it.each(GUARD_OPTIONS.corpora!)('finds the right tools on %s as often as before', { timeout: 300_000 }, async id => {
  const before = readRecord(GUARD_RESULTS)
  expect(before.options).toMatchObject(GUARD_OPTIONS)
  const embedder = cachedEmbedder(defaultEmbedder())
  const corpus = loadCorpus(id, GUARD_OPTIONS.queries, GUARD_OPTIONS.split)
  const after = retrievalMetrics(corpus, await rankAll(corpus, await indexCorpus(corpus, embedder), embedder))
  embedder.save()
  const names = Object.keys(after).filter(name => name.startsWith(`${id}/shipped/`))
  expect(names).toHaveLength(4)
  for (const name of names) {
    const change = changeOf(name, before.metrics[name]!, after[name]!)
    expect(change).toMatchObject({ paired: true })
    expect(change.verdict, JSON.stringify(change)).not.toBe('worse')
    expect(change.after, `${name} fell below its interval`).toBeGreaterThanOrEqual(before.metrics[name]!.low)
  }
})
