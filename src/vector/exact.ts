import { rowProducts } from './row-products.js'
import { topK } from './top-k.js'
import type { VectorIndex } from './vector-index.js'

/**
 * Compares the query with every vector: the oracle, the fallback, and the default for small catalogs, where it is as
 * fast as HNSW. `vectors` holds rows of `dimensions` floats, each of unit length; it is not copied. `rows` says which
 * row each document has; without it the `i`-th document has the `i`-th row.
 */
export function createExactIndex(vectors: Float32Array, dimensions: number, rows?: Uint32Array): VectorIndex {
  const size = rows?.length ?? vectors.length / dimensions

  function similarityTo(query: Float32Array): (id: number) => number {
    const { of } = rowProducts(query, vectors)
    return rows ? id => of(rows[id]!) : of
  }

  function similarities(query: Float32Array): Float32Array {
    const { of, all } = rowProducts(query, vectors)
    if (!rows) return all()
    // All at once is faster than one by one, unless most are not asked for.
    const ofRows = size * 2 < vectors.length / dimensions ? undefined : all()
    const similarities = new Float32Array(size)
    for (let id = 0; id < size; id++) similarities[id] = ofRows ? ofRows[rows[id]!]! : of(rows[id]!)
    return similarities
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
