// Shorter, and the direction would be noise.
const MIN_LENGTH = 1e-3

/**
 * W q at unit length, so that cosines keep their scale; q itself where the map leaves nothing of it. `map` has
 * `dimensions` × `dimensions` numbers, row by row.
 */
export function mappedQuery(map: Float32Array | Float64Array, query: Float32Array): Float32Array {
  const dimensions = query.length
  const mapped = new Float32Array(dimensions)
  let squares = 0
  for (let row = 0; row < dimensions; row++) {
    const start = row * dimensions
    let sum0 = 0
    let sum1 = 0
    let i = 0
    for (; i + 1 < dimensions; i += 2) {
      sum0 += map[start + i]! * query[i]!
      sum1 += map[start + i + 1]! * query[i + 1]!
    }
    if (i < dimensions) sum0 += map[start + i]! * query[i]!
    mapped[row] = sum0 + sum1
    squares += mapped[row]! ** 2
  }
  const length = Math.sqrt(squares)
  if (!(length > MIN_LENGTH)) return query
  for (let row = 0; row < dimensions; row++) mapped[row]! /= length
  return mapped
}
