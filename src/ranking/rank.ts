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
  /** The best `limit` candidates, best first. With an HNSW index, near ties at the end may be approximate. */
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
    best: limit => sorted(asked.flatMap(layer => layer.best(limit))).slice(0, limit),
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
    best(limit: number): Candidate[] {
      if (!useVectors) return lexicalOnly(limit)
      if (dense.vectors.kind === 'exact' || limit >= size) return withAllVectors(limit)
      // The best by the sum are among the best by either part, but for near ties; both lists are cut at `limit`.
      const positions = new Set<number>(dense.vectors.nearest(queryVector, limit).ids)
      for (const position of topK(lexicalShares, limit)) positions.add(position)
      return Array.from(positions, position => candidate(position, dense.vectors.similarity(queryVector, position)))
    },
  }
}
