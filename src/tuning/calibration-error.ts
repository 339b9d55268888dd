/** A result's score, and whether it was relevant. */
export interface Prediction {
  /** 0 to 1. */
  readonly score: number
  readonly relevant: boolean
}

const BINS = 10

/**
 * Predictions by score: for each of ten bins of equal width the sum of scores less the number of relevant ones, then how many
 * predictions there are. Those of several sets add up.
 */
export type BinnedPredictions = Float64Array

/** One set of predictions; scores beyond 0–1 are not expected. */
export function binned(predictions: readonly Prediction[]): BinnedPredictions {
  const bins = new Float64Array(BINS + 1)
  for (const { score, relevant } of predictions) {
    bins[Math.min(BINS - 1, Math.floor(score * BINS))]! += score - Number(relevant)
  }
  bins[BINS] = predictions.length
  return bins
}

/**
 * Expected calibration error (Naeini et al., AAAI 2015): each bin's distance between mean score and share of relevant
 * predictions, weighed by its size. 0 to 1; 0 for none.
 */
export function errorOf(bins: BinnedPredictions): number {
  // Sizes cancel: |mean score − share| × size = |sum of scores − number relevant|.
  const distance = bins.subarray(0, BINS).reduce((sum, difference) => sum + Math.abs(difference), 0)
  return bins[BINS] === 0 ? 0 : distance / bins[BINS]!
}

/** The expected calibration error of predictions. */
export const calibrationError = (predictions: readonly Prediction[]): number => errorOf(binned(predictions))
