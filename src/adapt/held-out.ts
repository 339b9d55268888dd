import { dotProduct } from '../vector/dot-product.js'
import type { LabelledVectors } from './labelled-vectors.js'
import { addOuterProducts, innerProduct, type Matrix, multiplyByTransposed, zeros } from './matrix.js'
import { type Centroids, pullShare } from './pull.js'
import type { ReducedVectors } from './reduced-vectors.js'

/** How a tool's evidence for a query follows from their cosine similarity: as searches rank. */
export type Evidence = (query: number, tool: number, cosineSimilarity: number) => number

export interface Learnt {
  /** As `learnChange` gives it. */
  readonly change: Matrix | undefined
  readonly centroids: Centroids
}

// As the benchmarks, and as published work on tool retrieval.
const DEPTH = 10

/**
 * nDCG@10 of queries by what was learnt from others: for each of `strengths` (of the pull) in turn, one value a query, in the
 * order of `queries`.
 */
export function heldOutNdcg(
  data: ReducedVectors,
  queries: readonly number[],
  { change, centroids }: Learnt,
  { strengths, evidence, onTurn }: { strengths: readonly number[]; evidence: Evidence; onTurn: () => Promise<void> },
): Promise<Float64Array[]> {
  const { dimensions, tools, relevant } = data
  const size = tools.length / dimensions
  const pulledBy = strengths.map(strength => pulledTools(data, centroids, strength))
  const cosines = new Float32Array(size)
  const toMeans = new Float32Array(centroids.tools.length)
  const values = strengths.map(() => new Float64Array(queries.length))

  async function measure(): Promise<Float64Array[]> {
    for (const [at, query] of queries.entries()) {
      if (at % 16 === 0) await onTurn()
      const vector = vectorOf(data, query, change, cosines)
      for (let place = 0; place < toMeans.length; place++) {
        toMeans[place] = dotProduct(vector, 0, centroids.means, place * dimensions, dimensions)
      }
      pulledBy.forEach(({ shares, lengths }, strength) => {
        const scores = Float64Array.from(cosines, (cosine, tool) => evidence(query, tool, cosine))
        centroids.tools.forEach((tool, place) => {
          if (shares[place] === 0) return
          const sum = (1 - shares[place]!) * cosines[tool]! + shares[place]! * toMeans[place]!
          scores[tool] = evidence(query, tool, sum / lengths[place]!)
        })
        values[strength]![at] = ndcgOf(scores, relevant[query]!)
      })
    }
    return values
  }
  return measure()
}

/** The query's vector by the map, of unit length; its cosine similarities to the tools go to `cosines`. */
function vectorOf(
  data: ReducedVectors,
  query: number,
  change: Matrix | undefined,
  cosines: Float32Array,
): Float32Array {
  const { dimensions, queryCoordinates, toolCoordinates, toolBasis } = data
  const own = data.queries.subarray(query * dimensions, (query + 1) * dimensions)
  cosines.set(data.similarities(query))
  if (!change) return own
  const moved = zeros(1, change.rows)
  const start = query * queryCoordinates.columns
  const coordinates = {
    rows: 1,
    columns: change.columns,
    values: queryCoordinates.values.subarray(start, start + change.columns),
  }
  multiplyByTransposed(coordinates, change, moved)
  const sum = Float64Array.from(own)
  addOuterProducts({ rows: toolBasis.rows, columns: 1, values: moved.values }, toolBasis, {
    rows: 1,
    columns: dimensions,
    values: sum,
  })
  const length = Math.max(MIN_LENGTH, Math.sqrt(innerProduct(sum, sum)))
  const gains = zeros(1, cosines.length)
  multiplyByTransposed(moved, toolCoordinates, gains)
  for (let tool = 0; tool < cosines.length; tool++) cosines[tool] = (cosines[tool]! + gains.values[tool]!) / length
  return Float32Array.from(sum, value => value / length)
}

const MIN_LENGTH = 1e-3

/** For each pulled tool its share, and the length of the sum that makes its vector: cosines follow from these. */
function pulledTools(
  { dimensions, tools }: LabelledVectors,
  { tools: rows, counts, means }: Centroids,
  strength: number,
) {
  const shares = counts.map(count => pullShare(strength, count))
  const lengths = rows.map((tool, place) => {
    const share = shares[place]!
    const cross = dotProduct(tools, tool * dimensions, means, place * dimensions, dimensions)
    const square = dotProduct(means, place * dimensions, means, place * dimensions, dimensions)
    return Math.sqrt(Math.max(1e-6, (1 - share) ** 2 + 2 * share * (1 - share) * cross + share ** 2 * square))
  })
  return { shares, lengths }
}

/** Of scores of all tools, ties in the tools' order. */
export function ndcgOf(scores: Float64Array, relevant: readonly number[]): number {
  let gain = 0
  let ideal = 0
  relevant.forEach((tool, at) => {
    const own = scores[tool]!
    let above = 0
    for (let other = 0; other < scores.length && above < DEPTH; other++) {
      if (scores[other]! > own || (scores[other] === own && other < tool)) above++
    }
    if (above < DEPTH) gain += 1 / Math.log2(above + 2)
    if (at < DEPTH) ideal += 1 / Math.log2(at + 2)
  })
  return gain / ideal
}
