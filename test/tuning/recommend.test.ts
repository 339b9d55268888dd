import { describe, expect, it } from 'vitest'
import { chooseMinScore, chooseTopK, parseAim } from '../../src/tuning/aim.js'
import { crossValidate, reachedBy } from '../../src/tuning/cross-validation.js'
import { percentileInterval, wilson } from '../../src/tuning/intervals.js'
import { recommend } from '../../src/tuning/recommend.js'
import { evaluated, knownDistributions } from './queries.js'

const recommended = (aim: string, topK?: number) =>
  recommend(knownDistributions(), { aim: parseAim(aim)!, topK, seed: 1 })

describe('an aim', () => {
  it.each(['recall=0', 'recall=98', 'recall', 'f1=0.5', 'precision=', 'hit=0.5', 'recall=x'])('is not %j', text => {
    expect(parseAim(text)).toBeUndefined()
  })
})

describe('the recommendation on known distributions', () => {
  // By hand: 80 of 100 right tools are at rank 1, 95 within 3, 99 within 7, so that recall@20 is 0.99.
  it('has the recall@k of the ranks', () => {
    expect(recommended('recall=0.98').recalls.map(value => Math.round(value * 100))).toEqual([
      80,
      80,
      95,
      95,
      95,
      95,
      ...Array(14).fill(99),
    ])
  })

  it.each([
    // 0.98 × 0.99 = 0.9702 needs rank 7; of 99 found ones 98 % are 97.02, so that one of them may go: the lowest scores
    // 0.305, the second lowest 0.31, which must score above minScore.
    ['recall=0.98', 7, 0.309],
    // 0.95 × 0.99 = 0.9405: rank 3. Of 95 found ones 90.25 must stay: four may go, the fifth lowest scores 0.325.
    ['recall=0.95', 3, 0.324],
    // 0.8 × 0.99 = 0.792: rank 1. Of 80 found ones 64 must stay: 16 may go, the 17th lowest scores 0.385.
    ['recall=0.8', 1, 0.384],
    // Nothing may go.
    ['recall=1', 7, 0.304],
    // topK as of recall=0.98. The best of the fifty score 0.01 to 0.5: forty of them at or below 0.4.
    ['no-answer=0.8', 7, 0.4],
    ['no-answer=1', 7, 0.5],
  ])('for %s is topK %d and minScore %d', (aim, topK, minScore) => {
    expect(recommended(aim)).toMatchObject({ topK, minScore, isMet: true })
  })

  it('keeps a given topK', () => {
    // Of 95 found ones 93.1 must stay: one may go.
    expect(recommended('recall=0.98', 5)).toMatchObject({ topK: 5, minScore: 0.309 })
  })

  it('for a precision is the lowest minScore that reaches it', () => {
    // At topK 1, 80 right ones and 19 wrong ones score above 0.3. With 34 of the fifty 80 of 133 are right, with 35 80 of
    // 134, which is less than 0.6; 34 score above 0.16.
    expect(recommended('precision=0.6', 1)).toMatchObject({ minScore: 0.16, isMet: true })
  })

  it('for F1 is where it is highest', () => {
    const { minScore, curve } = recommended('f1')
    expect(curve.f1[Math.round(minScore * 1000)]).toBe(Math.max(...curve.f1))
  })

  it('says that an aim is out of reach, and comes as near as can be', () => {
    const queries = [
      evaluated(
        ['a'],
        [
          ['x', 0.9],
          ['a', 0.8],
          ['y', 0.1],
        ],
      ),
    ]
    // One of three is right, without y one of two, without a none.
    expect(recommend(queries, { aim: parseAim('precision=0.9')!, topK: 3, seed: 1 })).toMatchObject({
      isMet: false,
      minScore: 0.1,
    })
  })

  it('recommends no minScore where nothing is found at all', () => {
    const queries = [evaluated(['a'], [['x', 0.9]])]
    expect(recommend(queries, { aim: parseAim('recall=0.98')!, seed: 1 })).toMatchObject({ minScore: 0, isMet: false })
  })
})

