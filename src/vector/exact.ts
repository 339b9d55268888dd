import { dotProduct } from './dot-product.js'
import { topK } from './top-k.js'
import type { VectorIndex } from './vector-index.js'

/** The cosine similarity of a query to one row of a matrix. */
export type RowSimilarity = (query: Float32Array, row: number) => number

/** Similarities to the rows of `vectors` (row by row, each of unit length, not copied). */
export function createRowSimilarity(vectors: Float32Array, dimensions: number): RowSimilarity {
  // As the arrays of similarities hold it, so that all ways to ask give the same number.
  return (query, row) => Math.fround(dotProduct(query, 0, vectors, row * dimensions, dimensions))
}

/**
 * Compares the query with every vector: the oracle, the fallback, and the default for small catalogs, where it is as
 * fast as HNSW. `vectors` holds rows of `dimensions` floats, each of unit length; it is not copied. `rows` says which
 * row each document has; without it the `i`-th document has the `i`-th row.
 */
export function createExactIndex(vectors: Float32Array, dimensions: number, rows?: Uint32Array): VectorIndex {
  const size = rows?.length ?? vectors.length / dimensions
  const rowSimilarity = createRowSimilarity(vectors, dimensions)
  const similarity = rows ? (query: Float32Array, id: number) => rowSimilarity(query, rows[id]!) : rowSimilarity

  function similarities(query: Float32Array): Float32Array {
    const all = new Float32Array(size)
    for (let id = 0; id < size; id++) all[id] = similarity(query, id)
    return all
  }

  return {
    kind: 'exact',
    size,
    dimensions,
    similarity,
    similarities,
    nearest(query, k) {
      const all = similarities(query)
      const ids = topK(all, k)
      return { ids, similarities: Float32Array.from(ids, id => all[id]!) }
    },
  }
}
