import { takingTurns } from './neighbors.js'

export interface PcaOptions {
  readonly vectors: Float32Array
  readonly dimensions: number
  readonly onProgress?: ((done: number, total: number) => void) | undefined
  readonly abortSignal?: AbortSignal | undefined
}

// The two axes turn little after that; a map needs no more.
const ITERATIONS = 30

/**
 * Coordinates of each vector on the two axes along which the vectors differ most (orthogonal iteration on the
 * covariance, from a fixed start): x and y, row after row, always finite; 0 along an axis where nothing differs.
 */
export async function principalPlane({ vectors, dimensions, ...options }: PcaOptions): Promise<Float64Array> {
  const size = vectors.length / dimensions
  const mean = meanOf(vectors, dimensions)
  const turns = takingTurns(options.abortSignal)
  let axes = startAxes(dimensions)

  async function project(): Promise<{ points: Float64Array; axes: [Float64Array, Float64Array] }> {
    const points = new Float64Array(size * 2)
    const next: [Float64Array, Float64Array] = [new Float64Array(dimensions), new Float64Array(dimensions)]
    for (let row = 0; row < size; row++) {
      const start = row * dimensions
      let x = 0
      let y = 0
      for (let d = 0; d < dimensions; d++) {
        const value = vectors[start + d]! - mean[d]!
        x += value * axes[0][d]!
        y += value * axes[1][d]!
      }
      points[row * 2] = x
      points[row * 2 + 1] = y
      for (let d = 0; d < dimensions; d++) {
        const value = vectors[start + d]! - mean[d]!
        next[0][d]! += value * x
        next[1][d]! += value * y
      }
      if (row % 256 === 255) await turns()
    }
    return { points, axes: next }
  }

  for (let iteration = 0; iteration < ITERATIONS; iteration++) {
    axes = orthonormal((await project()).axes)
    options.onProgress?.(iteration + 1, ITERATIONS)
  }
  return (await project()).points
}

/** The mean of the rows; zeros where there are none. */
export function meanOf(vectors: Float32Array, dimensions: number): Float64Array {
  const mean = new Float64Array(dimensions)
  const size = vectors.length / dimensions
  for (let at = 0; at < vectors.length; at++) mean[at % dimensions]! += vectors[at]! / size
  return mean
}

/** Two fixed directions that no real catalog is orthogonal to. */
function startAxes(dimensions: number): [Float64Array, Float64Array] {
  const wave = (frequency: number) => Float64Array.from({ length: dimensions }, (_, d) => Math.sin(frequency * (d + 1)))
  return orthonormal([wave(1), wave(2.3)])
}

function orthonormal([first, second]: [Float64Array, Float64Array]): [Float64Array, Float64Array] {
  const x = unit(first)
  const along = dot(second, x)
  return [x, unit(second.map((value, d) => value - along * x[d]!))]
}

// Below, an axis is rounding noise: nothing differs along it.
const MIN_LENGTH = 1e-12

function unit(vector: Float64Array): Float64Array {
  const length = Math.sqrt(dot(vector, vector))
  return length < MIN_LENGTH ? new Float64Array(vector.length) : vector.map(value => value / length)
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0
  for (let d = 0; d < a.length; d++) sum += a[d]! * b[d]!
  return sum
}
