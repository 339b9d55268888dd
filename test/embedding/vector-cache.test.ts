import { describe, expect, it } from 'vitest'
import { createVectorCache } from '../../src/embedding/vector-cache.js'
import { InvalidOptionsError } from '../../src/errors.js'

const value = (n: number) => ({ vector: Float32Array.of(n), readableShare: 1 })

describe('createVectorCache', () => {
  it('drops the least recently used vector when it is full', () => {
    const cache = createVectorCache({ maxEntries: 2 })
    cache.set('a', value(1))
    cache.set('b', value(2))
    cache.get('a')
    cache.set('c', value(3))
    expect([cache.get('a'), cache.get('b'), cache.get('c')].map(found => found?.vector[0])).toEqual([1, undefined, 3])
    expect(cache.size).toBe(2)
  })

  it('replaces a vector without growing, which counts as a use', () => {
    const cache = createVectorCache({ maxEntries: 2 })
    cache.set('a', value(1))
    cache.set('b', value(2))
    cache.set('a', value(3))
    cache.set('c', value(4))
    expect(cache.get('a')?.vector[0]).toBe(3)
    expect(cache.get('b')).toBeUndefined()
  })

  it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])('rejects maxEntries %s', maxEntries => {
    expect(() => createVectorCache({ maxEntries })).toThrow(InvalidOptionsError)
  })
})
