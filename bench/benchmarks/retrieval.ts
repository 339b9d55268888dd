import { type Command, Option } from 'commander'
import { checkedEmbedder } from '../../src/embedding/checked.js'
import { defaultEmbedder } from '../../src/embedding/default-embedder.js'
import type { Embedder } from '../../src/embedding/embedder.js'
import { clausesOf } from '../../src/lexical/clauses.js'
import { rankInParts } from '../../src/ranking/parts.js'
import { rankQuery } from '../../src/ranking/rank.js'
import { createToolSearcher } from '../../src/searcher.js'
import { createHnswIndex } from '../../src/vector/hnsw.js'
import type { VectorIndex } from '../../src/vector/vector-index.js'
import { type Benchmark, type BenchmarkResult, wholeNumber } from '../benchmark.js'
import { cachedEmbedder } from '../cached-embedder.js'
import { type Corpus, LABELLED_CORPORA, loadCorpus, SPLITS, type Split } from '../corpora.js'
import {
  byBoth,
  byMeaning,
  byWords,
  type CorpusIndex,
  evidenceFor,
  indexCorpus,
  RENDERINGS,
  type Rendering,
} from '../corpus-index.js'
import { fp32Embedder } from '../fp32-embedder.js'
import { headsOption, withHeadsFor } from '../left-out-heads.js'
import { searchWithMastra } from '../mastra-search.js'
import { hitAt, ndcgAt, recallAt, reciprocalRankAt } from '../measures.js'
import { type Metric, meanMetric } from '../metric.js'
import { interval, printTable } from '../table.js'

/** The systems that are compared, the floor first. */
export const SYSTEMS = ['mastra', 'lexical', 'dense', 'shipped'] as const

export type System = (typeof SYSTEMS)[number]

export const MEASURES = {
  'hit@1': (ranked: readonly string[], relevant: ReadonlySet<string>) => hitAt(1, ranked, relevant),
  'recall@5': (ranked: readonly string[], relevant: ReadonlySet<string>) => recallAt(5, ranked, relevant),
  'ndcg@10': (ranked: readonly string[], relevant: ReadonlySet<string>) => ndcgAt(10, ranked, relevant),
  'mrr@10': (ranked: readonly string[], relevant: ReadonlySet<string>) => reciprocalRankAt(10, ranked, relevant),
} as const

export type Measure = keyof typeof MEASURES

/** Of each system, the names of its ten best tools for each query. */
export type Rankings = Readonly<Record<System, readonly (readonly string[])[]>>

/** How large the pool of each list is, and what a lexical share weighs against a cosine similarity. */
export interface WeightGrid {
  readonly corpus: string
  readonly ks: readonly number[]
  readonly weights: readonly number[]
  /** nDCG@10, one row a `k`. */
  readonly ndcg10: readonly (readonly number[])[]
}

const ABLATION = 'ablation: '

const GRID_KS = [10, 20, 50, 100, 1_000]
const GRID_WEIGHTS = [0, 0.4, 0.8, 1.2, 1.6, 2, 2.8]

export interface RetrievalOptions {
  /** Default: all four. */
  corpora?: readonly (typeof LABELLED_CORPORA)[number][]
  queries: number
  split: Split
  ablations: boolean
  fp32?: string
  heads?: string
}

export const retrieval: Benchmark<RetrievalOptions> = {
  name: 'retrieval',
  summary: 'Does search find the right tool? Four corpora, four systems, 95 % intervals, and ablations.',
  configure: (command: Command) =>
    command
      .option('--queries <count>', 'most queries of a corpus', wholeNumber(1), 1_000)
      .addOption(new Option('--split <split>', 'which queries').choices(SPLITS).default('test'))
      .option('--no-ablations', 'leave out the ablations and the grid')
      .addOption(headsOption())
      .option('--fp32 <file>', 'fp32 weights for the ablation (scripts/model/export.py --fp32); left out without'),
  run,
}

