import type { QueryResult } from '@mastra/core/vector'
import { dotProduct } from '../vector/dot-product.js'

/** A result, with its vector where it was asked for. */
type ScoredResult = { readonly score: number; readonly vector?: readonly number[] | undefined }

/** How a store's scores become cosine similarities. */
export interface ScoreScale {
  /** Whether the vectors must come with the answer, since the scores do not tell. */
  readonly needsVector: boolean
  /** NaN where the result does not tell. */
  similarityOf(result: ScoredResult, query: Float32Array): number
}

/** The score is the cosine similarity: PgVector, LibSQLVector, Qdrant, Pinecone. */
export const COSINE: ScoreScale = { needsVector: false, similarityOf: ({ score }) => score }

/** The score is mapped to 0–1: MongoDB, Upstash, OpenSearch. */
const HALVED: ScoreScale = { needsVector: false, similarityOf: ({ score }) => 2 * score - 1 }

/** Whatever the score is, the vector tells. */
const COMPUTED: ScoreScale = {
  needsVector: true,
  similarityOf: ({ vector }, query) => (vector?.length === query.length ? cosineOf(vector, query) : Number.NaN),
}

/** Whether this can be a cosine similarity; what a store gives may be anything. */
export const isSimilarity = (value: number) => Math.abs(value) <= 1 + TOLERANCE

// Beyond what sums of floats in another order differ by, and below what would change a rank.
const TOLERANCE = 1e-3

/** The scale that an answer with vectors shows; undefined where it has none. */
export function scaleOf(results: readonly QueryResult[], query: Float32Array): ScoreScale | undefined {
  const withVectors = results.filter(({ vector }) => vector?.length === query.length)
  if (withVectors.length === 0) return undefined
  const fits = (scale: ScoreScale) =>
    withVectors.every(
      result => Math.abs(scale.similarityOf(result, query) - cosineOf(result.vector!, query)) <= TOLERANCE,
    )
  return [COSINE, HALVED].find(fits) ?? COMPUTED
}

function cosineOf(vector: readonly number[], query: Float32Array): number {
  const floats = Float32Array.from(vector)
  const squares = dotProduct(floats, 0, floats, 0, floats.length)
  return squares === 0 ? 0 : dotProduct(floats, 0, query, 0, query.length) / Math.sqrt(squares)
}
