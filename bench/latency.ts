import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { fileURLToPath } from 'node:url'
import Table from 'cli-table3'
import { createToolSearcher } from '../src/searcher.js'
import { loadCorpus, SEED, sample } from './corpora.js'
import { searchWithMastra } from './mastra-search.js'

const SIZES = [500, 1_000, 4_000]
const QUERIES = 200
const WARM_UP = 20
const MAX_QUERY_CHARACTERS = 100

/** Times a warm search, query embedding included, against Mastra's class in turns, by catalog size. */
async function main() {
  const corpus = loadCorpus('seal-tools')
  // What agents write is short; embedding a query of 300 characters takes four times as long as one of 70.
  const short = corpus.queries.map(({ query }) => query).filter(query => query.length <= MAX_QUERY_CHARACTERS)
  const queries = sample(short, QUERIES + WARM_UP)
  const table = new Table({
    head: ['tools', 'ours p50 ms', 'p95', "Mastra's p50 ms", 'p95', 'ratio of p50', 'tools indexed / s'],
  })
  const rows: { tools: number }[] = []
  for (const size of SIZES) {
    const tools = Object.fromEntries(Object.entries(corpus.tools).slice(0, size))
    const searcher = createToolSearcher({ tools, strict: true })
    const start = performance.now()
    await searcher.warmup()
    // The vectors of the smaller catalog's tools are known by now.
    const indexedPerSecond = (size - (rows.at(-1)?.tools ?? 0)) / ((performance.now() - start) / 1_000)
    const mastra = await searchWithMastra(tools)
    const [ours, theirs]: [number[], number[]] = [[], []]
    for (const query of queries) {
      ours.push(await timed(() => searcher.search(query)))
      theirs.push(await timed(() => mastra(query)))
    }
    const [our, their] = [ours, theirs].map(times => times.slice(WARM_UP).sort((a, b) => a - b)) as [number[], number[]]
    const row = {
      tools: size,
      p50Ms: at(our, 0.5),
      p95Ms: at(our, 0.95),
      mastraP50Ms: at(their, 0.5),
      mastraP95Ms: at(their, 0.95),
      ratioOfP50: at(our, 0.5) / at(their, 0.5),
      indexedPerSecond,
    }
    rows.push(row)
    table.push(Object.values(row).map((value, i) => (i === 0 ? value : value.toFixed(2))))
  }
  console.log(table.toString())
  const folder = fileURLToPath(new URL('./results/', import.meta.url))
  mkdirSync(folder, { recursive: true })
  const record = {
    benchmark: 'latency',
    machine: cpus()[0]?.model,
    cores: cpus().length,
    node: process.version,
    seed: SEED,
    rows,
  }
  writeFileSync(`${folder}latency.json`, `${JSON.stringify(record, null, 2)}\n`)
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}

function at(sorted: readonly number[], share: number): number {
  return sorted[Math.floor(share * sorted.length)]!
}

await main()
