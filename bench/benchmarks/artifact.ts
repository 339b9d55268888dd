import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Command } from 'commander'
import { buildToolIndex } from '../../src/artifact/build.js'
import { openToolIndex } from '../../src/artifact/open.js'
import { defaultEmbedder } from '../../src/embedding/default-embedder.js'
import { createToolSearcher } from '../../src/searcher.js'
import { buildHnsw } from '../../src/vector/hnsw.js'
import { type Benchmark, type BenchmarkResult, wholeNumber } from '../benchmark.js'
import { type CorpusTool, LABELLED_CORPORA, loadCorpus, sample, toolsOf } from '../corpora.js'
import { type Metric, medianMetric, plainMetric, ratioMetric } from '../metric.js'
import { printTable } from '../table.js'
import { timed } from '../times.js'

interface Options {
  tools: number
  processes: number
}

export const artifact: Benchmark<Options> = {
  name: 'artifact',
  summary: "What does a prebuilt index save? Against embedding at start, and against hnswlib's own reader.",
  configure: (command: Command) =>
    command
      .option('--tools <count>', 'tools of the index, at most 8,600 or so', wholeNumber(2_000), 4_000)
      .option('--processes <count>', 'processes that open it', wholeNumber(1), 7),
  run,
}

// Seal-Tools first: the queries are its.
const CORPORA = ['seal-tools', ...LABELLED_CORPORA.filter(id => id !== 'seal-tools')]
const CHANGED = 10
const QUERIES = 200

type Tools = Record<string, CorpusTool>

async function run({ tools: count, processes }: Options): Promise<BenchmarkResult> {
  const tools = Object.fromEntries([...toolsOf(CORPORA)].slice(0, count))
  const folder = mkdtempSync(join(tmpdir(), 'bench-artifact-'))
  const [out, fresh] = [join(folder, 'index'), join(folder, 'fresh')]
  mkdirSync(out)
  try {
    await defaultEmbedder().load?.()
    const [buildMs, built] = await timed(() => buildToolIndex({ tools, out }))
    const changed = withChanges(tools)
    const [rebuildMs, rebuilt] = await timed(() => buildToolIndex({ tools: changed, out }))
    const [, anew] = await timed(() => buildToolIndex({ tools: changed, out: fresh }))
    // Copies: their documents are made anew, as in a process that starts.
    const [embedAtStartMs] = await timed(() => createToolSearcher({ tools: structuredClone(changed) }).warmup())
    const copies = structuredClone(changed)
    const [startMs] = await timed(() => createToolSearcher({ tools: copies, index: out, strict: true }).warmup())
    const { vectors, manifest } = await openToolIndex(out)
    const hnswFile = join(folder, 'graph.hnsw')
    ;(await buildHnsw(vectors, manifest.model.dimensions)).writeIndexSync(hnswFile)
    const { cold, warm } = openedInProcesses([out, hnswFile], processes)

    const ms = { unit: 'ms', better: null } as const
    const metrics: Record<string, Metric> = {
      'embedding at start': plainMetric(embedAtStartMs, ms),
      'start with the index': plainMetric(startMs, ms),
      'embedding at start : start with the index': plainMetric(embedAtStartMs / startMs, {
        unit: 'ratio',
        better: 'higher',
      }),
      'opening, first in a process': medianMetric(cold.open, ms),
      "hnswlib's read, first in a process": medianMetric(cold.floor, ms),
      "first opening : hnswlib's read": ratioMetric(cold.open, cold.floor),
      'opening, in a running process': medianMetric(warm.open, ms),
      "hnswlib's read, in a running process": medianMetric(warm.floor, ms),
      "opening : hnswlib's read": ratioMetric(warm.open, warm.floor),
      'embedding at start : opening': plainMetric(
        embedAtStartMs / cold.open.sort((a, b) => a - b)[cold.open.length >> 1]!,
        {
          unit: 'ratio',
          better: 'higher',
        },
      ),
      build: plainMetric(buildMs, ms),
      'rebuild after 10 changes': plainMetric(rebuildMs, ms),
      'equal results': plainMetric(await equalResults(changed, [out, fresh]), { unit: 'share', better: 'higher' }),
      size: plainMetric(built.bytes / 2 ** 20, { unit: 'MiB', better: 'lower' }),
    }
    printTable(
      [`${count} tools`, 'value', 'low', 'high'],
      Object.entries(metrics).map(([name, { value, low, high }]) => [name, value, low, high]),
    )
    const { vectors: one } = rebuilt.manifest.files
    const details = {
      tools: count,
      rebuildEmbedded: rebuilt.embedded,
      sameVectors: one.sha256 === anew.manifest.files.vectors.sha256,
    }
    return { model: manifest.model.id, metrics, details }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function withChanges(tools: Tools): Tools {
  const entries = Object.entries(tools)
  const step = Math.floor(entries.length / CHANGED)
  return Object.fromEntries(
    entries.map(([name, tool], at) => [
      name,
      at % step === 0 && at / step < CHANGED ? { ...tool, description: `${tool.description} Changed.` } : tool,
    ]),
  )
}

interface OpenTimes {
  readonly open: number[]
  readonly floor: number[]
}

/** Times of processes that do nothing else: the garbage of earlier work would be collected in the middle. */
function openedInProcesses(
  files: [index: string, hnsw: string],
  processes: number,
): { cold: OpenTimes; warm: OpenTimes } {
  const child = fileURLToPath(new URL('./artifact-child.ts', import.meta.url))
  const times = {
    cold: { open: [] as number[], floor: [] as number[] },
    warm: { open: [] as number[], floor: [] as number[] },
  }
  for (let at = 0; at < processes; at++) {
    for (const first of ['open', 'floor'] as const) {
      const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', 'tsx', child, first, ...files], {
        encoding: 'utf8',
      })
      if (status !== 0) throw new Error(`Opening the index failed: ${stderr}`)
      const of = JSON.parse(stdout) as { first: number } & OpenTimes
      times.cold[first].push(of.first)
      times.warm.open.push(...of.open)
      times.warm.floor.push(...of.floor)
    }
  }
  return times
}

/** Share of 200 queries whose ten best results and scores are the same with both indexes. */
async function equalResults(tools: Tools, indexes: readonly string[]): Promise<number> {
  const [a, b] = indexes.map(index => createToolSearcher({ tools, index, strict: true }))
  let equal = 0
  for (const { query } of sample(loadCorpus('seal-tools').queries, QUERIES)) {
    const found = await Promise.all([a!, b!].map(searcher => searcher.search(query, { topK: 10, minScore: 0 })))
    if (JSON.stringify(found[0]!.results) === JSON.stringify(found[1]!.results)) equal++
  }
  return equal / QUERIES
}
