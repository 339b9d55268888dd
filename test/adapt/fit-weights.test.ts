import { describe, expect, it } from 'vitest'
import { crossValidateWeights, fitWeights, judge } from '../../src/adapt/fit-weights.js'
import { fitLogistic } from '../../src/adapt/logistic.js'
import { seededRandom } from '../../src/random.js'
import { DEFAULT_WEIGHTS, isInRange, SMALL_TALK } from '../../src/ranking/score.js'

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

  it('tells the standard error of the slope', () => {
    // The log odds of each group have the variance 1/1 + 1/3, their difference both, and the slope that over 2.
    const { slopeError } = fitLogistic([...observed(0, 1, 3), ...observed(2, 3, 1)])
    expect(slopeError).toBeCloseTo(Math.sqrt(2 * (1 + 1 / 3)) / 2, 5)
    expect(fitLogistic(observed(1, 2, 2)).slopeError).toBe(Number.POSITIVE_INFINITY)
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
    expect(fitLogistic([])).toEqual({ slope: 0, bias: 0, slopeError: Number.POSITIVE_INFINITY })
    expect(fitLogistic(observed(3, 2, 1)).slope).toBe(0)
  })
})

const RATIO = DEFAULT_WEIGHTS.lexicalShare / DEFAULT_WEIGHTS.cosine
const true_ = { cosine: 9, lexicalShare: 9 * RATIO, bias: -8 }

/** Queries over five tools each, whose relevance is drawn with the chance that `true_` gives it. */
function drawnQueries(count: number, seed: number, { smallTalk = 0, from = 0.6, inForce = DEFAULT_WEIGHTS } = {}) {
  const random = seededRandom(seed)
  return Array.from({ length: count }, () => {
    const similarities = Float32Array.from({ length: 5 }, () => from + 0.3 * random())
    const shares = Float32Array.from({ length: 5 }, () => 0.1 * random())
    const tools = [...similarities.keys()].filter(row => {
      const evidence =
        true_.cosine * similarities[row]! + true_.lexicalShare * shares[row]! + true_.bias - SMALL_TALK * smallTalk
      return random() < 1 / (1 + Math.exp(-evidence))
    })
    return judge([{ similarities, shares, smallTalk }], tools, inForce)
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

describe('fitWeights refuses', () => {
  const query = (similarities: readonly number[], tools: readonly number[], smallTalk = 0) =>
    judge(
      [{ similarities: Float32Array.from(similarities), shares: new Float32Array(similarities.length), smallTalk }],
      tools,
    )

  it('labels that say nothing, in exact balance', () => {
    for (const count of [50, 100, 200, 500, 1_000]) {
      const queries = Array.from({ length: count }, (_, at) => query([0.9, 0.8, 0.7, 0.6, 0.5], [at % 5]))
      expect(fitWeights(queries)).toBeUndefined()
    }
  })

  it('queries of which none has a relevant tool, though small talk be told apart', () => {
    const random = seededRandom(9)
    const queries = Array.from({ length: 60 }, (_, at) =>
      query(
        Array.from({ length: 5 }, () => random()),
        [],
        at % 2,
      ),
    )
    expect(fitWeights(queries)).toBeUndefined()
  })

  it('labels drawn at random, nearly always', () => {
    const random = seededRandom(10)
    const fitted = Array.from({ length: 100 }, () => {
      const queries = Array.from({ length: 100 }, () =>
        query(
          Array.from({ length: 5 }, () => random()),
          [Math.floor(random() * 5)],
        ),
      )
      return fitWeights(queries)
    })
    // One-sided, 2.5 % are to be expected.
    expect(fitted.filter(Boolean).length).toBeLessThanOrEqual(8)
  })

  it('weights that no index may store, and gives large ones that it may', () => {
    const narrow = (width: number) => {
      const random = seededRandom(11)
      return Array.from({ length: 400 }, () => {
        const right = Math.floor(random() * 5)
        return query(
          Array.from({ length: 5 }, (_, row) => 0.99 + width * ((row === right ? 1 : 0) + 2 * random())),
          [right],
        )
      })
    }
    const fitted = fitWeights(narrow(0.0001))!
    expect(fitted.cosine).toBeGreaterThan(10_000)
    expect(isInRange(fitted)).toBe(true)
    expect(fitWeights(narrow(0.0000005))).toBeUndefined()
  })
})

const validate = (queries: ReturnType<typeof drawnQueries>, inForce = DEFAULT_WEIGHTS) =>
  crossValidateWeights(queries, { groups: [...queries.keys()], seed: 1, inForce, onTurn: async () => {} })

describe('crossValidateWeights', () => {
  it('tells the error before and after on queries that it was not fitted to', async () => {
    const queries = drawnQueries(600, 5)
    const figures = await validate(queries)
    const { before, inForce, after, gain } = figures
    expect(inForce).toBe(before)
    expect(after).toBeLessThan(0.04)
    expect(before).toBeGreaterThan(0.08)
    expect(gain.value).toBeCloseTo(before - after, 12)
    expect(gain.low).toBeGreaterThan(0.02)
    expect(await validate(queries)).toEqual(figures)
  })

  it('has no gain beyond noise where the scores are right already', async () => {
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
    const { before, gain } = await validate(queries)
    expect(before).toBeLessThan(0.05)
    expect(gain.low).toBeLessThanOrEqual(0)
  })

  it('compares with the weights in force, whatever the package has', async () => {
    const inForce = { cosine: 2, lexicalShare: 1, bias: 3 }
    const queries = drawnQueries(300, 7, { inForce })
    const figures = await validate(queries, inForce)
    expect(figures.inForce).toBeGreaterThan(0.4)
    expect(figures.before).toBeLessThan(0.3)
    expect(figures.gain.value).toBeCloseTo(figures.inForce - figures.after, 12)
  })

  it('lets other work run, and ends where it is told to', async () => {
    const queries = drawnQueries(40, 8)
    let turns = 0
    const onTurn = async () => {
      turns++
      if (turns === 10) throw new Error('enough')
    }
    const options = { groups: [...queries.keys()], seed: 1, inForce: DEFAULT_WEIGHTS, onTurn }
    await expect(crossValidateWeights(queries, options)).rejects.toThrow('enough')
  })
})
