import type { CachedVector } from '../embedding/vector-cache.js'
import { VectorStoreError } from '../errors.js'
import { untilAborted, withinTime } from '../wait.js'
import { surviveLostConnections } from './connection-errors.js'
import { storeError } from './gate.js'
import { metadataOf, type RowMetadata, rowId, type StoreRow, type StoreTarget } from './rows.js'
import {
  ensureIndex,
  hasIndex,
  listRows,
  type NewRow,
  probeIndex,
  rowsOfDocuments,
  type StoreFacts,
  upsertRows,
} from './store-index.js'

/** A document of the catalog, by its hash. */
export interface SyncDocument {
  readonly hash: string
  /** Callable name of the first tool with it. */
  readonly name: string
}

/** How far a synchronisation has come; `remove`: rows of tools that are gone. */
export interface SyncProgress {
  readonly phase: 'list' | 'upsert' | 'remove'
  readonly done: number
  readonly total: number
}

export interface SyncOptions {
  /** Each hash once. */
  readonly documents: readonly SyncDocument[]
  /** The vectors of some documents, in order. */
  readonly vectorsOf: (documents: readonly SyncDocument[]) => Promise<readonly CachedVector[]>
  /** False where vectors cost nothing: then it is not asked before each batch whether another process wrote it. */
  readonly isEmbedding: boolean
  /** False: nothing is written. */
  readonly writes: boolean
  /** Undefined: rows of tools that are gone are left alone. */
  readonly removeAfterMs: number | undefined
  readonly onFacts?: ((facts: StoreFacts) => void) | undefined
  /** Rows of the catalog that are in the store. */
  readonly onPresent?: ((rows: readonly RowMetadata[]) => void) | undefined
  /** Called when all rows have been listed. */
  readonly onListed?: (() => void) | undefined
  readonly onProgress?: ((progress: SyncProgress) => void) | undefined
  readonly abortSignal?: AbortSignal | undefined
}

export interface SyncReport {
  /** Rows of the catalog that were in the store, or were written there by others meanwhile. */
  readonly kept: number
  readonly added: number
  readonly removed: number
  /** Rows that will be removed when no catalog has them for `removeAfterMs`. */
  readonly leaving: number
  /** Documents that the store lacks, where nothing is written. */
  readonly missing: number
}

// Half a second of embedding: progress shows, and what an interruption loses is little.
const DOCUMENTS_PER_BATCH = 128

const IDS_PER_DELETE = 500
const UPDATES_AT_ONCE = 8

// A store that hangs is given up for now; building PgVector's index over rows that are there takes the longest.
const MAX_CALL_MS = 120_000
const MAX_LAST_WRITE_MS = 5_000

/**
 * Makes a store's index hold the documents: embeds and writes those that it lacks, and removes rows of no document once
 * that has lasted. Whatever was written before an interruption is found there by the next. Several processes may do
 * this at once: rows are the same whoever writes them, and each starts elsewhere in what is missing.
 *
 * @throws {VectorStoreMismatchError} for an index of another model or dimension, {VectorStoreError} where the store fails,
 * whatever `vectorsOf` rejects with, and the abort reason.
 */
export async function synchronise(target: StoreTarget, options: SyncOptions): Promise<SyncReport> {
  const { documents, onFacts, onPresent, onProgress, abortSignal, writes } = options
  surviveLostConnections(target.store)
  const call = callsTo(target, abortSignal)
  if (writes) await call('making its index', () => ensureIndex(target))
  else if (!(await call('listing its indexes', () => hasIndex(target)))) {
    throw new VectorStoreError(target.index, `The store has no index "${target.index}" yet. push makes it.`)
  }
  const facts = await call('describing its index', () => probeIndex(target))
  onFacts?.(facts)

  const byHash = new Map(documents.map(document => [document.hash, document]))
  const missing = new Map(byHash)
  const foreign: StoreRow[] = []
  const returned: StoreRow[] = []
  const rows = listRows(target, facts.count)
  for (let listed = 0; ; ) {
    const page = await call('listing its rows', () => rows.next())
    if (page.done) break
    const present: StoreRow[] = []
    for (const row of page.value) {
      const isOfCatalog = byHash.has(row.metadata.documentHash)
      ;(isOfCatalog ? present : foreign).push(row)
      missing.delete(row.metadata.documentHash)
      if (isOfCatalog && row.metadata.removedAt !== undefined) returned.push(row)
    }
    onPresent?.(present.map(({ metadata }) => metadata))
    listed += page.value.length
    onProgress?.({ phase: 'list', done: listed, total: Math.max(listed, facts.count) })
  }
  options.onListed?.()
  if (!writes)
    return { kept: byHash.size - missing.size, added: 0, removed: 0, leaving: foreign.length, missing: missing.size }

  const added = await addRows(target, [...missing.values()], options, call)
  if (facts.scale === undefined && added > 0) {
    onFacts?.(await call('describing its index', () => probeIndex(target)))
  }
  await eachOf(returned, row => call('updating a row', () => mark(target, row, undefined)), abortSignal)
  const { removed, leaving } = await removeRows(target, foreign, options, call)
  // Also what others have written meanwhile.
  return { kept: byHash.size - added, added, removed, leaving, missing: 0 }
}

type Call = <T>(what: string, work: () => Promise<T>) => Promise<T>

