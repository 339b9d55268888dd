import { describe, expect, it } from 'vitest'
import { ndcgAt } from '../../bench/measures.js'
import { chooseStrength } from '../../src/adapt/choose.js'
import { queryFolds, toolFolds } from '../../src/adapt/folds.js'
import { heldOutNdcg, ndcgOf } from '../../src/adapt/held-out.js'
import type { LabelledVectors } from '../../src/adapt/labelled-vectors.js'
import { learnChange } from '../../src/adapt/learn-map.js'
import type { Matrix } from '../../src/adapt/matrix.js'
import { centroidsOf, pulled, pullShare } from '../../src/adapt/pull.js'
import { reduceVectors } from '../../src/adapt/reduced-vectors.js'
import { checkedEmbedder } from '../../src/embedding/checked.js'
import { seededRandom } from '../../src/random.js'
import { packRows } from '../../src/vector/pack-rows.js'
import { unitVectors } from '../vector/index-contract.js'
import { queryFor, toolNamed, turnedEmbedder } from './turned-embedder.js'

const evidence = (_query: number, _tool: number, cosine: number) => cosine
const onTurn = async () => {}
const reduced = (data: LabelledVectors) => reduceVectors(data, { keepSimilarities: true })

/** Tools that a model turns queries away from by a known rotation; queries of the first `named` of them. */
async function turnedData(tools: number, named: number, variants: number): Promise<LabelledVectors> {
  const embedder = checkedEmbedder(turnedEmbedder())
  const all = Array.from({ length: named * variants }, (_, at) => [at % named, Math.floor(at / named)] as const)
  return {
    dimensions: embedder.dimensions,
    tools: packRows(await embedder.embedDocuments(Array.from({ length: tools }, (_, at) => toolNamed(at))), 16),
    queries: packRows(await embedder.embedQueries(all.map(([tool, variant]) => queryFor(tool, variant))), 16),
    relevant: all.map(([tool]) => [tool]),
  }
}

const groupsOf = ({ relevant }: LabelledVectors) => [...relevant.keys()]
const mean = (values: Float64Array) => values.reduce((sum, value) => sum + value, 0) / values.length

describe('nDCG@10 of scores', () => {
  it('is that of the benchmarks, whose values are pytrec_eval’s', () => {
    const random = seededRandom(8)
    for (let round = 0; round < 50; round++) {
      const scores = Float64Array.from({ length: 30 }, () => Math.round(random() * 12))
      const relevant = [...new Set(Array.from({ length: 1 + (round % 14) }, () => Math.floor(random() * 30)))]
      const ranked = [...scores.keys()].sort((a, b) => scores[b]! - scores[a]! || a - b).map(String)
      expect(ndcgOf(scores, relevant)).toBeCloseTo(ndcgAt(10, ranked, new Set(relevant.map(String))), 12)
    }
  })
})

describe('a pull', () => {
  it('goes towards the mean of a tool’s queries, by their number, and keeps unit length', () => {
    expect([...pulled(Float32Array.of(1, 0), Float32Array.of(0, 1), 0.5)]).toEqual([
      Math.fround(Math.SQRT1_2),
      Math.fround(Math.SQRT1_2),
    ])
    expect(pullShare(0.9, 0)).toBe(0)
    expect(pullShare(0.9, 2)).toBeCloseTo(0.45)
    expect(pullShare(0.9, 1e9)).toBeCloseTo(0.9)
  })

  it('leaves a tool where it is when its queries cancel it out', () => {
    expect([...pulled(Float32Array.of(1, 0), Float32Array.of(-1, 0), 0.5)]).toEqual([1, 0])
  })

  it('is measured as searching the pulled vectors would', async () => {
    const data = {
      dimensions: 8,
      tools: unitVectors(12, 8, 1),
      queries: unitVectors(10, 8, 2),
      relevant: [...Array(10)].map((_, at) => [at % 5, 6]),
    }
    const learnFrom = [0, 1, 2, 3, 4]
    const centroids = centroidsOf(data, learnFrom)
    expect(centroids.counts).toEqual([1, 1, 1, 1, 1, 5])
    const [found] = await heldOutNdcg(
      reduced(data),
      [7, 8],
      { change: undefined, centroids },
      { strengths: [0.7], evidence, onTurn },
    )
    const moved = data.tools.slice()
    centroids.tools.forEach((tool, at) => {
      const own = data.tools.subarray(tool * 8, tool * 8 + 8)
      moved.set(
        pulled(own, centroids.means.subarray(at * 8, at * 8 + 8), pullShare(0.7, centroids.counts[at]!)),
        tool * 8,
      )
    })
    const expected = [7, 8].map(query => {
      const scores = Float64Array.from({ length: 12 }, (_, tool) => {
        let sum = 0
        for (let i = 0; i < 8; i++) sum += data.queries[query * 8 + i]! * moved[tool * 8 + i]!
        return sum
      })
      return ndcgOf(scores, data.relevant[query]!)
    })
    expect(found![0]).toBeCloseTo(expected[0]!, 6)
    expect(found![1]).toBeCloseTo(expected[1]!, 6)
  })
})

