import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { createHnswIndex, efSearchFor } from '../../src/vector/hnsw.js'
import { unitVectors } from './index-contract.js'

describe('createHnswIndex', () => {
  it('lets other work run while it builds', async () => {
    let built = false
    const building = createHnswIndex(unitVectors(1_000, 32, 1), 32).then(() => {
      built = true
    })
    let turns = 0
    while (!built) {
      await nextTurn()
      turns++
    }
    await building
    // 1,000 points in slices of 64.
    expect(turns).toBeGreaterThanOrEqual(10)
  })

  it('stops with the reason of the signal', async () => {
    const controller = new AbortController()
    const building = createHnswIndex(unitVectors(1_000, 32, 1), 32, { abortSignal: controller.signal })
    controller.abort(new Error('enough'))
    await expect(building).rejects.toThrow('enough')
  })
})

describe('efSearchFor', () => {
  it('is at least k, at most the size, and does not fall as the catalog grows', () => {
    const sizes = [10, 100, 1_000, 4_000, 4_001, 16_000, 16_001, 48_000, 200_000]
    for (const k of [1, 10, 64, 500]) {
      const values = sizes.map(size => efSearchFor(size, Math.min(k, size)))
      values.forEach((ef, at) => {
        expect(ef).toBeLessThanOrEqual(sizes[at]!)
        expect(ef).toBeGreaterThanOrEqual(Math.min(k, sizes[at]!))
        if (at > 0) expect(ef).toBeGreaterThanOrEqual(values[at - 1]!)
      })
    }
  })
})
