import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { PgVector } from '@mastra/pg'
import type { Command } from 'commander'
import { buildToolIndex } from '../../src/artifact/build.js'
import { openToolIndex } from '../../src/artifact/open.js'
import type { ToolIndex } from '../../src/artifact/tool-index.js'
import { defaultEmbedder } from '../../src/embedding/default-embedder.js'
import type { Embedder } from '../../src/embedding/embedder.js'
import { createToolSearcher, type ToolSearcher } from '../../src/searcher.js'
import { createExactIndex } from '../../src/vector/exact.js'
import { vectorIndexName } from '../../src/vector-index-name.js'
import { pushCatalog } from '../../src/vector-store/push.js'
import type { StoreTarget } from '../../src/vector-store/rows.js'
import { nearestRows } from '../../src/vector-store/store-index.js'
import { bulkIndex } from '../../test/vector-store/bulk.js'
import { type PostgresServer, startPostgres } from '../../test/vector-store/postgres.js'
import { type Benchmark, type BenchmarkResult, wholeNumber, wholeNumbers } from '../benchmark.js'
import { cachedEmbedder } from '../cached-embedder.js'
import { manyTools, variantEmbedder } from '../many-tools.js'
import { type Metric, meanMetric, medianMetric, plainMetric, quantile, ratioMetric } from '../metric.js'
import { printTable } from '../table.js'
import { inTurns, timed } from '../times.js'
import { queriesOf } from './latency.js'
import type { StoreTask } from './store-child.js'

interface Options {
  sizes: number[]
  searches: number
  tenants: number
  tenantSize: number
  synchronised: number
}

export const store: Benchmark<Options> = {
  name: 'store',
  summary: 'What does a shared vector store (PgVector) cost and save? In turns with the local index.',
  configure: (command: Command) =>
    command
      .option('--sizes <list>', 'catalog sizes', wholeNumbers(1), [4_000, 16_000, 100_000])
      .option('--searches <count>', 'searches measured at each size', wholeNumber(20), 200)
      .option('--tenants <count>', 'namespaces in one store', wholeNumber(2), 10)
      .option('--tenant-size <count>', 'tools of each namespace', wholeNumber(1), 10_000)
      .option('--synchronised <count>', 'rows written one after the other', wholeNumber(1), 10_000),
  run,
}

const WARM_UP = 10
const CHANGED = 10

interface Scene {
  readonly server: PostgresServer
  readonly store: PgVector
  readonly embedder: Embedder
  readonly queries: readonly string[]
  readonly folder: string
}

async function run({ sizes, searches, tenants, tenantSize, synchronised }: Options): Promise<BenchmarkResult> {
  const cached = cachedEmbedder(defaultEmbedder())
  // Documents come from the cache, queries from the model.
  const embedder: Embedder = {
    ...variantEmbedder(cached),
    embedQueries: texts => defaultEmbedder().embedQueries(texts),
  }
  await embedder.load?.()
  const server = await startPostgres()
  if (!server) throw new Error('The benchmark needs PostgreSQL, which cannot be had on this machine')
  const pgVector = new PgVector({ id: 'bench', connectionString: server.url })
  const folder = mkdtempSync(join(tmpdir(), 'bench-store-'))
  const scene: Scene = { server, store: pgVector, embedder, queries: queriesOf(searches + WARM_UP), folder }
  const metrics: Record<string, Metric> = {}
  const note = (of: Record<string, Metric>, prefix = '') => {
    for (const [name, metric] of Object.entries(of)) metrics[`${prefix}${name}`] = metric
    printTable(
      [prefix || 'store', 'value', 'low', 'high'],
      Object.entries(of).map(([name, { value, low, high }]) => [name, value, low, high]),
    )
  }
  try {
    for (const size of sizes) {
      note(await measureSize(size, scene), `${size}/`)
      cached.save()
    }
    note(await measureSynchronisation(synchronised, scene))
    note(await measureTenants(tenants, tenantSize, scene))
  } finally {
    await pgVector.disconnect()
    await server.remove()
    rmSync(folder, { recursive: true, force: true })
  }
  return { model: embedder.modelId, metrics }
}

const MS = { unit: 'ms', better: 'lower' } as const
const SHARE = { unit: 'share', better: 'higher' } as const

