import type { DenseLayer, LexicalLayer } from '../layer-index.js'
import { lexicalSharesOf, weightQuery } from '../lexical/bm25.js'
import type { RemoteVectors } from '../vector/remote-vectors.js'
import { topK } from '../vector/top-k.js'
import type { VectorIndex } from '../vector/vector-index.js'
import { askStore } from './ask-store.js'
import { DEFAULT_WEIGHTS, type EvidenceWeights, evidenceOf } from './score.js'

/** One candidate with what speaks for it. */
export interface Candidate {
  /** Which layer of the catalog, and which position in it. */
  readonly layer: number
  readonly position: number
  /** The weighted sum that candidates are ranked by; `scoreOf` makes it the score. */
  readonly evidence: number
  readonly cosineSimilarity: number | undefined
  readonly lexicalShare: number
  /** Of a query searched in parts, too: what the part says for it that fits it best (`rankInParts`). */
  readonly part?: { readonly index: number; readonly candidate: Candidate } | undefined
}

/** Which layer of a catalog, and which position in it. */
export type Place = Pick<Candidate, 'layer' | 'position'>

export interface RankableLayer {
  readonly lexical: LexicalLayer
  readonly dense: DenseLayer | undefined
}

export interface RankedQuery {
  /**
   * The best candidates, best first, at most `limit`. With an HNSW index or a store they may be fewer: only those that no
   * document left out can beat. A store is asked for what may be among the `wanted` best (default: `limit`). Rejects
   * where it does not answer.
   */
  best(limit: number, wanted?: number): Promise<Candidate[]>
  /** Every candidate, best first, exact; of a store the best `limit` or more. */
  all(limit?: number): Promise<Candidate[]>
  /** Whether all candidates cost so much (a store is asked, or several queries) that it pays to ask for some more first. */
  readonly isCostly: boolean
}

/** A query ranked as a whole or as a part of one. */
export interface RankedPart extends RankedQuery {
  /** The candidates among which `best` is certain of some, in no order, and what no document beyond them exceeds. */
  pool(limit: number, wanted: number): Promise<Pool>
  /** What the query says for documents. Of those that a store does not have, their words alone. */
  candidatesAt(places: readonly Place[]): Promise<Candidate[]>
}

export interface Pool {
  readonly candidates: readonly Candidate[]
  readonly bound: number
}

/** A query as it is ranked by. */
export interface QueryToRank {
  readonly text: string
  /** Absent where only the lexical part can be asked. */
  readonly vector: Float32Array | undefined
  /** Share (0–1) of it that the model can read. */
  readonly readableShare: number
  /** How likely (0–1) it is no request. */
  readonly smallTalk: number
}

/**
 * Ranks the documents of all layers for one query. Without its vector, a document with none of the query's terms is no
 * candidate.
 */
export function rankQuery(
  { text, vector: queryVector, readableShare, smallTalk }: QueryToRank,
  layers: readonly RankableLayer[],
  weights: EvidenceWeights = DEFAULT_WEIGHTS,
): RankedPart {
  const weighted = weightQuery(
    text,
    layers.map(layer => layer.lexical.lexical),
  )
  const readable = queryVector ? readableShare : 0
  const asked = layers.map((layer, index) =>
    scoreLayer(layer, index, lexicalSharesOf(layer.lexical.lexical, weighted), queryVector, {
      readableShare: readable,
      smallTalk,
      weights,
    }),
  )
  async function pool(limit: number, wanted: number): Promise<Pool> {
    const pools = await Promise.all(asked.map(layer => layer.best(limit, wanted)))
    return { candidates: pools.flatMap(each => each.candidates), bound: Math.max(...pools.map(each => each.bound)) }
  }
  return {
    isCostly: layers.some(({ dense }) => dense?.vectors.kind === 'remote'),
    pool,
    best: async (limit, wanted = limit) => certain(await pool(limit, wanted), limit),
    all: async limit => sorted((await Promise.all(asked.map(layer => layer.all(limit)))).flat()),
    async candidatesAt(places) {
      const at = (layer: number) => places.filter(place => place.layer === layer).map(({ position }) => position)
      return (await Promise.all(asked.map((layer, index) => layer.at(at(index))))).flat()
    },
  }
}

/** The best `limit` of a pool that no document beyond it exceeds, best first. */
export function certain({ candidates, bound }: Pool, limit: number): Candidate[] {
  return sorted(candidates.filter(({ evidence }) => evidence >= bound)).slice(0, limit)
}

// Ties keep the catalog's order, so that equal tools come in the order in which the user listed them.
export function sorted(candidates: Candidate[]): Candidate[] {
  return candidates.sort((a, b) => b.evidence - a.evidence || a.layer - b.layer || a.position - b.position)
}

