import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ToolSearchProcessor } from '@mastra/core/processors'
import type { Command } from 'commander'
import { buildToolIndex } from '../../src/artifact/build.js'
import { openToolIndex } from '../../src/artifact/open.js'
import { defaultEmbedder } from '../../src/embedding/default-embedder.js'
import type { Embedder } from '../../src/embedding/embedder.js'
import { SemanticToolSearchProcessor } from '../../src/processor.js'
import { type Benchmark, type BenchmarkResult, wholeNumber, wholeNumbers } from '../benchmark.js'
import { cachedEmbedder } from '../cached-embedder.js'
import { loadCorpus, sample } from '../corpora.js'
import { manyTools, variantEmbedder } from '../many-tools.js'
import { type Metric, medianMetric, plainMetric, quantile, ratioMetric } from '../metric.js'
import { type StepProcessor, stepOf } from '../step.js'
import { printTable, shortNumber } from '../table.js'
import { inTurns, settle, timed } from '../times.js'

interface Options {
  sizes: number[]
  searches: number
}

export const latency: Benchmark<Options> = {
  name: 'latency',
  summary: "How long do search_tools and a step take, by catalog size, in turns with Mastra's class?",
  configure: (command: Command) =>
    command
      .option('--sizes <list>', 'catalog sizes', wholeNumbers(1), [100, 1_000, 4_000, 16_000, 48_000])
      .option('--searches <count>', 'searches measured at each size', wholeNumber(20), 100),
  run,
}

// What agents write is short: embedding a query of 300 characters takes four times as long as one of 70.
const MAX_QUERY_CHARACTERS = 100
const WARM_UP = 10
const CALLERS = 16
const CONCURRENT_ROUNDS = 4

type Tools = Record<string, unknown>

type Search = (query: string) => Promise<unknown>

