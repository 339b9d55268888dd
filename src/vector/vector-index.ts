/** The nearest documents of one query, nearest first. Both arrays have the same length, at most `k`. */
export interface Neighbors {
  /** Positions of the documents, 0-based, in the order in which their vectors were given. */
  readonly ids: Uint32Array
  /** Cosine similarity of each to the query, −1 to 1, exact also where the search for neighbours is approximate. */
  readonly similarities: Float32Array
}

/** Finds the documents whose vectors are nearest to a query's, by cosine similarity. Vectors have unit length. */
export interface VectorIndex {
  readonly kind: 'exact' | 'hnsw'
  readonly size: number
  readonly dimensions: number
  /** The `k` nearest documents; all of them when `k` is at least `size`. */
  nearest(query: Float32Array, k: number): Neighbors
  /** Gives the exact cosine similarity of the query to the document at `id`. */
  similarityTo(query: Float32Array): (id: number) => number
  /** Exact cosine similarity of the query to every document: `size` numbers. */
  similarities(query: Float32Array): Float32Array
}
