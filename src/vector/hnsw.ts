import type { HierarchicalNSW } from 'hnswlib-node'
import { createExactIndex } from './exact.js'
import type { Neighbors, VectorIndex } from './vector-index.js'

/** HNSW parameters (Malkov and Yashunin, arXiv:1603.09320). */
export interface HnswParameters {
  /** Links of each element and layer. */
  M: number
  /** Candidates while building: higher is slower to build and finds more. */
  efConstruction: number
}

// M = 16 keeps annRecall@10 ≥ 0.99 at 48,000 near-duplicate documents of 384 dimensions (test/vector/hnsw-recall.test.ts)
// with the efSearch below; 32 doubles memory for no gain there.
export const HNSW_PARAMETERS: HnswParameters = { M: 16, efConstruction: 200 }

/** From this size on a lasting catalog gets a graph; below, comparing all vectors takes a third of a millisecond. */
export const HNSW_MIN_SIZE = 2_000

/** The graph's random levels are drawn from this seed, so that equal catalogs give equal graphs. */
export const HNSW_SEED = 100

// How many points are added before the event loop gets a turn: about 20 ms.
const POINTS_PER_TURN = 64

/** Candidates while searching, from the catalog's size: chosen so that annRecall@10 stays ≥ 0.99. */
export function efSearchFor(size: number, k: number): number {
  const bySize = size <= 4_000 ? 100 : size <= 16_000 ? 150 : 250
  return Math.min(size, Math.max(k, bySize))
}

/** The constructor of hnswlib-node's graph; throws where the optional package is not installed or does not load. */
export async function loadHnswlib(): Promise<typeof HierarchicalNSW> {
  const library = (await import('hnswlib-node')) as { default?: { HierarchicalNSW: typeof HierarchicalNSW } } & {
    HierarchicalNSW?: typeof HierarchicalNSW
  }
  const graph = library.default?.HierarchicalNSW ?? library.HierarchicalNSW
  if (!graph) throw new Error('hnswlib-node has no HierarchicalNSW')
  return graph
}

export interface BuildHnswOptions {
  parameters?: HnswParameters
  abortSignal?: AbortSignal | undefined
  /** Called in between with the number of vectors linked so far. */
  onProgress?: ((done: number) => void) | undefined
}

/**
 * hnswlib's graph over `vectors` (rows of unit length, copied), whose labels are the rows' numbers; the event loop runs
 * in between. Throws where hnswlib-node does not load, and the abort reason when `abortSignal` fires.
 */
export async function buildHnsw(
  vectors: Float32Array,
  dimensions: number,
  { parameters: { M, efConstruction } = HNSW_PARAMETERS, abortSignal, onProgress }: BuildHnswOptions = {},
): Promise<HierarchicalNSW> {
  const Graph = await loadHnswlib()
  const size = vectors.length / dimensions
  const graph = new Graph('ip', dimensions)
  graph.initIndex({ maxElements: Math.max(1, size), m: M, efConstruction, randomSeed: HNSW_SEED })
  for (let row = 0; row < size; row++) {
    if (row % POINTS_PER_TURN === 0 && row > 0) {
      onProgress?.(row)
      await new Promise(resolve => setImmediate(resolve))
      abortSignal?.throwIfAborted()
    }
    graph.addPoint(Array.from(vectors.subarray(row * dimensions, (row + 1) * dimensions)), row)
  }
  return graph
}

/** An index over `vectors` (rows of unit length, not copied) with a graph of hnswlib, built now as `buildHnsw` does. */
export async function createHnswIndex(
  vectors: Float32Array,
  dimensions: number,
  options: BuildHnswOptions & { efSearch?: number } = {},
): Promise<VectorIndex> {
  const graph = await buildHnsw(vectors, dimensions, options)
  const exact = createExactIndex(vectors, dimensions)

  function nearest(query: Float32Array, k: number): Neighbors {
    const count = Math.min(k, exact.size)
    if (count <= 0) return { ids: new Uint32Array(0), similarities: new Float32Array(0) }
    graph.setEf(options.efSearch ?? efSearchFor(exact.size, count))
    const { neighbors } = graph.searchKnn(Array.from(query), count)
    // The graph's distances are sums in another order; the exact similarity keeps both indexes comparable to the bit.
    const similarity = exact.similarityTo(query)
    const found = neighbors.map(id => ({ id, similarity: similarity(id) }))
    found.sort((a, b) => b.similarity - a.similarity || a.id - b.id)
    return {
      ids: Uint32Array.from(found, neighbor => neighbor.id),
      similarities: Float32Array.from(found, neighbor => neighbor.similarity),
    }
  }

  return { ...exact, kind: 'hnsw', nearest }
}
