import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { createNameSet, namesIn } from '../../src/ranking/exact-name.js'
import { createToolSearcher } from '../../src/searcher.js'
import { wordEmbedder } from '../searcher/word-embedder.js'

const { cases } = JSON.parse(readFileSync(new URL('../fixtures/identifiers.json', import.meta.url), 'utf8')) as {
  cases: { tools: string[]; query: string; first: string }[]
}

const searcherOver = (names: readonly string[]) =>
  createToolSearcher({
    tools: Object.fromEntries(names.map(name => [name, { description: `Does the work of ${name}` }])),
    embedder: wordEmbedder(),
    strict: true,
  })

describe('a query with an exact callable name', () => {
  it.each(cases)('puts $first first, with score 1: $query', async ({ tools, query, first }) => {
    const { results } = await searcherOver(tools).search(query)
    expect(results[0]).toEqual({ name: first, score: 1 })
  })

  it.each(cases)('gives score 1 only to names in it: $query', async ({ tools, query }) => {
    const { results } = await searcherOver(tools).search(query, { topK: 10, minScore: 0 })
    for (const { name, score } of results) {
      if (score === 1) expect(query.toLowerCase()).toContain(name.toLowerCase())
      else expect(score).toBeLessThanOrEqual(0.99)
    }
  })
})

const rareWord = () => false
const commonWord = () => true
const find = (names: string[], query: string, isCommonWord = rareWord) =>
  namesIn(query, [createNameSet(names)], isCommonWord)

describe('a name of several words', () => {
  it.each([
    ['get_issue', 'GET_ISSUE now'],
    ['getIssue', 'call getissue'],
    ['files/read', 'Files/Read please'],
    ['@scope/tool', 'try @scope/tool'],
    ['ns:tool', 'what is ns:tool?'],
    ['list users', 'list users in the group'],
    ['tool_', 'run tool_ now'],
    ['c++_build', 'then c++_build it'],
    ['查询天气', '请用查询天气看看'],
    ['날씨_조회', '날씨_조회 해줘'],
    ['get_issue', '⚠️get_issue'],
    ['getIssue', '▶️getIssue now'],
  ])('%s is found in "%s"', (name, query) => {
    expect(find(['other_tool', name], query, commonWord)).toEqual([name])
  })

  it.each([
    ['get_issue', 'get issue'],
    ['get_issue', 'get_issues'],
    ['get_issue', 'my_get_issue'],
    ['get_issue', 'get-issue'],
    ['getIssue', 'getIssueComments'],
  ])('%s is not found in "%s"', (name, query) => {
    expect(find([name], query)).toEqual([])
  })

  it('is found with the others, in the order of the query, each once', () => {
    const names = ['b_two', 'a_one', 'c_three']
    expect(find(names, 'a_one, then c_three, a_one again, and b_two')).toEqual(['a_one', 'c_three', 'b_two'])
  })

  it('hides the names within it', () => {
    const names = ['files/read', 'files/read/all', 'list users', 'users']
    expect(find(names, 'files/read/all')).toEqual(['files/read/all'])
    expect(find(names, 'first files/read/all, then list users')).toEqual(['files/read/all', 'list users'])
  })

  it('in its own case comes before one that differs in case alone', () => {
    expect(find(['getissue', 'getIssue'], 'getIssue')).toEqual(['getIssue'])
    expect(find(['getissue', 'getIssue'], 'run getissue')).toEqual(['getissue'])
  })
})

describe('a name of one plain word', () => {
  it('is found as the whole query, in any case', () => {
    for (const query of ['fetch', 'Fetch', ' FETCH ']) expect(find(['fetch'], query, commonWord)).toEqual(['fetch'])
  })

  it('is found in a sentence in its own case, where no other tool uses the word', () => {
    expect(find(['fetch'], 'fetch the page')).toEqual(['fetch'])
    expect(find(['fetch'], 'Fetch the page')).toEqual([])
    expect(find(['fetch'], 'fetching the page')).toEqual([])
  })

  it.each([
    'call fetch on the page',
    'use fetch',
    'the fetch tool',
    'fetch(url)',
    'with `fetch` get it',
    'try "fetch" first',
    '「fetch」を使って',
    '@fetch the page',
  ])('that other tools use, too, is found where it is written as a name: %s', query => {
    expect(find(['fetch'], query, commonWord)).toEqual(['fetch'])
  })

  it.each(['fetch the page', 'please fetch it', 'go and fetch', 'because fetch is slow'])(
    'that other tools use, too, is mere English otherwise: %s',
    query => {
      expect(find(['fetch'], query, commonWord)).toEqual([])
    },
  )

  it.each(['full-text-search', 'search.web', 'search/web', 'web:search', 'search_web'])(
    'is not found within another identifier: %s',
    query => {
      expect(find(['search'], `try ${query} now`)).toEqual([])
    },
  )
})

describe('a hostile query or name', () => {
  const names = Array.from({ length: 10_000 }, (_, at) => `server_${at}/tool_${at}`)

  it.each([
    ['a megabyte of words', 'word '.repeat(200_000)],
    ['a megabyte of one word', 'a'.repeat(1_000_000)],
    ['a megabyte of signs', '@/#$.:-'.repeat(150_000)],
    ['a megabyte of signs before a word', `${'.'.repeat(1_000_000)}a`],
    ['a megabyte of names', 'server_1/tool_1 '.repeat(62_500)],
    ['a megabyte of Han', '天气'.repeat(500_000)],
    ['a megabyte of blanks', ' '.repeat(1_000_000)],
  ])('takes bounded time: %s', (_, query) => {
    const set = createNameSet(names)
    const started = performance.now()
    namesIn(query, [set], rareWord)
    expect(performance.now() - started).toBeLessThan(2_000)
  })

  it('names like members of Object are found as any other, and only where they exist', () => {
    expect(find(['fetch_it'], 'constructor __proto__ toString hasOwnProperty')).toEqual([])
    expect(find(['__proto__', 'toString'], 'use __proto__ and toString')).toEqual(['__proto__', 'toString'])
  })

  it('lone surrogates and unusual case mappings do no harm', () => {
    expect(find(['get_issue'], '\ud83d get_issue \udc00')).toEqual(['get_issue'])
    expect(find(['get_İssue'], 'get_İssue')).toEqual(['get_İssue'])
    expect(find(['straße_finden'], 'straße_finden')).toEqual(['straße_finden'])
  })

  it('a name of 100,000 characters is found as the whole query', () => {
    const name = `a_${'b'.repeat(100_000)}`
    expect(find([name], name)).toEqual([name])
  })
})
