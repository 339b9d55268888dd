import { createExactIndex } from './exact.js'
import { efSearchFor } from './hnsw.js'
import { type HnswGraph, reachableElements, searchGraph } from './hnsw-graph.js'
import { rowProducts } from './row-products.js'
import type { Neighbors, VectorIndex } from './vector-index.js'

export interface StoredGraphOptions {
  readonly vectors: Float32Array
  readonly dimensions: number
  /** Over the first `graph.size` rows of `vectors`. */
  readonly graph: HnswGraph
  /** The row of each document; no row twice. */
  readonly rows: Uint32Array
}

/**
 * Searches the graph of a stored index for documents that are some of its elements, in any order, and perhaps others:
 * elements without a document (tools that are gone) are passed through and left out, and documents outside the graph
 * are compared one by one, as are those that the links do not lead to.
 */
export function createStoredGraphIndex({ vectors, dimensions, graph, rows }: StoredGraphOptions): VectorIndex {
  const exact = createExactIndex(vectors, dimensions, rows)
  const documentOfRow = new Int32Array(vectors.length / dimensions).fill(-1)
  rows.forEach((row, document) => {
    documentOfRow[row] = document
  })
  const reachable = reachableElements(graph)
  const outside = Array.from(rows.keys()).filter(document => !reachable[rows[document]!])
  // Also where an upper level leads to one of them: each document is to be found once.
  for (const document of outside) documentOfRow[rows[document]!] = -1

  function nearest(query: Float32Array, k: number): Neighbors {
    const count = Math.min(k, exact.size)
    if (count <= 0) return { ids: new Uint32Array(0), similarities: new Float32Array(0) }
    const similarityTo = rowProducts(query, vectors).of
    const isWanted = (row: number) => documentOfRow[row]! >= 0
    const found = [
      ...outside,
      ...searchGraph(graph, { similarityTo, isWanted, ef: efSearchFor(exact.size, count) }).map(
        row => documentOfRow[row]!,
      ),
    ].map(id => ({ id, similarity: similarityTo(rows[id]!) }))
    found.sort((a, b) => b.similarity - a.similarity || a.id - b.id)
    const best = found.slice(0, count)
    return {
      ids: Uint32Array.from(best, ({ id }) => id),
      similarities: Float32Array.from(best, ({ similarity }) => similarity),
    }
  }

  return { ...exact, kind: 'hnsw', nearest }
}
