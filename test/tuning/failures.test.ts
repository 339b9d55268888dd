import { describe, expect, it } from 'vitest'
import { confusionsOf } from '../../src/tuning/confusions.js'
import { draftTrust } from '../../src/tuning/draft-trust.js'
import { failuresOf, falseAnswersOf } from '../../src/tuning/failures.js'
import { evaluated } from './queries.js'

const settings = { topK: 2, minScore: 0.3 }

describe('failuresOf', () => {
  it('tells by rank, by score and by absence what was missed, with what beat it', () => {
    const ranked = [
      ['x', 0.9],
      ['a', 0.8],
      ['y', 0.7],
      ['b', 0.6],
    ] as const
    const queries = [
      evaluated(['a', 'b'], ranked, 'by rank'),
      evaluated(
        ['b'],
        [
          ['x', 0.25],
          ['b', 0.2],
        ],
        'by score',
      ),
      evaluated(['c'], ranked, 'absent'),
      evaluated(['x'], ranked, 'found'),
    ]
    expect(failuresOf(queries, settings)).toEqual([
      expect.objectContaining({ query: 'absent', tool: 'c', reason: 'unranked', rank: null, score: null }),
      {
        query: 'by rank',
        isDraft: false,
        tool: 'b',
        reason: 'rank',
        rank: 4,
        score: 0.6,
        // Not a, which is relevant, too.
        beatenBy: [
          { name: 'x', score: 0.9, rank: 1 },
          { name: 'y', score: 0.7, rank: 3 },
        ],
      },
      expect.objectContaining({ query: 'by score', tool: 'b', reason: 'score', rank: 2, score: 0.2 }),
    ])
  })
})

describe('falseAnswersOf', () => {
  it('lists what is returned where nothing fits, the highest score first', () => {
    const queries = [
      evaluated([], [['a', 0.4]], 'some'),
      evaluated([], [['a', 0.3]], 'none'),
      evaluated(
        [],
        [
          ['b', 0.8],
          ['a', 0.1],
        ],
        'more',
      ),
      evaluated(['a'], [['b', 0.9]], 'answerable'),
    ]
    expect(falseAnswersOf(queries, settings)).toEqual([
      { query: 'more', isDraft: false, returned: [{ name: 'b', score: 0.8, rank: 1 }] },
      { query: 'some', isDraft: false, returned: [{ name: 'a', score: 0.4, rank: 1 }] },
    ])
  })
})

describe('confusionsOf', () => {
  const texts = new Map([
    ['create_issue', 'create issue: Open a bug report in a repository'],
    ['create_ticket', 'create ticket: Open a support request for a customer'],
    ['other', 'other: Something for a customer'],
  ])
  const above = (...names: string[]) => names.map((name, at) => [name, 0.9 - at / 10] as const)

  it('counts the nearest tool above that is not relevant, most frequent first', () => {
    const queries = [
      evaluated(['create_issue'], above('other', 'create_ticket', 'create_issue'), 'one'),
      evaluated(['create_issue'], above('create_ticket', 'create_issue'), 'two'),
      evaluated(['create_issue', 'create_ticket'], above('other', 'create_ticket', 'create_issue'), 'three'),
      evaluated(['create_issue'], above('create_issue', 'other'), 'found'),
    ]
    const pairs = confusionsOf(queries, texts)
    expect(pairs.map(({ tool, other, queries: count }) => [tool, other, count])).toEqual([
      ['create_issue', 'create_ticket', 2],
      ['create_issue', 'other', 1],
      ['create_ticket', 'other', 1],
    ])
    expect(pairs[0]!.examples).toEqual(['one', 'two'])
  })

  it('has the words of each text that the other lacks, rare ones first, without stop words', () => {
    const [pair] = confusionsOf([evaluated(['create_issue'], above('create_ticket', 'create_issue'))], texts)
    expect(pair!.words.tool).toEqual(['issue', 'bug', 'report', 'repository'])
    // "customer" is in two texts.
    expect(pair!.words.other).toEqual(['ticket', 'support', 'request', 'customer'])
  })
})

describe('draftTrust', () => {
  it('is the share of words that a query has in common with its tool', () => {
    const texts = new Map([['get_weather', 'get weather: Forecast of a city']])
    const draft = { ...evaluated(['get_weather'], [], 'weather forecast'), isDraft: true }
    const own = evaluated(['get_weather'], [], 'forecast umbrella tomorrow rain')
    expect(draftTrust([draft, own], texts)).toEqual({ drafts: 1, sharedWords: 1, sharedWordsOfOthers: 0.25 })
    expect(draftTrust([own], texts)).toBeNull()
  })
})
