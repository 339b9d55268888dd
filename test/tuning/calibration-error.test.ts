import { describe, expect, it } from 'vitest'
import { calibrationError } from '../../src/tuning/calibration-error.js'

const predictions = (score: number, relevant: number, others: number) => [
  ...Array.from({ length: relevant }, () => ({ score, relevant: true })),
  ...Array.from({ length: others }, () => ({ score, relevant: false })),
]

describe('calibrationError', () => {
  it('is 0 where as many are relevant as the scores say, and for nothing', () => {
    expect(calibrationError([...predictions(0.25, 1, 3), ...predictions(0.75, 3, 1)])).toBe(0)
    expect(calibrationError([])).toBe(0)
  })

  it('weighs the distance of each bin by its size', () => {
    // Of 0.4 to 0.5: mean score 0.45, share 0.25, size 4. Of 0.9 to 1: mean score 0.95, share 1, size 2.
    const two = [...predictions(0.4, 1, 1), ...predictions(0.5 - 1e-9, 0, 2)]
    const found = calibrationError([...two, ...predictions(0.95, 2, 0)])
    expect(found).toBeCloseTo((4 * 0.2 + 2 * 0.05) / 6, 6)
  })

  it('puts a score of 1 into the last bin, and lets errors of one bin cancel', () => {
    expect(calibrationError(predictions(1, 1, 1))).toBe(0.5)
    expect(calibrationError([...predictions(0.92, 1, 0), ...predictions(0.98, 0, 1)])).toBeCloseTo(0.45, 12)
  })
})
