import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { seededRandom } from '../../bench/corpora.js'
import type { VectorIndex } from '../../src/vector/vector-index.js'

/** `size` random directions of unit length, row by row; the same for the same seed. */
export function unitVectors(size: number, dimensions: number, seed: number): Float32Array {
  const random = seededRandom(seed)
  const all = new Float32Array(size * dimensions)
  for (let id = 0; id < size; id++) {
    const row = Array.from({ length: dimensions }, () => random() * 2 - 1)
    const length = Math.hypot(...row)
    all.set(
      row.map(value => value / length),
      id * dimensions,
    )
  }
  return all
}

/** The dot product in double precision, term by term. */
export function dot(query: Float32Array, vectors: Float32Array, id: number): number {
  let sum = 0
  for (let i = 0; i < query.length; i++) sum += query[i]! * vectors[id * query.length + i]!
  return sum
}

/** What every `VectorIndex` promises, whatever finds its neighbours. */
export function describeVectorIndex(
  kind: VectorIndex['kind'],
  create: (vectors: Float32Array, dimensions: number) => Promise<VectorIndex>,
): void {
  describe(`the ${kind} index`, () => {
    // Four directions in a plane: 0°, 90°, 180° and 45°.
    const PLANE = Float32Array.of(1, 0, 0, 1, -1, 0, Math.SQRT1_2, Math.SQRT1_2)
    const EAST = Float32Array.of(1, 0)

    it('says what it is and what it holds', async () => {
      expect(await create(PLANE, 2)).toMatchObject({ kind, size: 4, dimensions: 2 })
    })

    it('returns the nearest first, with their cosine similarities', async () => {
      const { ids, similarities } = (await create(PLANE, 2)).nearest(EAST, 3)
      expect([...ids]).toEqual([0, 3, 1])
      expect(similarities).toHaveLength(3)
      for (const [at, cosine] of [1, Math.SQRT1_2, 0].entries()) expect(similarities[at]).toBeCloseTo(cosine, 6)
    })

    it.each([4, 5, 1_000])('returns the whole index for k = %i, at or beyond its size', async k => {
      expect([...(await create(PLANE, 2)).nearest(EAST, k).ids]).toEqual([0, 3, 1, 2])
    })

    it.each([0, -1])('returns nothing for k = %i', async k => {
      const { ids, similarities } = (await create(PLANE, 2)).nearest(EAST, k)
      expect([ids.length, similarities.length]).toEqual([0, 0])
    })

    it('holds a single vector', async () => {
      const { ids, similarities } = (await create(Float32Array.of(0, 1), 2)).nearest(EAST, 5)
      expect([...ids]).toEqual([0])
      expect(similarities[0]).toBeCloseTo(0, 6)
    })

    it('holds nothing at all', async () => {
      const empty = await create(new Float32Array(0), 2)
      expect(empty.size).toBe(0)
      expect(empty.nearest(EAST, 5).ids).toHaveLength(0)
      expect(empty.similarities(EAST)).toHaveLength(0)
    })

    it('orders equal similarities by position', async () => {
      const vectors = Float32Array.of(0, 1, 1, 0, 0, 1, 1, 0, 0, -1)
      expect([...(await create(vectors, 2)).nearest(EAST, 5).ids]).toEqual([1, 3, 0, 2, 4])
    })

    it('returns every copy of a vector that occurs 300 times', async () => {
      const vectors = new Float32Array(301 * 2)
      for (let id = 0; id < 300; id++) vectors.set(EAST, id * 2)
      vectors.set([0, 1], 600)
      const index = await create(vectors, 2)
      const ids = [...index.nearest(EAST, 300).ids]
      expect(ids).toEqual(Array.from({ length: 300 }, (_, id) => id))
      expect(index.nearest(EAST, 1_000).ids).toHaveLength(301)
    })

    it('returns k different neighbours among 3,000 of which 2,000 are one vector', async () => {
      const vectors = unitVectors(3_000, 16, 1)
      const repeated = vectors.slice(0, 16)
      for (let id = 0; id < 2_000; id++) vectors.set(repeated, id * 16)
      const index = await create(vectors, 16)
      for (const query of [repeated, vectors.slice(2_500 * 16, 2_501 * 16)]) {
        const { ids } = index.nearest(query, 64)
        expect(ids).toHaveLength(64)
        expect(new Set(ids).size).toBe(64)
      }
      // A vector with one near neighbour, itself, must not be hidden behind the 2,000.
      expect(index.nearest(vectors.slice(2_500 * 16, 2_501 * 16), 1).ids[0]).toBe(2_500)
    })

    it.each([1, 2, 3, 4, 5, 7, 384])('computes dot products of %i dimensions to 1e-6', async dimensions => {
      const vectors = unitVectors(20, dimensions, 2)
      const query = unitVectors(1, dimensions, 3)
      const index = await create(vectors, dimensions)
      const all = index.similarities(query)
      const { ids, similarities } = index.nearest(query, 20)
      expect(all).toHaveLength(20)
      for (let id = 0; id < 20; id++) {
        expect(Math.abs(index.similarityTo(query)(id) - dot(query, vectors, id))).toBeLessThan(1e-6)
        expect(Math.abs(all[id]! - dot(query, vectors, id))).toBeLessThan(1e-6)
      }
      ids.forEach((id, at) => {
        expect(Math.abs(similarities[at]! - dot(query, vectors, id))).toBeLessThan(1e-6)
      })
    })

    it('gives equal answers from equal vectors', async () => {
      const vectors = unitVectors(500, 8, 4)
      const query = unitVectors(1, 8, 5)
      const [one, other] = [await create(vectors, 8), await create(vectors.slice(), 8)]
      expect(one.nearest(query, 10)).toEqual(other.nearest(query, 10))
    })

    it('returns what sorting all dot products returns, for any vectors', async () => {
      const cases = fc.record({
        size: fc.integer({ min: 1, max: 60 }),
        dimensions: fc.integer({ min: 1, max: 9 }),
        k: fc.integer({ min: 0, max: 70 }),
        seed: fc.integer({ min: 0, max: 2 ** 31 }),
      })
      await fc.assert(
        fc.asyncProperty(cases, async ({ size, dimensions, k, seed }) => {
          const vectors = unitVectors(size, dimensions, seed)
          const query = unitVectors(1, dimensions, seed + 1)
          const { ids, similarities } = (await create(vectors, dimensions)).nearest(query, k)
          const best = Array.from({ length: size }, (_, id) => dot(query, vectors, id)).sort((a, b) => b - a)
          expect(ids).toHaveLength(Math.min(k, size))
          expect(new Set(ids).size).toBe(ids.length)
          similarities.forEach((similarity, at) => {
            expect(Math.abs(similarity - best[at]!)).toBeLessThan(1e-6)
          })
        }),
        { numRuns: 100 },
      )
    })
  })
}