async function run({
  corpora = LABELLED_CORPORA,
  queries,
  split,
  ablations,
  fp32,
  heads,
}: RetrievalOptions): Promise<BenchmarkResult> {
  const cached = cachedEmbedder(defaultEmbedder())
  const exactModel = fp32 === undefined ? undefined : cachedEmbedder(fp32Embedder(fp32))
  const metrics: Record<string, Metric> = {}
  const grids: WeightGrid[] = []
  const rows: string[][] = []
  for (const id of corpora) {
    const corpus = loadCorpus(id, queries, split)
    const embedder = withHeadsFor(cached, id, heads)
    const index = await indexCorpus(corpus, embedder)
    const rankings = await rankAll(corpus, index, embedder)
    Object.assign(metrics, retrievalMetrics(corpus, rankings))
    for (const system of SYSTEMS) {
      const cells = Object.keys(MEASURES).map(measure => interval(metrics[`${id}/${system}/${measure}`]!))
      rows.push([`${id} (${corpus.queries.length})`, system, ...cells])
    }
    if (ablations) {
      Object.assign(
        metrics,
        await ablationMetrics(corpus, index, embedder, exactModel && withHeadsFor(exactModel, id, heads)),
      )
      grids.push(weightGrid(corpus, index))
    }
    cached.save()
    exactModel?.save()
  }
  printTable(['corpus', 'system', ...Object.keys(MEASURES)], rows)
  if (ablations) printAblations(metrics, grids)
  return { model: cached.modelId, metrics, details: { grids } }
}

export async function rankAll(corpus: Corpus, index: CorpusIndex, embedder: Embedder): Promise<Rankings> {
  const mastra = await searchWithMastra(corpus.tools)
  const searcher = createToolSearcher({ tools: corpus.tools, embedder, strict: true })
  const rankings: Record<System, string[][]> = { mastra: [], lexical: [], dense: [], shipped: [] }
  for (const [at, { query }] of corpus.queries.entries()) {
    const evidence = evidenceFor(index, query, index.queryVectors[at]!)
    rankings.mastra.push((await mastra(query)).map(({ name }) => name))
    rankings.lexical.push(byWords(evidence))
    rankings.dense.push(byMeaning(evidence))
    const { results } = await searcher.search(query, { topK: 10, minScore: 0 })
    rankings.shipped.push(results.map(({ name }) => name))
  }
  return rankings
}

/** Each measure of each system, and what the shipped ranking gains over Mastra's class, in pairs. */
export function retrievalMetrics({ id, queries }: Corpus, rankings: Rankings): Record<string, Metric> {
  const relevant = queries.map(query => new Set(query.relevant))
  const metrics: Record<string, Metric> = {}
  for (const [measure, of] of Object.entries(MEASURES)) {
    const valuesOf = (system: System) => rankings[system].map((ranked, at) => of(ranked, relevant[at]!))
    for (const system of SYSTEMS) {
      const values = valuesOf(system)
      const metric = meanMetric(values, { unit: 'share', better: system === 'shipped' ? 'higher' : null })
      metrics[`${id}/${system}/${measure}`] = system === 'shipped' ? { ...metric, values } : metric
    }
    const [ours, theirs] = [valuesOf('shipped'), valuesOf('mastra')]
    const gains = ours.map((value, at) => value - theirs[at]!)
    metrics[`${id}/shipped − mastra/${measure}`] = meanMetric(gains, { unit: 'share', better: 'higher' })
  }
  return metrics
}

/** What nDCG@10 changes by when one part is taken away or exchanged, in pairs; both parts fused, no exact names. */
async function ablationMetrics(
  corpus: Corpus,
  index: CorpusIndex,
  embedder: Embedder,
  fp32: Embedder | undefined,
): Promise<Record<string, Metric>> {
  const whole = await fusedRankings(corpus, index)
  const inClauses = await fusedRankings(corpus, index, { clauses: embedder })
  const base = ndcgOf(corpus, whole)
  const hnsw = await createHnswIndex(index.vectors, index.dimensions)
  const changed: Record<string, readonly number[]> = {
    'clauses of long requests, too': ndcgOf(corpus, inClauses),
    'HNSW instead of exact': ndcgOf(corpus, await fusedRankings(corpus, index, { vectors: hnsw })),
  }
  const queryVectors = await checkedEmbedder(embedder).embedQueries(corpus.queries.map(({ query }) => query))
  changed['without the query map'] = ndcgOf(corpus, await fusedRankings(corpus, { ...index, queryVectors }))
  for (const rendering of Object.keys(RENDERINGS) as Rendering[]) {
    if (rendering === 'shipped') continue
    const other = await indexCorpus(corpus, embedder, rendering)
    changed[rendering] = ndcgOf(corpus, await fusedRankings(corpus, other))
  }
  if (fp32) {
    const other = await indexCorpus(corpus, fp32)
    changed['fp32 instead of int8'] = ndcgOf(corpus, await fusedRankings(corpus, other))
  }
  const ofSeveral = { whole: allFound(corpus, whole), 'with clauses': allFound(corpus, inClauses) }
  const metrics: Record<string, Metric> = {}
  for (const [name, values] of Object.entries(ofSeveral)) {
    if (values.length === 0) continue
    metrics[`${corpus.id}/several tools, all@10/${name}`] = meanMetric(values, { unit: 'share', better: null })
  }
  for (const [name, values] of Object.entries(changed)) {
    const gains = values.map((value, at) => value - base[at]!)
    metrics[`${corpus.id}/${ABLATION}${name}/ndcg@10`] = meanMetric(gains, { unit: 'share', better: null })
  }
  return metrics
}

