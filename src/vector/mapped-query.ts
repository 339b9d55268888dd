import { rowProducts } from './row-products.js'

// Shorter, and the direction would be noise.
const MIN_LENGTH = 1e-3

/**
 * W q at unit length, so that cosines keep their scale; q itself where the map leaves nothing of it. `map` has
 * `dimensions` × `dimensions` numbers, row by row.
 */
export function mappedQuery(map: Float32Array, query: Float32Array): Float32Array {
  const mapped = rowProducts(query, map).all()
  let squares = 0
  for (const value of mapped) squares += value * value
  const length = Math.sqrt(squares)
  if (!(length > MIN_LENGTH)) return query
  return mapped.map(value => value / length)
}
