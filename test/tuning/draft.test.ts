import { describe, expect, it } from 'vitest'
import { seededRandom } from '../../src/random.js'
import { type DraftTool, draftQueries } from '../../src/tuning/draft/draft.js'
import { misspelled } from '../../src/tuning/draft/misspell.js'
import { wishOf, wishOfName } from '../../src/tuning/draft/requests.js'
import { paraphrased } from '../../src/tuning/draft/synonyms.js'

describe('wishOf', () => {
  it.each([
    ['Get the current weather for a city.', 'get the current weather for a city', true],
    ['Creates a new issue in a repository. Needs a token.', 'create a new issue in a repository', true],
    ['Returns the list of users', 'get the list of users', true],
    ['This tool allows users to search flights.', 'search flights', true],
    ['Used to send an email!', 'send an email', true],
    ['Can be used to count words', 'count words', true],
    ['**Applies** a filter', 'apply a filter', true],
    ['This function tracks clicks', 'track clicks', true],
    ['Serializes an object', 'serialize an object', true],
    ['A calculator app that executes a given formula.', 'a calculator app that executes a given formula', false],
    ['NASA picture of the day', 'NASA picture of the day', false],
  ])('of %j is %j', (description, text, isAction) => {
    expect(wishOf(description)).toEqual({ text, isAction })
  })

  it.each(['', ' ', '...', '123'])('is undefined for %j', description => {
    expect(wishOf(description)).toBeUndefined()
  })

  it('is cut between words', () => {
    const { text } = wishOf(`Send ${'word '.repeat(60)}`)!
    expect(text.length).toBeLessThanOrEqual(120)
    expect(text).toMatch(/word$/)
  })
})

it('wishOfName tells actions from things', () => {
  expect(wishOfName(['create', 'Issue'])).toEqual({ text: 'create issue', isAction: true })
  expect(wishOfName(['Horoscope'])).toEqual({ text: 'horoscope', isAction: false })
})

describe('misspelled', () => {
  it('has one slip in one longer word: a neighbouring key, a swap or a dropped letter', () => {
    const random = seededRandom(1)
    for (let times = 0; times < 300; times++) {
      const slipped = misspelled('get the weather', random)
      expect(slipped).toMatch(/^get the /)
      const word = slipped.slice('get the '.length)
      expect(word[0]).toBe('w')
      expect(word).not.toBe('weather')
      if (word.length === 6) expect(isSubsequence(word, 'weather')).toBe(true)
      else if ([...word].sort().join() === [...'weather'].sort().join()) expect(differing(word, 'weather')).toBe(2)
      else expect(differing(word, 'weather')).toBe(1)
    }
  })

  it('leaves texts of short words as they are', () => {
    expect(misspelled('do it now', seededRandom(1))).toBe('do it now')
  })
})

describe('paraphrased', () => {
  it('replaces words by everyday ones, also in the plural, and no others', () => {
    expect(paraphrased('Calculate constructor', 1, () => 0)).toBe('work out constructor')
    expect(paraphrased('images', 1, () => 0)).toBe('pictures')
    expect(paraphrased('delete images', 0, () => 0.5)).toBe('delete images')
  })
})

describe('draftQueries', () => {
  const tools: DraftTool[] = Array.from({ length: 40 }, (_, at) => ({
    name: `get_item_${at}`,
    description: `Get the item number${at} of shelf${at % 7} in hall${at % 3}.`,
    parameters: ['shelf', 'hall'],
  }))
  /** Serves requests about a dog, and no others. */
  const searcher = {
    search: async (query: string) => ({
      results: [{ name: 'x', score: query.includes('dog') ? 0.6 : 0.1 }],
      mode: 'hybrid' as const,
    }),
  }
  const options = { count: 200, seed: 1, searcher }

  it('has as many as wanted, all different, 15 % of them off-topic', async () => {
    const queries = await draftQueries(tools, options)
    expect(queries).toHaveLength(200)
    expect(new Set(queries.map(({ query }) => query)).size).toBe(200)
    const offTopic = queries.filter(({ relevant }) => relevant.length === 0)
    expect(offTopic).toHaveLength(30)
    expect(offTopic.filter(({ query }) => query.includes('dog'))).toEqual([])
  })

  it('covers the tools evenly', async () => {
    const counts = new Map<string, number>()
    for (const { relevant } of await draftQueries(tools, options)) {
      for (const name of relevant) counts.set(name, (counts.get(name) ?? 0) + 1)
    }
    expect(counts.size).toBe(40)
    expect(Math.max(...counts.values()) - Math.min(...counts.values())).toBeLessThanOrEqual(2)
  })

  it('is the same for the same seed, whatever the order of the tools, and another for another', async () => {
    const first = await draftQueries(tools, options)
    expect(await draftQueries([...tools].reverse(), options)).toEqual(first)
    expect(await draftQueries(tools, { ...options, seed: 2 })).not.toEqual(first)
  })

  it('never is the exact name of a tool, which the search would find without looking', async () => {
    const names = new Set(tools.map(({ name }) => name))
    for (const { query } of await draftQueries(tools, options)) expect(names.has(query)).toBe(false)
  })

  it('gives fewer where the catalog has no more, and works on names alone', async () => {
    const queries = await draftQueries([{ name: 'ping', description: '', parameters: [] }], { ...options, count: 100 })
    expect(queries.length).toBeGreaterThan(15)
    expect(queries.length).toBeLessThan(100)
    expect(queries.map(({ query }) => query)).not.toContain('ping')
    expect(await draftQueries([], { ...options, count: 20 })).toHaveLength(3)
  })
})

function isSubsequence(short: string, long: string): boolean {
  let at = 0
  for (const letter of long) if (letter === short[at]) at++
  return at === short.length
}

const differing = (a: string, b: string) => [...a].filter((letter, at) => letter !== b[at]).length
