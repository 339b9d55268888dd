import { beforeAll, describe, expect, it } from 'vitest'
import { createExactIndex } from '../../src/vector/exact.js'
import { createHnswIndex } from '../../src/vector/hnsw.js'
import { grown, type SealVectors, sealVectors } from './seal-vectors.js'

const K = 10

describe('annRecall@10 of the HNSW index against the exact index', () => {
  let vectors: SealVectors

  beforeAll(async () => {
    vectors = await sealVectors()
  }, 600_000)

  // 16,000 points take some 10 s to build, 48,000 some 40 s on a 2-core machine.
  it.each([1_000, 4_000, 16_000, 48_000])('is at least 0.99 at %i tools', { timeout: 600_000 }, async size => {
    const { documents, queries, dimensions } = vectors
    const all = grown(documents, size)
    const exact = createExactIndex(all, dimensions)
    const approximate = await createHnswIndex(all, dimensions)
    let found = 0
    for (const query of queries) {
      const nearest = new Set(exact.nearest(query, K).ids)
      for (const id of approximate.nearest(query, K).ids) if (nearest.has(id)) found++
    }
    expect(found / (K * queries.length)).toBeGreaterThanOrEqual(0.99)
  })
})
