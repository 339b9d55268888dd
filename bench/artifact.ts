import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import Table from 'cli-table3'
import { buildToolIndex } from '../src/artifact/build.js'
import { openToolIndex } from '../src/artifact/open.js'
import { defaultEmbedder } from '../src/embedding/default-embedder.js'
import { createToolSearcher } from '../src/searcher.js'
import { buildHnsw, loadHnswlib } from '../src/vector/hnsw.js'
import { loadCorpus, SEED, sample } from './corpora.js'

const TOOLS = 4_000
const CHANGED = 10
const ROUNDS = 15
const QUERIES = 200

/** What `bench/results/artifact.json` holds; times in ms. */
export interface ArtifactResults {
  tools: number
  buildMs: number
  /** After 10 tools changed, over the index of the tools before. */
  rebuildMs: number
  rebuildEmbedded: number
  /** The changed tools, from nothing. */
  buildAnewMs: number
  /** Whether both have the same vectors, to the bit. */
  sameBytes: boolean
  /** Share of 200 queries whose top 10 and scores are the same with both. */
  equalTop10: number
  embedAtStartMs: number
  /** Median of `openToolIndex`. */
  openMs: number
  /** Median of reading hnswlib's file of the same graph, and hnswlib's own read. */
  hnswlibMs: number
  /** `warmup()` of a new searcher with the index, documents and word index included. */
  startWithIndexMs: number
  bytes: number
}

/** Times building, rebuilding and opening an index against embedding at start and against hnswlib's own reader. */
async function main() {
  const corpus = loadCorpus('seal-tools')
  const tools = Object.fromEntries(Object.entries(corpus.tools).slice(0, TOOLS))
  const folder = join(tmpdir(), `tool-index-bench-${process.pid}`)
  const [out, fresh] = [join(folder, 'index'), join(folder, 'fresh')]
  mkdirSync(folder)
  try {
    await defaultEmbedder().load?.()
    const build = await timed(() => buildToolIndex({ tools, out }))
    const changed = Object.fromEntries(
      Object.entries(tools).map(([name, tool], i) => [
        name,
        i % (TOOLS / CHANGED) === 0 ? { ...tool, description: `${tool.description} Changed.` } : tool,
      ]),
    )
    const rebuild = await timed(() => buildToolIndex({ tools: changed, out }))
    const anew = await timed(() => buildToolIndex({ tools: changed, out: fresh }))

    const atStart = await timed(() => createToolSearcher({ tools: changed }).warmup())
    const { manifest, vectors } = await openToolIndex(out)
    const { dimensions } = manifest.model
    const hnswFile = join(folder, 'graph.hnsw')
    ;(await buildHnsw(vectors, dimensions)).writeIndexSync(hnswFile)
    const Graph = await loadHnswlib()
    const opened: number[] = []
    const floor: number[] = []
    for (let round = 0; round < ROUNDS; round++) {
      opened.push((await timed(() => openToolIndex(out))).ms)
      floor.push(
        (
          await timed(async () => {
            readFileSync(hnswFile)
            new Graph('ip', dimensions).readIndexSync(hnswFile)
          })
        ).ms,
      )
    }
    // Copies: their documents and parameter texts are made anew, as in a process that starts.
    const copies = JSON.parse(JSON.stringify(changed)) as typeof changed
    const startWithIndex = await timed(() => createToolSearcher({ tools: copies, index: out, strict: true }).warmup())

    const [a, b] = [out, fresh].map(index => createToolSearcher({ tools: changed, index, strict: true }))
    let equal = 0
    for (const { query } of sample(corpus.queries, QUERIES)) {
      const [x, y] = await Promise.all([a!, b!].map(searcher => searcher.search(query, { topK: 10, minScore: 0 })))
      if (JSON.stringify(x!.results) === JSON.stringify(y!.results)) equal++
    }

    const results: ArtifactResults = {
      tools: TOOLS,
      buildMs: build.ms,
      rebuildMs: rebuild.ms,
      rebuildEmbedded: rebuild.value.embedded,
      buildAnewMs: anew.ms,
      sameBytes: rebuild.value.manifest.files.vectors.sha256 === anew.value.manifest.files.vectors.sha256,
      equalTop10: equal / QUERIES,
      embedAtStartMs: atStart.ms,
      openMs: median(opened),
      hnswlibMs: median(floor),
      startWithIndexMs: startWithIndex.ms,
      bytes: build.value.bytes,
    }
    const table = new Table({ head: ['figure', 'value'] })
    for (const [name, value] of Object.entries(results))
      table.push([name, typeof value === 'number' ? Number(value.toFixed(3)) : value])
    table.push(['embedding at start / opening', (results.embedAtStartMs / results.openMs).toFixed(0)])
    table.push([
      'embedding at start / starting with the index',
      (results.embedAtStartMs / results.startWithIndexMs).toFixed(0),
    ])
    table.push(["opening / reading and hnswlib's own read", (results.openMs / results.hnswlibMs).toFixed(2)])
    console.log(table.toString())
    const environment = {
      cpu: cpus()[0]?.model,
      cores: cpus().length,
      node: process.version,
      model: manifest.model.id,
      seed: SEED,
    }
    const record = { date: new Date().toISOString().slice(0, 10), ...environment, ...results }
    const file = fileURLToPath(new URL('./results/artifact.json', import.meta.url))
    writeFileSync(file, `${JSON.stringify(record, undefined, 2)}\n`)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function timed<T>(work: () => Promise<T>): Promise<{ ms: number; value: T }> {
  const start = performance.now()
  const value = await work()
  return { ms: performance.now() - start, value }
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1]!
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main()
