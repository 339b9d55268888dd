/** What a store found nearest to one query, nearest first. */
export interface RemoteNeighbors {
  /** Positions of the documents, 0-based. */
  readonly ids: Uint32Array
  /** Cosine similarity of each, −1 to 1. */
  readonly similarities: Float32Array
  /** No document that is left out is more similar than this, as far as the store's own search is exact. */
  readonly beyond: number
  /** Whether the store has none but these. */
  readonly isAll: boolean
}

/** Vectors that another process holds, as one search sees them: its calls wait no longer than the search may. */
export interface RemoteVectors {
  readonly kind: 'remote'
  readonly size: number
  /** The nearest documents, about `k` of them. Rejects where the store fails or is too slow. */
  nearest(query: Float32Array, k: number): Promise<RemoteNeighbors>
  /** Cosine similarities of the documents at `ids`, by id; those that the store does not have are left out. */
  similaritiesTo(query: Float32Array, ids: readonly number[]): Promise<ReadonlyMap<number, number>>
}
