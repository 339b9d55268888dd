import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createCatalog, mergeCatalog, type ToolLike } from '../../src/catalog/catalog.js'
import { InvalidOptionsError } from '../../src/errors.js'
import { createCatalogSearcher, createToolSearcher } from '../../src/searcher.js'
import type { SearchOptions, SearchResponse } from '../../src/searcher-types.js'
import { wordEmbedder } from './word-embedder.js'

const TOOLS = {
  weather_forecast: { description: 'Weather forecast for a city' },
  weather_alerts: { description: 'Storm and flood warnings' },
  invoice_create: { description: 'Write an invoice for a customer' },
  github_open_issue: { description: 'Report a bug in a repository' },
  city_map: { description: 'Map of a city' },
  plain: {},
}

const searcher = createToolSearcher({ tools: TOOLS, embedder: wordEmbedder(), strict: true })
const namesOf = ({ results }: SearchResponse) => results.map(result => result.name)
const everything = { topK: 100, minScore: 0 }

describe('search', () => {
  it('returns the tool that shares the most words first', async () => {
    expect(namesOf(await searcher.search('weather forecast for my city'))[0]).toBe('weather_forecast')
    expect(namesOf(await searcher.search('an invoice for the customer'))[0]).toBe('invoice_create')
  })

  it('returns results by falling score, from 0 to 0.99 where no name is exact', async () => {
    const { results } = await searcher.search('weather in the city', everything)
    expect(results.length).toBe(6)
    results.forEach(({ score }, at) => {
      expect(score).toBeGreaterThan(0)
      expect(score).toBeLessThanOrEqual(0.99)
      if (at > 0) expect(score).toBeLessThanOrEqual(results[at - 1]!.score)
    })
  })

  it('returns names and scores, nothing else', async () => {
    const response = await searcher.search('weather')
    expect(Object.keys(response).sort()).toEqual(['mode', 'results'])
    for (const result of response.results) expect(Object.keys(result).sort()).toEqual(['name', 'score'])
  })

  it.each([1, 2, 5, 6, 1_000])('returns at most topK = %i results, the best', async topK => {
    const all = await searcher.search('weather in the city', everything)
    const some = await searcher.search('weather in the city', { topK, minScore: 0 })
    expect(some.results).toEqual(all.results.slice(0, topK))
  })

  it('returns at most 5 by default', async () => {
    const tools = Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`t${at}`, { description: 'Paints a cat' }]))
    const { results } = await createToolSearcher({ tools, embedder: wordEmbedder() }).search('paints a cat')
    expect(results).toHaveLength(5)
  })

  it('returns only what scores above minScore, not what equals it', async () => {
    const { results } = await searcher.search('weather in the city', everything)
    for (const [at, { score }] of results.entries()) {
      const { results: above } = await searcher.search('weather in the city', { topK: 100, minScore: score })
      expect(above).toEqual(results.filter(result => result.score > score))
      expect(above.length).toBeLessThanOrEqual(at)
    }
  })

  it('returns nothing for minScore 1', async () => {
    expect((await searcher.search('weather', { minScore: 1 })).results).toEqual([])
  })

  it('returns nothing that has nothing in common, with the default minScore', async () => {
    expect((await searcher.search('hello there')).results).toEqual([])
  })

  it('keeps the order of the catalog where tools score alike', async () => {
    const tools = Object.fromEntries(['z', 'm', 'q', 'k'].map(id => [`${id}_1`, { id, description: 'Paints a cat' }]))
    // One-letter names: they are no words of the query, and each makes one dimension of its own.
    const { results } = await createToolSearcher({ tools, embedder: wordEmbedder() }).search('cat')
    expect(new Set(results.map(({ score }) => score.toFixed(6))).size).toBe(1)
    expect(results.map(({ name }) => name)).toEqual(['z', 'm', 'q', 'k'])
  })

  it('gives the same answer each time, also to searches at once', async () => {
    const first = await searcher.search('city map')
    expect(await searcher.search('city map')).toEqual(first)
    const fresh = createToolSearcher({ tools: TOOLS, embedder: wordEmbedder() })
    expect(await Promise.all(['city map', 'city map', 'city map'].map(query => fresh.search(query)))).toEqual([
      first,
      first,
      first,
    ])
  })

  it('returns an exact name first with score 1, above any words', async () => {
    const { results } = await searcher.search('use invoice_create for the weather forecast of the city')
    expect(results[0]).toEqual({ name: 'invoice_create', score: 1 })
    expect(results[1]?.name).toBe('weather_forecast')
    expect(results[1]!.score).toBeLessThan(1)
    expect(new Set(results.map(({ name }) => name)).size).toBe(results.length)
  })

  it('finds nothing in an empty catalog', async () => {
    const empty = createToolSearcher({ tools: {}, embedder: wordEmbedder() })
    await empty.warmup()
    expect(await empty.search('weather', { explain: true })).toMatchObject({ results: [], candidates: [] })
  })

  it('finds the only tool', async () => {
    const one = createToolSearcher({ tools: { paint: { description: 'Paints a cat' } }, embedder: wordEmbedder() })
    expect(namesOf(await one.search('cat'))).toEqual(['paint'])
  })
})

