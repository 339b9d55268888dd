import type { EvaluatedQuery, SearchSettings } from './evaluated-query.js'
import { countRight, f1Of, hit, mean, ndcg, recall, reciprocalRank, returned } from './metrics.js'

/** A figure that must be reached. */
export interface Requirement {
  /** As it was written. */
  readonly text: string
  readonly metric: Metric
  /** Results that count; undefined for the `topK` in force. */
  readonly k: number | undefined
  readonly isStrict: boolean
  readonly least: number
}

export interface CheckedRequirement {
  readonly text: string
  /** Null where there is no query to measure it on, which is a miss. */
  readonly value: number | null
  readonly isMet: boolean
  /** What is missing, 0 or more; null where nothing could be measured. */
  readonly missing: number | null
}

export const METRICS = ['recall', 'hit', 'ndcg', 'mrr', 'precision', 'f1', 'no-answer'] as const
export type Metric = (typeof METRICS)[number]

const WITHOUT_K: ReadonlySet<Metric> = new Set(['mrr', 'precision', 'f1', 'no-answer'])

/** Reads `recall@5>=0.95`; undefined for what is no requirement. */
export function parseRequirement(text: string): Requirement | undefined {
  const match = /^\s*([a-z][a-z0-9-]*)(?:@(\d+))?\s*(>=?)\s*(\d*\.?\d+)\s*$/i.exec(text)
  const metric = match?.[1]?.toLowerCase() as Metric | undefined
  if (!match || !metric || !METRICS.includes(metric)) return undefined
  const k = match[2] === undefined ? undefined : Number(match[2])
  const least = Number(match[4])
  if (least > 1 || k === 0 || (k !== undefined && WITHOUT_K.has(metric))) return undefined
  return { text: text.trim(), metric, k, isStrict: match[3] === '>', least }
}

// Sums in another order differ in their last digits.
const TOLERANCE = 1e-9

/** Measures what is required: over results above `minScore`, the first k of them, or the first `topK`. */
export function checkRequirements(
  requirements: readonly Requirement[],
  queries: readonly EvaluatedQuery[],
  settings: SearchSettings,
): CheckedRequirement[] {
  return requirements.map(({ text, metric, k, isStrict, least }) => {
    const value = measure(metric, queries, { ...settings, topK: k ?? settings.topK })
    if (Number.isNaN(value)) return { text, value: null, isMet: false, missing: null }
    const isMet = isStrict ? value > least : value >= least - TOLERANCE
    return { text, value, isMet, missing: isMet ? 0 : Math.max(0, least - value) }
  })
}

/** One figure over all queries; NaN where no query is of the kind that it is measured on. */
export function measure(metric: Metric, queries: readonly EvaluatedQuery[], settings: SearchSettings): number {
  const results = queries.map(query => ({ query, found: returned(query.ranked, settings) }))
  const answerable = results.filter(({ query }) => query.relevant.length > 0)
  const meanOf = (value: (one: (typeof results)[number]) => number) => mean(answerable.map(value))
  switch (metric) {
    case 'recall':
      return meanOf(({ query, found }) => recall(query, found))
    case 'hit':
      return meanOf(({ query, found }) => hit(query, found))
    case 'ndcg':
      return meanOf(({ query, found }) => ndcg(query, found, settings.topK))
    case 'mrr':
      return meanOf(({ query, found }) => reciprocalRank(query, found))
    case 'precision':
      return precisionOf(results)
    case 'f1': {
      const precision = precisionOf(results)
      return f1Of(Number.isNaN(precision) ? 0 : precision, measure('recall', queries, settings))
    }
    case 'no-answer': {
      const unanswerable = results.filter(({ query }) => query.relevant.length === 0)
      return mean(unanswerable.map(({ found }) => Number(found.length === 0)))
    }
  }
}

function precisionOf(results: readonly { query: EvaluatedQuery; found: readonly { name: string; score: number }[] }[]) {
  const right = results.reduce((sum, { query, found }) => sum + countRight(query.relevant, found), 0)
  return right / results.reduce((sum, { found }) => sum + found.length, 0)
}
