import { beforeAll, describe, expect, it } from 'vitest'
import { seededRandom } from '../../bench/corpora.js'
import { graphOf } from '../../src/artifact/graph-file.js'
import { buildHnsw } from '../../src/vector/hnsw.js'
import { type HnswGraph, upperStartsOf } from '../../src/vector/hnsw-graph.js'
import { createStoredGraphIndex } from '../../src/vector/stored-graph.js'
import { clusteredVectors } from '../artifact/fixtures/clustered.js'
import { describeVectorIndex, dot } from './index-contract.js'

const SIZE = 5_000
const OUTSIDE = 300
const DIMENSIONS = 32
const CLUSTERS = 50
const K = 10

const EMPTY: HnswGraph = {
  M: 16,
  size: 0,
  entryPoint: 0,
  levels: new Uint8Array(0),
  base: { offsets: new Uint32Array(1), neighbors: new Uint32Array(0) },
  upper: { offsets: new Uint32Array(1), neighbors: new Uint32Array(0) },
  upperStarts: new Uint32Array(1),
}

async function graphOver(vectors: Float32Array, dimensions: number): Promise<HnswGraph> {
  const size = vectors.length / dimensions
  return size === 0 ? EMPTY : graphOf(await buildHnsw(vectors, dimensions), size, dimensions)
}

const inOrder = (size: number) => Uint32Array.from({ length: size }, (_, row) => row)

describeVectorIndex('hnsw', async (vectors, dimensions) => {
  const graph = await graphOver(vectors, dimensions)
  return createStoredGraphIndex({ vectors, dimensions, graph, rows: inOrder(graph.size) })
})

