/** A result's score, and whether it was relevant. */
export interface Prediction {
  /** 0 to 1. */
  readonly score: number
  readonly relevant: boolean
}

const BINS = 10

/**
 * Expected calibration error (Naeini et al., AAAI 2015): predictions are put into ten bins of equal width by their score,
 * and each bin's distance between mean score and share of relevant ones is weighed by its size. 0 to 1; 0 for none.
 */
export function calibrationError(predictions: readonly Prediction[]): number {
  const bins = Array.from({ length: BINS }, () => ({ scores: 0, relevant: 0 }))
  for (const { score, relevant } of predictions) {
    const bin = bins[Math.min(BINS - 1, Math.floor(score * BINS))]!
    bin.scores += score
    if (relevant) bin.relevant++
  }
  // Sizes cancel: |mean score − share| × size = |sum of scores − number relevant|.
  const distance = bins.reduce((sum, { scores, relevant }) => sum + Math.abs(scores - relevant), 0)
  return predictions.length === 0 ? 0 : distance / predictions.length
}
