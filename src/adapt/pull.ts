import { countsOf, type LabelledVectors, namedTools } from './labelled-vectors.js'

/** Tools that some query names, and the means of their queries. */
export interface Centroids {
  /** Rows of the tools, in order. */
  readonly tools: readonly number[]
  /** How many queries each has. */
  readonly counts: readonly number[]
  /** One row a tool: the mean of its queries' unit vectors, shorter the more these differ. */
  readonly means: Float32Array
}

export function centroidsOf(data: LabelledVectors, queries: readonly number[]): Centroids {
  const { dimensions } = data
  const counts = countsOf(data, queries)
  const tools = namedTools(counts)
  const place = new Map(tools.map((tool, at) => [tool, at]))
  const sums = new Float64Array(tools.length * dimensions)
  for (const query of queries) {
    for (const tool of data.relevant[query]!) {
      const start = place.get(tool)! * dimensions
      for (let i = 0; i < dimensions; i++) sums[start + i]! += data.queries[query * dimensions + i]!
    }
  }
  const own = tools.map(tool => counts[tool]!)
  return { tools, counts: own, means: Float32Array.from(sums, (sum, at) => sum / own[Math.floor(at / dimensions)]!) }
}

// Queries that a tool's own text counts as: one query moves it by a third of the strength, ten by five sixths.
const QUERIES_A_TEXT = 2

/** How far, 0 to 1, a tool with so many queries goes towards their mean. */
export function pullShare(strength: number, queries: number): number {
  return (strength * queries) / (queries + QUERIES_A_TEXT)
}

/** A tool's vector on its way to the mean of its queries, of unit length; its own where the two cancel out. */
export function pulled(vector: Float32Array, mean: Float32Array, share: number): Float32Array {
  const sum = vector.map((value, i) => (1 - share) * value + share * mean[i]!)
  const length = Math.sqrt(sum.reduce((squares, value) => squares + value * value, 0))
  return length > MIN_LENGTH ? sum.map(value => value / length) : vector.slice()
}

// Below, what is left is rounding.
const MIN_LENGTH = 1e-3