describe('the index over a stored graph', () => {
  let vectors: Float32Array
  let queries: Float32Array[]
  let graph: HnswGraph

  beforeAll(async () => {
    const all = clusteredVectors(SIZE + OUTSIDE + 200, DIMENSIONS, { clusters: CLUSTERS, spread: 1, seed: 22 })
    const end = (SIZE + OUTSIDE) * DIMENSIONS
    vectors = all.slice(0, end)
    queries = Array.from({ length: 200 }, (_, at) => all.slice(end + at * DIMENSIONS, end + (at + 1) * DIMENSIONS))
    graph = await graphOver(vectors.slice(0, SIZE * DIMENSIONS), DIMENSIONS)
  })

  /** Mean share of the true ten nearest documents; each answer is also checked for what any answer must be. */
  function recallOf(rows: Uint32Array): number {
    const index = createStoredGraphIndex({ vectors, dimensions: DIMENSIONS, graph, rows })
    expect(index.size).toBe(rows.length)
    const k = Math.min(K, rows.length)
    let found = 0
    for (const query of queries) {
      const exact = Float64Array.from(rows, row => dot(query, vectors, row))
      const nearest = new Set([...exact.keys()].sort((a, b) => exact[b]! - exact[a]! || a - b).slice(0, k))
      const { ids, similarities } = index.nearest(query, K)
      expect(ids).toHaveLength(k)
      expect(new Set(ids).size).toBe(k)
      ids.forEach((id, at) => {
        expect(Math.abs(similarities[at]! - exact[id]!)).toBeLessThan(1e-6)
        if (nearest.has(id)) found++
      })
      expect([...similarities]).toEqual([...similarities].sort((a, b) => b - a))
    }
    return found / (k * queries.length)
  }

  it('finds 99% of the ten nearest of all its documents', () => {
    expect(recallOf(inOrder(SIZE))).toBeGreaterThanOrEqual(0.99)
  })

  it('finds them whatever the order of the documents, and names them by it', () => {
    const random = seededRandom(3)
    const places = Float64Array.from({ length: SIZE }, () => random())
    expect(recallOf(inOrder(SIZE).sort((a, b) => places[a]! - places[b]!))).toBeGreaterThanOrEqual(0.99)
  })

  it.each([0.02, 0.3, 0.5, 0.9])('finds them where a share of %d is gone, here and there', share => {
    const random = seededRandom(4)
    expect(recallOf(inOrder(SIZE).filter(() => random() >= share))).toBeGreaterThanOrEqual(0.99)
  })

  // As when a server is switched off: what a query was about is gone, and its next best is wanted.
  it.each([1, 10, 25])('finds them where %i whole clusters of the 50 are gone', gone => {
    expect(recallOf(inOrder(SIZE).filter(row => row % CLUSTERS >= gone))).toBeGreaterThanOrEqual(0.99)
  })

  it('finds documents outside the graph', () => {
    expect(recallOf(inOrder(SIZE + OUTSIDE))).toBeGreaterThanOrEqual(0.99)
  })

  it('finds documents outside the graph between others, with some gone', () => {
    const random = seededRandom(5)
    const rows = inOrder(SIZE + OUTSIDE).filter(() => random() < 0.7)
    const places = Float64Array.from({ length: SIZE + OUTSIDE }, () => random())
    expect(recallOf(rows.sort((a, b) => places[a]! - places[b]!))).toBeGreaterThanOrEqual(0.99)
  })

  it('is exact where all elements of the graph are gone', () => {
    expect(recallOf(inOrder(SIZE + OUTSIDE).subarray(SIZE))).toBe(1)
  })

  it('is exact with one document left, within the graph or outside', () => {
    expect(recallOf(Uint32Array.of(1_234))).toBe(1)
    expect(recallOf(Uint32Array.of(SIZE + 7))).toBe(1)
  })

  it('returns nothing from no documents', () => {
    const index = createStoredGraphIndex({ vectors, dimensions: DIMENSIONS, graph, rows: new Uint32Array(0) })
    expect(index.nearest(queries[0]!, K).ids).toHaveLength(0)
    expect(index.similarities(queries[0]!)).toHaveLength(0)
  })

  it('returns all documents, each once, for k at or beyond their number', () => {
    const rows = inOrder(SIZE + OUTSIDE).filter(row => row % 5 > 0)
    const index = createStoredGraphIndex({ vectors, dimensions: DIMENSIONS, graph, rows })
    for (const k of [rows.length, rows.length + 1, 1e6]) {
      expect([...index.nearest(queries[0]!, k).ids].sort((a, b) => a - b)).toEqual([...rows.keys()])
    }
  })

  it('numbers similarities by document, not by row', () => {
    const rows = Uint32Array.of(40, 7, SIZE + 3)
    const index = createStoredGraphIndex({ vectors, dimensions: DIMENSIONS, graph, rows })
    const query = queries[0]!
    rows.forEach((row, document) => {
      expect(Math.abs(index.similarityTo(query)(document) - dot(query, vectors, row))).toBeLessThan(1e-6)
      expect(Math.abs(index.similarities(query)[document]! - dot(query, vectors, row))).toBeLessThan(1e-6)
    })
  })

  it('returns a document once that the upper levels lead to and level 0 does not', () => {
    // Element 0 (the entry) and 1 are on level 1; on level 0 nothing leads to 1.
    const levels = Uint8Array.of(1, 1, 0)
    const graph: HnswGraph = {
      M: 2,
      size: 3,
      entryPoint: 0,
      levels,
      base: { offsets: Uint32Array.of(0, 1, 3, 4), neighbors: Uint32Array.of(2, 0, 2, 0) },
      upper: { offsets: Uint32Array.of(0, 1, 2), neighbors: Uint32Array.of(1, 0) },
      upperStarts: upperStartsOf(levels),
    }
    const index = createStoredGraphIndex({
      vectors: Float32Array.of(1, 0, 0, 1, Math.SQRT1_2, -Math.SQRT1_2),
      dimensions: 2,
      graph,
      rows: Uint32Array.of(0, 1, 2),
    })
    expect([...index.nearest(Float32Array.of(0, 1), 3).ids]).toEqual([1, 0, 2])
  })
})
