import { describe, expect, it } from 'vitest'
import { learnMap } from '../../src/adapt/learn-map.js'
import { mapLoss, TEMPERATURE } from '../../src/adapt/map-loss.js'
import { mappedQuery } from '../../src/adapt/mapped-query.js'
import { identity, rowsOf } from '../../src/adapt/matrix.js'
import { minimize } from '../../src/adapt/minimize.js'
import { seededRandom } from '../../src/random.js'
import { unitVectors } from '../vector/index-contract.js'

const DIMENSIONS = 6

describe('the loss of a map', () => {
  const all = (count: number) => Array.from({ length: count }, (_, at) => at)
  const given = {
    queries: rowsOf(unitVectors(4, DIMENSIONS, 1), DIMENSIONS, all(4)),
    tools: rowsOf(unitVectors(5, DIMENSIONS, 2), DIMENSIONS, all(5)),
    candidates: [
      [0, 1, 2, 3, 4],
      [3, 0, 1],
      [2, 4, 0, 1],
      [1, 2],
    ].map(each => Uint32Array.from(each)),
    right: [1, 1, 2, 1],
    offsets: Float64Array.of(0, 0, 0, 0, Math.log(0.1)),
    weight: 0.03,
  }

  it('has the gradient that finite differences have', async () => {
    const loss = mapLoss(given)
    const random = seededRandom(3)
    const point = identity(DIMENSIONS).values.map(value => value + 0.2 * (random() - 0.5))
    const gradient = new Float64Array(point.length)
    await loss(point, gradient)
    const step = 1e-5
    for (let i = 0; i < point.length; i++) {
      const at = async (value: number) => {
        const moved = point.slice()
        moved[i] = value
        return loss(moved, new Float64Array(point.length))
      }
      const slope = ((await at(point[i]! + step)) - (await at(point[i]! - step))) / (2 * step)
      expect(Math.abs(slope - gradient[i]!)).toBeLessThan(1e-4)
    }
  })

  it('is the mean of −log softmax, by hand for two orthogonal tools', async () => {
    const axes = identity(2)
    const loss = mapLoss({
      queries: axes,
      tools: axes,
      candidates: [Uint32Array.of(0, 1), Uint32Array.of(0, 1)],
      right: [1, 1],
      offsets: new Float64Array(2),
      weight: 1,
    })
    // The first query is at its tool, the second at the other one; the map is the identity plus 0.5 off the diagonal,
    // so that each tool has a cosine of 1 or 0.5: logits differ by 10.
    const map = Float64Array.of(1, 0.5, 0.5, 1)
    const [near, far] = [Math.log(1 + Math.exp(-0.5 / TEMPERATURE)), Math.log(1 + Math.exp(0.5 / TEMPERATURE))]
    expect(await loss(map, new Float64Array(4))).toBeCloseTo((near + far) / 2 + 0.5, 10)
  })
})

it('L-BFGS finds where a quadratic is least', async () => {
  const scales = [1, 10, 100, 3]
  const point = Float64Array.of(5, -4, 3, 2)
  await minimize(
    async (at, gradient) => {
      let value = 0
      scales.forEach((scale, i) => {
        gradient[i] = 2 * scale * (at[i]! - i)
        value += scale * (at[i]! - i) ** 2
      })
      return value + 1
    },
    point,
    { steps: 50, firstStep: 1 },
  )
  point.forEach((value, i) => {
    expect(value).toBeCloseTo(i, 2)
  })
})

describe('a map', () => {
  it('of a query has unit length, whatever its own scale', () => {
    const map = Float32Array.of(0, -3, 3, 0)
    expect([...mappedQuery(map, Float32Array.of(1, 0))]).toEqual([0, 1])
    expect([...mappedQuery(map, Float32Array.of(0, 1))]).toEqual([-1, 0])
  })

  it('that leaves nothing of a query leaves the query as it is', () => {
    expect([...mappedQuery(new Float32Array(4), Float32Array.of(0.6, 0.8))]).toEqual([
      Math.fround(0.6),
      Math.fround(0.8),
    ])
  })

  it('is the identity where nothing was learnt, and the nearer to it the more distance costs', async () => {
    const tools = unitVectors(20, DIMENSIONS, 4)
    const queries = unitVectors(20, DIMENSIONS, 5)
    const data = { dimensions: DIMENSIONS, tools, queries, relevant: Array.from({ length: 20 }, (_, at) => [at]) }
    const distance = (map: Float64Array) =>
      map.reduce((sum, value, i) => sum + (value - identity(DIMENSIONS).values[i]!) ** 2, 0)
    expect(distance(await learnMap(data, [], { weight: 0.03, others: 0 }))).toBe(0)
    const all = [...data.relevant.keys()]
    const distances = []
    for (const weight of [0.03, 0.3, 3, 1e6]) distances.push(distance(await learnMap(data, all, { weight, others: 0 })))
    expect(distances).toEqual(distances.toSorted((a, b) => b - a))
    expect(distances[0]).toBeGreaterThan(0.1)
    expect(distances[3]).toBeLessThan(1e-6)
  })
})