describe('folds', () => {
  it('hold queries of equal text out together, each once', () => {
    const groups = [0, 1, 0, 2, 3, 4, 4, 5, 6, 0]
    const folds = queryFolds(groups, 1)
    expect(folds.flatMap(({ measureOn }) => measureOn).sort((a, b) => a - b)).toEqual([...groups.keys()])
    for (const { learnFrom, measureOn } of folds) {
      for (const query of measureOn) expect(learnFrom.map(other => groups[other])).not.toContain(groups[query])
    }
  })

  it('of tools teach nothing about the tools that they measure', () => {
    const relevant = [[0], [0, 1], [2], [3], [3, 4], [5], [1, 2]]
    const data = { dimensions: 1, tools: new Float32Array(7), queries: new Float32Array(7), relevant }
    const folds = toolFolds(data, 1)
    expect(folds.flatMap(({ measureOn }) => measureOn).sort((a, b) => a - b)).toEqual([...relevant.keys()])
    for (const { learnFrom, measureOn } of folds) {
      const held = measureOn.flatMap(query => relevant[query]!)
      for (const query of learnFrom) for (const tool of relevant[query]!) expect(held).not.toContain(tool)
    }
  })
})

describe('the choice of a strength', { timeout: 60_000 }, () => {
  it('undoes a known rotation, for tools without queries, too', async () => {
    const data = await turnedData(60, 40, 4)
    const choice = await chooseStrength(data, { evidence, groups: groupsOf(data), keepOthers: true, seed: 1 })
    expect(choice.strength.map).not.toBeNull()
    expect(choice.gain.low).toBeGreaterThan(0.1)
    expect(choice.gainOfOthers!.value).toBeGreaterThan(0)
    const others = { ...(await turnedData(60, 60, 4)) }
    const unseen = [...others.relevant.keys()].filter(query => others.relevant[query]![0]! >= 40)
    const all = [...data.relevant.keys()]
    const measure = (change: Matrix | undefined, pull: number) =>
      heldOutNdcg(
        reduced(others),
        unseen,
        { change, centroids: centroidsOf(data, all) },
        { strengths: [pull], evidence, onTurn },
      )
    const [before] = await measure(undefined, 0)
    const [after] = await measure(await learnChange(reduced(data), all, choice.strength.map!), choice.strength.pull)
    expect(mean(after!)).toBeGreaterThan(mean(before!))
  })

  it('finds no gain beyond noise in labels drawn at random', async () => {
    const data = await turnedData(40, 40, 3)
    const random = seededRandom(5)
    const relevant = data.relevant.map(() => [Math.floor(random() * 40)])
    const groups = groupsOf(data)
    const choice = await chooseStrength({ ...data, relevant }, { evidence, groups, keepOthers: true, seed: 1 })
    expect(choice.gain.low).toBeLessThanOrEqual(0)
  })

  it('is the same each time, and another seed’s is another estimate', async () => {
    const data = await turnedData(30, 20, 2)
    const choose = (seed: number) => chooseStrength(data, { evidence, groups: groupsOf(data), keepOthers: true, seed })
    const first = await choose(1)
    expect(await choose(1)).toEqual(first)
    expect((await choose(2)).gain).not.toEqual(first.gain)
  })

  it('ends with the reason of the signal', async () => {
    const data = await turnedData(30, 20, 2)
    const controller = new AbortController()
    const reason = new Error('enough')
    const options = {
      evidence,
      groups: groupsOf(data),
      keepOthers: true,
      seed: 1,
      abortSignal: controller.signal,
      onPart: (done: number) => done === 2 && controller.abort(reason),
    }
    await expect(chooseStrength(data, options as never)).rejects.toBe(reason)
  })
})
