import { describe, expect, it } from 'vitest'
import { changeOf, compareRecords } from '../../bench/compare.js'
import { mean } from '../../bench/measures.js'
import { bootstrap, type Metric, meanMetric, quantile, ratioMetric } from '../../bench/metric.js'
import type { BenchRecord } from '../../bench/record.js'

const share = { unit: 'share', better: 'higher' } as const

const record = (benchmark: string, metrics: Record<string, Metric>): BenchRecord => ({
  benchmark,
  date: '2026-12-02',
  environment: {} as BenchRecord['environment'],
  options: {},
  model: 'm',
  metrics,
})

describe('changeOf', () => {
  // 100 queries of which 50 were hit; 10 more are now, and none less: every resample of the differences is 0 or more.
  const before = Array.from({ length: 100 }, (_, at) => (at < 50 ? 1 : 0))
  const after = before.map((value, at) => (at >= 50 && at < 60 ? 1 : value))
  const metricOf = (values: number[]): Metric => ({ ...meanMetric(values, share), values })

  it('sees in pairs what two independent samples could not tell', () => {
    const paired = changeOf('hit', metricOf(before), metricOf(after))
    expect(paired).toMatchObject({ before: 0.5, after: 0.6, verdict: 'better', paired: true })
    // The binomial interval of 10 in 100 is 0.05 to 0.17 (Wilson 0.055 to 0.174).
    expect(paired.low).toBeCloseTo(0.05, 1)
    expect(paired.high).toBeCloseTo(0.16, 1)
    const unpaired = changeOf('hit', meanMetric(before, share), meanMetric(after, share))
    expect(unpaired).toMatchObject({ verdict: 'same', paired: false })
  })

  it('takes less for better where less is', () => {
    const times = { unit: 'ms', better: 'lower', value: 10, low: 9, high: 11 } as const
    const faster = { ...times, value: 5, low: 4, high: 6 }
    expect(changeOf('ms', times, faster).verdict).toBe('better')
    expect(changeOf('ms', faster, times).verdict).toBe('worse')
    // Differences of 5 with spreads of 1 and 1: ± √2.
    expect(changeOf('ms', times, faster).high).toBeCloseTo(-5 + Math.SQRT2, 12)
  })

  it('finds no change between a run and itself', () => {
    expect(changeOf('hit', metricOf(before), metricOf(before))).toMatchObject({ low: 0, high: 0, verdict: 'same' })
  })

  it('finds no change between a run and its record, which has five digits', () => {
    const recalls = Array.from({ length: 100 }, (_, at) => (at % 3) / 3)
    const recorded = recalls.map(value => Number(value.toPrecision(5)))
    expect(changeOf('recall', metricOf(recorded), metricOf(recalls))).toMatchObject({
      low: 0,
      high: 0,
      verdict: 'same',
    })
  })
})

describe('compareRecords', () => {
  const good: Metric = { ...share, value: 0.9, low: 0.88, high: 0.92 }
  const bad: Metric = { ...share, value: 0.5, low: 0.48, high: 0.52 }
  const neither: Metric = { ...bad, better: null }

  it('lists losses first, and leaves out what has no better side', () => {
    const changes = compareRecords(
      record('r', { a: bad, b: good, c: neither }),
      record('r', { a: good, b: bad, c: good }),
    )
    expect(changes.map(({ metric, verdict }) => [metric, verdict])).toEqual([
      ['b', 'worse'],
      ['a', 'better'],
    ])
  })

  it('refuses what cannot be compared', () => {
    expect(() => compareRecords(record('r', { a: good }), record('s', { a: good }))).toThrow(/"r" and "s"/)
    expect(() => compareRecords(record('r', { a: good }), record('r', { b: good }))).toThrow(/no metric in common/)
  })
})

describe('intervals', () => {
  it('of a mean are those of the normal distribution where values are many', () => {
    // 400 hits and misses, half each: standard error 0.025, so ± 0.049.
    const { low, high } = bootstrap(
      Array.from({ length: 400 }, (_, at) => at % 2),
      mean,
    )
    expect(low).toBeCloseTo(0.451, 2)
    expect(high).toBeCloseTo(0.549, 2)
  })

  it('of values that are all the same have no width', () => {
    expect(meanMetric([0.25, 0.25, 0.25], share)).toMatchObject({ value: 0.25, low: 0.25, high: 0.25 })
    expect(ratioMetric([2, 2], [4, 4])).toMatchObject({ value: 0.5, low: 0.5, high: 0.5 })
  })

  it('rest on quantiles by nearest rank', () => {
    const values = [5, 1, 4, 2, 3]
    expect([0, 0.5, 0.95, 1].map(at => quantile(values, at))).toEqual([1, 3, 5, 5])
  })
})