/** Times of the store's searches against the local index's, what both find, and what each process holds. */
async function measureSize(size: number, scene: Scene): Promise<Record<string, Metric>> {
  const { server, store: pgVector, embedder, folder, queries } = scene
  const out = join(folder, String(size))
  await buildToolIndex({ tools: manyTools(size), out, embedder })
  const index = await openToolIndex(out)
  const name = `tools_${size}`
  const [bulkMs] = await timed(() => fillInBulk(scene, { index: name, prebuilt: index }))
  const vectorStore = { store: pgVector, indexName: name, timeoutMs: 60_000 }
  const remote = createToolSearcher({ tools: manyTools(size), embedder, vectorStore, strict: true })
  const [startMs] = await timed(() => remote.warmup())
  const local = createToolSearcher({ tools: manyTools(size), embedder, index, strict: true })
  await local.warmup()
  const times = await inTurns(
    { local: searchesOf(local, queries), store: searchesOf(remote, queries) },
    { rounds: queries.length - WARM_UP, warmUp: WARM_UP },
  )
  const p95 = (values: number[]) => quantile(values, 0.95)
  const held = (task: Omit<StoreTask, 'size'>) => heldBy({ size, ...task }).rss
  const [inStore, here] = [held({ store: { url: server.url, indexName: name } }), held({ index: out })]
  return {
    'search/local p50': medianMetric(times.local, MS),
    'search/store p50': medianMetric(times.store, MS),
    'search/ratio of p50': ratioMetric(times.store, times.local),
    'search/local p95': plainMetric(p95(times.local), MS),
    'search/store p95': plainMetric(p95(times.store), MS),
    'top 5 equal to the local index': await equalTopFive(queries, local, remote),
    'annRecall@10': await annRecall({ store: pgVector, index: name }, index, queries, embedder),
    'bulk load': plainMetric((size / bulkMs) * 1000, { unit: 'per second', better: 'higher' }),
    'start, nothing changed': plainMetric(startMs, MS),
    'resident set/store': plainMetric(inStore, { unit: 'MiB', better: 'lower' }),
    'resident set/local': plainMetric(here, { unit: 'MiB', better: 'lower' }),
  }
}

const searchesOf = (searcher: ToolSearcher, queries: readonly string[]) => (round: number) =>
  searcher.search(queries[round]!)

async function equalTopFive(queries: readonly string[], a: ToolSearcher, b: ToolSearcher): Promise<Metric> {
  const equal: number[] = []
  for (const query of queries) {
    const [one, other] = await Promise.all([a, b].map(searcher => searcher.search(query)))
    equal.push(JSON.stringify(namesOf(one!)) === JSON.stringify(namesOf(other!)) ? 1 : 0)
  }
  return meanMetric(equal, SHARE)
}

const namesOf = ({ results }: Awaited<ReturnType<ToolSearcher['search']>>) => results.map(({ name }) => name)

/** Share of the ten nearest by comparing all that are among the store's ten nearest, as similar as the tenth. */
async function annRecall(
  { store: pgVector, index }: Pick<StoreTarget, 'store' | 'index'>,
  { vectors, manifest }: ToolIndex,
  queries: readonly string[],
  embedder: Embedder,
): Promise<Metric> {
  const { id: modelId, dimensions } = manifest.model
  const exact = createExactIndex(vectors, dimensions)
  const target = { store: pgVector, index, namespace: undefined, modelId, dimensions }
  const shares: number[] = []
  for (const query of queries) {
    const [embedding] = await embedder.embedQueries([query])
    const vector = Float32Array.from(embedding!)
    const least = exact.nearest(vector, 10).similarities.at(-1)!
    const { rows } = await nearestRows(target, vector, 10, false)
    // Sums in another order differ in the last digits.
    shares.push(rows.filter(({ score }) => score >= least - 1e-5).length / 10)
  }
  return meanMetric(shares, SHARE)
}

