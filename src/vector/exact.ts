import { dotProductOfRow } from './dot-product.js'
import { topK } from './top-k.js'
import type { VectorIndex } from './vector-index.js'

/** The cosine similarity of one query to a row of a matrix. */
export type RowSimilarity = (row: number) => number

/** Similarities of queries to the rows of `vectors` (row by row, each of unit length, not copied). */
export function createRowSimilarity(vectors: Float32Array, dimensions: number): (query: Float32Array) => RowSimilarity {
  return query => {
    const doubles = new Float64Array(query)
    // As the arrays of similarities hold it, so that all ways to ask give the same number.
    return row => Math.fround(dotProductOfRow(doubles, vectors, row * dimensions))
  }
}

/**
 * Compares the query with every vector: the oracle, the fallback, and the default for small catalogs, where it is as
 * fast as HNSW. `vectors` holds rows of `dimensions` floats, each of unit length; it is not copied. `rows` says which
 * row each document has; without it the `i`-th document has the `i`-th row.
 */
export function createExactIndex(vectors: Float32Array, dimensions: number, rows?: Uint32Array): VectorIndex {
  const size = rows?.length ?? vectors.length / dimensions
  const toRows = createRowSimilarity(vectors, dimensions)

  function similarityTo(query: Float32Array): (id: number) => number {
    const ofRow = toRows(query)
    return rows ? id => ofRow(rows[id]!) : ofRow
  }

  function similarities(query: Float32Array): Float32Array {
    const all = new Float32Array(size)
    const similarity = similarityTo(query)
    for (let id = 0; id < size; id++) all[id] = similarity(id)
    return all
  }

  return {
    kind: 'exact',
    size,
    dimensions,
    similarityTo,
    similarities,
    nearest(query, k) {
      const all = similarities(query)
      const ids = topK(all, k)
      return { ids, similarities: Float32Array.from(ids, id => all[id]!) }
    },
  }
}
