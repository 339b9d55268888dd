import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { topK } from '../../src/vector/top-k.js'

/** Positions by value, highest first, equal values in order (`Array.prototype.sort` is stable). */
function bySorting(values: ArrayLike<number>, k: number): number[] {
  return Array.from(values, (_, at) => at)
    .sort((a, b) => values[b]! - values[a]!)
    .slice(0, Math.max(0, k))
}

describe('topK', () => {
  it('returns the positions of the highest values, highest first', () => {
    expect([...topK([0.1, 0.9, 0.5, 0.7], 2)]).toEqual([1, 3])
  })

  it('keeps the order of equal values', () => {
    expect([...topK([1, 2, 2, 1, 2], 4)]).toEqual([1, 2, 4, 0])
  })

  it.each([
    [[], 3, []],
    [[5], 3, [0]],
    [[5, 6], 0, []],
    [[5, 6], -1, []],
    [[-1, Number.NEGATIVE_INFINITY, -2], 3, [0, 2, 1]],
  ])('returns for %j and k = %i %j', (values, k, expected) => {
    expect([...topK(values, k)]).toEqual(expected)
  })

  it('returns what sorting returns, for any values and k', () => {
    // Few distinct values, so that ties are common.
    const value = fc.oneof(fc.integer({ min: -3, max: 3 }), fc.float({ noNaN: true }))
    fc.assert(
      fc.property(fc.array(value, { maxLength: 200 }), fc.integer({ min: 0, max: 210 }), (values, k) => {
        expect([...topK(values, k)]).toEqual(bySorting(values, k))
      }),
      { numRuns: 500 },
    )
  })

  it('reads typed arrays of 48,000 values', () => {
    const values = Float32Array.from({ length: 48_000 }, (_, at) => Math.imul(at, 2_654_435_761) >>> 8)
    expect([...topK(values, 64)]).toEqual(bySorting(values, 64))
  })
})
