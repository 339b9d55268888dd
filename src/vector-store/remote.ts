import { VectorStoreError } from '../errors.js'
import type { RemoteNeighbors, RemoteVectors } from '../vector/remote-vectors.js'
import type { Budget, Gate } from './gate.js'
import type { StoreRow, StoreTarget } from './rows.js'
import type { ScoreScale } from './score-scale.js'
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
}

const HASHES_PER_QUERY = 64

/** The vectors of a catalog in a store, as one search asks for them. */
export function createRemoteVectors(options: RemoteVectorsOptions): RemoteVectors {
  const { target, positions, size, present, hashOf, scale, gate, budget, repair } = options

  function* found(rows: readonly StoreRow[], query: Float32Array): Generator<[position: number, similarity: number]> {
    for (const row of rows) {
      const similarity = Math.fround(scale.similarityOf(row, query))
      for (const position of positions.get(row.metadata.documentHash) ?? []) yield [position, similarity]
    }
  }

  return {
    kind: 'remote',
    size,
    async nearest(query, k): Promise<RemoteNeighbors> {
      const search = () => nearestRows(target, query, k, scale.needsVector)
      const { rows, isAll, last } = await gate.pass('searching', search, budget)
      if (last === undefined) {
        repair()
        throw new VectorStoreError(target.index, `The vector store's index "${target.index}" is empty.`)
      }
      const pairs = [...found(rows, query)].sort((a, b) => b[1] - a[1] || a[0] - b[0])
      return {
        ids: Uint32Array.from(pairs, ([position]) => position),
        similarities: Float32Array.from(pairs, ([, similarity]) => similarity),
        beyond: scale.similarityOf(last, query),
        // An approximate search may end before it has seen all.
        isAll: isAll && pairs.length >= present(),
      }
    },
    async similaritiesTo(query, ids) {
      const hashes = [...new Set(ids.map(hashOf))]
      const parts: string[][] = []
      for (let at = 0; at < hashes.length; at += HASHES_PER_QUERY) parts.push(hashes.slice(at, at + HASHES_PER_QUERY))
      const search = (part: readonly string[]) => () =>
        rowsOfDocuments(target, part, { query, includeVector: scale.needsVector })
      const rows = (await Promise.all(parts.map(part => gate.pass('searching', search(part), budget)))).flat()
      if (rows.length < hashes.length) repair()
      return new Map(found(rows, query))
    },
  }
}
