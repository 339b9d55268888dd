import type { RemoteVectors } from '../vector/remote-vectors.js'
import { topK } from '../vector/top-k.js'

export interface StoreQuestion {
  readonly vectors: RemoteVectors
  readonly queryVector: Float32Array
  readonly lexicalShares: Float32Array
  /** The evidence for a document, of whose similarity nothing may be known. */
  readonly evidenceAt: (position: number, cosineSimilarity: number | undefined) => number
  /** The most evidence that a document of this share may have, given the most similarity. */
  readonly mostEvidence: (cosineSimilarity: number, lexicalShare: number) => number
}

/** What a store and the words found. */
export interface StoreAnswer {
  /** Candidates, in no order. */
  readonly positions: readonly number[]
  readonly similarities: ReadonlyMap<number, number>
  /** No document that is no candidate has more evidence. */
  readonly bound: number
}

/**
 * The nearest documents by the store, the best by their words, and the similarities of those among the second that may
 * be among the `wanted` best: the store is asked once more for these alone, and in most searches there are none.
 */
export async function askStore(question: StoreQuestion, limit: number, wanted: number): Promise<StoreAnswer> {
  const { vectors, queryVector, lexicalShares, evidenceAt, mostEvidence } = question
  const near = await vectors.nearest(queryVector, limit)
  const similarities = new Map<number, number>()
  near.ids.forEach((position, at) => {
    similarities.set(position, near.similarities[at]!)
  })
  const byWords = topK(lexicalShares, limit)
  const atMost = (position: number) => mostEvidence(near.beyond, lexicalShares[position]!)
  const others = [...byWords].filter(position => lexicalShares[position]! > 0 && !similarities.has(position))
  if (near.isAll) {
    // The others are not in the store.
    const lastShare = lexicalShares[byWords.at(-1) ?? 0]!
    const bound = byWords.length === vectors.size ? Number.NEGATIVE_INFINITY : mostEvidence(0, lastShare)
    return { positions: [...similarities.keys(), ...others], similarities, bound }
  }
  const least = weakestOfBest(near.ids, wanted, position => evidenceAt(position, similarities.get(position)))
  const asked = others.filter(position => atMost(position) >= least)
  if (asked.length > 0) {
    for (const [position, similarity] of await vectors.similaritiesTo(queryVector, asked)) {
      similarities.set(position, similarity)
    }
  }
  let bound = mostEvidence(near.beyond, lexicalShares[byWords.at(-1) ?? 0]!)
  for (const position of others) if (atMost(position) < least) bound = Math.max(bound, atMost(position))
  return { positions: [...new Set([...similarities.keys(), ...asked])], similarities, bound }
}

function weakestOfBest(positions: Uint32Array, wanted: number, evidenceAt: (position: number) => number): number {
  if (positions.length < wanted) return Number.NEGATIVE_INFINITY
  const evidence = Float64Array.from(positions, evidenceAt)
  return evidence[topK(evidence, wanted).at(-1)!]!
}
