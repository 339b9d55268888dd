import { describe, expect, it, vi } from 'vitest'
import { compile } from '../../scripts/wasm/compile.js'
import { DOT_PRODUCTS_WASM } from '../../src/vector/dot-products-wasm.js'
import { multiplyInJavaScript, rowProducts } from '../../src/vector/row-products.js'
import { dot, unitVectors } from './index-contract.js'

// Below, at and above sixteen lanes, and longer than what is copied at once.
const LENGTHS = [1, 3, 15, 16, 17, 100, 384, 40_000]

describe('rowProducts', () => {
  it.each(LENGTHS)('agrees with double precision for rows of %i numbers', length => {
    const matrix = unitVectors(7, length, 1)
    const query = unitVectors(1, length, 2)
    const { of, all } = rowProducts(query, matrix)
    for (let row = 0; row < 7; row++) expect(of(row)).toBeCloseTo(dot(query, matrix, row), 6)
    expect([...all()]).toEqual(Array.from({ length: 7 }, (_, row) => of(row)))
  })

  it.each(LENGTHS)('gives what JavaScript gives, to the bit, for rows of %i numbers', length => {
    const matrix = unitVectors(7, length, 3)
    const query = unitVectors(1, length, 4)
    const inJavaScript = Array.from({ length: 7 }, (_, row) => multiplyInJavaScript(query, matrix, row, 1)[0])
    expect([...rowProducts(query, matrix).all()]).toEqual(inJavaScript)
  })

  it('gives the products of many blocks of rows, and of none', () => {
    const matrix = unitVectors(1_000, 384, 5)
    const query = unitVectors(1, 384, 6)
    const all = rowProducts(query, matrix).all()
    expect(all).toHaveLength(1_000)
    for (const row of [0, 84, 85, 86, 500, 999]) expect(all[row]).toBeCloseTo(dot(query, matrix, row), 6)
    expect(rowProducts(query, new Float32Array(0)).all()).toHaveLength(0)
  })

  it('keeps queries apart that are asked in turns, of other lengths too', () => {
    const [a, b] = [
      rowProducts(Float32Array.of(1, 2), Float32Array.of(3, 4)),
      rowProducts(Float32Array.of(5), Float32Array.of(6)),
    ]
    const c = rowProducts(Float32Array.of(7, 8), Float32Array.of(9, 10))
    expect([a.of(0), b.of(0), c.of(0), a.of(0), c.all()[0], b.all()[0], a.all()[0]]).toEqual([
      11, 30, 143, 11, 143, 30, 11,
    ])
  })

  it('goes by the query as it was given', () => {
    const query = Float32Array.of(1, 0)
    const { of } = rowProducts(query, Float32Array.of(3, 4))
    query[0] = 0
    expect(of(0)).toBe(3)
  })

  it('is there without WebAssembly', async () => {
    vi.resetModules()
    vi.stubGlobal('WebAssembly', undefined)
    try {
      const { rowProducts } = await import('../../src/vector/row-products.js')
      expect([...rowProducts(Float32Array.of(1, 2), Float32Array.of(3, 4, 5, 6)).all()]).toEqual([11, 17])
    } finally {
      vi.unstubAllGlobals()
    }
  })

  it('has the code of dot-products.wat', async () => {
    expect(DOT_PRODUCTS_WASM, 'Run npm run build-wasm.').toBe(Buffer.from(await compile()).toString('base64'))
  })
})