describe('its intervals', () => {
  it('are the same for the same seed, and hold the value', () => {
    const { intervals, minScore } = recommended('recall=0.98')
    expect(recommended('recall=0.98').intervals).toEqual(intervals)
    expect(intervals.minScore.low).toBeLessThanOrEqual(minScore)
    expect(intervals.minScore.high).toBeGreaterThanOrEqual(minScore)
  })

  it('are wider for fewer queries', () => {
    const width = (queries: ReturnType<typeof knownDistributions>) => {
      const { low, high } = recommend(queries, { aim: parseAim('recall=0.9')!, topK: 5, seed: 1 }).intervals.minScore
      return high - low
    }
    const all = knownDistributions()
    const few = all.filter((_, at) => at % 10 === 0)
    const many = Array.from({ length: 10 }, () => all).flat()
    expect(width(few)).toBeGreaterThan(2 * width(all))
    expect(width(all)).toBeGreaterThan(2 * width(many))
  })
})

describe('crossValidate', () => {
  const aim = parseAim('recall=0.95')!

  it('has one choice a fold, each near that of all queries', () => {
    const { choices } = crossValidate(knownDistributions(), { aim, seed: 1 })!
    expect(choices).toHaveLength(10)
    for (const { topK, minScore } of choices) {
      expect([1, 3]).toContain(topK)
      expect(minScore).toBeGreaterThan(0.3)
      expect(minScore).toBeLessThan(0.35)
    }
  })

  it('measures each query with what the others recommend', () => {
    // Ten queries, ten folds. Held out, the lowest scoring one falls below what the nine others allow, and is lost; with
    // all of them, none may be lost.
    const queries = Array.from({ length: 10 }, (_, at) => evaluated(['a'], [['a', 0.5 + at / 100]]))
    const all = { aim: parseAim('recall=1')!, seed: 1 }
    expect(recommend(queries, all).minScore).toBe(0.499)
    expect(crossValidate(queries, all)!.reached.recall!.value).toBe(0.9)
  })

  it('does not claim certainty of 30 queries that all succeed', () => {
    const queries = Array.from({ length: 30 }, () => evaluated(['a'], [['a', 0.5]]))
    const { recall, keptRecall, precision, f1 } = crossValidate(queries, { aim, seed: 1 })!.reached
    for (const estimate of [recall, keptRecall, precision, f1]) {
      expect(estimate!.value).toBe(1)
      // 30² / (30² + 1.96² × 30) by Wilson's formula.
      expect(estimate!.low).toBeCloseTo(0.8865, 4)
    }
  })

  it('is null for one query', () => {
    expect(crossValidate([evaluated(['a'], [['a', 0.5]])], { aim, seed: 1 })).toBeNull()
  })
})

describe('reachedBy', () => {
  it('is null where there is nothing to measure', () => {
    const reached = reachedBy([evaluated(['a'], [['b', 0.5]])], () => ({ topK: 5, minScore: 0.9 }), 1)
    expect(reached).toMatchObject({ keptRecall: null, precision: null, noAnswer: null })
    expect(reached.recall!.value).toBe(0)
    expect(reached.f1!.value).toBe(0)
  })
})

describe('intervals', () => {
  // Values of statsmodels.stats.proportion.proportion_confint(count, nobs, method='wilson').
  it.each([
    [30, 30, 0.88649, 1],
    [27, 30, 0.74379, 0.9654],
    [0, 10, 0, 0.27753],
    [50, 100, 0.40383, 0.59617],
  ])('of %d of %d are Wilson’s', (count, of, low, high) => {
    const interval = wilson(count / of, of)
    expect(interval.low).toBeCloseTo(low, 5)
    expect(interval.high).toBeCloseTo(high, 5)
  })

  it('of samples are their middle 95 %', () => {
    const samples = Array.from({ length: 1001 }, (_, at) => (1000 - at) / 1000)
    expect(percentileInterval(0.5, [...samples, Number.NaN])).toEqual({ value: 0.5, low: 0.025, high: 0.975 })
  })
})

describe('choosing', () => {
  it('takes the smallest k within the share', () => {
    expect(chooseTopK([0.5, 0.7, 0.79, 0.8], 0.98)).toBe(3)
    expect(chooseTopK([0.5, 0.7, 0.79, 0.8], 1)).toBe(4)
    expect(chooseTopK([0, 0], 0.98)).toBe(1)
  })

  it('is not misled by the last digit of a sum', () => {
    const third = 1 / 3
    const recall = new Float64Array(1001).fill(third + third + third)
    recall.fill(1 - 1e-15, 300, 501).fill(0, 501)
    const empty = new Float64Array(1001)
    const curve = { recall, precision: empty, f1: empty, noAnswer: empty }
    expect(chooseMinScore(curve, parseAim('recall=1')!)).toEqual({ step: 500, isMet: true })
  })
})