function callsTo({ index }: StoreTarget, abortSignal: AbortSignal | undefined): Call {
  return async (what, work) => {
    abortSignal?.throwIfAborted()
    try {
      const tooSlow = () => new Error(`no answer within ${MAX_CALL_MS / 1000} s`)
      // In this order, so that an abort ends the timer, too, which would keep the process alive.
      return await withinTime(untilAborted(work(), abortSignal), MAX_CALL_MS, tooSlow)
    } catch (error) {
      abortSignal?.throwIfAborted()
      throw storeError(index, what, error)
    }
  }
}

/** Adds what the store lacks; the next batch is embedded while the last is written. */
async function addRows(
  target: StoreTarget,
  missing: readonly SyncDocument[],
  { vectorsOf, isEmbedding, onPresent, onProgress, abortSignal }: SyncOptions,
  call: Call,
): Promise<number> {
  // Others that start at the same moment begin elsewhere, so that they share the work.
  const start = isEmbedding ? Math.floor(Math.random() * missing.length) : 0
  const ordered = [...missing.slice(start), ...missing.slice(0, start)]
  let added = 0
  let write: Promise<void> = Promise.resolve()
  let writing: Promise<void> = write
  try {
    for (let at = 0; at < ordered.length; at += DOCUMENTS_PER_BATCH) {
      onProgress?.({ phase: 'upsert', done: at, total: ordered.length })
      const batch = ordered.slice(at, at + DOCUMENTS_PER_BATCH)
      const lacking = isEmbedding ? await withoutWritten(target, batch, onPresent, call) : batch
      const [vectors] = await Promise.all([untilAborted(vectorsOf(lacking), abortSignal), writing])
      const rows = lacking.map((document, i): NewRow => {
        const { vector, readableShare } = vectors[i]!
        const metadata = metadataOf(target, document, readableShare)
        return { id: rowId(target.modelId, document.hash), vector, metadata }
      })
      abortSignal?.throwIfAborted()
      write = upsertRows(target, rows)
      const isWritten = write
      writing = call('writing rows', () => isWritten).then(() => {
        added += rows.length
        onPresent?.(rows.map(({ metadata }) => metadata))
      })
      // Handled at once, since it may reject while the next batch is embedded.
      writing.catch(() => {})
    }
    await writing
  } catch (error) {
    // Whoever closes the store next would break off what it is writing.
    await withinTime(write, MAX_LAST_WRITE_MS, () => new Error('too slow')).catch(() => {})
    throw error
  }
  if (ordered.length > 0) onProgress?.({ phase: 'upsert', done: ordered.length, total: ordered.length })
  return added
}

/** A batch without what another process has written meanwhile. Its first document tells whether one is at it. */
async function withoutWritten(
  target: StoreTarget,
  batch: readonly SyncDocument[],
  onPresent: SyncOptions['onPresent'],
  call: Call,
): Promise<readonly SyncDocument[]> {
  const rowsOf = (documents: readonly SyncDocument[]) =>
    call('looking for rows', () =>
      rowsOfDocuments(
        target,
        documents.map(({ hash }) => hash),
      ),
    )
  if ((await rowsOf(batch.slice(0, 1))).length === 0) return batch
  const written = (await rowsOf(batch)).map(({ metadata }) => metadata)
  onPresent?.(written)
  const hashes = new Set(written.map(({ documentHash }) => documentHash))
  return batch.filter(({ hash }) => !hashes.has(hash))
}

/** Removes rows whose time is over; marks the others, of which a synchronised catalog that has them takes the mark. */
async function removeRows(
  target: StoreTarget,
  foreign: readonly StoreRow[],
  { removeAfterMs, onProgress, abortSignal }: SyncOptions,
  call: Call,
): Promise<{ removed: number; leaving: number }> {
  if (removeAfterMs === undefined || foreign.length === 0) return { removed: 0, leaving: foreign.length }
  const now = Date.now()
  const isOver = ({ metadata }: StoreRow) => removeAfterMs === 0 || (metadata.removedAt ?? now) <= now - removeAfterMs
  const over = foreign.filter(isOver)
  const staying = foreign.filter(row => !isOver(row))
  const total = foreign.length
  for (let at = 0; at < over.length; at += IDS_PER_DELETE) {
    onProgress?.({ phase: 'remove', done: at, total })
    const ids = over.slice(at, at + IDS_PER_DELETE).map(({ id }) => id)
    await call('deleting rows', () => target.store.deleteVectors({ indexName: target.index, ids }))
  }
  const unmarked = staying.filter(({ metadata }) => metadata.removedAt === undefined)
  await eachOf(unmarked, row => call('updating a row', () => mark(target, row, now)), abortSignal)
  onProgress?.({ phase: 'remove', done: total, total })
  return { removed: over.length, leaving: staying.length }
}

function mark({ store, index }: StoreTarget, { id, metadata }: StoreRow, removedAt: number | undefined): Promise<void> {
  const { removedAt: _, ...rest } = metadata
  const update = { metadata: { ...rest, ...(removedAt !== undefined && { removedAt }) } }
  return store.updateVector({ indexName: index, id, update })
}

async function eachOf<T>(
  items: readonly T[],
  work: (item: T) => Promise<void>,
  abortSignal: AbortSignal | undefined,
): Promise<void> {
  for (let at = 0; at < items.length; at += UPDATES_AT_ONCE) {
    abortSignal?.throwIfAborted()
    await Promise.all(items.slice(at, at + UPDATES_AT_ONCE).map(work))
  }
}
