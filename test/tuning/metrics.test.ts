import { describe, expect, it } from 'vitest'
import { hit, ndcg, recall, reciprocalRank, returned } from '../../src/tuning/metrics.js'
import { checkRequirements, measure, parseRequirement } from '../../src/tuning/requirements.js'
import { evaluated } from './queries.js'

const query = evaluated(
  ['b', 'd'],
  [
    ['a', 0.9],
    ['b', 0.6],
    ['c', 0.4],
    ['d', 0.2],
  ],
)

describe('returned', () => {
  it('is the first topK above minScore, not at it', () => {
    const names = (topK: number, minScore: number) => returned(query.ranked, { topK, minScore }).map(({ name }) => name)
    expect(names(10, 0)).toEqual(['a', 'b', 'c', 'd'])
    expect(names(2, 0)).toEqual(['a', 'b'])
    expect(names(10, 0.4)).toEqual(['a', 'b'])
    expect(names(10, 0.9)).toEqual([])
  })
})

describe('metrics of one query', () => {
  it('are those computed by hand', () => {
    const { ranked } = query
    expect(recall(query, ranked.slice(0, 3))).toBe(1 / 2)
    expect(hit(query, ranked.slice(0, 1))).toBe(0)
    expect(hit(query, ranked.slice(0, 2))).toBe(1)
    expect(reciprocalRank(query, ranked)).toBe(1 / 2)
    // Ranks 2 and 4 of an ideal 1 and 2: (0.6309 + 0.4307) / (1 + 0.6309).
    expect(ndcg(query, ranked, 10)).toBeCloseTo(0.6509, 4)
    expect(ndcg(query, ranked, 3)).toBeCloseTo(0.6309 / 1.6309, 4)
  })
})

describe('measure', () => {
  const queries = [
    query,
    evaluated(['a'], [['a', 0.5]]),
    evaluated([], [['a', 0.3]]),
    evaluated(
      [],
      [
        ['a', 0.7],
        ['b', 0.1],
      ],
    ),
  ]

  it('takes recall, hit, nDCG and MRR over answerable queries, precision over all', () => {
    const all = { topK: 10, minScore: 0 }
    expect(measure('recall', queries, all)).toBe(1)
    expect(measure('recall', queries, { ...all, topK: 2 })).toBe(0.75)
    expect(measure('hit', queries, { ...all, topK: 1 })).toBe(0.5)
    expect(measure('mrr', queries, all)).toBe(0.75)
    expect(measure('precision', queries, all)).toBe(3 / 8)
    expect(measure('no-answer', queries, all)).toBe(0)
  })

  it('counts what is above minScore', () => {
    const settings = { topK: 10, minScore: 0.45 }
    // Returned: a and b; a; nothing; a.
    expect(measure('recall', queries, settings)).toBe(0.75)
    expect(measure('precision', queries, settings)).toBe(2 / 4)
    expect(measure('f1', queries, settings)).toBeCloseTo(0.6, 10)
    expect(measure('no-answer', queries, settings)).toBe(0.5)
  })

  it('has an F1 of 0 where nothing is returned', () => {
    expect(measure('f1', queries, { topK: 10, minScore: 1 })).toBe(0)
  })
})

describe('a requirement', () => {
  it.each([
    ['recall@5>=0.95', { metric: 'recall', k: 5, isStrict: false, least: 0.95 }],
    [' nDCG@10 > .7 ', { metric: 'ndcg', k: 10, isStrict: true, least: 0.7 }],
    ['no-answer>=0.5', { metric: 'no-answer', k: undefined, least: 0.5 }],
    ['recall>=1', { metric: 'recall', k: undefined, least: 1 }],
  ])('is read from %j', (text, expected) => {
    expect(parseRequirement(text)).toMatchObject(expected)
  })

  it.each([
    'recall@5',
    'recall@5<=0.9',
    'recal@5>=0.9',
    'recall@0>=0.9',
    'recall>=95',
    'precision@5>=0.5',
    'mrr@3>0',
    '',
  ])('is not %j', text => {
    expect(parseRequirement(text)).toBeUndefined()
  })

  it('is met at its value, missed below it, and says by how much', () => {
    const queries = [query, evaluated(['a'], [['a', 0.5]])]
    const check = (text: string) => checkRequirements([parseRequirement(text)!], queries, { topK: 10, minScore: 0 })[0]
    expect(check('recall@2>=0.75')).toMatchObject({ value: 0.75, isMet: true, missing: 0 })
    expect(check('recall@2>0.75')).toMatchObject({ isMet: false, missing: 0 })
    const missed = check('recall@2>=0.8')!
    expect(missed.isMet).toBe(false)
    expect(missed.missing).toBeCloseTo(0.05, 10)
    expect(check('no-answer>=0.1')).toMatchObject({ value: null, isMet: false, missing: null })
  })
})
