import type { Pooling } from './model-cards.js'

/**
 * One vector for each text from the token vectors of a batch.
 *
 * `hidden` holds `lengths.length` × `paddedLength` × `dimensions` numbers, row-major; padding comes after a text's
 * `lengths[i]` tokens and is left out. `cls` takes the first token's vector, `mean` the mean over the text's tokens.
 */
export function poolTokens(
  hidden: Float32Array,
  lengths: readonly number[],
  paddedLength: number,
  dimensions: number,
  pooling: Pooling,
): Float32Array[] {
  return lengths.map((length, row) => {
    const first = row * paddedLength * dimensions
    if (pooling === 'cls') return hidden.slice(first, first + dimensions)
    const vector = new Float32Array(dimensions)
    for (let token = 0; token < length; token++) {
      const offset = first + token * dimensions
      for (let i = 0; i < dimensions; i++) vector[i]! += hidden[offset + i]!
    }
    for (let i = 0; i < dimensions; i++) vector[i]! /= length
    return vector
  })
}

/** Scales `vector` to unit length in place and returns it; a zero vector stays as it is. */
export function normalizeInPlace(vector: Float32Array): Float32Array {
  let squares = 0
  for (let i = 0; i < vector.length; i++) squares += vector[i]! * vector[i]!
  const norm = Math.sqrt(squares)
  if (norm > 0) for (let i = 0; i < vector.length; i++) vector[i]! /= norm
  return vector
}
