import type { ToolDocument } from '../catalog/document.js'
import type { CheckedEmbedder } from '../embedding/checked.js'
import { embedTexts, textToEmbed } from '../embedding/document-vectors.js'
import type { CachedVector } from '../embedding/vector-cache.js'
import { VectorStoreError, VectorStoreMismatchError } from '../errors.js'
import type { DenseLayer } from '../layer-index.js'
import { vectorIndexName } from '../vector-index-name.js'
import type { Warn } from '../warn-once.js'
import { createBudget, createGate } from './gate.js'
import { createRemoteVectors } from './remote.js'
import type { RowMetadata, StoreTarget } from './rows.js'
import type { ScoreScale } from './score-scale.js'
import { rowsOfDocuments } from './store-index.js'
import { type SyncDocument, type SyncReport, synchronise } from './synchronise.js'
import type { ResolvedVectorStore } from './vector-store.js'

/** The dense side of a lasting layer whose vectors a store holds. */
export interface StoreLayer {
  /**
   * What one search asks the store through. Waits for the first synchronisation at most as long as a search may; rejects
   * with `VectorStoreError` where the store does not answer or lacks much of the catalog. What fails is tried again in
   * the background.
   */
  dense(): Promise<DenseLayer>
  /** Resolves when the store holds the catalog; rejects where one attempt fails. */
  synchronised(): Promise<void>
  dispose(): void
}

export interface StoreLayerOptions {
  readonly options: ResolvedVectorStore
  readonly embedder: () => CheckedEmbedder
  readonly warn: Warn
}

// With fewer of the catalog's documents in the store, the others would be at too much of a disadvantage: a search goes by
// words alone, in which all are equal.
const MIN_PRESENT_SHARE = 0.9

const FIRST_RETRY_MS = 1_000
const LAST_RETRY_MS = 15_000

// Rows that vanish are written again, but a store that loses them all the time is not asked for all rows all the time.
const MIN_RESYNC_MS = 60_000

// Enough to miss one, most likely, when a twentieth has gone.
const CHECKED_ROWS = 64

