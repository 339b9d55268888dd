import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Command, Option } from 'commander'
import { calibrateToolIndex } from '../../src/adapt/calibrate-index.js'
import { buildToolIndex } from '../../src/artifact/build.js'
import { defaultEmbedder } from '../../src/embedding/default-embedder.js'
import type { Embedder } from '../../src/embedding/embedder.js'
import { transformersEmbedder } from '../../src/embedding/transformers-js.js'
import { createToolSearcher } from '../../src/searcher.js'
import { calibrationError, type Prediction } from '../../src/tuning/calibration-error.js'
import { type Benchmark, type BenchmarkResult, wholeNumber } from '../benchmark.js'
import { cachedEmbedder } from '../cached-embedder.js'
import { type Corpus, LABELLED_CORPORA, loadCorpus } from '../corpora.js'
import { headsOption, withHeadsFor } from '../left-out-heads.js'
import { mean, ndcgAt } from '../measures.js'
import { bootstrap, type Metric, meanMetric } from '../metric.js'
import { printTable } from '../table.js'

interface Options {
  queries: number
  labelled: number
  heads?: string
  model?: string
}

export const calibration: Benchmark<Options> = {
  name: 'calibration',
  summary: 'Do scores mean what they say? By default, and in an index that `tune --calibrate` has fitted.',
  configure: (command: Command) =>
    command
      .option('--queries <count>', 'most queries of a corpus that are measured', wholeNumber(1), 1_000)
      .option('--labelled <count>', 'other queries that the score is fitted to', wholeNumber(10), 200)
      .addOption(new Option('--model <folder>', 'another model').conflicts('heads'))
      .addOption(headsOption()),
  run,
}

const TOP = 5

async function run({ queries, labelled, heads, model }: Options): Promise<BenchmarkResult> {
  const cached = cachedEmbedder(model === undefined ? defaultEmbedder() : transformersEmbedder({ model }))
  const metrics: Record<string, Metric> = {}
  for (const id of LABELLED_CORPORA) {
    const embedder = withHeadsFor(cached, id, heads)
    const corpus = loadCorpus(id, queries, 'test')
    const index = mkdtempSync(join(tmpdir(), 'calibration-'))
    try {
      await buildToolIndex({ tools: corpus.tools, out: index, embedder, includeDocuments: true })
      Object.assign(metrics, await measure(`${id}/default`, corpus, index, embedder))
      const { helps } = await calibrateToolIndex({ index, queries: loadCorpus(id, labelled, 'dev').queries, embedder })
      if (helps) Object.assign(metrics, await measure(`${id}/calibrated`, corpus, index, embedder))
    } finally {
      rmSync(index, { recursive: true })
    }
    cached.save()
  }
  printTable(
    ['figure', 'value', 'low', 'high'],
    Object.entries(metrics).map(([name, { value, low, high }]) => [name, value, low, high]),
  )
  return { model: cached.modelId, metrics }
}

async function measure(
  name: string,
  { tools, queries }: Corpus,
  index: string,
  embedder: Embedder,
): Promise<Record<string, Metric>> {
  const searcher = createToolSearcher({ tools, embedder, strict: true, index })
  const rankings: Prediction[][] = []
  const gains: number[] = []
  for (const { query, relevant } of queries) {
    const { results } = await searcher.search(query, { topK: 10, minScore: 0 })
    rankings.push(results.slice(0, TOP).map(({ name, score }) => ({ score, relevant: relevant.includes(name) })))
    const names = results.map(result => result.name)
    gains.push(ndcgAt(10, names, new Set(relevant)))
  }
  const first = rankings.flatMap(ranking => ranking.slice(0, 1))
  const share = (found: readonly Prediction[]) => found.map(({ relevant }) => Number(relevant))
  // Queries are drawn, each with all of its results.
  const error = bootstrap([...rankings.keys()], drawn => calibrationError(drawn.flatMap(at => rankings[at]!)))
  return {
    [`${name}/calibration error`]: { unit: 'share', better: 'lower', ...error },
    [`${name}/mean score of the first`]: meanMetric(
      first.map(({ score }) => score),
      { unit: 'share', better: null },
    ),
    [`${name}/share of the first that are relevant`]: meanMetric(share(first), { unit: 'share', better: null }),
    [`${name}/mean score of the others`]: meanMetric(
      rankings.map(ranking => mean(ranking.slice(1).map(({ score }) => score))),
      { unit: 'share', better: null },
    ),
    [`${name}/share of the others that are relevant`]: meanMetric(
      rankings.map(ranking => mean(share(ranking.slice(1)))),
      { unit: 'share', better: null },
    ),
    [`${name}/ndcg@10`]: meanMetric(gains, { unit: 'share', better: 'higher' }),
  }
}