/** The ten best tools for each query; with an embedder of clauses, those of long requests are searched, too. */
async function fusedRankings(
  { queries }: Corpus,
  index: CorpusIndex,
  { vectors = index.exact, clauses }: { vectors?: VectorIndex; clauses?: Embedder } = {},
): Promise<string[][]> {
  const layer = { lexical: index.lexical, dense: { vectors, readableShares: index.readableShares } }
  const rankings: string[][] = []
  for (const [at, { query }] of queries.entries()) {
    const parts = []
    for (const clause of clauses ? clausesOf(query) : []) {
      const [read] = await checkedEmbedder(clauses!).readQueries([clause])
      const { embedding, smallTalk } = read!
      parts.push(rankQuery({ text: clause, vector: embedding, readableShare: 1, smallTalk }, [layer]))
    }
    // As a search for ten results asks for candidates.
    const whole = { text: query, vector: index.queryVectors[at], readableShare: 1, smallTalk: 0 }
    const candidates = await rankInParts(rankQuery(whole, [layer]), parts).best(64)
    rankings.push(candidates.slice(0, 10).map(({ position }) => index.names[position]!))
  }
  return rankings
}

/** For each request that needs several tools, 1 where all of them (at most ten) are among the ten best. */
function allFound({ queries }: Corpus, rankings: readonly (readonly string[])[]): number[] {
  return queries.flatMap(({ relevant }, at) =>
    relevant.length < 2 ? [] : [relevant.slice(0, 10).every(name => rankings[at]!.includes(name)) ? 1 : 0],
  )
}

function ndcgOf({ queries }: Corpus, rankings: readonly (readonly string[])[]): number[] {
  return rankings.map((ranked, at) => ndcgAt(10, ranked, new Set(queries[at]!.relevant)))
}

function weightGrid(corpus: Corpus, index: CorpusIndex): WeightGrid {
  const sums = GRID_KS.map(() => GRID_WEIGHTS.map(() => 0))
  for (const [at, { query, relevant }] of corpus.queries.entries()) {
    const evidence = evidenceFor(index, query, index.queryVectors[at]!)
    const wanted = new Set(relevant)
    for (const [row, k] of GRID_KS.entries()) {
      for (const [column, weight] of GRID_WEIGHTS.entries()) {
        sums[row]![column]! += ndcgAt(10, byBoth(evidence, k, weight), wanted)
      }
    }
  }
  const ndcg10 = sums.map(row => row.map(sum => sum / corpus.queries.length))
  return { corpus: corpus.id, ks: GRID_KS, weights: GRID_WEIGHTS, ndcg10 }
}

function printAblations(metrics: Readonly<Record<string, Metric>>, grids: readonly WeightGrid[]): void {
  const rows = Object.entries(metrics).flatMap(([name, metric]) => {
    const [corpus, what] = name.split('/') as [string, string]
    return what.startsWith(ABLATION) ? [[corpus, what.slice(ABLATION.length), interval(metric)]] : []
  })
  printTable(['corpus', 'ablation', 'nDCG@10 changes by'], rows)
  for (const { corpus, ks, weights, ndcg10 } of grids) {
    const body = ndcg10.map((row, at) => [String(ks[at]), ...row.map(value => value.toFixed(4))])
    printTable([`${corpus}: k, weight`, ...weights.map(String)], body)
  }
}
