import { readFileSync } from 'node:fs'
import { type Command, Option } from 'commander'
import { defaultEmbedder } from '../../src/embedding/default-embedder.js'
import type { Embedder } from '../../src/embedding/embedder.js'
import { createToolSearcher } from '../../src/searcher.js'
import { type Benchmark, type BenchmarkResult, wholeNumber } from '../benchmark.js'
import { cachedEmbedder } from '../cached-embedder.js'
import {
  type Corpus,
  type CorpusQuery,
  LABELLED_CORPORA,
  loadCorpus,
  SEED,
  SPLITS,
  type Split,
  seededRandom,
} from '../corpora.js'
import { headsOption, withHeadsFor } from '../left-out-heads.js'
import { searchWithMastra } from '../mastra-search.js'
import { hitAt, mean, ndcgAt, recallAt } from '../measures.js'
import { bootstrap, type Metric, meanMetric } from '../metric.js'
import { PERTURBATIONS } from '../perturbations.js'
import { interval, percentInterval, printTable } from '../table.js'

const MEASURES = {
  'ndcg@10': (ranked: readonly string[], relevant: ReadonlySet<string>) => ndcgAt(10, ranked, relevant),
  'hit@1': (ranked: readonly string[], relevant: ReadonlySet<string>) => hitAt(1, ranked, relevant),
} as const

type Measure = keyof typeof MEASURES

type System = 'mastra' | 'shipped'

/** The names of the ten best tools. */
type Search = (query: string) => Promise<readonly string[]>

interface Options {
  queries: number
  split: Split
  corpora: readonly string[]
  heads?: string
}

export const robustness: Benchmark<Options> = {
  name: 'robustness',
  summary: 'Does search still find it when it is written otherwise? Typos, keywords, several parts, other languages.',
  configure: (command: Command) =>
    command
      .option('--queries <count>', 'most queries of a corpus', wholeNumber(1), 300)
      .addOption(new Option('--split <split>', 'which queries').choices(SPLITS).default('test'))
      .option('--corpora <ids...>', 'which corpora', [...LABELLED_CORPORA])
      .addOption(headsOption()),
  run,
}

async function run({ queries, split, corpora, heads }: Options): Promise<BenchmarkResult> {
  const cached = cachedEmbedder(defaultEmbedder())
  const embedderFor = (corpus: string) => withHeadsFor(cached, corpus, heads)
  const metrics: Record<string, Metric> = {}
  const rows: string[][] = []
  for (const id of corpora) {
    const corpus = loadCorpus(id, queries, split)
    for (const [system, search] of Object.entries(await systemsOf(corpus, embedderFor(id)))) {
      const plain = await valuesOf(search, corpus.queries)
      Object.assign(metrics, metricsOf(`${id}/as they are/${system}`, plain, system))
      rows.push([
        id,
        'as they are',
        system,
        String(corpus.queries.length),
        ...cells(metrics, `${id}/as they are/${system}`),
      ])
      for (const [name, perturb] of Object.entries(PERTURBATIONS)) {
        const random = seededRandom(SEED)
        const written = corpus.queries.map(({ query, relevant }) => ({ query: perturb(query, random), relevant }))
        const changed = written.flatMap(({ query }, at) => (query === corpus.queries[at]!.query ? [] : [at]))
        if (changed.length === 0) continue
        const before = picked(plain, changed)
        const after = await valuesOf(
          search,
          changed.map(at => written[at]!),
        )
        const prefix = `${id}/${name}/${system}`
        Object.assign(metrics, metricsOf(prefix, after, system), lossMetrics(prefix, before, after, system))
        rows.push([id, name, system, String(changed.length), ...cells(metrics, prefix), ...losses(metrics, prefix)])
      }
    }
    cached.save()
  }
  printTable(['corpus', 'written', 'system', 'queries', 'nDCG@10', 'hit@1', 'loss of nDCG@10', 'of hit@1'], rows)
  Object.assign(metrics, await severalParts(embedderFor('seal-tools'), queries, split))
  Object.assign(metrics, await otherLanguages(cached))
  cached.save()
  return { model: cached.modelId, metrics }
}

async function systemsOf({ tools }: Pick<Corpus, 'tools'>, embedder: Embedder): Promise<Record<System, Search>> {
  const mastra = await searchWithMastra(tools)
  const searcher = createToolSearcher({ tools, embedder, strict: true })
  return {
    mastra: async query => (await mastra(query)).map(({ name }) => name),
    shipped: async query => (await searcher.search(query, { topK: 10, minScore: 0 })).results.map(({ name }) => name),
  }
}

type Values = Readonly<Record<Measure, readonly number[]>>

