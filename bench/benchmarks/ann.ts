import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Command } from 'commander'
import { buildToolIndex } from '../../src/artifact/build.js'
import { encodeGraph, graphOf } from '../../src/artifact/graph-file.js'
import { openToolIndex } from '../../src/artifact/open.js'
import type { ToolLike } from '../../src/catalog/catalog.js'
import { checkedEmbedder } from '../../src/embedding/checked.js'
import { defaultEmbedder } from '../../src/embedding/default-embedder.js'
import type { Embedder } from '../../src/embedding/embedder.js'
import { createExactIndex } from '../../src/vector/exact.js'
import { buildHnsw, efSearchFor, HNSW_PARAMETERS, type HnswParameters } from '../../src/vector/hnsw.js'
import { searchGraph } from '../../src/vector/hnsw-graph.js'
import { type Benchmark, type BenchmarkResult, wholeNumber, wholeNumbers } from '../benchmark.js'
import { cachedEmbedder } from '../cached-embedder.js'
import { loadCorpus, sample } from '../corpora.js'
import { embedTools } from '../corpus-index.js'
import { manyTools, variantEmbedder } from '../many-tools.js'
import { type Metric, meanMetric, median, medianMetric, plainMetric } from '../metric.js'
import { printTable } from '../table.js'
import { inTurns, timed } from '../times.js'

interface Options {
  sizes: number[]
  queries: number
}

export const ann: Benchmark<Options> = {
  name: 'ann',
  summary: 'What do M, efConstruction and efSearch cost and find, against comparing all vectors?',
  configure: (command: Command) =>
    command
      .option('--sizes <list>', 'catalog sizes', wholeNumbers(100), [1_000, 4_000, 16_000, 48_000])
      .option('--queries <count>', 'queries at each point', wholeNumber(10), 200),
  run,
}

const K = 10

// One parameter at a time, from what ships.
const BUILDS: readonly HnswParameters[] = [
  HNSW_PARAMETERS,
  ...[8, 32].map(M => ({ ...HNSW_PARAMETERS, M })),
  ...[100, 400].map(efConstruction => ({ ...HNSW_PARAMETERS, efConstruction })),
]
const EF_SEARCH = [16, 32, 64, 100, 150, 250, 400]

/** One build with one `efSearch`. */
interface AnnPoint extends HnswParameters {
  readonly size: number
  readonly efSearch: number
  /** Share of the ten nearest vectors that are found. */
  readonly recall: number
  /** Medians, ms. */
  readonly searchMs: number
  readonly exactMs: number
  readonly buildMs: number
  readonly graphBytes: number
  readonly isShipped: boolean
}

async function run({ sizes, queries }: Options): Promise<BenchmarkResult> {
  const cached = cachedEmbedder(defaultEmbedder())
  const embedder = checkedEmbedder(variantEmbedder(cached))
  const texts = sample(loadCorpus('seal-tools').queries, queries).map(({ query }) => query)
  const queryVectors = await checkedEmbedder(cached).embedQueries(texts)
  const points: AnnPoint[] = []
  const metrics: Record<string, Metric> = {}
  for (const size of sizes) {
    const { vectors } = await embedTools(manyTools(size) as Record<string, ToolLike>, embedder)
    const exact = createExactIndex(vectors, embedder.dimensions)
    const exactMs: number[] = []
    const nearest: Uint32Array[] = []
    for (const vector of queryVectors) {
      const [ms, { ids }] = await timed(() => exact.nearest(vector, K))
      exactMs.push(ms)
      nearest.push(ids)
    }
    for (const parameters of BUILDS) {
      const [buildMs, hnsw] = await timed(() => buildHnsw(vectors, embedder.dimensions, { parameters }))
      const graph = await graphOf(hnsw, size, embedder.dimensions)
      const graphBytes = encodeGraph(graph).byteLength
      for (const efSearch of new Set([...EF_SEARCH, efSearchFor(size, K)])) {
        const isShipped = parameters === HNSW_PARAMETERS && efSearch === efSearchFor(size, K)
        const recalls: number[] = []
        const times: number[] = []
        for (const [at, vector] of queryVectors.entries()) {
          const similarityTo = exact.similarityTo(vector)
          const [ms, found] = await timed(() =>
            searchGraph(graph, { similarityTo, ef: efSearch, isWanted: () => true }),
          )
          times.push(ms)
          const first = new Set(found.slice(0, K))
          recalls.push(nearest[at]!.filter(id => first.has(id)).length / K)
        }
        const recall = meanMetric(recalls, { unit: 'share', better: isShipped ? 'higher' : null })
        const of = { size, efSearch, ...parameters, buildMs, graphBytes, isShipped }
        points.push({ ...of, recall: recall.value, searchMs: median(times), exactMs: median(exactMs) })
        if (!isShipped) continue
        metrics[`${size}/recall@10`] = recall
        metrics[`${size}/search : exact`] = plainMetric(median(times) / median(exactMs), {
          unit: 'ratio',
          better: null,
        })
        metrics[`${size}/build`] = plainMetric(buildMs, { unit: 'ms', better: null })
      }
    }
    Object.assign(metrics, await artifactMetrics(size, variantEmbedder(cached)))
    cached.save()
    print(points.filter(point => point.size === size))
  }
  return { model: embedder.modelId, metrics, details: { points } }
}

const OPENINGS = 7

/** What an index of so many tools takes on the disk, and how long it takes to open. */
async function artifactMetrics(size: number, embedder: Embedder): Promise<Record<string, Metric>> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-ann-'))
  try {
    const out = join(folder, 'index')
    const { bytes } = await buildToolIndex({ tools: manyTools(size), out, embedder })
    const { open } = await inTurns({ open: () => openToolIndex(out) }, { rounds: OPENINGS, warmUp: 2 })
    return {
      [`${size}/artifact`]: plainMetric(bytes / 2 ** 20, { unit: 'MiB', better: 'lower' }),
      [`${size}/open`]: medianMetric(open, { unit: 'ms', better: null }),
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function print(points: readonly AnnPoint[]): void {
  printTable(
    [`${points[0]!.size} vectors`, 'efSearch', 'recall@10', 'search ms', 'exact ms', 'build s', 'graph MiB', ''],
    points.map(({ M, efConstruction, efSearch, recall, searchMs, exactMs, buildMs, graphBytes, isShipped }) => [
      `M ${M}, efConstruction ${efConstruction}`,
      efSearch,
      recall.toFixed(4),
      searchMs,
      exactMs,
      buildMs / 1_000,
      graphBytes / 2 ** 20,
      isShipped ? 'shipped' : '',
    ]),
  )
}
