import { beforeAll, describe, expect, it } from 'vitest'
import { graphOf } from '../../src/artifact/graph-file.js'
import { buildHnsw, efSearchFor } from '../../src/vector/hnsw.js'
import { type HnswGraph, reachableElements, searchGraph, upperStartsOf } from '../../src/vector/hnsw-graph.js'
import { clusteredVectors } from '../artifact/fixtures/clustered.js'
import { dot } from './index-contract.js'

const SIZE = 5_000
const DIMENSIONS = 32
const K = 10

/** A graph of one level from the neighbours of each element. */
function flatGraph(neighbors: number[][], entryPoint = 0): HnswGraph {
  const offsets = new Uint32Array(neighbors.length + 1)
  neighbors.forEach((list, at) => {
    offsets[at + 1] = offsets[at]! + list.length
  })
  const levels = new Uint8Array(neighbors.length)
  return {
    M: 16,
    size: neighbors.length,
    entryPoint,
    levels,
    base: { offsets, neighbors: Uint32Array.from(neighbors.flat()) },
    upper: { offsets: new Uint32Array(1), neighbors: new Uint32Array(0) },
    upperStarts: upperStartsOf(levels),
  }
}

/** Every element counts. */
function search(graph: HnswGraph, similarityTo: (element: number) => number, ef: number): number[] {
  return searchGraph(graph, { similarityTo, ef, isWanted: () => true })
}

describe('searchGraph', () => {
  let vectors: Float32Array
  let queries: Float32Array[]
  let graph: HnswGraph

  beforeAll(async () => {
    const all = clusteredVectors(SIZE + 200, DIMENSIONS, { clusters: 50, spread: 1, seed: 21 })
    const row = (at: number) => all.subarray(at * DIMENSIONS, (at + 1) * DIMENSIONS)
    vectors = all.slice(0, SIZE * DIMENSIONS)
    queries = Array.from({ length: 200 }, (_, at) => row(SIZE + at))
    graph = await graphOf(await buildHnsw(vectors, DIMENSIONS), SIZE, DIMENSIONS)
  })

  const nearestOf = (query: Float32Array) => {
    const ids = Array.from({ length: SIZE }, (_, id) => id)
    const similarities = ids.map(id => dot(query, vectors, id))
    return ids.sort((a, b) => similarities[b]! - similarities[a]! || a - b)
  }

  it('finds at least 99% of the ten nearest among 5,000 clustered vectors of 32 dimensions', () => {
    let found = 0
    for (const query of queries) {
      const nearest = new Set(nearestOf(query).slice(0, K))
      const ids = search(graph, id => dot(query, vectors, id), efSearchFor(SIZE, K)).slice(0, K)
      for (const id of ids) if (nearest.has(id)) found++
    }
    expect(found / (K * queries.length)).toBeGreaterThanOrEqual(0.99)
  })

  it('returns different elements, most similar first, exactly as many as ef', () => {
    for (const query of queries.slice(0, 20)) {
      const ids = search(graph, id => dot(query, vectors, id), 64)
      expect(ids).toHaveLength(64)
      expect(new Set(ids).size).toBe(64)
      const similarities = [...ids].map(id => dot(query, vectors, id))
      expect(similarities).toEqual([...similarities].sort((a, b) => b - a))
    }
  })

  it('asks for the similarity of far fewer elements than there are', () => {
    let asked = 0
    for (const query of queries.slice(0, 20)) {
      const similarityTo = (id: number) => {
        asked++
        return dot(query, vectors, id)
      }
      search(graph, similarityTo, 50)
    }
    expect(asked / 20).toBeLessThan(SIZE / 3)
  })

  it('returns every reachable element, in order, when ef is the size or more', () => {
    const reachable = reachableElements(graph)
    for (const ef of [SIZE, SIZE + 1, 1e9]) {
      const ids = search(graph, id => dot(queries[0]!, vectors, id), ef)
      expect([...ids]).toEqual(nearestOf(queries[0]!).filter(id => reachable[id] || ids.includes(id)))
    }
  })

  it('keeps to a component without links to the rest', () => {
    const parts = flatGraph([[1], [0], [3], [2]])
    expect([...search(parts, id => id, 4)]).toEqual([1, 0])
    expect([...reachableElements(parts)]).toEqual([1, 1, 0, 0])
    expect([...reachableElements(flatGraph([[1], [0], [3], [2]], 3))]).toEqual([0, 0, 1, 1])
  })

  it('ends where links run in a circle, lead to their own element, or are repeated', () => {
    expect([...search(flatGraph([[1], [2], [0]]), id => -id, 3)]).toEqual([0, 1, 2])
    expect([...search(flatGraph([[0, 0, 0]]), () => 1, 5)]).toEqual([0])
    expect([
      ...search(
        flatGraph([
          [1, 1, 1],
          [0, 0],
        ]),
        () => 0.5,
        2,
      ),
    ]).toEqual([0, 1])
  })

  it('finds a single element', () => {
    expect([...search(flatGraph([[]]), () => -1, 1)]).toEqual([0])
  })

  it.each([0, Number.NaN, -1])('ends where every similarity is %d', similarity => {
    const ids = search(graph, () => similarity, 100)
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids.length).toBeLessThanOrEqual(100)
    expect(ids.every(id => id < SIZE)).toBe(true)
  })

  it('ends where similarities are NaN here and there', () => {
    for (const query of queries.slice(0, 5)) {
      const ids = search(graph, id => (id % 3 === 0 ? Number.NaN : dot(query, vectors, id)), 100)
      expect(new Set(ids).size).toBe(ids.length)
    }
  })
})
