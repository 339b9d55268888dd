import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { cachedEmbedder } from '../../bench/cached-embedder.js'
import { type Corpus, FITTING_CORPORA, loadCorpus } from '../../bench/corpora.js'
import { byMeaning, evidenceFor, indexCorpus } from '../../bench/corpus-index.js'
import { areaUnderCurve, mean, ndcgAt } from '../../bench/measures.js'
import { bootstrap } from '../../bench/metric.js'
import { printTable } from '../../bench/table.js'
import { topicsOf } from '../../bench/topics.js'
import { defaultEmbedder } from '../../src/embedding/default-embedder.js'
import type { Embedder } from '../../src/embedding/embedder.js'
import { transformersEmbedder } from '../../src/embedding/transformers-js.js'
import { createToolSearcher } from '../../src/searcher.js'
import type { Estimate } from '../../src/tuning/intervals.js'

/** What the base and the tuned model reach, and what is gained with its 95 % bootstrap interval over queries. */
interface Comparison {
  readonly base: number
  readonly tuned: number
  readonly gain: Estimate
}

interface CorpusFigures {
  readonly corpus: string
  /** Whether training saw none of its tools and queries. */
  readonly leftOut: boolean
  readonly queries: number
  /** nDCG@10 by cosine similarity alone. */
  readonly dense: Comparison
  /** nDCG@10 as the package ranks, at the shipped weights. */
  readonly fused: Comparison
  /** Area under the curve 'answerable against its topic removed' by the best score. */
  readonly topicRemoved: Comparison
}

/** What one model does with each query of a corpus. */
interface Outcomes {
  readonly dense: number[]
  readonly fused: number[]
  /** The best score, and the best with the topic's tools left out. */
  readonly best: number[]
  readonly bestWithoutTopic: number[]
}

const { values: options } = parseArgs({
  options: {
    model: { type: 'string' },
    'left-out': { type: 'string', default: '' },
    corpora: { type: 'string', default: FITTING_CORPORA.join(',') },
    queries: { type: 'string', default: '500' },
    json: { type: 'string' },
  },
})
const names = (list: string) => list.split(',').filter(Boolean)

/**
 * Compares a tuned model with the base, both as int8 and as the package runs them:
 *
 *     npx tsx models/training/evaluate.ts --model <folder> [--left-out metatool,…] [--json <file>]
 *
 * Of a corpus that was left out of training all queries count, of the others those of the test side.
 */
async function main(model: string) {
  // The query heads were learned for the base: without them, both are models alone.
  const { readQuery: _, ...alone } = defaultEmbedder()
  const base = cachedEmbedder(alone)
  // Not in the cache file: it would grow by each model tried.
  const tuned = cachedEmbedder(transformersEmbedder({ model, maxTokens: base.maxTokens, scripts: 'latin' }))
  const figures: CorpusFigures[] = []
  for (const id of names(options.corpora)) {
    const leftOut = names(options['left-out']).includes(id)
    const corpus = loadCorpus(id, Number(options.queries), leftOut ? 'all' : 'test')
    // By the base model for both, so that both refuse the same tools.
    const topicOf = await topicsOf(corpus, base)
    const topics = corpus.queries.map(({ relevant }) => topicOf(relevant))
    const before = await outcomesOf(corpus, base, topics)
    const after = await outcomesOf(corpus, tuned, topics)
    base.save()
    figures.push({
      corpus: id,
      leftOut,
      queries: corpus.queries.length,
      dense: compare(before, after, ({ dense }, drawn) => mean(drawn.map(at => dense[at]!))),
      fused: compare(before, after, ({ fused }, drawn) => mean(drawn.map(at => fused[at]!))),
      topicRemoved: compare(before, after, topicRemovedAuc),
    })
  }
  if (options.json) writeFileSync(options.json, `${JSON.stringify(figures, null, 2)}\n`)
  const cell = ({ base, tuned, gain }: Comparison) =>
    `${base.toFixed(3)} → ${tuned.toFixed(3)} (${gain.low.toFixed(3)} to ${gain.high.toFixed(3)})`
  printTable(
    ['corpus', 'training', 'queries', 'dense nDCG@10', 'fused nDCG@10', 'topic removed AUC'],
    figures.map(({ corpus, leftOut, queries, dense, fused, topicRemoved }) => [
      corpus,
      leftOut ? 'left out' : 'seen',
      String(queries),
      cell(dense),
      cell(fused),
      cell(topicRemoved),
    ]),
  )
}

async function outcomesOf(corpus: Corpus, embedder: Embedder, topics: readonly Set<string>[]): Promise<Outcomes> {
  const index = await indexCorpus(corpus, embedder)
  const searcher = createToolSearcher({ tools: corpus.tools, embedder, strict: true })
  const outcomes: Outcomes = { dense: [], fused: [], best: [], bestWithoutTopic: [] }
  for (const [at, { query, relevant }] of corpus.queries.entries()) {
    const wanted = new Set(relevant)
    outcomes.dense.push(ndcgAt(10, byMeaning(evidenceFor(index, query, index.queryVectors[at]!)), wanted))
    const { results } = await searcher.search(query, { topK: 10, minScore: 0 })
    outcomes.fused.push(
      ndcgAt(
        10,
        results.map(({ name }) => name),
        wanted,
      ),
    )
    outcomes.best.push(results[0]?.score ?? 0)
    const accept = ({ name }: { name: string }) => !topics[at]!.has(name)
    const others = await searcher.search(query, { topK: 1, minScore: 0, accept })
    outcomes.bestWithoutTopic.push(others.results[0]?.score ?? 0)
  }
  return outcomes
}

function topicRemovedAuc({ best, bestWithoutTopic }: Outcomes, drawn: readonly number[]): number {
  return areaUnderCurve(
    drawn.map(at => best[at]!),
    drawn.map(at => bestWithoutTopic[at]!),
  )
}

/** A statistic over the queries drawn, for both models over the same ones. */
function compare(
  before: Outcomes,
  after: Outcomes,
  statistic: (outcomes: Outcomes, drawn: readonly number[]) => number,
): Comparison {
  const all = before.best.map((_, at) => at)
  return {
    base: statistic(before, all),
    tuned: statistic(after, all),
    gain: bootstrap(all, drawn => statistic(after, drawn) - statistic(before, drawn)),
  }
}

if (!options.model) throw new Error('Expected --model <folder of the tuned model>, got none.')
await main(options.model)