/** How fast rows are written into pgvector's graph, and what a start costs when ten of so many tools changed. */
async function measureSynchronisation(count: number, scene: Scene): Promise<Record<string, Metric>> {
  const { store: pgVector, embedder, folder } = scene
  const out = join(folder, `sync-${count}`)
  const tools = manyTools(count)
  await buildToolIndex({ tools, out, embedder })
  const prebuilt = await openToolIndex(out)
  const [ms] = await timed(() => push(scene, { index: 'synchronised', prebuilt }))
  const changed = { ...tools, ...changedTools(tools) }
  const vectorStore = { store: pgVector, indexName: 'synchronised', timeoutMs: 60_000 }
  const [changedMs] = await timed(() => createToolSearcher({ tools: changed, embedder, vectorStore }).warmup())
  const perSecond = { unit: 'per second', better: 'higher' } as const
  return {
    'rows written, vectors given': plainMetric((count / ms) * 1000, perSecond),
    [`start, ${CHANGED} of ${count} changed`]: plainMetric(changedMs, MS),
  }
}

function changedTools(tools: ReturnType<typeof manyTools>): ReturnType<typeof manyTools> {
  const some = Object.entries(tools).slice(0, CHANGED)
  return Object.fromEntries(
    some.map(([name, tool]) => [
      name,
      Object.assign(Object.create(tool), { description: `${tool.description} Changed.` }),
    ]),
  )
}

/** One namespace alone, in a schema of its own, in turns with one beside nine others. */
async function measureTenants(count: number, size: number, scene: Scene): Promise<Record<string, Metric>> {
  const { server, embedder, folder, queries } = scene
  const out = join(folder, `tenant-${size}`)
  await buildToolIndex({ tools: manyTools(size), out, embedder })
  const prebuilt = await openToolIndex(out)
  const searchers: Record<string, ToolSearcher> = {}
  const stores: PgVector[] = []
  for (const [schemaName, tenants] of [
    ['alone', 1],
    ['shared', count],
  ] as const) {
    const pgVector = new PgVector({ id: schemaName, connectionString: server.url, schemaName })
    stores.push(pgVector)
    for (let at = 0; at < tenants; at++) {
      const namespace = `tenant-${at}`
      const index = vectorIndexName({ store: pgVector, indexName: 'tools', namespace })
      await fillInBulk({ ...scene, store: pgVector }, { index, prebuilt, namespace })
    }
    const vectorStore = { store: pgVector, indexName: 'tools', namespace: 'tenant-0', timeoutMs: 60_000 }
    searchers[schemaName] = createToolSearcher({ tools: manyTools(size), embedder, vectorStore, strict: true })
    await searchers[schemaName].warmup()
  }
  const times = await inTurns(
    { alone: searchesOf(searchers.alone!, queries), shared: searchesOf(searchers.shared!, queries) },
    { rounds: queries.length - WARM_UP, warmUp: WARM_UP },
  )
  for (const pgVector of stores) await pgVector.disconnect()
  const [alone, shared] = [quantile(times.alone, 0.95), quantile(times.shared, 0.95)]
  const of = `${size} tools`
  return {
    [`namespace of ${of}, alone/p95`]: plainMetric(alone, MS),
    [`namespace of ${of}, one of ${count}/p95`]: plainMetric(shared, MS),
    [`namespace of ${of}, one of ${count} : alone/p95`]: plainMetric(shared / alone, {
      unit: 'ratio',
      better: 'lower',
    }),
    [`namespace of ${of}, one of ${count} : alone/p50`]: ratioMetric(times.shared, times.alone),
  }
}

interface Filling {
  readonly index: string
  readonly prebuilt: ToolIndex
  readonly namespace?: string
}

const push = ({ store: pgVector, embedder }: Scene, { index, prebuilt, namespace }: Filling) =>
  pushCatalog({
    store: pgVector,
    index,
    namespace,
    tools: undefined,
    prebuilt,
    embedder: () => embedder,
    removeAfterMs: 0,
    onProgress: () => {},
    abortSignal: new AbortController().signal,
  })

/** Rows first, the graph over all of them then. */
const fillInBulk = (scene: Scene, filling: Filling) => {
  const { dimensions } = filling.prebuilt.manifest.model
  return bulkIndex(scene.store, { name: filling.index, dimension: dimensions }, () => push(scene, filling))
}

const CHILD = fileURLToPath(new URL('./store-child.ts', import.meta.url))

function heldBy(task: StoreTask): { rss: number; buffers: number } {
  const node = ['--expose-gc', '--import', 'tsx', CHILD, JSON.stringify(task)]
  const { status, stdout, stderr } = spawnSync(process.execPath, node, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`The process with ${JSON.stringify(task)} failed: ${stderr}`)
  return JSON.parse(stdout.trim().split('\n').at(-1)!) as { rss: number; buffers: number }
}
