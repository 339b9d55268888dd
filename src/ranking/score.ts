/**
 * The one place that turns evidence into a score.
 *
 * A candidate's evidence is its cosine similarity to the query and its lexical share: its BM25 score as a share of what
 * a document fully matching every term of the query would score. Both are absolute, not relative to the best candidate,
 * so that scores of different queries compare. They are added with fixed weights (a weighted sum was better than rank
 * fusion on every corpus) and mapped to 0–1 by the logistic function, which was fitted so that a score is about the
 * share of results with that score that are relevant. See bench/README.md for the corpora and figures.
 */
const HYBRID = { cosine: 10, lexicalShare: 13, bias: -7 } as const

// Where the model cannot read the query, or is not available, the lexical share alone decides.
const LEXICAL = { lexicalShare: 13, bias: -4 } as const

/**
 * Results at or below it are left out, unless `search.minScore` says otherwise: the highest that loses at most 1 % of
 * the relevant tools found in the top 5 on the corpora (bench/quality.ts).
 */
export const DEFAULT_MIN_SCORE = 0.05

/** The highest score of a tool whose exact name is not in the query. */
const MAX_INEXACT_SCORE = 0.99

/** The score of a tool whose exact name is in the query. */
export const EXACT_NAME_SCORE = 1

/** Weights of one query's evidence. */
export interface EvidenceWeights {
  readonly cosine: number
  readonly lexicalShare: number
  readonly bias: number
}

/** The weights for a query of which the model can read `readableShare` (0–1): 0 leaves the lexical share alone. */
export function evidenceWeights(readableShare: number): EvidenceWeights {
  const unreadable = 1 - readableShare
  return {
    cosine: readableShare * HYBRID.cosine,
    lexicalShare: readableShare * HYBRID.lexicalShare + unreadable * LEXICAL.lexicalShare,
    bias: readableShare * HYBRID.bias + unreadable * LEXICAL.bias,
  }
}

/** The score (0–0.99) of summed evidence: rises with it, so that candidates can be ranked by the sum alone. */
export function scoreOf(evidence: number): number {
  return Math.min(MAX_INEXACT_SCORE, 1 / (1 + Math.exp(-evidence)))
}
