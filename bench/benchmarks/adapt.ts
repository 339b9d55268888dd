import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Command } from 'commander'
import { adaptToolIndex } from '../../src/adapt/adapt-index.js'
import { ndcgOf } from '../../src/adapt/held-out.js'
import { learnMap } from '../../src/adapt/learn-map.js'
import { centroidsOf, pulled, pullShare } from '../../src/adapt/pull.js'
import { openToolIndex } from '../../src/artifact/open.js'
import { checkedEmbedder } from '../../src/embedding/checked.js'
import { defaultEmbedder } from '../../src/embedding/default-embedder.js'
import { DEFAULT_MIN_SCORE } from '../../src/ranking/score.js'
import { createToolSearcher, type ToolSearcher } from '../../src/searcher.js'
import { createExactIndex } from '../../src/vector/exact.js'
import { mappedQuery } from '../../src/vector/mapped-query.js'
import { packRows } from '../../src/vector/pack-rows.js'
import { type Benchmark, type BenchmarkResult, wholeNumber, wholeNumbers } from '../benchmark.js'
import { cachedEmbedder } from '../cached-embedder.js'
import { type Corpus, type CorpusQuery, loadCorpus, SEED, sample } from '../corpora.js'
import { embedTools } from '../corpus-index.js'
import { headsOption, withHeadsFor } from '../left-out-heads.js'
import { ndcgAt } from '../measures.js'
import { type Metric, meanMetric, plainMetric } from '../metric.js'
import { areaUnder, rejectionAt, rejectionCurve } from '../rejection-curve.js'
import { smallTalk } from '../small-talk.js'
import { printTable, shortNumber } from '../table.js'
import { topicsOf } from '../topics.js'

interface Options {
  sizes: number[]
  queries: number
  half: number
  large: boolean
  heads?: string
}

type Embedder = ReturnType<typeof cachedEmbedder>

// Those of the trial that the map and the pull come from: each by itself, whatever cross-validation says.
const MAP_ALONE = { weight: 0.03, others: 1 }
const PULL_ALONE = 0.9

const SHARE = { unit: 'share', better: 'higher' } as const
const DEPTH = 10

export const adapt: Benchmark<Options> = {
  name: 'adapt',
  summary: 'What does an index learn from labelled queries? On others, for tools without any, and when nothing fits.',
  configure: (command: Command) =>
    command
      .option('--sizes <counts>', 'labelled queries to learn from', wholeNumbers(1), [50, 200, 500, 1_000])
      .option('--queries <count>', 'most queries to measure on', wholeNumber(1), 1_000)
      .option('--half <count>', 'labelled queries of half of the tools', wholeNumber(1), 500)
      .option('--no-large', 'leave out the time of a catalog of 4,000 tools')
      .addOption(headsOption()),
  run,
}

