import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DEFAULT_MIN_SCORE, EXACT_NAME_SCORE, evidenceOf, scoreOf } from '../../src/ranking/score.js'

const share = fc.double({ min: 0, max: 1, noNaN: true })
const cosine = fc.double({ min: -1, max: 1, noNaN: true })

describe('the score', () => {
  it('is from 0 to 0.99 for any evidence, and 1 only for an exact name', () => {
    fc.assert(
      fc.property(cosine, share, share, (cosineSimilarity, lexicalShare, readableShare) => {
        const score = scoreOf(evidenceOf(cosineSimilarity, lexicalShare, readableShare))
        expect(score).toBeGreaterThanOrEqual(0)
        expect(score).toBeLessThanOrEqual(0.99)
      }),
    )
    for (const evidence of [-1e9, -50, 0, 50, 1e9, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]) {
      expect(scoreOf(evidence)).toBeGreaterThanOrEqual(0)
      expect(scoreOf(evidence)).toBeLessThanOrEqual(0.99)
    }
    expect(EXACT_NAME_SCORE).toBe(1)
  })

  it('rises with the evidence', () => {
    const evidence = fc.double({ min: -30, max: 30, noNaN: true })
    fc.assert(
      fc.property(evidence, evidence, (a, b) => {
        expect(scoreOf(Math.min(a, b))).toBeLessThanOrEqual(scoreOf(Math.max(a, b)))
      }),
    )
    expect(scoreOf(0)).toBe(0.5)
  })

  it('does not fall when a candidate is nearer, or shares more words', () => {
    fc.assert(
      fc.property(cosine, cosine, share, share, share, (c1, c2, s1, s2, readable) => {
        const low = evidenceOf(Math.min(c1, c2), Math.min(s1, s2), readable)
        expect(evidenceOf(Math.max(c1, c2), Math.min(s1, s2), readable)).toBeGreaterThanOrEqual(low)
        expect(evidenceOf(Math.min(c1, c2), Math.max(s1, s2), readable)).toBeGreaterThanOrEqual(low)
      }),
    )
  })

  it('rests on the words alone where the model cannot read the query', () => {
    expect(evidenceOf(0.9, 0.3, 0)).toBe(evidenceOf(-0.9, 0.3, 0))
  })

  it('changes without a jump as the readable share does', () => {
    fc.assert(
      fc.property(cosine, share, share, (cosineSimilarity, lexicalShare, readable) => {
        const near = Math.min(1, readable + 1e-6)
        const difference =
          evidenceOf(cosineSimilarity, lexicalShare, near) - evidenceOf(cosineSimilarity, lexicalShare, readable)
        expect(Math.abs(difference)).toBeLessThan(1e-4)
      }),
    )
  })

  it('loses 1.5 to small talk, as far as the model reads the query, for all tools alike', () => {
    expect(evidenceOf(0.5, 0.1, 1) - evidenceOf(0.5, 0.1, 1, 1)).toBeCloseTo(1.5, 10)
    expect(evidenceOf(0.2, 0.3, 1) - evidenceOf(0.2, 0.3, 1, 0.4)).toBeCloseTo(0.6, 10)
    expect(evidenceOf(0.5, 0.1, 0.5) - evidenceOf(0.5, 0.1, 0.5, 1)).toBeCloseTo(0.75, 10)
    expect(evidenceOf(0.5, 0.1, 0, 1)).toBe(evidenceOf(0.5, 0.1, 0))
  })

  it('of nothing in common is at or below the default minScore, of full agreement far above', () => {
    expect(scoreOf(evidenceOf(0, 0, 1))).toBeLessThanOrEqual(DEFAULT_MIN_SCORE)
    expect(scoreOf(evidenceOf(0, 0, 0))).toBeLessThanOrEqual(DEFAULT_MIN_SCORE)
    expect(scoreOf(evidenceOf(1, 1, 1))).toBeGreaterThan(0.9)
    expect(scoreOf(evidenceOf(0, 1, 0))).toBeGreaterThan(0.5)
  })
})
