import { setImmediate as nextTurn } from 'node:timers/promises'
import { createExactIndex } from '../vector/exact.js'
import type { HnswGraph } from '../vector/hnsw-graph.js'
import { createStoredGraphIndex } from '../vector/stored-graph.js'
import { createGroups, type Groups } from './union-find.js'

/** For each tool its nearest others, and which are near-duplicates. Rows as in the index. */
export interface CatalogNeighbors {
  /** Neighbours of each tool: the fewer of what was asked for and all others. */
  readonly k: number
  /** `k` rows a tool, nearest first; a tool is not its own neighbour. */
  readonly ids: Uint32Array
  /** Cosine similarity of each. */
  readonly similarities: Float32Array
  /** Pairs at or above the threshold. */
  readonly pairs: number
  /** The sets that these pairs connect. */
  readonly groups: Groups
  /** False where the graph gave the neighbours: a few, and pairs, may be missing. Those that are there are exact. */
  readonly isExact: boolean
}

export interface NeighborsOptions {
  readonly vectors: Float32Array
  readonly dimensions: number
  readonly graph?: HnswGraph | undefined
  readonly k: number
  /** Cosine similarity from which on two tools are a pair. */
  readonly duplicateCosine: number
  /** Called with the number of tools compared. */
  readonly onProgress?: ((done: number, total: number) => void) | undefined
  readonly abortSignal?: AbortSignal | undefined
}

/** Up to here all pairs are compared (25 s at 10,000 and 384 dimensions); above, the graph is asked where there is one. */
export const MAX_EXACT_TOOLS = 10_000

/** The nearest tools of every tool. The event loop runs in between; an abort rejects with the signal's reason. */
export function neighborsOf(options: NeighborsOptions): Promise<CatalogNeighbors> {
  const size = options.vectors.length / options.dimensions
  return options.graph && size > MAX_EXACT_TOOLS ? throughGraph(options, size) : byComparingAll(options, size)
}

// Rows of a tile: two tiles of 384 dimensions are 200 kB, which fits the cache of a core.
const TILE = 64

// How long the event loop waits at most, but for one tile.
const TURN_MS = 20

async function byComparingAll(options: NeighborsOptions, size: number): Promise<CatalogNeighbors> {
  const { vectors, dimensions, duplicateCosine, onProgress } = options
  const best = createBest(size, Math.min(options.k, Math.max(0, size - 1)))
  const groups = createGroups(size)
  const index = createExactIndex(vectors, dimensions)
  let pairs = 0
  const turns = takingTurns(options.abortSignal)
  const vectorOf = (row: number) => vectors.subarray(row * dimensions, (row + 1) * dimensions)
  for (let top = 0; top < size; top += TILE) {
    for (let left = top; left < size; left += TILE) {
      for (let row = top; row < Math.min(top + TILE, size); row++) {
        const similarityTo = index.similarityTo(vectorOf(row))
        for (let other = Math.max(left, row + 1); other < Math.min(left + TILE, size); other++) {
          const similarity = similarityTo(other)
          best.offer(row, other, similarity)
          best.offer(other, row, similarity)
          if (similarity < duplicateCosine) continue
          pairs++
          groups.join(row, other, similarity)
        }
      }
      await turns()
    }
    // The first tiles are compared with all others, the last ones with themselves.
    const left = (size - Math.min(top + TILE, size)) / size
    onProgress?.(Math.round(size * (1 - left * left)), size)
  }
  return { ...best, pairs, groups, isExact: true }
}

async function throughGraph(options: NeighborsOptions, size: number): Promise<CatalogNeighbors> {
  const { vectors, dimensions, duplicateCosine, onProgress } = options
  const rows = Uint32Array.from({ length: size }, (_, row) => row)
  const index = createStoredGraphIndex({ vectors, dimensions, graph: options.graph!, rows })
  const best = createBest(size, options.k)
  const groups = createGroups(size)
  let pairs = 0
  const turns = takingTurns(options.abortSignal)
  for (let row = 0; row < size; row++) {
    const query = vectors.subarray(row * dimensions, (row + 1) * dimensions)
    const nearest = index.nearest(query, options.k + 1)
    nearest.ids.forEach((other, rank) => {
      if (other === row) return
      const similarity = nearest.similarities[rank]!
      best.offer(row, other, similarity)
      // The neighbour may or may not have this tool among its own: each pair counts once.
      if (similarity >= duplicateCosine && (row < other || !best.has(other, row))) {
        pairs++
        groups.join(row, other, similarity)
      }
    })
    await turns()
    onProgress?.(row + 1, size)
  }
  return { ...best, pairs, groups, isExact: false }
}

/** The `k` best others of each row, kept sorted: `k` is small, and most offers fail at the first comparison. */
function createBest(size: number, k: number) {
  const ids = new Uint32Array(size * k)
  const similarities = new Float32Array(size * k).fill(Number.NEGATIVE_INFINITY)
  return {
    k,
    ids,
    similarities,
    offer(row: number, other: number, similarity: number): void {
      const start = row * k
      let at = start + k - 1
      if (k === 0 || similarity <= similarities[at]!) return
      for (; at > start && similarities[at - 1]! < similarity; at--) {
        similarities[at] = similarities[at - 1]!
        ids[at] = ids[at - 1]!
      }
      similarities[at] = similarity
      ids[at] = other
    },
    has(row: number, other: number): boolean {
      return similarities[row * k]! > Number.NEGATIVE_INFINITY && ids.subarray(row * k, (row + 1) * k).includes(other)
    },
  }
}

/** Lets the event loop run every few milliseconds; rejects with the signal's reason. */
export function takingTurns(abortSignal: AbortSignal | undefined): () => Promise<void> {
  abortSignal?.throwIfAborted()
  let since = performance.now()
  return async () => {
    if (performance.now() - since < TURN_MS) return
    await nextTurn()
    abortSignal?.throwIfAborted()
    since = performance.now()
  }
}