describe('the mode', () => {
  const withShare = (share: number) =>
    createToolSearcher({
      tools: TOOLS,
      embedder: wordEmbedder({ readableShares: async texts => texts.map(() => share) }),
    })

  it('is hybrid where the model reads the query', async () => {
    expect((await searcher.search('weather')).mode).toBe('hybrid')
    expect((await withShare(0.5).search('weather')).mode).toBe('hybrid')
  })

  it('is lexical where the model cannot read the query: then only tools with its words are candidates', async () => {
    const { mode, results } = await withShare(0).search('forecast', everything)
    expect(mode).toBe('lexical')
    expect(results.map(({ name }) => name)).toEqual(['weather_forecast'])
  })
})

describe('an odd query', () => {
  it.each([
    ['empty', ''],
    ['blank', ' \n\t\u3000'],
    ['punctuation', '?!… -- ()[]{}'],
    ['a lone surrogate', '\ud83d'],
  ])('that is %s returns nothing and embeds nothing', async (_, query) => {
    const embedder = wordEmbedder()
    const fresh = createToolSearcher({ tools: TOOLS, embedder, strict: true })
    expect(await fresh.search(query)).toEqual({ results: [], mode: 'lexical' })
    expect(await fresh.search(query, { explain: true })).toEqual({
      results: [],
      mode: 'lexical',
      candidates: [],
      smallTalk: 0,
    })
    expect([embedder.queryCalls, embedder.documentCalls]).toEqual([[], []])
  })

  it('of 100,000 characters is answered by its first part, in bounded time', async () => {
    const query = `weather forecast for the city. ${'Lots of other words follow. '.repeat(4_000)}`.slice(0, 100_000)
    await searcher.search('warm')
    const started = performance.now()
    expect(namesOf(await searcher.search(query, everything))[0]).toBe('weather_forecast')
    expect(performance.now() - started).toBeLessThan(1_000)
  })

  it.each([
    ['one word', 'a'.repeat(100_000)],
    ['Han characters', '天气预报'.repeat(25_000)],
    ['emoji', '🎉'.repeat(50_000)],
    ['combining marks', `a${'\u0301'.repeat(100_000)}`],
    ['identifiers', 'get_issue.list/'.repeat(7_000)],
  ])('of 100,000 characters of %s is answered in bounded time', async (_, query) => {
    const started = performance.now()
    await searcher.search(query)
    expect(performance.now() - started).toBeLessThan(2_000)
  })

  it('that begins with 5,000 blanks is answered as without them', async () => {
    const plain = await searcher.search('weather forecast')
    expect(await searcher.search(`${' '.repeat(5_000)}weather forecast`)).toEqual(plain)
  })

  it('with lone surrogates within is answered, and reaches the embedder well-formed', async () => {
    const embedder = wordEmbedder()
    const fresh = createToolSearcher({ tools: TOOLS, embedder, strict: true })
    expect(namesOf(await fresh.search('weather \ud83d forecast \udc00'))[0]).toBe('weather_forecast')
    // Cut in the middle of a pair, too.
    await fresh.search(`weather ${'x'.repeat(3_991)}🎉🎉`)
    for (const text of embedder.queryCalls.flat()) expect(text.isWellFormed()).toBe(true)
  })

  it('of one symbol is searched', async () => {
    const tools = { party: { description: '🎉 party' } }
    expect((await createToolSearcher({ tools, embedder: wordEmbedder() }).search('🎉')).mode).toBe('hybrid')
  })
})

