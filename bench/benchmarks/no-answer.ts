import { readFileSync } from 'node:fs'
import { type Command, Option } from 'commander'
import { defaultEmbedder } from '../../src/embedding/default-embedder.js'
import { DEFAULT_MIN_SCORE } from '../../src/ranking/score.js'
import { createToolSearcher } from '../../src/searcher.js'
import { type Benchmark, type BenchmarkResult, wholeNumber } from '../benchmark.js'
import { cachedEmbedder } from '../cached-embedder.js'
import { type Corpus, LABELLED_CORPORA, loadCorpus, SPLITS, type Split, sample } from '../corpora.js'
import { headsOption, withHeadsFor } from '../left-out-heads.js'
import { searchWithMastra } from '../mastra-search.js'
import { areaUnderCurve } from '../measures.js'
import { bootstrap, type Metric, plainMetric } from '../metric.js'
import { areaUnder, emptyAtLost, type RejectionScores, rejectionAt, rejectionCurve } from '../rejection-curve.js'
import { smallTalk } from '../small-talk.js'
import { printTable } from '../table.js'
import { topicsOf } from '../topics.js'

/** The trade-off of one system, at shares of recall lost from 0 to 1. */
export interface TradeOff {
  readonly corpus: string
  /** `topic removed`, `bfcl-irrelevance`, `small talk (en)` … */
  readonly source: string
  readonly system: 'mastra' | 'shipped'
  readonly recallLost: readonly number[]
  readonly empty: readonly number[]
}

const RECALL_LOST = [
  ...Array.from({ length: 21 }, (_, at) => at / 200),
  0.15,
  0.2,
  0.3,
  0.4,
  0.5,
  0.6,
  0.7,
  0.8,
  0.9,
  1,
]

const TOP = 5

// Mastra's class takes seconds for a search whose filter refuses nearly all tools.
const MAX_OF_MASTRA: Readonly<Record<string, number>> = { 'bfcl-irrelevance': 100 }

interface Options {
  queries: number
  split: Split
  heads?: string
}

export const noAnswer: Benchmark<Options> = {
  name: 'no-answer',
  summary: 'Does search return nothing when nothing fits? Against the recall that a minScore costs.',
  configure: (command: Command) =>
    command
      .option('--queries <count>', 'most queries of a corpus', wholeNumber(1), 1_000)
      .addOption(new Option('--split <split>', 'which queries').choices(SPLITS).default('test'))
      .addOption(headsOption()),
  run,
}

/** Finds the best-scored tools of a request among those that `accept` lets through. */
type Search = (query: string, accept: (name: string) => boolean) => Promise<readonly { name: string; score: number }[]>

interface Unanswerable {
  readonly query: string
  readonly accept: (name: string) => boolean
}

async function run({ queries, split, heads }: Options): Promise<BenchmarkResult> {
  const cached = cachedEmbedder(defaultEmbedder())
  const metrics: Record<string, Metric> = {}
  const tradeOffs: TradeOff[] = []
  const rows: string[][] = []
  for (const id of LABELLED_CORPORA) {
    const corpus = loadCorpus(id, queries, split)
    const embedder = withHeadsFor(cached, id, heads)
    const sources = await sourcesOf(corpus, embedder, queries)
    const searcher = createToolSearcher({ tools: corpus.tools, embedder, strict: true })
    const mastra = await searchWithMastra(corpus.tools)
    const systems: Record<TradeOff['system'], Search> = {
      mastra: async (query, accept) => (await mastra(query, accept)).slice(0, TOP),
      shipped: async (query, accept) =>
        (await searcher.search(query, { topK: TOP, minScore: 0, accept: ({ name }) => accept(name) })).results,
    }
    for (const [system, search] of Object.entries(systems) as [TradeOff['system'], Search][]) {
      const found: number[][] = []
      const bestOfAnswerable: number[] = []
      for (const { query, relevant } of corpus.queries) {
        const results = await search(query, () => true)
        bestOfAnswerable.push(results[0]?.score ?? 0)
        found.push(results.filter(({ name }) => relevant.includes(name)).map(({ score }) => score))
      }
      for (const [source, requests] of Object.entries(sources)) {
        const asked = system === 'mastra' ? requests.slice(0, MAX_OF_MASTRA[source]) : requests
        const best: number[] = []
        for (const { query, accept } of asked) best.push((await search(query, accept))[0]?.score ?? 0)
        const scores = { found, best }
        const name = `${id}/${source}/${system}`
        Object.assign(metrics, rejectionMetrics(name, scores, system))
        metrics[`${name}/auc by best score`] = plainMetric(areaUnderCurve(bestOfAnswerable, best), {
          unit: 'share',
          better: system === 'shipped' ? 'higher' : null,
        })
        const curve = rejectionCurve(scores)
        tradeOffs.push({
          corpus: id,
          source,
          system,
          recallLost: RECALL_LOST,
          empty: RECALL_LOST.map(lost => emptyAtLost(curve, lost)),
        })
        rows.push(rowOf(name, asked.length, metrics))
      }
    }
    cached.save()
  }
  printTable(
    [
      'corpus',
      'unanswerable',
      'system',
      'requests',
      'AUC',
      'by best',
      'empty at 1 % lost',
      'empty by default',
      'lost by default',
    ],
    rows,
  )
  return { model: cached.modelId, metrics, details: { defaultMinScore: DEFAULT_MIN_SCORE, tradeOffs } }
}

