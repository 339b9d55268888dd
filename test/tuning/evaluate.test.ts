import { describe, expect, it, vi } from 'vitest'
import type { Embedder } from '../../src/embedding/embedder.js'
import { createToolSearcher } from '../../src/searcher.js'
import { parseAim } from '../../src/tuning/aim.js'
import { evaluateQueries } from '../../src/tuning/evaluate.js'
import { recommend } from '../../src/tuning/recommend.js'

const TOOLS = 40

/** Of the i-th tool and its query: 0.5 to 0.89. */
const cosineOf = (at: number) => 0.5 + at / 100

/** Words that no tool has: numbers would be words in common. */
const wordOf = (kind: 'fits' | 'none', at: number) =>
  kind + String.fromCharCode(97 + Math.floor(at / 26), 97 + (at % 26))
const placeOf = (word: string) => (word.charCodeAt(4) - 97) * 26 + word.charCodeAt(5) - 97

/** Each tool is a dimension of its own; a query that fits has a known cosine to its tool, the others half of it; 0 to all else. */
const embedder: Embedder = {
  modelId: 'known-cosines',
  dimensions: TOOLS + 1,
  async embedDocuments(texts) {
    return texts.map(text => {
      const vector = new Float32Array(TOOLS + 1)
      vector[Number(/\d+/.exec(text)![0])] = 1
      return vector
    })
  },
  async embedQueries(texts) {
    return texts.map(text => {
      const at = placeOf(text)
      const cosine = cosineOf(at) * (text.startsWith('fits') ? 1 : 0.5)
      const vector = new Float32Array(TOOLS + 1)
      vector[at] = cosine
      vector[TOOLS] = Math.sqrt(1 - cosine ** 2)
      return vector
    })
  },
}

const tools = Object.fromEntries(Array.from({ length: TOOLS }, (_, at) => [`tool_${at}`, { description: '' }]))
const searcher = createToolSearcher({ tools, embedder, strict: true })

const labelled = Array.from({ length: TOOLS }, (_, at) => [
  { query: wordOf('fits', at), relevant: [`tool_${at}`], isDraft: false },
  { query: wordOf('none', at), relevant: [], isDraft: false },
]).flat()

/** The score of a cosine similarity without a common word: the formula of src/ranking/score.ts. */
const scoreOf = (cosine: number) => 1 / (1 + Math.exp(3.98 - 4.54 * cosine))

describe('a synthetic catalog with known cosine similarities', () => {
  it('gets the recommendation that is computed by hand', async () => {
    const evaluated = await evaluateQueries(labelled, searcher)
    // Every query's own tool comes first.
    for (const { query, ranked } of evaluated) expect(ranked[0]!.name).toBe(`tool_${placeOf(query)}`)
    // Of 40 found ones 36 must stay: the fifth lowest must score above minScore.
    const byRecall = recommend(evaluated, { aim: parseAim('recall=0.9')!, seed: 1 })
    expect(byRecall).toMatchObject({ topK: 1, minScore: Math.floor(scoreOf(cosineOf(4)) * 1000) / 1000 })
    // Of 40 that nothing fits 30 must get nothing: minScore is at or above the thirtieth lowest.
    const byNoAnswer = recommend(evaluated, { aim: parseAim('no-answer=0.75')!, seed: 1 })
    expect(byNoAnswer.minScore).toBe(Math.ceil(scoreOf(cosineOf(29) / 2) * 1000) / 1000)
  })
})

describe('evaluateQueries', () => {
  it('asks for each text once, without a minScore, to the depth that is wanted, and tells how far it is', async () => {
    const search = vi.fn(async () => ({ results: [{ name: 'a', score: 0.5 }], mode: 'hybrid' as const }))
    const seen: [number, number][] = []
    const queries = ['x', 'y', 'x'].map(query => ({ query, relevant: ['a'], isDraft: false }))
    const evaluated = await evaluateQueries(
      queries,
      { search, warmup: async () => {} },
      { depth: 60, onProgress: (done, total) => seen.push([done, total]) },
    )
    expect(search.mock.calls).toEqual([
      ['x', { topK: 60, minScore: 0 }],
      ['y', { topK: 60, minScore: 0 }],
    ])
    expect(evaluated.map(({ query, ranked }) => [query, ranked.length])).toEqual([
      ['x', 1],
      ['y', 1],
      ['x', 1],
    ])
    expect(seen).toEqual([0, 1, 2, 3].map(done => [done, 3]))
  })

  it('ends when it is aborted', async () => {
    const reason = new Error('enough')
    await expect(evaluateQueries(labelled, searcher, { abortSignal: AbortSignal.abort(reason) })).rejects.toBe(reason)
  })
})