describe('options', () => {
  const wrong: [string, unknown, RegExp][] = [
    ['topK 0', { topK: 0 }, /topK.*whole number ≥ 1, got 0/],
    ['topK 1.5', { topK: 1.5 }, /topK.*got 1\.5/],
    ['topK NaN', { topK: Number.NaN }, /topK.*got NaN/],
    ['topK "5"', { topK: '5' }, /topK.*got "5"/],
    ['minScore -0.1', { minScore: -0.1 }, /minScore.*0 to 1.*got -0\.1/],
    ['minScore 1.1', { minScore: 1.1 }, /minScore.*got 1\.1/],
    ['minScore NaN', { minScore: Number.NaN }, /minScore.*got NaN/],
    ['explain 1', { explain: 1 }, /explain.*true or false, got 1/],
    ['accept true', { accept: true }, /accept.*a function, got true/],
    ['an AbortController', { abortSignal: new AbortController() }, /abortSignal.*an AbortSignal, got an object/],
    ['a typo', { topk: 3 }, /Unknown option topk.*topK/],
    ['no object', 7, /search options.*an object, got 7/],
  ]

  it.each(wrong)('of a search refuse %s, saying what is wrong', async (_, options, message) => {
    const error = await searcher.search('weather', options as SearchOptions).catch(reason => reason)
    expect(error).toBeInstanceOf(InvalidOptionsError)
    expect(String(error.message)).toMatch(message)
  })

  it.each([[undefined], [null], [7], [{}], [['weather']]])('of a search refuse the query %j', async query => {
    const error = await searcher.search(query as unknown as string).catch(reason => reason)
    expect(error).toBeInstanceOf(InvalidOptionsError)
    expect(error.message).toMatch(/query to be a string/)
  })

  it('of a search that are undefined are the defaults', async () => {
    const options = { topK: undefined, minScore: undefined, explain: undefined, accept: undefined }
    expect(await searcher.search('weather in the city', options)).toEqual(await searcher.search('weather in the city'))
  })

  it.each([
    ['no tools', {}, /tools/],
    ['an array of tools', { tools: [] }, /tools.*got an array/],
    ['an embedder without dimensions', { tools: {}, embedder: { modelId: 'x' } }, /embedder/],
    ['warn: true', { tools: {}, warn: true }, /warn.*a function/],
    ['a typo', { tools: {}, embeder: wordEmbedder() }, /embeder.*Did you mean embedder/],
    ['nothing', undefined, /options.*an object/],
  ])('of a searcher refuse %s at once', (_, options, message) => {
    expect(() => createToolSearcher(options as never)).toThrow(InvalidOptionsError)
    expect(() => createToolSearcher(options as never)).toThrow(message)
  })
})

describe('a catalog in two layers', () => {
  const options = { strict: true, warn: () => {} }
  const one = createCatalogSearcher({ ...options, embedder: wordEmbedder() })
  const two = createCatalogSearcher({ ...options, embedder: wordEmbedder() })

  async function expectEqualAnswers(tools: [string, ToolLike][], split: number, query: string): Promise<void> {
    const whole = createCatalog(Object.fromEntries(tools))
    const layered = mergeCatalog(
      createCatalog(Object.fromEntries(tools.slice(0, split))),
      Object.fromEntries(tools.slice(split)),
    )
    const expected = await one.searchCatalog(whole, query, everything)
    const answer = await two.searchCatalog(layered, query, everything)
    expect(namesOf(answer)).toEqual(namesOf(expected))
    answer.results.forEach(({ score }, at) => {
      expect(score).toBeCloseTo(expected.results[at]!.score, 6)
    })
  }

  it('is answered as in one, for any catalog, split and query', async () => {
    const word = fc.constantFrom('red', 'blue', 'cat', 'dog', 'tree', 'book')
    const words = (maxLength: number) => fc.array(word, { minLength: 1, maxLength })
    const tools = fc.uniqueArray(fc.tuple(words(2), words(6)), { maxLength: 12, selector: ([name]) => name.join('_') })
    const request = fc.array(fc.oneof(word, fc.constantFrom('red_cat', 'blue_dog', 'use', 'then')), { minLength: 1 })
    await fc.assert(
      fc.asyncProperty(tools, fc.nat(12), request, async (drawn, split, query) => {
        const entries = drawn.map(([name, description]): [string, ToolLike] => [
          name.join('_'),
          { description: description.join(' ') },
        ])
        await expectEqualAnswers(entries, split, query.join(' '))
      }),
      {
        numRuns: 200,
        examples: [
          // "red" is mentioned last, but is a part of what is mentioned first.
          [
            [
              [['red'], ['red']],
              [['blue'], ['red']],
            ],
            0,
            ['red_cat', 'blue', 'use', 'red'],
          ],
        ],
      },
    )
  })

  it.each([
    ['the order of the query', ['create_issue', 'create_issue_comment'], 'create_issue_comment, then create_issue'],
    ['the longest at each place', ['files/read', 'files/read/all'], 'files/read/all'],
    ['the longest in a sentence', ['files/read', 'files/read/all'], 'please call files/read/all now'],
    ['the whole query', ['run_1', 'ask run_1'], 'ask run_1'],
    ['names after a character whose lower case is longer', ['a_one', 'b_two'], 'İİİİ b_two a_one'],
  ])('takes exact names by %s, as one layer does', async (_, names, query) => {
    const tools = names.map((name): [string, ToolLike] => [name, { description: 'Does it' }])
    await expectEqualAnswers(tools, 1, query)
  })
})
