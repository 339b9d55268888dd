import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { batchesByLength } from '../../src/embedding/batches.js'

describe('batchesByLength', () => {
  it('puts every row in exactly one batch, within both bounds, with little padding', () => {
    const lengths = fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 200 })
    fc.assert(
      fc.property(lengths, fc.integer({ min: 1, max: 10 }), fc.integer({ min: 1, max: 200 }), (rows, texts, tokens) => {
        const batches = batchesByLength(rows, texts, tokens)
        expect(batches.flat().sort((a, b) => a - b)).toEqual(rows.map((_, i) => i))
        let longestBefore = 0
        for (const batch of batches) {
          const batchLengths = batch.map(row => rows[row]!)
          expect(batch.length).toBeLessThanOrEqual(texts)
          expect(batch.length === 1 || batch.length * Math.max(...batchLengths) <= tokens).toBe(true)
          expect(Math.min(...batchLengths)).toBeGreaterThanOrEqual(longestBefore)
          longestBefore = Math.max(...batchLengths)
        }
      }),
    )
  })
})
