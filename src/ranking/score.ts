/**
 * The one place that turns evidence into a score.
 *
 * A candidate's evidence is its cosine similarity to the query and its lexical share: its BM25 score as a share of what
 * a document fully matching every term of the query, and some terms more, would score (`weightQuery`). Both are absolute,
 * not relative to the best candidate, so that scores of different queries compare. They are added with fixed weights (a
 * weighted sum was better than rank fusion on every corpus) and mapped to 0–1 by the logistic function, which was fitted
 * so that a score is about the share of results with that score that are relevant. These weights are of the bundled
 * model (bench/fit-score.ts: `cosine` is the slope, `lexicalShare` 3.2 times it), and serve other embedders, too, until
 * an index brings weights fitted to its own (`calibrateToolIndex`).
 */
export const DEFAULT_WEIGHTS: EvidenceWeights = { cosine: 4.54, lexicalShare: 14.5, bias: -3.98 }

/** How cosine similarity and lexical share add up to evidence: what the logistic function makes a score of. */
export interface EvidenceWeights {
  /** Above 0. */
  readonly cosine: number
  /** 0 or more. */
  readonly lexicalShare: number
  /** Evidence of a tool that is not similar and shares no word. */
  readonly bias: number
}

/** Beyond, scores are 0 or 0.99 for nearly all tools, or tools that are more similar score no higher. */
export const WEIGHT_LIMITS = { leastCosine: 0.001, most: 1_000_000 } as const

/** Whether weights are such as an index may store. */
export function isInRange({ cosine, lexicalShare, bias }: EvidenceWeights): boolean {
  const { leastCosine, most } = WEIGHT_LIMITS
  return cosine >= leastCosine && cosine <= most && lexicalShare >= 0 && lexicalShare <= most && Math.abs(bias) <= most
}

// What small talk loses of its evidence, with all results of a request, or of a clause, alike. On corpora and lines left
// out, small talk returns nothing at the default minScore in 60 % without it, and in 90 % with; more would cost requests
// that sound like it.
export const SMALL_TALK = 1.5

// Where the model cannot read the query, or is not available, the lexical share alone decides. Its logarithm fits better:
// shares are small, and differences near 0 are what tells noise.
const LEXICAL = { logLexicalShare: 2.0, bias: 4.22, leastShare: 0.002 } as const

/**
 * Results at or below it are left out, unless `search.minScore` says otherwise: loses less than 1 % of the relevant tools
 * found in the top 5, as the mean over nine corpora, where 0.053 loses 1 % (bench/fit-score.ts, with query heads learned
 * without each corpus; what it does is measured by bench/benchmarks/no-answer.ts).
 */
export const DEFAULT_MIN_SCORE = 0.048

/** The highest score of a tool whose exact name is not in the query. */
const MAX_INEXACT_SCORE = 0.99

/** The score of a tool whose exact name is in the query. */
export const EXACT_NAME_SCORE = 1

/**
 * The summed evidence for one candidate, which candidates are ranked by; `scoreOf` makes it the score.
 * `readableShare` (0–1) says how much of the query the model can read: at 0 the lexical share alone counts. `smallTalk`
 * (0–1) says how likely the query, as far as it is read, is no request.
 */
export function evidenceOf(
  cosineSimilarity: number,
  lexicalShare: number,
  readableShare: number,
  smallTalk = 0,
  weights: EvidenceWeights = DEFAULT_WEIGHTS,
): number {
  const hybrid =
    weights.cosine * cosineSimilarity + weights.lexicalShare * lexicalShare + weights.bias - SMALL_TALK * smallTalk
  if (readableShare === 1) return hybrid
  const share = Math.max(lexicalShare, LEXICAL.leastShare)
  return readableShare * hybrid + (1 - readableShare) * (LEXICAL.logLexicalShare * Math.log(share) + LEXICAL.bias)
}

/** The score (0–0.99) of summed evidence: rises with it, so that candidates can be ranked by the sum alone. */
export function scoreOf(evidence: number): number {
  return Math.min(MAX_INEXACT_SCORE, 1 / (1 + Math.exp(-evidence)))
}
