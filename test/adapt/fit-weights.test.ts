import { describe, expect, it } from 'vitest'
import { crossValidateWeights, fitWeights, judge } from '../../src/adapt/fit-weights.js'
import { fitLogistic } from '../../src/adapt/logistic.js'
import { seededRandom } from '../../src/random.js'
import { DEFAULT_WEIGHTS, SMALL_TALK } from '../../src/ranking/score.js'

const observed = (feature: number, ones: number, zeros: number, more = {}) => [
  ...Array.from({ length: ones }, () => ({ feature, target: 1, ...more })),
  ...Array.from({ length: zeros }, () => ({ feature, target: 0, ...more })),
]

describe('fitLogistic', () => {
  it('goes through the log odds of two groups', () => {
    // Odds 1 : 3 at 0, and 3 : 1 at 2: the slope is 2 log 3 over 2.
    const { slope, bias } = fitLogistic([...observed(0, 1, 3), ...observed(2, 3, 1)])
    expect(slope).toBeCloseTo(Math.log(3), 6)
    expect(bias).toBeCloseTo(-Math.log(3), 6)
  })

  it('takes weights for counts, and offsets as they are', () => {
    const weighted = [
      { feature: 0, target: 1 },
      { feature: 0, target: 0, weight: 3 },
      { feature: 2, target: 1, weight: 3, offset: -1 },
      { feature: 2, target: 0, offset: -1 },
    ]
    const { slope, bias } = fitLogistic(weighted)
    expect(bias).toBeCloseTo(-Math.log(3), 6)
    expect(slope).toBeCloseTo(Math.log(3) + 0.5, 6)
  })

  it('converges from far away, and ends where a threshold separates', () => {
    const far = fitLogistic([...observed(1_000, 10, 90), ...observed(1_001, 90, 10)])
    expect(far.slope).toBeCloseTo(2 * Math.log(9), 4)
    const apart = fitLogistic([...observed(0, 0, 5), ...observed(1, 5, 0)])
    expect(apart.slope).toBeGreaterThan(5)
    expect(Number.isFinite(apart.bias)).toBe(true)
    expect(fitLogistic([])).toEqual({ slope: 0, bias: 0 })
    expect(fitLogistic(observed(3, 2, 1)).slope).toBe(0)
  })
})

const RATIO = DEFAULT_WEIGHTS.lexicalShare / DEFAULT_WEIGHTS.cosine
const true_ = { cosine: 9, lexicalShare: 9 * RATIO, bias: -8 }

/** Queries over five tools each, whose relevance is drawn with the chance that `true_` gives it. */
function drawnQueries(count: number, seed: number, { smallTalk = 0, from = 0.6 } = {}) {
  const random = seededRandom(seed)
  return Array.from({ length: count }, () => {
    const similarities = Float32Array.from({ length: 5 }, () => from + 0.3 * random())
    const shares = Float32Array.from({ length: 5 }, () => 0.1 * random())
    const tools = [...similarities.keys()].filter(row => {
      const evidence =
        true_.cosine * similarities[row]! + true_.lexicalShare * shares[row]! + true_.bias - SMALL_TALK * smallTalk
      return random() < 1 / (1 + Math.exp(-evidence))
    })
    return judge([{ similarities, shares, smallTalk }], tools)
  })
}

describe('fitWeights', () => {
  it('finds the weights that relevance was drawn with', () => {
    const fitted = fitWeights(drawnQueries(8_000, 1))!
    // The standard error of the slope is some 0.1 with 40,000 results.
    expect(Math.abs(fitted.cosine - true_.cosine)).toBeLessThan(0.5)
    expect(fitted.lexicalShare / fitted.cosine).toBeCloseTo(RATIO, 3)
    expect(Math.abs(fitted.bias - true_.bias)).toBeLessThan(0.4)
  })

  it('leaves to small talk what it costs already', () => {
    const fitted = fitWeights([...drawnQueries(4_000, 2), ...drawnQueries(4_000, 3, { smallTalk: 1 })])!
    expect(Math.abs(fitted.cosine - true_.cosine)).toBeLessThan(0.6)
    expect(Math.abs(fitted.bias - true_.bias)).toBeLessThan(0.5)
  })

  it('takes the ratio that ranks better beyond noise', () => {
    const random = seededRandom(4)
    // Similarity alone tells the right tool, by little; the words are noise.
    const queries = Array.from({ length: 200 }, () => {
      const right = Math.floor(random() * 30)
      const similarities = Float32Array.from({ length: 30 }, (_, row) => (row === right ? 0.85 : 0.8) + 0.02 * random())
      const shares = Float32Array.from({ length: 30 }, () => 0.1 * random())
      return judge([{ similarities, shares, smallTalk: 0 }], [right])
    })
    const fitted = fitWeights(queries)!
    expect(fitted.lexicalShare / fitted.cosine).toBeLessThanOrEqual(RATIO / 8 + 1e-6)
  })

  it('counts a clause half as much as the whole, the one that fits a tool best', () => {
    const text = (cosine: number, smallTalk = 0) => ({
      similarities: Float32Array.from([cosine, 0]),
      shares: new Float32Array(2),
      smallTalk,
    })
    const [first] = judge([text(0.6, 0.3), text(0.9, 0.6), text(0.2, 1)], [0]).rankings
    // (0.6 + 0.9 / 2) / 1.5 and (0.3 + 0.6 / 2) / 1.5
    expect(first!.results[0]!.sum).toBeCloseTo(0.7, 6)
    expect(first!.results[0]!.smallTalk).toBeCloseTo(0.4, 6)
    expect(first!.results[1]!.sum).toBe(0)
  })

  it('gives none where relevant tools have less evidence than others', () => {
    const queries = Array.from({ length: 50 }, () => {
      const similarities = Float32Array.from([0.9, 0.8, 0.7, 0.6, 0.5])
      return judge([{ similarities, shares: new Float32Array(5), smallTalk: 0 }], [4])
    })
    expect(fitWeights(queries)).toBeUndefined()
  })
})

describe('crossValidateWeights', () => {
  it('tells the error before and after on queries that it was not fitted to', () => {
    const queries = drawnQueries(600, 5)
    const groups = [...queries.keys()]
    const { before, after, gain } = crossValidateWeights(queries, groups, 1)
    expect(after).toBeLessThan(0.04)
    expect(before).toBeGreaterThan(0.08)
    expect(gain.value).toBeCloseTo(before - after, 12)
    expect(gain.low).toBeGreaterThan(0.02)
    expect(crossValidateWeights(queries, groups, 1)).toEqual({ before, after, gain })
  })

  it('has no gain beyond noise where the scores are right already', () => {
    const random = seededRandom(6)
    const { cosine, lexicalShare, bias } = DEFAULT_WEIGHTS
    const queries = Array.from({ length: 600 }, () => {
      const similarities = Float32Array.from({ length: 5 }, () => 0.2 + 0.6 * random())
      const shares = Float32Array.from({ length: 5 }, () => 0.2 * random())
      const chance = (row: number) =>
        1 / (1 + Math.exp(-(cosine * similarities[row]! + lexicalShare * shares[row]! + bias)))
      const tools = [...similarities.keys()].filter(row => random() < chance(row))
      return judge([{ similarities, shares, smallTalk: 0 }], tools)
    })
    const { before, gain } = crossValidateWeights(queries, [...queries.keys()], 1)
    expect(before).toBeLessThan(0.05)
    expect(gain.low).toBeLessThanOrEqual(0)
  })
})
