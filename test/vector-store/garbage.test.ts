import type { QueryResult, QueryVectorParams } from '@mastra/core/vector'
import { describe, expect, it, vi } from 'vitest'
import { createToolSearcher, type ToolSearcherOptions } from '../../src/searcher.js'
import { createBudget } from '../../src/vector-store/gate.js'
import { wordEmbedder } from '../searcher/word-embedder.js'
import { memoryStore } from './memory-store.js'
import { officeQueries, officeTools } from './store-contract.js'

type Garble = (results: QueryResult[]) => unknown

/** A searcher whose store holds its tools, and garbles its answers to searches from then on. */
async function searcherOver(garble: Garble, options: Partial<ToolSearcherOptions> = {}, scoreOf = (x: number) => x) {
  const store = Object.assign(memoryStore(), { scoreOf })
  const warn = vi.fn()
  const vectorStore = { store, indexName: 'tools' }
  const searcher = createToolSearcher({
    tools: officeTools(),
    embedder: wordEmbedder(),
    warn,
    vectorStore,
    ...options,
  })
  await searcher.warmup()
  const query = store.query
  store.query = async (params: QueryVectorParams) => {
    const results = await query(params)
    return (params.filter ? results : garble(results)) as QueryResult[]
  }
  return { ...searcher, warn }
}

const withScore = (scoreAt: (at: number, length: number) => unknown): Garble => {
  return results => results.map((result, at) => ({ ...result, score: scoreAt(at, results.length) ?? result.score }))
}
const withVector =
  (vectorOf: (vector: number[]) => unknown): Garble =>
  results =>
    results.map(result => ({ ...result, vector: vectorOf(result.vector!) }))

const local = createToolSearcher({ tools: officeTools(), embedder: wordEmbedder() })
const byWords = createToolSearcher({
  tools: officeTools(),
  embedder: wordEmbedder({ embedQueries: async () => Promise.reject(new Error('none')) }),
  warn: () => {},
})

describe('answers of which most cannot be read', () => {
  const ownScale = (similarity: number) => Math.exp(3 * similarity)
  const garbage: [string, Garble, ((similarity: number) => number)?][] = [
    ['NaN scores', withScore(() => Number.NaN)],
    ['a third NaN scores', withScore(at => (at % 3 === 0 ? Number.NaN : undefined))],
    ['infinite scores', withScore(at => (at % 2 ? 1 : -1) * Number.POSITIVE_INFINITY)],
    ['scores of a billion', withScore(() => 1e9)],
    ['scores as texts', withScore(() => '0.5')],
    ['no metadata', results => results.map(({ id, score }) => ({ id, score }))],
    [
      'rows of another model',
      results => results.map(each => ({ ...each, metadata: { ...each.metadata, model: 'x' } })),
    ],
    ['a null among the rows', results => [null, ...results]],
    ['no array', () => ({ rows: [] })],
    ['nothing', () => undefined],
    ['vectors that are shorter', withVector(vector => vector.slice(1)), ownScale],
    ['vectors that are longer', withVector(vector => [...vector, 1]), ownScale],
    ['vectors that are texts', withVector(() => 'x'.repeat(256)), ownScale],
    ['vectors of other numbers', withVector(() => Array.from({ length: 256 }, () => 1n)), ownScale],
    ['no vectors, which its scores need', withVector(() => undefined), ownScale],
  ]

  it.each(garbage)('leave a search to the words, with one warning: %s', async (_, garble, scoreOf) => {
    const { search, warn } = await searcherOver(garble, {}, scoreOf)
    for (const query of officeQueries) {
      expect(await search(query)).toEqual(await byWords.search(query))
    }
    expect(warn).toHaveBeenCalledTimes(1)
    expect(warn.mock.calls[0]![0]).toMatch(/words alone.*failed at searching/)
  })

  it.each(garbage)('are an error with strict: %s', async (_, garble, scoreOf) => {
    const { search } = await searcherOver(garble, { strict: true }, scoreOf)
    await expect(search('send the mail')).rejects.toMatchObject({
      code: 'SEARCH_UNAVAILABLE',
      cause: { code: 'VECTOR_STORE_FAILED' },
    })
  })
})

describe('answers that can be read', () => {
  const readable: [string, Garble][] = [
    ['a last row without a score', withScore((at, length) => (at === length - 1 ? Number.NaN : undefined))],
    ['rows that come twice', results => results.flatMap(each => [each, each])],
    ['ten thousands of rows', results => Array.from({ length: 30_000 }, (_, at) => results[at % results.length])],
    ['a reversed order', results => [...results].reverse()],
  ]

  it.each(readable)('give what the local index gives: %s', async (_, garble) => {
    const { search, warn } = await searcherOver(garble)
    for (const query of officeQueries) {
      const [here, there] = [await local.search(query), await search(query)]
      expect(there.mode).toBe('hybrid')
      expect(there.results.map(({ name }) => name)).toEqual(here.results.map(({ name }) => name))
      for (const [at, { score }] of there.results.entries()) expect(score).toBeCloseTo(here.results[at]!.score, 4)
    }
    expect(warn).not.toHaveBeenCalled()
  })
})

describe('a reason that a store gives', () => {
  const looping = new Error('')
  looping.cause = looping
  const reasons: [string, unknown, RegExp][] = [
    [
      'throws when read',
      {
        get message(): string {
          throw new Error('no')
        },
        get errors() {
          throw new Error('no')
        },
      },
      /searching.*: an object/,
    ],
    ['is its own cause', looping, /searching.*: no reason given/],
    ['is undefined', undefined, /searching.*: undefined/],
    ['has ten million characters', new Error('x'.repeat(10_000_000)), /searching.*: x{1000}…$/],
  ]

  it.each(reasons)('is told in a line, and no reason to fail: %s', async (_, thrown, message) => {
    const { search, warn } = await searcherOver(() => Promise.reject(thrown))
    expect((await search('send the mail')).mode).toBe('lexical')
    expect(warn.mock.calls).toEqual([[expect.stringMatching(message)]])
  })
})

describe('the time that a search may wait', () => {
  it('counts calls that are waited for at once as one', async () => {
    vi.useFakeTimers()
    try {
      const budget = createBudget(1_000)
      const tooSlow = () => new Error('too slow')
      const answerIn = (ms: number) => new Promise<string>(resolve => setTimeout(() => resolve('there'), ms))
      const outcome = (ms: number) => budget.spend(answerIn(ms), tooSlow).catch((error: Error) => error.message)
      const many = Promise.all(Array.from({ length: 16 }, () => outcome(100)))
      await vi.advanceTimersByTimeAsync(100)
      expect(new Set(await many)).toEqual(new Set(['there']))
      // 900 ms are left, for two that overlap by 300.
      const first = outcome(600)
      await vi.advanceTimersByTimeAsync(300)
      const second = outcome(599)
      const third = outcome(601)
      await vi.advanceTimersByTimeAsync(601)
      expect(await Promise.all([first, second, third])).toEqual(['there', 'there', 'too slow'])
    } finally {
      vi.useRealTimers()
    }
  })
})
