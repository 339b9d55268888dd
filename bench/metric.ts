import { type Estimate, percentileInterval } from '../src/tuning/intervals.js'
import { SEED, seededRandom } from './corpora.js'
import { mean } from './measures.js'

/** A measured figure with its 95 % interval. */
export interface Metric extends Estimate {
  readonly unit: 'share' | 'ratio' | 'ms' | 'per second' | 'MiB' | 'tokens' | 'bytes'
  /** Which way is better; null where it says nothing by itself. */
  readonly better: 'higher' | 'lower' | null
  /** One number a query, by which two runs over the same queries are compared in pairs. */
  readonly values?: readonly number[]
}

const RESAMPLES = 2_000

/** The mean of values with its bootstrap interval: the same for the same values. */
export function meanMetric(values: readonly number[], of: Pick<Metric, 'unit' | 'better'>): Metric {
  return { ...of, ...bootstrap(values, mean) }
}

/** The median of values with its bootstrap interval. */
export function medianMetric(values: readonly number[], of: Pick<Metric, 'unit' | 'better'>): Metric {
  return { ...of, ...bootstrap(values, median) }
}

/** The ratio of the medians of two sets of times, with its bootstrap interval. */
export function ratioMetric(ours: readonly number[], theirs: readonly number[]): Metric {
  const random = seededRandom(SEED)
  const ratios = Array.from(
    { length: RESAMPLES },
    () => median(resampled(ours, random)) / median(resampled(theirs, random)),
  )
  return { unit: 'ratio', better: 'lower', ...percentileInterval(median(ours) / median(theirs), ratios) }
}

/** A figure that has no spread, or of which none was measured. */
export function plainMetric(value: number, of: Pick<Metric, 'unit' | 'better'>): Metric {
  return { ...of, value, low: value, high: value }
}

/** The statistic of values with the middle 95 % of its bootstrapped ones. */
export function bootstrap(values: readonly number[], statistic: (values: readonly number[]) => number): Estimate {
  const random = seededRandom(SEED)
  const samples = Array.from({ length: RESAMPLES }, () => statistic(resampled(values, random)))
  return percentileInterval(statistic(values), samples)
}

function resampled(values: readonly number[], random: () => number): number[] {
  return Array.from(values, () => values[Math.floor(random() * values.length)]!)
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5)
}

/** The nearest-rank quantile. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = Float64Array.from(values).sort()
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!
}
