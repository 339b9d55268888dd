import { VectorStoreError } from '../errors.js'
import type { RemoteNeighbors, RemoteVectors } from '../vector/remote-vectors.js'
import type { Budget, Gate } from './gate.js'
import type { StoreRow, StoreTarget } from './rows.js'
import { isSimilarity, type ScoreScale } from './score-scale.js'
import { nearestRows, rowsOfDocuments } from './store-index.js'

export interface RemoteVectorsOptions {
  readonly target: StoreTarget
  /** Positions of the catalog's documents by their hash: a row of any other document is not seen. */
  readonly positions: ReadonlyMap<string, readonly number[]>
  readonly size: number
  /** How many documents of the catalog the store has, as far as is known. */
  readonly present: () => number
  /** Hash of the document at a position. */
  readonly hashOf: (position: number) => string
  readonly scale: ScoreScale
  readonly gate: Gate
  readonly budget: Budget
  /** Called when rows that were there are gone. */
  readonly repair: () => void
  /** Called when an answer has fewer rows of the catalog than it may. */
  readonly check: () => void
}

const HASHES_PER_QUERY = 64

// Of an answer with more unreadable similarities than this, the order would be that of chance.
const MAX_UNREADABLE_SHARE = 0.1

/** The vectors of a catalog in a store, as one search asks for them. */
export function createRemoteVectors(options: RemoteVectorsOptions): RemoteVectors {
  const { target, positions, size, present, hashOf, scale, gate, budget, repair, check } = options

  /** Similarities by hash, each once. Throws where many rows have none that can be; a few are left to the words. */
  function similaritiesOf(rows: readonly StoreRow[], query: Float32Array): Map<string, number> {
    const similarities = new Map<string, number>()
    let unreadable = 0
    for (const row of rows) {
      const { documentHash } = row.metadata
      const similarity = Math.fround(scale.similarityOf(row, query))
      if (!isSimilarity(similarity)) unreadable++
      else if (!similarities.has(documentHash)) similarities.set(documentHash, similarity)
    }
    if (unreadable > rows.length * MAX_UNREADABLE_SHARE) {
      throw new Error(`${unreadable} of ${rows.length} results have no score that can be a similarity`)
    }
    return similarities
  }

  function* byPosition(similarities: ReadonlyMap<string, number>): Generator<[position: number, similarity: number]> {
    for (const [hash, similarity] of similarities) {
      for (const position of positions.get(hash) ?? []) yield [position, similarity]
    }
  }

  return {
    kind: 'remote',
    size,
    async nearest(query, k): Promise<RemoteNeighbors> {
      const search = async () => {
        const { rows, count, isAll } = await nearestRows(target, query, k, scale.needsVector)
        const near = similaritiesOf(rows, query)
        if (count > 0 && rows.length === 0) throw new Error(`none of the ${count} results is a row of this model`)
        return { near, isAll }
      }
      const { near, isAll } = await gate.pass('searching', search, budget)
      if (near.size === 0) {
        repair()
        throw new VectorStoreError(target.index, `The vector store's index "${target.index}" is empty.`)
      }
      let own = 0
      for (const hash of near.keys()) if (positions.has(hash)) own++
      if (own < Math.min(k, present())) check()
      const pairs = [...byPosition(near)].sort((a, b) => b[1] - a[1] || a[0] - b[0])
      return {
        ids: Uint32Array.from(pairs, ([position]) => position),
        similarities: Float32Array.from(pairs, ([, similarity]) => similarity),
        beyond: [...near.values()].at(-1)!,
        // An approximate search may end before it has seen all.
        isAll: isAll && pairs.length >= present(),
      }
    },
    async similaritiesTo(query, ids) {
      const hashes = [...new Set(ids.map(hashOf))]
      const parts: string[][] = []
      for (let at = 0; at < hashes.length; at += HASHES_PER_QUERY) parts.push(hashes.slice(at, at + HASHES_PER_QUERY))
      const search = (part: readonly string[]) => async () =>
        similaritiesOf(await rowsOfDocuments(target, part, { query, includeVector: scale.needsVector }), query)
      const answers = await Promise.all(parts.map(part => gate.pass('searching', search(part), budget)))
      const similarities = new Map(answers.flatMap(answer => [...answer]))
      if (hashes.some(hash => !similarities.has(hash))) repair()
      return new Map(byPosition(similarities))
    },
  }
}