async function valuesOf(search: Search, queries: readonly CorpusQuery[]): Promise<Values> {
  const values: Record<Measure, number[]> = { 'ndcg@10': [], 'hit@1': [] }
  for (const { query, relevant } of queries) {
    const ranked = await search(query)
    for (const [measure, of] of Object.entries(MEASURES)) values[measure as Measure].push(of(ranked, new Set(relevant)))
  }
  return values
}

function picked(values: Values, positions: readonly number[]): Values {
  const of = (measure: Measure) => positions.map(at => values[measure][at]!)
  return { 'ndcg@10': of('ndcg@10'), 'hit@1': of('hit@1') }
}

function metricsOf(prefix: string, values: Values, system: string): Record<string, Metric> {
  return Object.fromEntries(
    Object.entries(values).map(([measure, numbers]) => [
      `${prefix}/${measure}`,
      meanMetric(numbers, { unit: 'share', better: system === 'shipped' ? 'higher' : null }),
    ]),
  )
}

/** What is lost of the same queries as they were, as a share of it; negative where something is gained. */
function lossMetrics(prefix: string, before: Values, after: Values, system: string): Record<string, Metric> {
  return Object.fromEntries(
    (Object.keys(MEASURES) as Measure[]).map(measure => {
      const [plain, written] = [before[measure], after[measure]]
      const loss = (positions: readonly number[]) => {
        const whole = mean(positions.map(at => plain[at]!))
        return whole === 0 ? 0 : 1 - mean(positions.map(at => written[at]!)) / whole
      }
      const estimate = bootstrap([...plain.keys()], loss)
      return [
        `${prefix}/loss of ${measure}`,
        { unit: 'share', better: system === 'shipped' ? 'lower' : null, ...estimate },
      ]
    }),
  )
}

/** Requests that need several tools: how often all of them are among the first ten. */
async function severalParts(embedder: Embedder, queries: number, split: Split): Promise<Record<string, Metric>> {
  const corpus = loadCorpus('seal-tools', Number.POSITIVE_INFINITY, split)
  const several = corpus.queries.filter(({ relevant }) => relevant.length >= 2).slice(0, queries)
  const metrics: Record<string, Metric> = {}
  const rows: string[][] = []
  for (const [system, search] of Object.entries(await systemsOf(corpus, embedder))) {
    const recalls: number[] = []
    for (const { query, relevant } of several) recalls.push(recallAt(10, await search(query), new Set(relevant)))
    const of = { unit: 'share', better: system === 'shipped' ? 'higher' : null } as const
    const prefix = `seal-tools/several tools/${system}`
    metrics[`${prefix}/all@10`] = meanMetric(recalls.map(Math.floor), of)
    metrics[`${prefix}/recall@10`] = meanMetric(recalls, of)
    rows.push([
      system,
      String(several.length),
      interval(metrics[`${prefix}/all@10`]!),
      interval(metrics[`${prefix}/recall@10`]!),
    ])
  }
  printTable(['several tools needed', 'queries', 'all in the top 10', 'recall@10'], rows)
  return metrics
}

interface TranslatedQuery extends Readonly<Record<(typeof LANGUAGES)[number], string>> {
  readonly relevant: string[]
}

const LANGUAGES = ['en', 'zh', 'ja', 'es', 'de'] as const

/** The same requests in five languages; the tools are described in English, and no query heads have learned from them. */
async function otherLanguages(embedder: Embedder): Promise<Record<string, Metric>> {
  const file = new URL('../data/translated.json', import.meta.url)
  const { catalog, queries } = JSON.parse(readFileSync(file, 'utf8')) as { catalog: string; queries: TranslatedQuery[] }
  const metrics: Record<string, Metric> = {}
  const rows: string[][] = []
  for (const [system, search] of Object.entries(await systemsOf(loadCorpus(catalog), embedder))) {
    for (const language of LANGUAGES) {
      const asked = queries.map(query => ({ query: query[language], relevant: query.relevant }))
      const prefix = `${catalog}/language ${language}/${system}`
      Object.assign(metrics, metricsOf(prefix, await valuesOf(search, asked), system))
      rows.push([language, system, String(asked.length), ...cells(metrics, prefix)])
    }
  }
  printTable(['language', 'system', 'queries', 'nDCG@10', 'hit@1'], rows)
  return metrics
}

function cells(metrics: Readonly<Record<string, Metric>>, prefix: string): string[] {
  return Object.keys(MEASURES).map(measure => interval(metrics[`${prefix}/${measure}`]!))
}

function losses(metrics: Readonly<Record<string, Metric>>, prefix: string): string[] {
  return Object.keys(MEASURES).map(measure => percentInterval(metrics[`${prefix}/loss of ${measure}`]!))
}