/** Requests that the corpus' catalog, or what `accept` leaves of it, cannot serve. */
async function sourcesOf(
  corpus: Corpus,
  embedder: ReturnType<typeof cachedEmbedder>,
  queries: number,
): Promise<Record<string, Unanswerable[]>> {
  const topicOf = await topicsOf(corpus, embedder)
  const topicRemoved = corpus.queries.map(({ query, relevant }): Unanswerable => {
    const topic = topicOf(relevant)
    return { query, accept: name => !topic.has(name) }
  })
  const sources: Record<string, Unanswerable[]> = { 'topic removed': topicRemoved }
  if (corpus.id === 'bfcl') {
    sources['bfcl-irrelevance'] = sample(irrelevance(), queries).map(({ query, not }) => ({
      query,
      accept: name => not.includes(name),
    }))
  }
  for (const language of ['en', 'zh']) {
    const lines = smallTalk().filter(line => line.language === language)
    sources[`small talk (${language})`] = lines.map(({ text }) => ({ query: text, accept: () => true }))
  }
  return sources
}

function irrelevance(): { query: string; not: string[] }[] {
  const file = new URL('../data/bfcl-irrelevance.json', import.meta.url)
  return (JSON.parse(readFileSync(file, 'utf8')) as { queries: { query: string; not: string[] }[] }).queries
}

function rejectionMetrics(name: string, scores: RejectionScores, system: TradeOff['system']): Record<string, Metric> {
  const better = system === 'shipped' ? 'higher' : null
  const unit = 'share'
  const curve = rejectionCurve(scores)
  const atOnePercent = curve.filter(({ recallLost }) => recallLost <= 0.01).at(-1)?.minScore ?? 0
  // The spread of the unanswerable requests: those are the fewer.
  const over = (statistic: (best: readonly number[]) => number) =>
    ({ unit, better, ...bootstrap(scores.best, statistic) }) as const
  const emptyAt = (minScore: number) => (best: readonly number[]) =>
    best.filter(score => score <= minScore).length / best.length
  const metrics: Record<string, Metric> = {
    [`${name}/auc`]: plainMetric(areaUnder(curve), { unit, better }),
    [`${name}/empty at 1 % lost`]: over(emptyAt(atOnePercent)),
  }
  if (system === 'mastra') return metrics
  const { recallLost } = rejectionAt(scores, DEFAULT_MIN_SCORE)
  return {
    ...metrics,
    [`${name}/empty by default`]: over(emptyAt(DEFAULT_MIN_SCORE)),
    [`${name}/lost by default`]: plainMetric(recallLost, { unit, better: 'lower' }),
  }
}

function rowOf(name: string, requests: number, metrics: Readonly<Record<string, Metric>>): string[] {
  const of = (measure: string) => metrics[`${name}/${measure}`]
  const percent = (metric: Metric | undefined) => (metric ? `${(metric.value * 100).toFixed(1)} %` : '')
  return [
    ...name.split('/'),
    String(requests),
    of('auc')!.value.toFixed(3),
    of('auc by best score')!.value.toFixed(3),
    ...['empty at 1 % lost', 'empty by default', 'lost by default'].map(measure => percent(of(measure))),
  ]
}