async function run({ sizes, searches }: Options): Promise<BenchmarkResult> {
  const cached = cachedEmbedder(defaultEmbedder())
  // Documents come from the cache, queries from the model.
  const embedder: Embedder = {
    ...variantEmbedder(cached),
    embedQueries: texts => defaultEmbedder().embedQueries(texts),
  }
  await embedder.load?.()
  // One is the first of all, which is measured by itself.
  const queries = queriesOf(1 + WARM_UP + searches)
  const metrics: Record<string, Metric> = {}
  const folder = mkdtempSync(join(tmpdir(), 'bench-latency-'))
  try {
    for (const size of sizes) {
      const of = await measureSize(size, { embedder, queries, out: join(folder, String(size)) })
      cached.save()
      for (const [name, metric] of Object.entries(of)) metrics[`${size}/${name}`] = metric
      print(size, of)
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  return { model: embedder.modelId, metrics }
}

/** Queries as short as agents write them. */
export function queriesOf(count: number): string[] {
  const all = loadCorpus('seal-tools').queries.map(({ query }) => query)
  return sample(
    all.filter(query => query.length <= MAX_QUERY_CHARACTERS),
    count,
  )
}

interface Setting {
  readonly embedder: Embedder
  readonly queries: readonly string[]
  /** Folder for the index. */
  readonly out: string
}

async function measureSize(size: number, setting: Setting): Promise<Record<string, Metric>> {
  await buildToolIndex({ tools: manyTools(size), out: setting.out, embedder: setting.embedder })
  return {
    ...(await measureStatic(size, setting)),
    ...(await measureResolved(size, setting)),
  }
}

/** The tools are the processor's: starting with a prebuilt index, searches, steps, searches of many callers at once. */
async function measureStatic(size: number, { embedder, queries, out }: Setting): Promise<Record<string, Metric>> {
  const [first, ...rest] = queries
  // Both classes keep what they make of a tool by its object: each gets objects of its own, made ahead.
  const [a, b] = [manyTools(size), manyTools(size)]
  const index = await openToolIndex(out)
  const [coldOurs, ours] = await timed(async () => {
    const processor = new SemanticToolSearchProcessor({ tools: a, embedder, index, strict: true })
    await (await searchOf(processor))(first!)
    return processor
  })
  const [coldTheirs, theirs] = await timed(async () => {
    const processor = new ToolSearchProcessor({ tools: b as never })
    await (await searchOf(processor))(first!)
    return processor
  })
  const [searchOurs, searchTheirs] = [await searchOf(ours), await searchOf(theirs)]
  return {
    'cold/ours': plainMetric(coldOurs, { unit: 'ms', better: null }),
    'cold/mastra': plainMetric(coldTheirs, { unit: 'ms', better: null }),
    ...compared('search', await bothInTurns(rest, searchOurs, searchTheirs)),
    ...compared(
      'step',
      await bothInTurns(
        rest,
        () => stepOf(ours),
        () => stepOf(theirs),
      ),
    ),
    ...compared(`search, ${CALLERS} callers`, await concurrent(rest, searchOurs, searchTheirs)),
  }
}

// Mastra's step takes 10 s at 48,000 tools.
const RESOLVED_ROUNDS: readonly [size: number, rounds: number][] = [
  [4_000, 15],
  [16_000, 5],
  [Number.POSITIVE_INFINITY, 3],
]

/** The tools come with each request (`includeResolvedTools`), known from earlier requests. */
async function measureResolved(size: number, { embedder, queries, out }: Setting): Promise<Record<string, Metric>> {
  const [, rounds] = RESOLVED_ROUNDS.find(([upTo]) => size <= upTo)!
  const index = await openToolIndex(out)
  const ours = new SemanticToolSearchProcessor({ tools: {}, embedder, index, includeResolvedTools: true, strict: true })
  const theirs = new ToolSearchProcessor({ tools: {}, includeResolvedTools: true })
  const same = manyTools(size, { sameSchemas: true })
  const withSearch = (processor: StepProcessor, tools: Tools, query: string) => async () => {
    const search = await searchOf(processor, tools)
    await search(query)
  }
  // Known tools: the first request has been.
  await withSearch(ours, same, queries[0]!)()
  const times: Record<string, [ours: number[], theirs: number[]]> = {
    'resolved step, new objects': [[], []],
    'resolved step, same objects': [[], []],
    'resolved step and search, new objects': [[], []],
    'resolved step and search, new objects of the same schemas': [[], []],
    'resolved step and search, same objects': [[], []],
  }
  for (let round = 0; round < rounds; round++) {
    const query = queries[1 + (round % (queries.length - 1))]!
    const record = async (name: string, ofOurs: () => Promise<unknown>, ofTheirs: () => Promise<unknown>) => {
      for (const [side, work] of [ofOurs, ofTheirs].entries()) {
        settle()
        times[name]![side]!.push((await timed(work))[0])
      }
    }
    // Made ahead, and what that leaves behind collected: an MCP client's own time is no part of either class.
    let [a, b] = [manyTools(size), manyTools(size)]
    await record(
      'resolved step, new objects',
      () => stepOf(ours, { tools: a }),
      () => stepOf(theirs, { tools: b }),
    )
    await record(
      'resolved step, same objects',
      () => stepOf(ours, { tools: same }),
      () => stepOf(theirs, { tools: same }),
    )
    ;[a, b] = [manyTools(size), manyTools(size)]
    const name = 'resolved step and search'
    await record(`${name}, new objects`, withSearch(ours, a, query), withSearch(theirs, b, query))
    ;[a, b] = [manyTools(size, { sameSchemas: true }), manyTools(size, { sameSchemas: true })]
    await record(`${name}, new objects of the same schemas`, withSearch(ours, a, query), withSearch(theirs, b, query))
    await record(`${name}, same objects`, withSearch(ours, same, query), withSearch(theirs, same, query))
  }
  return Object.assign({}, ...Object.entries(times).map(([name, pair]) => compared(name, pair))) as Record<
    string,
    Metric
  >
}

/** The `search_tools` of a new step. */
async function searchOf(processor: StepProcessor, tools?: Tools): Promise<Search> {
  const { search_tools } = await stepOf(processor, { tools })
  return query => search_tools.execute({ query }, {})
}

// An agent's process has one of the two. Call by call in turns, each finds the other's data in the CPU's caches.
const TURN = 10

async function bothInTurns(queries: readonly string[], ours: Search, theirs: Search): Promise<[number[], number[]]> {
  const systems = { ours: (round: number) => ours(queries[round]!), theirs: (round: number) => theirs(queries[round]!) }
  const times = await inTurns(systems, { rounds: queries.length - WARM_UP, warmUp: WARM_UP, turn: TURN })
  return [times.ours, times.theirs]
}

/** Times of single searches while as many others run. */
async function concurrent(queries: readonly string[], ours: Search, theirs: Search): Promise<[number[], number[]]> {
  const times: [number[], number[]] = [[], []]
  for (let round = 0; round < CONCURRENT_ROUNDS; round++) {
    // Other words than before, so that no query is known.
    const asked = Array.from({ length: CALLERS }, (_, at) => {
      const query = queries[(round * CALLERS + at) % queries.length]!
      return `${query} (${round} ${at})`
    })
    for (const [side, search] of [ours, theirs].entries()) {
      const all = await Promise.all(asked.map(query => timed(() => search(query))))
      times[side]!.push(...all.map(([ms]) => ms))
    }
  }
  return times
}

function compared(name: string, [ours, theirs]: readonly [number[], number[]]): Record<string, Metric> {
  const of = (times: readonly number[], side: string) => ({
    [`${name}/${side} p50`]: medianMetric(times, { unit: 'ms', better: null }),
    [`${name}/${side} p95`]: plainMetric(quantile(times, 0.95), { unit: 'ms', better: null }),
    [`${name}/${side} p99`]: plainMetric(quantile(times, 0.99), { unit: 'ms', better: null }),
  })
  return { ...of(ours, 'ours'), ...of(theirs, 'mastra'), [`${name}/ratio of p50`]: ratioMetric(ours, theirs) }
}

function print(size: number, metrics: Readonly<Record<string, Metric>>): void {
  const names = [...new Set(Object.keys(metrics).map(name => name.split('/')[0]!))]
  const columns = ['ours p50', 'ours p95', 'ours p99', 'mastra p50', 'mastra p95', 'mastra p99']
  const cell = (name: string, column: string) => {
    const metric = metrics[`${name}/${column}`] ?? metrics[`${name}/${column.replace(' p50', '')}`]
    return metric ? shortNumber(metric.value) : ''
  }
  const ratio = (name: string) => {
    const metric = metrics[`${name}/ratio of p50`]
    return metric
      ? `${metric.value.toFixed(3)} [${metric.low.toFixed(3)}, ${metric.high.toFixed(3)}]`
      : (metrics[`${name}/ours`]!.value / metrics[`${name}/mastra`]!.value).toFixed(3)
  }
  printTable(
    [`${size} tools, ms`, ...columns, 'ratio'],
    names.map(name => [name, ...columns.map(column => cell(name, column)), ratio(name)]),
  )
}
