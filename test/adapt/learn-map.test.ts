import { describe, expect, it } from 'vitest'
import { learnMap } from '../../src/adapt/learn-map.js'
import { mapLoss, TEMPERATURE } from '../../src/adapt/map-loss.js'
import { identity, rowsOf } from '../../src/adapt/matrix.js'
import { minimize } from '../../src/adapt/minimize.js'
import { principalBasis } from '../../src/adapt/principal-basis.js'
import { seededRandom } from '../../src/random.js'
import { mappedQuery } from '../../src/vector/mapped-query.js'
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
    base: [5, 3, 4, 2].map(count => Float64Array.from({ length: count }, (_, at) => Math.sin(at) * 9)),
    weight: 0.03,
  }

  it('has the gradient that finite differences have', async () => {
    const loss = mapLoss(given)
    const random = seededRandom(3)
    const point = new Float64Array(DIMENSIONS ** 2).map(() => 0.2 * (random() - 0.5))
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
      base: [Float64Array.of(1, 0), Float64Array.of(0, 1)].map(cosines => cosines.map(each => each / TEMPERATURE)),
      weight: 1,
    })
    // Of both queries the first tool is the right one; the change moves each by a half towards the other tool, so that
    // cosines are 1 and 0.5: the first query is at its tool, the second at the wrong one.
    const change = Float64Array.of(0, 0.5, 0.5, 0)
    const [near, far] = [Math.log(1 + Math.exp(-0.5 / TEMPERATURE)), Math.log(1 + Math.exp(0.5 / TEMPERATURE))]
    expect(await loss(change, new Float64Array(4))).toBeCloseTo((near + far) / 2 + 0.5, 10)
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

describe('coordinates in fewer directions', () => {
  it('are those of an orthonormal basis of what the vectors span', () => {
    // Twenty vectors in three of twelve dimensions, turned.
    const inner = unitVectors(20, 3, 6)
    const axes = principalBasis(unitVectors(40, 12, 7), 12, 11)
    const packed = new Float32Array(20 * 12)
    for (let row = 0; row < 20; row++) {
      for (let i = 0; i < 12; i++) {
        for (let k = 0; k < 3; k++) packed[row * 12 + i]! += inner[row * 3 + k]! * axes.values[k * 12 + i]!
      }
    }
    const basis = principalBasis(packed, 12, 5)
    const dot = (a: ArrayLike<number>, b: ArrayLike<number>) =>
      Array.from(a).reduce((sum, value, i) => sum + value * b[i]!, 0)
    const rowOf = (at: number) => basis.values.subarray(at * 12, at * 12 + 12)
    for (let a = 0; a < 5; a++) {
      for (let b = 0; b < 5; b++) expect(dot(rowOf(a), rowOf(b))).toBeCloseTo(a === b ? 1 : 0, 9)
    }
    for (let row = 0; row < 20; row++) {
      const own = packed.subarray(row * 12, row * 12 + 12)
      const kept = [0, 1, 2, 3, 4].reduce((sum, at) => sum + dot(rowOf(at), own) ** 2, 0)
      expect(kept).toBeCloseTo(1, 5)
    }
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
    expect(
      distance(await learnMap({ ...data, queries: new Float32Array(0), relevant: [] }, { weight: 0.03, others: 0 })),
    ).toBe(0)
    const distances = []
    for (const weight of [0.03, 0.3, 3, 1e6]) distances.push(distance(await learnMap(data, { weight, others: 0 })))
    expect(distances).toEqual(distances.toSorted((a, b) => b - a))
    expect(distances[0]).toBeGreaterThan(0.1)
    expect(distances[3]).toBeLessThan(1e-6)
  })
})