function scoreLayer(
  { lexical, dense }: RankableLayer,
  layer: number,
  lexicalShares: Float32Array,
  queryVector: Float32Array | undefined,
  { readableShare, smallTalk, weights }: { readableShare: number; smallTalk: number; weights: EvidenceWeights },
) {
  const size = lexical.documents.length
  const useVectors = queryVector !== undefined && dense !== undefined && readableShare > 0

  const evidenceAt = (position: number, cosineSimilarity: number | undefined) => {
    const cosine = cosineSimilarity === undefined ? 0 : cosineSimilarity * dense!.readableShares[position]!
    return evidenceOf(cosine, lexicalShares[position]!, useVectors ? readableShare : 0, smallTalk, weights)
  }

  const candidate = (position: number, cosineSimilarity: number | undefined): Candidate => ({
    layer,
    position,
    evidence: evidenceAt(position, cosineSimilarity),
    cosineSimilarity,
    lexicalShare: lexicalShares[position]!,
  })

  function withAllVectors(vectors: VectorIndex, limit: number): Candidate[] {
    const similarities = vectors.similarities(queryVector!)
    const evidence = new Float64Array(size)
    for (let i = 0; i < size; i++) evidence[i] = evidenceAt(i, similarities[i]!)
    return Array.from(topK(evidence, limit), position => candidate(position, similarities[position]!))
  }

  // The evidence for a document without any of the query's words, where the words alone decide.
  const withoutWords = evidenceOf(0, 0, 0, smallTalk, weights)

  function lexicalOnly(limit: number): Candidate[] {
    const found = Array.from(topK(lexicalShares, limit), position => candidate(position, undefined))
    return found.filter(({ lexicalShare }) => lexicalShare > 0)
  }

  /** The most evidence that a document of this share may have, which is not nearer than `similarity`. */
  function mostEvidence(similarity: number, share: number): number {
    return evidenceOf(Math.max(0, similarity), share, readableShare, smallTalk, weights)
  }

  async function ofStore(vectors: RemoteVectors, limit: number, wanted: number): Promise<Pool> {
    const question = { vectors, queryVector: queryVector!, lexicalShares, evidenceAt, mostEvidence }
    const { positions, similarities, bound } = await askStore(question, limit, wanted)
    return { candidates: positions.map(position => candidate(position, similarities.get(position))), bound }
  }

  return {
    async all(limit = size): Promise<Candidate[]> {
      if (!useVectors) return lexicalOnly(size)
      const { vectors } = dense
      if (vectors.kind !== 'remote') return withAllVectors(vectors, size)
      const most = Math.min(limit, size)
      return [...(await ofStore(vectors, most, most)).candidates]
    },
    async at(positions: readonly number[]): Promise<Candidate[]> {
      if (positions.length === 0 || !useVectors) return positions.map(position => candidate(position, undefined))
      const { vectors } = dense
      if (vectors.kind !== 'remote') {
        const similarity = vectors.similarityTo(queryVector)
        return positions.map(position => candidate(position, similarity(position)))
      }
      const similarities = await vectors.similaritiesTo(queryVector, positions)
      return positions.map(position => candidate(position, similarities.get(position)))
    },
    /** The best candidates, and the evidence that no document of this layer beyond them exceeds, as far as they count. */
    async best(limit: number, wanted: number): Promise<Pool> {
      if (!useVectors) {
        const found = lexicalOnly(limit)
        // What is not found has no more than the last, or none of the words.
        return { candidates: found, bound: found.length < limit ? withoutWords : found.at(-1)!.evidence }
      }
      const { vectors } = dense
      if (vectors.kind === 'remote') return ofStore(vectors, limit, wanted)
      if (vectors.kind === 'exact' || limit >= size) {
        const best = withAllVectors(vectors, limit)
        return { candidates: best, bound: best.length < size ? best.at(-1)!.evidence : Number.NEGATIVE_INFINITY }
      }
      // Fagin's threshold: a document in neither list has at most the last similarity of one and the last share of the
      // other, so that whatever has more evidence than both together is certain to be among the best.
      const nearest = vectors.nearest(queryVector, limit)
      const byWords = topK(lexicalShares, limit)
      const positions = new Set<number>([...nearest.ids, ...byWords])
      const similarity = vectors.similarityTo(queryVector)
      return {
        candidates: Array.from(positions, position => candidate(position, similarity(position))),
        bound: mostEvidence(nearest.similarities.at(-1) ?? 0, lexicalShares[byWords.at(-1) ?? 0]!),
      }
    },
  }
}
