import { describe, expect, it } from 'vitest'
import { DEFAULT_TOP_K } from '../../src/options.js'
import { DEFAULT_MIN_SCORE } from '../../src/ranking/score.js'
import { parseAim } from '../../src/tuning/aim.js'
import { optionsText, type ReportOptions, tuneReport } from '../../src/tuning/report.js'
import { evaluated, knownDistributions } from './queries.js'

const options: ReportOptions = {
  aim: parseAim('recall=0.98')!,
  given: {},
  requirements: [],
  seed: 1,
  tools: 20,
  texts: new Map(),
  hasTexts: true,
  adaptation: null,
  calibration: null,
}

describe('tuneReport on known distributions', () => {
  const report = tuneReport(knownDistributions(), options)

  it('compares no minScore, the defaults and what is recommended', () => {
    expect(report.compared.map(({ label, topK, minScore }) => [label, topK, minScore])).toEqual([
      ['none', 7, 0],
      ['default', DEFAULT_TOP_K, DEFAULT_MIN_SCORE],
      ['recommended', 7, 0.309],
    ])
    const [none, byDefault, recommended] = report.compared
    // At topK 7 99 of 100 are found, 98 of them above 0.309; at topK 5 95.
    expect(none!.reached.recall!.value).toBeCloseTo(0.99, 10)
    expect(byDefault!.reached.recall!.value).toBeCloseTo(0.95, 10)
    expect(recommended!.reached.recall!.value).toBeCloseTo(0.98, 10)
    // Of the fifty best scores 0.01 to 0.5, 4 are at or below 0.048, and 30 at or below 0.309.
    expect(none!.reached.noAnswer!.value).toBe(0)
    expect(byDefault!.reached.noAnswer!.value).toBeCloseTo(0.08, 10)
    expect(recommended!.reached.noAnswer!.value).toBeCloseTo(0.6, 10)
  })

  it('has the curve in hundredths, recall by topK, and the measures of the ranking', () => {
    expect(report.curve).toHaveLength(101)
    expect(report.curve[40]).toMatchObject({ minScore: 0.4, noAnswer: 0.8 })
    expect(report.recallByTopK).toHaveLength(20)
    expect(report.ranking['hit@1'].value).toBeCloseTo(0.8, 10)
    // 80 at rank 1, 15 at rank 3, 4 at rank 7.
    expect(report.ranking.mrr.value).toBeCloseTo((80 + 15 / 3 + 4 / 7) / 100, 10)
  })

  it('lists what the recommended settings miss: the one that is not ranked, and the lowest score', () => {
    expect(report.failures.map(({ query, reason }) => [query, reason])).toEqual([
      ['answerable 99', 'unranked'],
      ['answerable 0', 'score'],
    ])
    expect(report.falseAnswers).toHaveLength(20)
  })

  it('has no warning for so many queries, and the options to paste', () => {
    expect(report.warnings).toEqual([])
    expect(optionsText(report.recommended)).toBe('search: { topK: 7, minScore: 0.309 }')
  })

  it('is plain data: JSON gives it back', () => {
    expect(JSON.parse(JSON.stringify(report))).toEqual(report)
  })

  it('measures failures at settings that are given, and recommends all the same', () => {
    const given = tuneReport(knownDistributions(), { ...options, given: { topK: 3, minScore: 0.5 } })
    expect(given.settings).toEqual({ topK: 3, minScore: 0.5 })
    // Of 95 found ones 93.1 must stay: one may go.
    expect(given.recommended).toMatchObject({ topK: 3, minScore: 0.309 })
    expect(given.compared.map(({ label }) => label)).toEqual(['none', 'default', 'recommended', 'given'])
    // Those of 0.305 to 0.5, and beyond 95 all.
    expect(given.failures).toHaveLength(40 + 5)
  })
})

describe('warnings', () => {
  it('say that queries that nothing fits are missing, and that an aim is out of reach', () => {
    const queries = Array.from({ length: 40 }, () => evaluated(['a'], [['b', 0.9]]))
    expect(tuneReport(queries, options).warnings).toEqual([
      expect.stringContaining('No query is one that nothing fits'),
      expect.stringContaining('No minScore reaches the aim recall=0.98'),
    ])
  })

  it('say how far drafts can be trusted', () => {
    const texts = new Map([['a', 'weather forecast']])
    const draft = { ...evaluated(['a'], [['a', 0.9]], 'weather forecast'), isDraft: true }
    const own = evaluated(['a'], [['a', 0.9]], 'weather umbrella')
    const warning = (queries: Parameters<typeof tuneReport>[0]) =>
      tuneReport(queries, { ...options, texts }).warnings.at(-1)
    expect(warning([draft, draft])).toMatch(/^All queries are drafts.*share 100 % of their words.*people's requests/)
    expect(warning([draft, own])).toMatch(/^1 of 2 queries are drafts.*share 100 %.*your own queries 50 %/)
  })
})