/** `documents` and `names` are those of the layer, by position. */
export function createStoreLayer(
  documents: readonly ToolDocument[],
  names: readonly string[],
  { options, embedder, warn }: StoreLayerOptions,
): StoreLayer {
  const { store, timeoutMs, sync, removeAfterMs } = options
  const index = vectorIndexName(options)
  const positions = positionsByHash(documents)
  const hashOf = (position: number) => documents[position]!.hash
  const readableShares = new Float32Array(documents.length)
  /** In which listing a document was last seen, 1 or 2 by turns; 0: it is not in the store. */
  const seenIn = new Uint8Array(documents.length)
  let listing = 1
  let present = 0
  let scale: ScoreScale | undefined
  const disposal = new AbortController()

  // A layer is
  // - waiting: an attempt runs and too few rows are known; searches wait, the first in vain makes the others not wait;
  // - ready: rows enough are known (present), or their number says so (likely); searches ask the store;
  // - failed: `failure` says why; searches that are not ready are rejected with it, and an attempt follows, ever later with
  //   each of `failures`;
  // - complete: one attempt went through; from then on what is missing is repaired, and rows of others are left alone.
  let attempt: Promise<SyncReport> | undefined
  let retry: NodeJS.Timeout | undefined
  let lastAttemptMs = Number.NEGATIVE_INFINITY
  let lastCheckMs = Number.NEGATIVE_INFINITY
  let failures = 0
  let isComplete = false
  /** Until the rows are listed, their number says whether it is worth asking. */
  let isLikely = false
  const isReady = () => scale !== undefined && (isLikely || present >= positions.size * MIN_PRESENT_SHARE)
  let failure: Error | undefined
  let waiting: { resolve: () => void; reject: (error: Error) => void }[] = []
  let hasWaitedInVain = false

  const target = (): StoreTarget => {
    const { modelId, dimensions } = embedder()
    return { store, index, namespace: options.namespace, modelId, dimensions }
  }

  function settle(error?: Error) {
    const waiters = waiting
    waiting = []
    for (const { resolve, reject } of waiters) error ? reject(error) : resolve()
  }

  function notePresent(rows: readonly RowMetadata[]) {
    for (const { documentHash, readableShare } of rows) {
      const places = positions.get(documentHash)
      if (places === undefined) continue
      if (seenIn[places[0]!] === 0) present++
      for (const position of places) {
        seenIn[position] = listing
        readableShares[position] = readableShare
      }
    }
    if (isReady()) settle()
  }

  /** When all rows have been listed: what was not among them is gone. */
  function noteListed() {
    isLikely = false
    for (const places of positions.values()) {
      if (seenIn[places[0]] === 0 || seenIn[places[0]] === listing) continue
      for (const position of places) seenIn[position] = 0
      present--
    }
  }

  async function vectorsOf(batch: readonly SyncDocument[]): Promise<readonly CachedVector[]> {
    // Not through the cache of vectors, which would keep them here.
    const texts = batch.map(({ hash }) => textToEmbed(documents[positions.get(hash)![0]!]!))
    return embedTexts(texts, embedder(), { abortSignal: disposal.signal, independent: true })
  }

  /** One attempt at a time, shared. */
  function synchroniseNow(): Promise<SyncReport> {
    attempt ??= once().finally(() => {
      attempt = undefined
    })
    return attempt
  }

  async function once(): Promise<SyncReport> {
    clearTimeout(retry)
    lastAttemptMs = performance.now()
    listing = 3 - listing
    try {
      const report = await synchronise(target(), {
        documents: Array.from(positions, ([hash, [first]]) => ({ hash, name: names[first!]! })),
        vectorsOf,
        isEmbedding: true,
        writes: sync,
        // Once a process: what is repaired later leaves to others what another version of the catalog has.
        removeAfterMs: isComplete ? undefined : removeAfterMs,
        onFacts(facts) {
          scale = facts.scale ?? scale
          isLikely = facts.count > 0 && facts.count >= positions.size * MIN_PRESENT_SHARE
          if (isReady()) settle()
        },
        onListed: noteListed,
        onPresent: notePresent,
        abortSignal: disposal.signal,
      })
      failures = 0
      failure = undefined
      isComplete = true
      if (report.missing > 0) warnOfMissing(report.missing)
      // What is not there yet may be pushed later: rejects what waits, and looks again.
      if (isReady()) settle()
      else fail(incomplete())
      return report
    } catch (thrown) {
      const error = thrown as Error
      if (!disposal.signal.aborted) fail(error)
      else settle(error)
      throw error
    }
  }

  function fail(error: Error) {
    failure = error
    failures++
    settle(error)
    // Another model's index stays one until somebody deletes it.
    const isMismatch = error instanceof VectorStoreMismatchError
    const waitMs = isMismatch ? MIN_RESYNC_MS : Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** (failures - 1))
    retry = setTimeout(() => {
      if (!disposal.signal.aborted) synchroniseNow().catch(() => {})
    }, waitMs)
    retry.unref()
  }

  function incomplete(): VectorStoreError {
    const message = `The vector store has ${present} of the catalog's ${positions.size} documents (index "${index}").`
    return new VectorStoreError(index, `${message} The others are ${sync ? 'being written' : 'still to be pushed'}.`)
  }

  function warnOfMissing(missing: number) {
    warn(
      'store-sync',
      `The vector store lacks ${missing} of the catalog's documents (index "${index}"), which are found by their words alone. ` +
        'push writes them; so does this process without sync: false.',
    )
  }

  function repair() {
    if (isComplete && performance.now() - lastAttemptMs >= MIN_RESYNC_MS) synchroniseNow().catch(() => {})
  }

  /** Looks whether rows are still there, where others lie before them or they are gone: an answer shows no difference. */
  function check() {
    if (!isComplete || performance.now() - lastCheckMs < MIN_RESYNC_MS) return
    lastCheckMs = performance.now()
    const known = documents.filter((_, position) => seenIn[position] !== 0)
    const start = Math.floor(Math.random() * known.length)
    const hashes = [...new Set([...known.slice(start), ...known].slice(0, CHECKED_ROWS).map(({ hash }) => hash))]
    const rows = gate.pass('looking for rows', () => rowsOfDocuments(target(), hashes), createBudget(timeoutMs))
    rows.then(
      found => {
        if (new Set(found.map(({ metadata }) => metadata.documentHash)).size < hashes.length) repair()
      },
      () => {},
    )
  }

  const gate = createGate({ index, timeoutMs, onRefusal: repair })

  return {
    async dense() {
      const budget = createBudget(timeoutMs)
      if (!isReady()) {
        if (failure) throw failure
        if (!attempt) synchroniseNow().catch(() => {})
        if (hasWaitedInVain) throw incomplete()
        const isNow = new Promise<void>((resolve, reject) => waiting.push({ resolve, reject }))
        isNow.catch(() => {})
        await budget.spend(isNow, () => {
          hasWaitedInVain = true
          return incomplete()
        })
      }
      const vectors = createRemoteVectors({
        target: target(),
        positions,
        size: documents.length,
        present: () => present,
        hashOf,
        scale: scale!,
        gate,
        budget,
        repair,
        check,
      })
      return { vectors, readableShares }
    },
    async synchronised() {
      if (!isComplete) await synchroniseNow()
      if (!isReady()) throw incomplete()
    },
    dispose: () => disposal.abort(new VectorStoreError(index, 'The processor was disposed of.')),
  }
}

/** Each document's hash once, with the positions of all tools that share it. */
function positionsByHash(documents: readonly ToolDocument[]): Map<string, [number, ...number[]]> {
  const positions = new Map<string, [number, ...number[]]>()
  documents.forEach(({ hash }, position) => {
    const known = positions.get(hash)
    if (known) known.push(position)
    else positions.set(hash, [position])
  })
  return positions
}
