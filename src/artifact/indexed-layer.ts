import type { CachedVector } from '../embedding/vector-cache.js'
import { createExactIndex } from '../vector/exact.js'
import { HNSW_MIN_SIZE } from '../vector/hnsw.js'
import { createStoredGraphIndex } from '../vector/stored-graph.js'
import type { VectorIndex } from '../vector/vector-index.js'
import type { HashedTool } from './drift.js'
import type { ToolIndex } from './tool-index.js'

// A stored graph is searched while at least this share of its elements has a tool: it passes through all others.
const MIN_LIVE_SHARE = 0.5

/** What an index knows of a document, by its hash. */
export function storedVector(index: ToolIndex, hash: string): CachedVector | undefined {
  const row = index.rowOfDocument(hash)
  return row === undefined ? undefined : vectorOfRow(index, row)
}

/** The vector in a row of an index as it is searched, a view. */
export function vectorOfRow(index: ToolIndex, row: number): CachedVector {
  return rowOf(index, index.vectors, row)
}

/** The vector in a row of an index as the model made it, a view: what may be compared without its adaptation. */
export function documentVectorOfRow(index: ToolIndex, row: number): CachedVector {
  return rowOf(index, index.documentVectors, row)
}

function rowOf({ manifest }: ToolIndex, vectors: Float32Array, row: number): CachedVector {
  const { dimensions } = manifest.model
  return {
    vector: vectors.subarray(row * dimensions, (row + 1) * dimensions),
    readableShare: manifest.tools[row]!.readableShare,
  }
}

/** For each tool its row in the index, or −1; no row twice. */
export function rowsOf(index: ToolIndex, tools: readonly HashedTool[]): Int32Array {
  const taken = new Set<number>()
  return Int32Array.from(tools, ({ name, hash }) => {
    // By name first: several tools may have one text, and each has a row of its own.
    const byName = index.rowOfName(name)
    const row =
      byName !== undefined && index.manifest.tools[byName]!.documentHash === hash ? byName : index.rowOfDocument(hash)
    if (row === undefined || taken.has(row)) return -1
    taken.add(row)
    return row
  })
}

export interface IndexedVectors {
  /** One row a tool that is not in the index, in order. */
  readonly added: readonly CachedVector[]
  /** As `rowsOf` gives them. */
  readonly rows: Int32Array
}

/**
 * The vector index of tools of which most are in a stored index: its vectors are shared, not copied, as long as nothing
 * is added. Undefined where a graph is wanted and the stored one does not serve: few of its elements are among the
 * tools, or many tools are not among its elements.
 */
export function indexedVectorIndex(index: ToolIndex, { rows, added }: IndexedVectors): VectorIndex | undefined {
  const { dimensions } = index.manifest.model
  const stored = index.vectors.length / dimensions
  const vectors =
    added.length === 0 ? index.vectors : new Float32Array(index.vectors.length + added.length * dimensions)
  if (added.length > 0) vectors.set(index.vectors)
  added.forEach(({ vector }, at) => {
    vectors.set(vector, (stored + at) * dimensions)
  })
  let next = stored
  const allRows = Uint32Array.from(rows, row => (row < 0 ? next++ : row))
  if (rows.length < HNSW_MIN_SIZE) return createExactIndex(vectors, dimensions, allRows)
  const { graph } = index
  const live = rows.length - added.length
  if (!graph || live < graph.size * MIN_LIVE_SHARE || added.length >= HNSW_MIN_SIZE) return undefined
  return createStoredGraphIndex({ vectors, dimensions, graph, rows: allRows })
}
