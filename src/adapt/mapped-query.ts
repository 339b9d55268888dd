import { dotProduct } from '../vector/dot-product.js'

// Shorter, and the direction would be noise.
const MIN_LENGTH = 1e-3

/**
 * W q at unit length, so that cosines keep their scale; q itself where the map leaves nothing of it. `map` has
 * `dimensions` × `dimensions` numbers, row by row.
 */
export function mappedQuery(map: Float32Array, query: Float32Array): Float32Array {
  const dimensions = query.length
  const mapped = new Float32Array(dimensions)
  for (let row = 0; row < dimensions; row++) mapped[row] = dotProduct(map, row * dimensions, query, 0, dimensions)
  const length = Math.sqrt(dotProduct(mapped, 0, mapped, 0, dimensions))
  if (!(length > MIN_LENGTH)) return query
  for (let row = 0; row < dimensions; row++) mapped[row]! /= length
  return mapped
}
