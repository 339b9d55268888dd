import { createRequire } from 'node:module'
import type { Command } from 'commander'
import { documentOf } from '../../src/catalog/document.js'
import { transformersEmbedder } from '../../src/embedding/transformers-js.js'
import { createSession, createTokenizer, type Session } from '../../src/embedding/transformers-runtime.js'
import { type Benchmark, type BenchmarkResult, wholeNumber } from '../benchmark.js'
import { type Corpus, loadCorpus, sample } from '../corpora.js'
import { modelFolder } from '../fp32-embedder.js'
import { type Metric, medianMetric, ratioMetric } from '../metric.js'
import { printTable } from '../table.js'
import { inTurns } from '../times.js'

interface Options {
  documents: number
  rounds: number
  unfused?: string
}

export const embed: Benchmark<Options> = {
  name: 'embed',
  summary: 'How fast is embedding, against a bare onnxruntime session and transformers.js used naively?',
  configure: (command: Command) =>
    command
      .option('--documents <count>', 'documents a round', wholeNumber(16), 256)
      .option('--rounds <count>', 'rounds', wholeNumber(3), 9)
      .option(
        '--unfused <file>',
        'int8 weights without fused operators for the naive use (scripts/model/export.py --unfused); without, the bundled ones',
      ),
  run,
}

const QUERIES = 64
const NAIVE_BATCH = 16

const require = createRequire(import.meta.url)
const MODEL = '../../models/all-MiniLM-L6-v2'

async function run({ documents, rounds, unfused }: Options): Promise<BenchmarkResult> {
  const corpus = loadCorpus('bfcl')
  const texts = sample(textsOf(corpus), documents)
  const queries = sample(
    corpus.queries.map(({ query }) => query).filter(query => query.length <= 100),
    QUERIES,
  )
  const embedder = transformersEmbedder()
  const bare = await bareSession()
  const naive = await naivePipeline(unfused)

  const documentTimes = await inTurns(
    {
      ours: () => embedder.embedDocuments(texts),
      bare: () => bare.inBatches(texts),
      naive: () => naive(texts),
    },
    { rounds },
  )
  const queryTimes = await inTurns(
    {
      ours: round => embedder.embedQueries([queries[round % QUERIES]!]),
      bare: round => bare.inBatches([queries[round % QUERIES]!]),
      naive: round => naive([queries[round % QUERIES]!]),
    },
    { rounds: QUERIES },
  )
  const metrics: Record<string, Metric> = {}
  for (const [kind, times, count] of [
    ['documents', documentTimes, documents],
    ['query', queryTimes, 1],
  ] as const) {
    for (const [system, ms] of Object.entries(times)) {
      const perSecond = ms.map(each => (count / each) * 1_000)
      metrics[`${kind}/${system} per second`] = medianMetric(perSecond, { unit: 'per second', better: null })
      metrics[`${kind}/${system} ms`] = medianMetric(ms, { unit: 'ms', better: null })
    }
    metrics[`${kind}/ours : bare session`] = ratioMetric(times.ours, times.bare)
    metrics[`${kind}/ours : naive`] = ratioMetric(times.ours, times.naive)
  }
  printTable(
    ['figure', 'median', 'low', 'high'],
    Object.entries(metrics).map(([name, { value, low, high }]) => [name, value, low, high]),
  )
  return { model: embedder.modelId, metrics, details: { unfused: unfused !== undefined, naiveBatch: NAIVE_BATCH } }
}

function textsOf({ tools }: Corpus): string[] {
  return Object.entries(tools).map(([name, tool]) => documentOf({ name, key: name, tool }).text)
}

const MAX_TOKENS = 256
const PADDING = 0

/** The least that any embedder over this model does: tokens made ahead, batches of one length, no pooling. */
async function bareSession() {
  const session = await createSession(new URL(`${MODEL}/onnx/model_quantized.onnx`, import.meta.url).pathname)
  const encode = encoder()
  const idsOf = new Map<string, number[]>()
  return {
    async inBatches(texts: readonly string[]): Promise<void> {
      for (const text of texts) if (!idsOf.has(text)) idsOf.set(text, encode(text))
      const sorted = texts.map(text => idsOf.get(text)!).sort((a, b) => a.length - b.length)
      for (let start = 0; start < sorted.length; ) {
        // Texts of one length share a run: no token is padding.
        let end = start
        while (end < sorted.length && end - start < NAIVE_BATCH && sorted[end]!.length === sorted[start]!.length) end++
        await runSession(session, sorted.slice(start, end))
        start = end
      }
    },
  }
}

function encoder(): (text: string) => number[] {
  const tokenizer = createTokenizer(require(`${MODEL}/tokenizer.json`), require(`${MODEL}/tokenizer_config.json`))
  return text => {
    const { input_ids } = tokenizer(text, { add_special_tokens: true, return_tensor: false })
    return input_ids.length <= MAX_TOKENS ? input_ids : [...input_ids.slice(0, MAX_TOKENS - 1), input_ids.at(-1)!]
  }
}

async function runSession(session: Session, rows: readonly number[][]) {
  const columns = Math.max(...rows.map(row => row.length))
  const filled = (cell: (row: readonly number[], column: number) => number) =>
    BigInt64Array.from({ length: rows.length * columns }, (_, at) =>
      BigInt(cell(rows[Math.floor(at / columns)]!, at % columns)),
    )
  const inputs = {
    input_ids: filled((row, column) => row[column] ?? PADDING),
    attention_mask: filled((row, column) => (column < row.length ? 1 : 0)),
    token_type_ids: filled(() => 0),
  }
  return session.run(inputs, [rows.length, columns], session.outputNames[0]!)
}

/** As the pipeline of transformers.js is commonly called: sixteen texts at a time, in the order in which they come. */
async function naivePipeline(unfused: string | undefined): Promise<(texts: readonly string[]) => Promise<void>> {
  const { env, pipeline } = await import('@xenova/transformers')
  const weights = unfused ?? new URL(`${MODEL}/onnx/model_quantized.onnx`, import.meta.url).pathname
  const folder = modelFolder(weights, 'model_quantized.onnx')
  env.allowRemoteModels = false
  env.localModelPath = folder.slice(0, folder.lastIndexOf('/'))
  const extract = await pipeline('feature-extraction', 'all-MiniLM-L6-v2', { quantized: true })
  return async texts => {
    for (let start = 0; start < texts.length; start += NAIVE_BATCH) {
      await extract(texts.slice(start, start + NAIVE_BATCH), { pooling: 'mean', normalize: true })
    }
  }
}
