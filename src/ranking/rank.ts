import type { DenseLayer, LexicalLayer } from '../layer-index.js'
import { type WeightedTerm, weightQuery } from '../lexical/bm25.js'
import { topK } from '../vector/top-k.js'
import { evidenceOf } from './score.js'

/** One candidate with what speaks for it. */
export interface Candidate {
  /** Which layer of the catalog, and which position in it. */
  readonly layer: number
  readonly position: number
  /** The weighted sum that candidates are ranked by; `scoreOf` makes it the score. */
  readonly evidence: number
  readonly cosineSimilarity: number | undefined
  readonly lexicalShare: number
}

export interface RankableLayer {
  readonly lexical: LexicalLayer
  readonly dense: DenseLayer | undefined
}

export interface RankedQuery {
  /**
   * The best candidates, best first, at most `limit`. With an HNSW index they may be fewer: only those that no document
   * left out by the index can beat.
   */
  best(limit: number): Candidate[]
  /** Every candidate, best first, exact. */
  all(): Candidate[]
}

/**
 * Ranks the documents of all layers for one query. `queryVector` is absent where only the lexical part can be asked;
 * then a document without any of the query's terms is no candidate.
 */
export function rankQuery(
  query: string,
  layers: readonly RankableLayer[],
  queryVector: Float32Array | undefined,
  readableShare: number,
): RankedQuery {
  const { terms, possibleScore } = weightQuery(
    query,
    layers.map(layer => layer.lexical.lexical),
  )
  const readable = queryVector ? readableShare : 0
  const asked = layers.map((layer, index) => scoreLayer(layer, index, terms, possibleScore, queryVector, readable))
  return {
    best(limit) {
      const lists = asked.map(layer => layer.best(limit))
      const bound = Math.max(...lists.map(list => list.bound))
      const certain = lists.flatMap(list => list.candidates).filter(candidate => candidate.evidence >= bound)
      return sorted(certain).slice(0, limit)
    },
    all: () => sorted(asked.flatMap(layer => layer.all())),
  }
}

// Ties keep the catalog's order, so that equal tools come in the order in which the user listed them.
function sorted(candidates: Candidate[]): Candidate[] {
  return candidates.sort((a, b) => b.evidence - a.evidence || a.layer - b.layer || a.position - b.position)
}

function scoreLayer(
  { lexical, dense }: RankableLayer,
  layer: number,
  terms: readonly WeightedTerm[],
  possibleScore: number,
  queryVector: Float32Array | undefined,
  readableShare: number,
) {
  const size = lexical.documents.length
  const lexicalShares = new Float32Array(size)
  if (possibleScore > 0) {
    lexical.lexical.addScores(terms, lexicalShares)
    for (let i = 0; i < size; i++) lexicalShares[i]! /= possibleScore
  }
  const useVectors = queryVector !== undefined && dense !== undefined && readableShare > 0

  const evidenceAt = (position: number, cosineSimilarity: number | undefined) => {
    const cosine = cosineSimilarity === undefined ? 0 : cosineSimilarity * dense!.readableShares[position]!
    return evidenceOf(cosine, lexicalShares[position]!, useVectors ? readableShare : 0)
  }

  const candidate = (position: number, cosineSimilarity: number | undefined): Candidate => ({
    layer,
    position,
    evidence: evidenceAt(position, cosineSimilarity),
    cosineSimilarity,
    lexicalShare: lexicalShares[position]!,
  })

  function withAllVectors(limit: number): Candidate[] {
    const similarities = dense!.vectors.similarities(queryVector!)
    const evidence = new Float64Array(size)
    for (let i = 0; i < size; i++) evidence[i] = evidenceAt(i, similarities[i]!)
    return Array.from(topK(evidence, limit), position => candidate(position, similarities[position]!))
  }

  function lexicalOnly(limit: number): Candidate[] {
    const found = Array.from(topK(lexicalShares, limit), position => candidate(position, undefined))
    return found.filter(({ lexicalShare }) => lexicalShare > 0)
  }

  return {
    all: () => (useVectors ? withAllVectors(size) : lexicalOnly(size)),
    /** The best candidates, and the evidence that no document of this layer beyond them exceeds, as far as they count. */
    best(limit: number): { candidates: Candidate[]; bound: number } {
      if (!useVectors) return { candidates: lexicalOnly(limit), bound: Number.NEGATIVE_INFINITY }
      if (dense.vectors.kind === 'exact' || limit >= size) {
        return { candidates: withAllVectors(limit), bound: Number.NEGATIVE_INFINITY }
      }
      // Fagin's threshold: a document in neither list has at most the last similarity of one and the last share of the
      // other, so that whatever has more evidence than both together is certain to be among the best.
      const nearest = dense.vectors.nearest(queryVector, limit)
      const byWords = topK(lexicalShares, limit)
      const lastSimilarity = Math.max(0, nearest.similarities.at(-1) ?? 0)
      const lastShare = lexicalShares[byWords.at(-1) ?? 0]!
      const positions = new Set<number>([...nearest.ids, ...byWords])
      return {
        candidates: Array.from(positions, position =>
          candidate(position, dense.vectors.similarity(queryVector, position)),
        ),
        bound: evidenceOf(lastSimilarity, lastShare, readableShare),
      }
    },
  }
}
