import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { neighborsOf } from '../../src/inspect/neighbors.js'
import { projectCatalog } from '../../src/inspect/projection.js'

const DIMENSIONS = 8

/** Unit vectors from a seeded generator (the minimal standard one of Park and Miller). */
function randomVectors(size: number, seed = 1): Float32Array {
  let state = seed
  const random = () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647 - 0.5
  }
  const vectors = Float32Array.from({ length: size * DIMENSIONS }, random)
  for (let row = 0; row < size; row++) {
    const part = vectors.subarray(row * DIMENSIONS, (row + 1) * DIMENSIONS)
    const length = Math.hypot(...part)
    part.forEach((value, at) => {
      part[at] = value / length
    })
  }
  return vectors
}

const neighbors = (vectors: Float32Array, k = 14) =>
  neighborsOf({ vectors, dimensions: DIMENSIONS, k, duplicateCosine: 0.95 })

describe('neighborsOf', () => {
  it('gives what sorting all similarities gives', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 2, max: 150 }), fc.integer({ min: 1, max: 1e6 }), async (size, seed) => {
        const vectors = randomVectors(size, seed)
        const row = (at: number) => vectors.subarray(at * DIMENSIONS, (at + 1) * DIMENSIONS)
        const cosine = (a: number, b: number) => row(a).reduce((sum, value, at) => sum + value * row(b)[at]!, 0)
        const { k, similarities, pairs } = await neighbors(vectors, 5)
        let expectedPairs = 0
        for (let at = 0; at < size; at++) {
          const others = Array.from({ length: size }, (_, other) => other).filter(other => other !== at)
          const sorted = others.map(other => cosine(at, other)).sort((a, b) => b - a)
          expectedPairs += sorted.filter(value => value >= 0.95).length
          sorted.slice(0, k).forEach((value, rank) => {
            expect(similarities[at * k + rank]).toBeCloseTo(value, 5)
          })
        }
        expect(k).toBe(Math.min(5, size - 1))
        expect(pairs).toBe(expectedPairs / 2)
      }),
      { numRuns: 20 },
    )
  })
})

describe('projectCatalog', () => {
  const project = async (vectors: Float32Array) =>
    projectCatalog({ vectors, dimensions: DIMENSIONS, neighbors: await neighbors(vectors) })
  const isWithinFrame = (points: Float32Array) => points.every(value => Number.isFinite(value) && Math.abs(value) <= 1)

  it('gives the same map for the same vectors', async () => {
    const vectors = randomVectors(120)
    const [first, second] = [await project(vectors), await project(vectors)]
    expect(first.method).toBe('umap')
    expect(first.points).toEqual(second.points)
    expect(isWithinFrame(first.points)).toBe(true)
  })

  it('lays two families of tools apart', async () => {
    const vectors = randomVectors(60)
    // All of one family have a large first number, of the other a large second one.
    for (let row = 0; row < 60; row++) vectors[row * DIMENSIONS + (row % 2)] = 3
    for (let row = 0; row < 60; row++) {
      const part = vectors.subarray(row * DIMENSIONS, (row + 1) * DIMENSIONS)
      const length = Math.hypot(...part)
      part.forEach((value, at) => {
        part[at] = value / length
      })
    }
    const { points } = await project(vectors)
    const centre = (family: number, at: number) =>
      Array.from({ length: 30 }, (_, i) => points[(2 * i + family) * 2 + at]!).reduce((a, b) => a + b) / 30
    const spread = (family: number) =>
      Math.max(
        ...Array.from({ length: 30 }, (_, i) =>
          Math.hypot(...[0, 1].map(at => points[(2 * i + family) * 2 + at]! - centre(family, at))),
        ),
      )
    const distance = Math.hypot(centre(0, 0) - centre(1, 0), centre(0, 1) - centre(1, 1))
    expect(distance).toBeGreaterThan(Math.max(spread(0), spread(1)))
  })

  it.each([0, 1, 2, 3, 14, 15])('takes a catalog of %i tools by their principal axes', async size => {
    const { method, points } = await project(randomVectors(size))
    expect(method).toBe('pca')
    expect(points).toHaveLength(size * 2)
    expect(isWithinFrame(points)).toBe(true)
  })

  it.each([5, 16, 200])('takes %i identical vectors', async size => {
    const vectors = new Float32Array(size * DIMENSIONS)
    for (let row = 0; row < size; row++) vectors[row * DIMENSIONS] = 1
    expect(isWithinFrame((await project(vectors)).points)).toBe(true)
  })

  it('has the longest axis of a plane of points across', async () => {
    // Four points, twice as far apart along the first number as along the second.
    const vectors = Float32Array.from([2, 0, -2, 0, 0, 1, 0, -1])
    const none = await neighborsOf({ vectors, dimensions: 2, k: 3, duplicateCosine: 0.95 })
    const { points } = await projectCatalog({ vectors, dimensions: 2, neighbors: none })
    const [a, , b, , , c, , d] = points as unknown as number[]
    expect([Math.abs(a!), Math.abs(b!)]).toEqual([1, 1])
    expect(Math.abs(c!)).toBeCloseTo(0.5, 3)
    expect(c! + d!).toBeCloseTo(0, 3)
  })

  it('rejects with the reason of an abort', async () => {
    const vectors = randomVectors(40)
    const reason = new Error('enough')
    const given = { vectors, dimensions: DIMENSIONS, neighbors: await neighbors(vectors) }
    await expect(projectCatalog({ ...given, abortSignal: AbortSignal.abort(reason) })).rejects.toBe(reason)
  })
})
