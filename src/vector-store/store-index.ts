import type { CreateIndexParams, QueryResult } from '@mastra/core/vector'
import { VectorStoreError, VectorStoreMismatchError } from '../errors.js'
import { show } from '../show.js'
import { HNSW_PARAMETERS } from '../vector/hnsw.js'
import { BUCKETS, namespaceOf, type RowMetadata, rowOf, type StoreRow, type StoreTarget } from './rows.js'
import { COSINE, type ScoreScale, scaleOf } from './score-scale.js'

/** What is known of an index before its rows are listed. */
export interface StoreFacts {
  /** Rows, as far as the store counts them: also those of tools that are gone. */
  readonly count: number
  /** Undefined where there is no row to tell it by. */
  readonly scale: ScoreScale | undefined
}

// pgvector's own default; the local graph's 200 would make each insert slower by half, and PgVector asks for candidates
// enough to find the same.
const EF_CONSTRUCTION = 64

/** Makes the index where the store does not have it; another process may do the same meanwhile. */
export async function ensureIndex(target: StoreTarget): Promise<void> {
  const { store, index, dimensions } = target
  if (await hasIndex(target)) return
  // Beyond the interface, for PgVector: its default would be IVFFlat, whose lists are made of the rows there are (none),
  // and its filters by hash would read every row. Stores leave alone what they do not know.
  const pgOnly = {
    indexConfig: { type: 'hnsw', hnsw: { m: HNSW_PARAMETERS.M, efConstruction: EF_CONSTRUCTION } },
    metadataIndexes: ['documentHash'],
  }
  const params: CreateIndexParams = { indexName: index, dimension: dimensions, metric: 'cosine', ...pgOnly }
  try {
    await store.createIndex(params)
  } catch (error) {
    if (!(await hasIndex(target))) throw error
    return
  }
  if (await hasIndex(target)) return
  // PgVector remembers what it has made and makes it no second time, also where somebody else has removed it since. It
  // remembers by the parameters: named twice, a field is indexed once, but they are others.
  await store.createIndex({ ...params, metadataIndexes: ['documentHash', 'documentHash'] } as CreateIndexParams)
}

export async function hasIndex({ store, index }: StoreTarget): Promise<boolean> {
  return (await store.listIndexes()).includes(index)
}

const PROBED_ROWS = 8

/**
 * Checks an index that is there: its dimension, and of a few rows the model and namespace; and how its scores are to be
 * read.
 * @throws {VectorStoreMismatchError} naming both sides.
 */
export async function probeIndex(target: StoreTarget): Promise<StoreFacts> {
  const { store, index, modelId, dimensions } = target
  const { dimension, count, metric } = await store.describeIndex({ indexName: index })
  const mismatch = (property: string, expected: string, got: string) =>
    new VectorStoreMismatchError(index, { property, expected, got })
  if (dimension !== dimensions) throw mismatch('dimensions', String(dimensions), String(dimension))
  if (metric !== undefined && metric !== 'cosine') throw mismatch('metric', 'needs cosine', metric)
  const query = probeVector(dimensions)
  const found = await store.query({ indexName: index, queryVector: query, topK: PROBED_ROWS, includeVector: true })
  for (const result of found) {
    const row = rowOf(result)
    if (!row) throw mismatch('row', 'reads rows of its own only', `${show(result.id)} of another writer`)
    const { model, namespace } = row.metadata
    if (model !== modelId) throw mismatch('model', show(modelId), show(model))
    if (namespace !== namespaceOf(target)) throw mismatch('namespace', show(namespaceOf(target)), show(namespace))
  }
  const scale = found.length > 0 ? (scaleOf(found, Float32Array.from(query)) ?? COSINE) : undefined
  return { count, scale }
}

// Any direction: with a filter, a store must be asked for neighbours of something.
function probeVector(dimensions: number): number[] {
  return Array.from({ length: dimensions }, () => Math.fround(1 / Math.sqrt(dimensions)))
}

// Below the most that stores give at once (10,000), so that a full answer means that there may be more.
const PAGE = 5_000
const EXPECTED_PER_PAGE = 3_000

