/** Vectors of `dimensions` floats each as one matrix, row by row. */
export function packRows(vectors: readonly Float32Array[], dimensions: number): Float32Array {
  const matrix = new Float32Array(vectors.length * dimensions)
  vectors.forEach((vector, row) => {
    matrix.set(vector, row * dimensions)
  })
  return matrix
}
