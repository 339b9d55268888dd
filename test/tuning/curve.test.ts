import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { curveOf, lastStepBelow, profileOf, recallByTopK, STEPS } from '../../src/tuning/curve.js'
import type { EvaluatedQuery } from '../../src/tuning/evaluated-query.js'
import { measure } from '../../src/tuning/requirements.js'
import { evaluated } from './queries.js'

describe('lastStepBelow', () => {
  it.each([
    [1, 999],
    [0.5, 499],
    [0.5001, 500],
    [0.123, 122],
    [0.0001, 0],
    [0, -1],
  ])('of a score of %d is step %d', (score, step) => {
    expect(lastStepBelow(score)).toBe(step)
  })
})

const names = ['a', 'b', 'c', 'd', 'e']

const scores = fc.oneof(
  fc.double({ min: 0, max: 1, noNaN: true }),
  // Those that lie on a step.
  fc.integer({ min: 0, max: STEPS }).map(step => step / STEPS),
)

const queries: fc.Arbitrary<EvaluatedQuery> = fc
  .tuple(fc.subarray(names), fc.shuffledSubarray(names), fc.array(scores, { minLength: 5, maxLength: 5 }))
  .map(([relevant, order, drawn]) => {
    const sorted = [...drawn].sort((a, b) => b - a)
    return evaluated(
      relevant,
      order.map((name, at) => [name, sorted[at]!] as const),
    )
  })

/** Nearly the same number, or both none. */
function expectSame(value: number | undefined, expected: number): void {
  if (Number.isNaN(expected)) expect(value).toBeNaN()
  else expect(value).toBeCloseTo(expected, 9)
}

describe('curveOf', () => {
  it('equals what counting one by one gives, at any step and topK', () => {
    fc.assert(
      fc.property(
        fc.array(queries, { minLength: 1, maxLength: 8 }),
        fc.integer({ min: 1, max: 6 }),
        fc.integer({ min: 0, max: STEPS }),
        (all, topK, step) => {
          const curve = curveOf(
            all.map(query => profileOf(query)),
            topK,
          )
          const settings = { topK, minScore: step / STEPS }
          for (const [metric, values] of [
            ['recall', curve.recall],
            ['precision', curve.precision],
            ['f1', curve.f1],
            ['no-answer', curve.noAnswer],
          ] as const) {
            expectSame(values[step], measure(metric, all, settings))
          }
        },
      ),
    )
  })

  it('counts a query with weight 2 as twice the query', () => {
    fc.assert(
      fc.property(fc.array(queries, { minLength: 2, maxLength: 5 }), all => {
        const profiles = all.map(query => profileOf(query))
        const weighted = curveOf(profiles, 3, [2, 0, ...profiles.slice(2).map(() => 1)])
        const repeated = curveOf([profiles[0]!, profiles[0]!, ...profiles.slice(2)], 3)
        for (const name of ['recall', 'precision', 'f1', 'noAnswer'] as const) {
          for (const step of [0, 250, 999]) expectSame(weighted[name][step], repeated[name][step]!)
        }
      }),
    )
  })
})

describe('recallByTopK', () => {
  it('equals recall@k counted one by one', () => {
    fc.assert(
      fc.property(fc.array(queries, { minLength: 1, maxLength: 8 }), all => {
        const recalls = recallByTopK(all.map(query => profileOf(query)))
        for (const k of [1, 2, 5, 20]) {
          expectSame(recalls[k - 1], measure('recall', all, { topK: k, minScore: 0 }))
        }
      }),
    )
  })
})
