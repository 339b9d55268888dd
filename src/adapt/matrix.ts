/** Rows of equal length, one after the other. */
export interface Matrix {
  readonly rows: number
  readonly columns: number
  readonly values: Float64Array
}

export function zeros(rows: number, columns: number): Matrix {
  return { rows, columns, values: new Float64Array(rows * columns) }
}

export function identity(size: number): Matrix {
  const matrix = zeros(size, size)
  for (let at = 0; at < size; at++) matrix.values[at * size + at] = 1
  return matrix
}

/** The numbered rows of packed floats, in that order. */
export function rowsOf(packed: Float32Array, columns: number, rows: readonly number[]): Matrix {
  const matrix = zeros(rows.length, columns)
  rows.forEach((row, at) => {
    matrix.values.set(packed.subarray(row * columns, (row + 1) * columns), at * columns)
  })
  return matrix
}

/** `into` = a · bᵀ for the rows `from` to `to` of a: each row of a times each of b. */
export function multiplyByTransposed(a: Matrix, b: Matrix, into: Matrix, from = 0, to = a.rows): void {
  const length = a.columns
  const x = a.values
  const y = b.values
  for (let row = from; row < to; row++) {
    const start = row * length
    const target = row * into.columns
    let other = 0
    // Four rows at once: each number of a is read once for them.
    for (; other + 3 < b.rows; other += 4) {
      const [y0, y1, y2, y3] = [other * length, (other + 1) * length, (other + 2) * length, (other + 3) * length]
      let sum0 = 0
      let sum1 = 0
      let sum2 = 0
      let sum3 = 0
      for (let i = 0; i < length; i++) {
        const value = x[start + i]!
        sum0 += value * y[y0 + i]!
        sum1 += value * y[y1 + i]!
        sum2 += value * y[y2 + i]!
        sum3 += value * y[y3 + i]!
      }
      into.values[target + other] = sum0
      into.values[target + other + 1] = sum1
      into.values[target + other + 2] = sum2
      into.values[target + other + 3] = sum3
    }
    for (; other < b.rows; other++) {
      let sum = 0
      for (let i = 0; i < length; i++) sum += x[start + i]! * y[other * length + i]!
      into.values[target + other] = sum
    }
  }
}

/** `into` += aᵀ · b over the rows `from` to `to` of both: the sum of the outer products of their rows. */
export function addOuterProducts(a: Matrix, b: Matrix, into: Matrix, from = 0, to = a.rows): void {
  const x = a.values
  const y = b.values
  const sums = into.values
  const { columns } = b
  let row = from
  for (; row + 3 < to; row += 4) {
    const [x0, y0] = [row * a.columns, row * columns]
    const [x1, y1] = [x0 + a.columns, y0 + columns]
    const [x2, y2] = [x1 + a.columns, y1 + columns]
    const [x3, y3] = [x2 + a.columns, y2 + columns]
    for (let i = 0; i < a.columns; i++) {
      const [v0, v1, v2, v3] = [x[x0 + i]!, x[x1 + i]!, x[x2 + i]!, x[x3 + i]!]
      const target = i * columns
      for (let j = 0; j < columns; j++) {
        sums[target + j]! += v0 * y[y0 + j]! + v1 * y[y1 + j]! + v2 * y[y2 + j]! + v3 * y[y3 + j]!
      }
    }
  }
  for (; row < to; row++) {
    for (let i = 0; i < a.columns; i++) {
      const value = x[row * a.columns + i]!
      for (let j = 0; j < columns; j++) sums[i * columns + j]! += value * y[row * columns + j]!
    }
  }
}

/** The sum of the products of two matrices' numbers. */
export function innerProduct(a: Float64Array, b: Float64Array): number {
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!
  return sum
}
