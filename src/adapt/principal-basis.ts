import { seededRandom } from '../random.js'
import { addOuterProducts, identity, innerProduct, type Matrix, multiplyByTransposed, rowsOf, zeros } from './matrix.js'

// The subspace is all but found after that; which directions at its edge are in it matters little.
const ITERATIONS = 4
const SEED = 1
const ROWS_AT_ONCE = 256

// Below, nothing is left of a direction but rounding.
const MIN_LENGTH = 1e-9

/**
 * An orthonormal basis, a row each, of `size` directions in which the packed rows have most of their length (orthogonal
 * iteration; Golub and Van Loan, "Matrix Computations", 2013, 8.2.4); all of space where that has no more.
 */
export function principalBasis(packed: Float32Array, dimensions: number, size: number): Matrix {
  if (size >= dimensions) return identity(dimensions)
  const products = zeros(dimensions, dimensions)
  const count = packed.length / dimensions
  for (let from = 0; from < count; from += ROWS_AT_ONCE) {
    const rows = rowsOf(packed, dimensions, range(from, Math.min(count, from + ROWS_AT_ONCE)))
    addOuterProducts(rows, rows, products)
  }
  const random = seededRandom(SEED)
  let basis = zeros(size, dimensions)
  for (let i = 0; i < basis.values.length; i++) basis.values[i] = random() - 0.5
  makeOrthonormal(basis, random)
  for (let iteration = 0; iteration < ITERATIONS; iteration++) {
    const next = zeros(size, dimensions)
    multiplyByTransposed(basis, products, next)
    makeOrthonormal(next, random)
    basis = next
  }
  return basis
}

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => from + at)

/** Modified Gram–Schmidt, twice, which keeps rows orthogonal to rounding. */
function makeOrthonormal({ rows, columns, values }: Matrix, random: () => number): void {
  for (let row = 0; row < rows; row++) {
    const own = values.subarray(row * columns, (row + 1) * columns)
    for (let pass = 0; pass < 2; pass++) {
      for (let other = 0; other < row; other++) {
        const earlier = values.subarray(other * columns, (other + 1) * columns)
        const along = innerProduct(own, earlier)
        for (let i = 0; i < columns; i++) own[i]! -= along * earlier[i]!
      }
      const length = Math.sqrt(innerProduct(own, own))
      if (length < MIN_LENGTH) {
        // Fewer rows than directions: any other direction will do.
        for (let i = 0; i < columns; i++) own[i] = random() - 0.5
        pass = -1
      } else for (let i = 0; i < columns; i++) own[i]! /= length
    }
  }
}
