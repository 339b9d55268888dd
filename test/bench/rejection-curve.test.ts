import { describe, expect, it } from 'vitest'
import { areaUnderCurve } from '../../bench/measures.js'
import { areaUnder, emptyAtLost, rejectionAt, rejectionCurve } from '../../bench/rejection-curve.js'

// Answerable: one request with the scores 0.9 and 0.2, one with 0.6, one whose tool was not found (it counts for nothing).
// Unanswerable: best scores 0.1, 0.2, 0.7 and nothing at all.
const scores = { found: [[0.9, 0.2], [0.6], []], best: [0.1, 0.2, 0.7, 0] }

describe('the trade-off of a minScore', () => {
  it('is worked by hand at one of them', () => {
    // At 0.2 a result of 0.2 is left out, too: half of the first request, and three of four return nothing.
    expect(rejectionAt(scores, 0.2)).toEqual({ minScore: 0.2, recallLost: 0.25, empty: 0.75 })
    expect(rejectionAt(scores, 0)).toEqual({ minScore: 0, recallLost: 0, empty: 0.25 })
    expect(rejectionAt(scores, 1)).toEqual({ minScore: 1, recallLost: 1, empty: 1 })
  })

  it('has the same points as a curve, one for each score', () => {
    const curve = rejectionCurve(scores)
    expect(curve.map(({ minScore }) => minScore)).toEqual([0, 0.1, 0.2, 0.6, 0.7, 0.9])
    for (const point of curve) {
      const { recallLost, empty } = rejectionAt(scores, point.minScore)
      expect(point.recallLost).toBeCloseTo(recallLost, 12)
      expect(point.empty).toBeCloseTo(empty, 12)
    }
  })

  it('says how many can be refused for a given loss', () => {
    const curve = rejectionCurve(scores)
    expect(emptyAtLost(curve, 0)).toBe(0.5)
    expect(emptyAtLost(curve, 0.25)).toBe(0.75)
    expect(emptyAtLost(curve, 0.8)).toBe(1)
  })

  it('has the area of the ROC curve where each request has one right tool', () => {
    const [positives, negatives] = [
      [0.31, 0.42, 0.42, 0.9, 0.05],
      [0.42, 0.05, 0.05, 0.31, 0.77, 0],
    ]
    const curve = rejectionCurve({ found: positives.map(score => [score]), best: negatives })
    expect(areaUnder(curve)).toBeCloseTo(areaUnderCurve(positives, negatives), 12)
  })
})
