/** A figure with its 95 % interval. */
export interface Estimate {
  readonly value: number
  readonly low: number
  readonly high: number
}

// The 97.5 % quantile of the normal distribution.
const Z = 1.959964

/**
 * The mean of `count` values from 0 to 1, with Wilson's score interval (E. B. Wilson, JASA 22, 1927), which stays honest
 * where few queries all succeed: 30 of 30 is 89 % to 100 %. Exact for hits and misses; for fractions, such as recall with
 * several relevant tools, too wide rather than too narrow, as no values from 0 to 1 vary more than hits and misses.
 */
export function wilson(value: number, count: number): Estimate {
  const square = Z ** 2 / count
  const middle = (value + square / 2) / (1 + square)
  const reach = (Z / (1 + square)) * Math.sqrt((value * (1 - value)) / count + square / (4 * count))
  return { value, low: Math.max(0, middle - reach), high: Math.min(1, middle + reach) }
}

/** The middle 95 % of bootstrapped values (Efron and Tibshirani 1993, chapter 13); those that are no number are left out. */
export function percentileInterval(value: number, samples: readonly number[]): Estimate {
  const sorted = Float64Array.from(samples.filter(Number.isFinite)).sort()
  if (sorted.length === 0) return { value, low: value, high: value }
  const at = (share: number) => sorted[Math.round(share * (sorted.length - 1))]!
  return { value, low: Math.min(value, at(0.025)), high: Math.max(value, at(0.975)) }
}

/** The wider of two intervals of one figure, at each end. */
export function widest(a: Estimate, b: Estimate): Estimate {
  return { value: a.value, low: Math.min(a.low, b.low), high: Math.max(a.high, b.high) }
}