// A count may be wrong; ranges with more rows are split.
const MAX_FIRST_RANGES = 256

/** All rows of ours, in pieces of at most 5,000. Rejects where the store gives others than it was asked for. */
export async function* listRows(target: StoreTarget, count: number): AsyncGenerator<StoreRow[]> {
  const ranges = count > EXPECTED_PER_PAGE ? Math.min(MAX_FIRST_RANGES, Math.ceil(count / EXPECTED_PER_PAGE)) : 1
  const edge = (at: number) => Math.floor((BUCKETS * at) / ranges)
  const pending = Array.from({ length: ranges }, (_, at): [number, number] => [edge(at), edge(at + 1)]).reverse()
  for (let range = pending.pop(); range; range = pending.pop()) {
    const [from, to] = range
    const found = await target.store.query({
      indexName: target.index,
      queryVector: probeVector(target.dimensions),
      topK: PAGE,
      filter: { bucket: { $gte: from, $lt: to } },
    })
    const rows = rowsOf(found, target)
    // Ranges would be split for hours.
    if (rows.some(({ metadata: { bucket } }) => !(bucket >= from && bucket < to))) {
      const message = `The vector store does not heed filters with $gte and $lt (index "${target.index}"): another is needed.`
      throw new VectorStoreError(target.index, message)
    }
    const middle = (from + to) >> 1
    if (found.length >= PAGE && middle > from) pending.push([middle, to], [from, middle])
    else yield rows
  }
}

/** Rows of these documents, among at most 64. Equality, not `$in`: PgVector's is one that no index serves. */
export async function rowsOfDocuments(
  target: StoreTarget,
  hashes: readonly string[],
  { query, includeVector = false }: { query?: Float32Array; includeVector?: boolean } = {},
): Promise<StoreRow[]> {
  if (hashes.length === 0) return []
  const any = hashes.map(documentHash => ({ documentHash }))
  const found = await target.store.query({
    indexName: target.index,
    queryVector: query ? Array.from(query) : probeVector(target.dimensions),
    topK: hashes.length,
    filter: any.length === 1 ? any[0]! : { $or: any },
    includeVector,
  })
  return rowsOf(found, target)
}

/** The rows nearest to a query; also how many there were before those of others were left out, and if these are all. */
export async function nearestRows(
  target: StoreTarget,
  query: Float32Array,
  topK: number,
  includeVector: boolean,
): Promise<{ rows: StoreRow[]; count: number; isAll: boolean }> {
  // `ef` is PgVector's: its default is 16 times `topK`, which is too little for few and more than needed for many.
  const params = { indexName: target.index, queryVector: Array.from(query), topK, includeVector, ef: efFor(topK) }
  const found = await target.store.query(params)
  return { rows: rowsOf(found, target), count: found.length, isAll: found.length < topK }
}

// At 100,000 rows of near-duplicates, 250 gave other top 5 than the local index in 1.9 % of searches (bench store).
const MIN_EF = 500
const MAX_EF = 1_000

const efFor = (topK: number) => Math.min(MAX_EF, Math.max(MIN_EF, topK))

function rowsOf(found: readonly QueryResult[], target: StoreTarget): StoreRow[] {
  const isOfTarget = ({ metadata: { model, namespace } }: StoreRow) =>
    model === target.modelId && namespace === namespaceOf(target)
  return found.flatMap(result => rowOf(result) ?? []).filter(isOfTarget)
}

export interface NewRow {
  readonly id: string
  readonly vector: Float32Array
  readonly metadata: RowMetadata
}

/** Writes rows; those that are there already are replaced by the same. */
export async function upsertRows({ store, index }: StoreTarget, rows: readonly NewRow[]): Promise<void> {
  if (rows.length === 0) return
  // In the same order by whoever writes them, so that two that write the same do not wait for each other.
  const ordered = [...rows].sort((a, b) => (a.id < b.id ? -1 : 1))
  await store.upsert({
    indexName: index,
    ids: ordered.map(({ id }) => id),
    vectors: ordered.map(({ vector }) => Array.from(vector)),
    metadata: ordered.map(({ metadata }) => ({ ...metadata })),
  })
}