async function run({ sizes, queries, half, large, heads }: Options): Promise<BenchmarkResult> {
  const cached = cachedEmbedder(defaultEmbedder())
  const embedder = withHeadsFor(cached, 'metatool', heads)
  const folder = mkdtempSync(join(tmpdir(), 'bench-adapt-'))
  try {
    const corpus = loadCorpus('metatool', queries, 'test')
    const pool = loadCorpus('metatool', Number.POSITIVE_INFINITY, 'dev').queries
    const metrics: Record<string, Metric> = {}
    const plain = createToolSearcher({ tools: corpus.tools, embedder, strict: true })
    const before = await ndcgBy(plain, corpus.queries)
    metrics['before/shipped/ndcg@10'] = meanMetric(before, SHARE)
    Object.assign(metrics, await noAnswer('before', corpus, plain, embedder))
    for (const size of sizes) {
      const learnFrom = sample(pool, size)
      Object.assign(metrics, await byCosine(corpus, learnFrom, embedder))
      Object.assign(metrics, await adapted(String(size), corpus, learnFrom, { before, folder, embedder }))
    }
    Object.assign(metrics, await halfOfTools(corpus, pool, half, { before, folder, embedder }))
    if (large) Object.assign(metrics, await largeCatalog(folder, withHeadsFor(cached, 'seal-tools', heads)))
    printTable(
      ['figure', 'value', '95 % interval'],
      Object.entries(metrics).map(([name, { value, low, high }]) => [
        name,
        shortNumber(value),
        `${shortNumber(low)} to ${shortNumber(high)}`,
      ]),
    )
    cached.save()
    return { model: cached.modelId, metrics, details: { sizes, half, defaultMinScore: DEFAULT_MIN_SCORE } }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function ndcgBy(searcher: ToolSearcher, queries: readonly CorpusQuery[]): Promise<number[]> {
  const values: number[] = []
  for (const { query, relevant } of queries) {
    const { results } = await searcher.search(query, { topK: DEPTH, minScore: 0 })
    values.push(
      ndcgAt(
        DEPTH,
        results.map(({ name }) => name),
        new Set(relevant),
      ),
    )
  }
  return values
}

/** By cosine similarity alone: before, and with each part alone. */
async function byCosine(
  { tools, queries }: Corpus,
  learnFrom: readonly CorpusQuery[],
  embedder: Embedder,
): Promise<Record<string, Metric>> {
  const { dimensions } = embedder
  const names = Object.keys(tools)
  const checked = checkedEmbedder(embedder)
  const { vectors } = await embedTools(tools, checked)
  const rowsOf = ({ relevant }: CorpusQuery) => relevant.map(name => names.indexOf(name))
  const embedded = async (own: readonly CorpusQuery[]) => {
    const read = await checked.readQueries(own.map(({ query }) => query))
    return packRows(
      read.map(({ embedding }) => embedding),
      dimensions,
    )
  }
  const data = { dimensions, tools: vectors, queries: await embedded(learnFrom), relevant: learnFrom.map(rowsOf) }
  const all = [...learnFrom.keys()]
  const map = Float32Array.from(await learnMap(data, MAP_ALONE))
  const { tools: rows, counts, means } = centroidsOf(data, all)
  const moved = vectors.slice()
  rows.forEach((row, at) => {
    const [own, mean] = [vectors, means].map((matrix, which) => {
      const start = (which === 0 ? row : at) * dimensions
      return matrix.subarray(start, start + dimensions)
    }) as [Float32Array, Float32Array]
    moved.set(pulled(own, mean, pullShare(PULL_ALONE, counts[at]!)), row * dimensions)
  })
  const measured = await embedded(queries)
  const ndcg = (matrix: Float32Array, mapped: (query: Float32Array) => Float32Array) => {
    const index = createExactIndex(matrix, dimensions)
    const values = queries.map((query, at) => {
      const vector = mapped(measured.subarray(at * dimensions, (at + 1) * dimensions))
      return ndcgOf(Float64Array.from(index.similarities(vector)), rowsOf(query))
    })
    return meanMetric(values, SHARE)
  }
  const size = learnFrom.length
  return {
    'before/cosine/ndcg@10': ndcg(vectors, query => query),
    [`${size}/map alone, cosine/ndcg@10`]: ndcg(vectors, query => mappedQuery(map, query)),
    [`${size}/pull alone, cosine/ndcg@10`]: ndcg(moved, query => query),
  }
}

interface Setting {
  /** nDCG@10 of each query without an adaptation. */
  readonly before: readonly number[]
  readonly folder: string
  readonly embedder: Embedder
}

/** `adaptToolIndex` as users call it, with and without care for tools without queries; and what searches then find. */
async function adapted(
  name: string,
  corpus: Corpus,
  learnFrom: readonly CorpusQuery[],
  { before, folder, embedder }: Setting,
): Promise<Record<string, Metric>> {
  const metrics: Record<string, Metric> = {}
  for (const keepOthers of [true, false]) {
    const own = keepOthers ? name : `${name}, others not kept`
    const searcher = await learnt(own, corpus, learnFrom, { keepOthers, folder, embedder }, metrics)
    if (!searcher) continue
    const after = await ndcgBy(searcher, corpus.queries)
    metrics[`${own}/shipped/ndcg@10`] = meanMetric(after, SHARE)
    metrics[`${own}/shipped gain/ndcg@10`] = meanMetric(differences(after, before), SHARE)
    if (keepOthers) Object.assign(metrics, await noAnswer(name, corpus, searcher, embedder))
  }
  return metrics
}

const differences = (after: readonly number[], before: readonly number[]) =>
  after.map((value, at) => value - before[at]!)

/** The searcher over an adapted index; undefined where cross-validation refuses. */
async function learnt(
  name: string,
  { tools }: Corpus,
  queries: readonly CorpusQuery[],
  { keepOthers, folder, embedder }: { keepOthers: boolean; folder: string; embedder: Embedder },
  metrics: Record<string, Metric>,
): Promise<ToolSearcher | undefined> {
  const out = join(folder, name.replace(/\W+/g, '-'))
  const start = performance.now()
  const { helps, adaptation } = await adaptToolIndex({ tools, queries, out, embedder, keepOthers, seed: SEED })
  console.log(`${name}: ${helps ? 'adapted' : 'refused'} in ${((performance.now() - start) / 1000).toFixed(1)} s`)
  metrics[`${name}/time`] = plainMetric(performance.now() - start, { unit: 'ms', better: 'lower' })
  if (adaptation) metrics[`${name}/cross-validated gain`] = { ...SHARE, ...adaptation.gain }
  if (!helps) return undefined
  const index = await openToolIndex(out)
  return createToolSearcher({ tools, embedder, strict: true, index })
}

/** Half of the tools, drawn, have no query: what becomes of theirs, and of the others'. */
async function halfOfTools(
  corpus: Corpus,
  pool: readonly CorpusQuery[],
  size: number,
  { before, folder, embedder }: Setting,
): Promise<Record<string, Metric>> {
  const names = Object.keys(corpus.tools)
  const without = new Set(sample(names, Math.floor(names.length / 2)))
  const isOther = ({ relevant }: CorpusQuery) => relevant.some(name => without.has(name))
  const learnFrom = sample(
    pool.filter(query => !isOther(query)),
    size,
  )
  const metrics: Record<string, Metric> = {}
  const searcher = await learnt('half', corpus, learnFrom, { keepOthers: true, folder, embedder }, metrics)
  if (!searcher) return metrics
  const gains = differences(await ndcgBy(searcher, corpus.queries), before)
  const of = (others: boolean) => gains.filter((_, at) => isOther(corpus.queries[at]!) === others)
  return {
    ...metrics,
    'half/shipped gain of tools with queries/ndcg@10': meanMetric(of(false), SHARE),
    'half/shipped gain of tools without queries/ndcg@10': meanMetric(of(true), SHARE),
  }
}

const TOP = 5

/** As the no-answer benchmark: areas under the trade-off, and what the default `minScore` does. */
async function noAnswer(
  name: string,
  corpus: Corpus,
  searcher: ToolSearcher,
  embedder: Embedder,
): Promise<Record<string, Metric>> {
  const topicOf = await topicsOf(corpus, embedder)
  const found: number[][] = []
  const removed: number[] = []
  for (const { query, relevant } of corpus.queries) {
    const { results } = await searcher.search(query, { topK: TOP, minScore: 0 })
    found.push(results.filter(result => relevant.includes(result.name)).map(({ score }) => score))
    const topic = topicOf(relevant)
    const rest = await searcher.search(query, { topK: 1, minScore: 0, accept: tool => !topic.has(tool.name) })
    removed.push(rest.results[0]?.score ?? 0)
  }
  const talk: number[] = []
  for (const { text } of smallTalk().filter(({ language }) => language === 'en')) {
    talk.push((await searcher.search(text, { topK: 1, minScore: 0 })).results[0]?.score ?? 0)
  }
  const figures = (best: readonly number[]) => {
    const scores = { found, best }
    return { auc: areaUnder(rejectionCurve(scores)), ...rejectionAt(scores, DEFAULT_MIN_SCORE) }
  }
  const [topic, small] = [figures(removed), figures(talk)]
  return {
    [`${name}/topic removed/auc`]: plainMetric(topic.auc, SHARE),
    [`${name}/small talk/auc`]: plainMetric(small.auc, SHARE),
    [`${name}/small talk/empty by default`]: plainMetric(small.empty, SHARE),
    [`${name}/small talk/lost by default`]: plainMetric(small.recallLost, { unit: 'share', better: 'lower' }),
  }
}

/** 4,000 tools and 1,000 queries: how long it takes, and what a search costs more. */
async function largeCatalog(folder: string, embedder: Embedder): Promise<Record<string, Metric>> {
  const corpus = loadCorpus('seal-tools', 1_400)
  const metrics: Record<string, Metric> = {}
  const [learnFrom, measured] = [corpus.queries.slice(0, 1_000), corpus.queries.slice(1_000)]
  const searcher = await learnt('seal-tools', corpus, learnFrom, { keepOthers: true, folder, embedder }, metrics)
  if (!searcher) return metrics
  const plain = createToolSearcher({ tools: corpus.tools, embedder, strict: true })
  const [after, before] = [await ndcgBy(searcher, measured), await ndcgBy(plain, measured)]
  metrics['seal-tools/shipped gain/ndcg@10'] = meanMetric(differences(after, before), SHARE)
  return metrics
}
