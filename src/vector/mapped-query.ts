import { dotProductOfRow } from './dot-product.js'

// Shorter, and the direction would be noise.
const MIN_LENGTH = 1e-3

/**
 * W q at unit length, so that cosines keep their scale; q itself where the map leaves nothing of it. `map` has
 * `dimensions` × `dimensions` numbers, row by row.
 */
export function mappedQuery(map: Float32Array, query: Float32Array): Float32Array {
  const dimensions = query.length
  const doubles = new Float64Array(query)
  const mapped = new Float32Array(dimensions)
  let squares = 0
  for (let row = 0; row < dimensions; row++) {
    const value = Math.fround(dotProductOfRow(doubles, map, row * dimensions))
    mapped[row] = value
    squares += value * value
  }
  const length = Math.sqrt(squares)
  if (!(length > MIN_LENGTH)) return query
  for (let row = 0; row < dimensions; row++) mapped[row]! /= length
  return mapped
}
