import type { EvaluatedQuery, RankedTool, SearchSettings } from './evaluated-query.js'

// Definitions as in Manning, Raghavan and Schütze, "Introduction to Information Retrieval" (2008), chapter 8, with binary
// relevance. Per query here; `curve.ts` has those over all queries.

/** What a search with these settings returns: the first `topK` that score above `minScore`. */
export function returned(ranked: readonly RankedTool[], { topK, minScore }: SearchSettings): readonly RankedTool[] {
  const first = ranked.slice(0, topK)
  const end = first.findIndex(({ score }) => score <= minScore)
  return end === -1 ? first : first.slice(0, end)
}

/** Share of the relevant tools that are returned. Of answerable queries only. */
export function recall({ relevant }: EvaluatedQuery, results: readonly RankedTool[]): number {
  return countRight(relevant, results) / relevant.length
}

/** 1 where a relevant tool is returned, else 0. */
export function hit({ relevant }: EvaluatedQuery, results: readonly RankedTool[]): number {
  return results.some(({ name }) => relevant.includes(name)) ? 1 : 0
}

/** nDCG over the first `k`: gains of 1 / log2(rank + 1), over those of an ideal order (Järvelin and Kekäläinen 2002). */
export function ndcg({ relevant }: EvaluatedQuery, results: readonly RankedTool[], k: number): number {
  const discount = (at: number) => 1 / Math.log2(at + 2)
  let gain = 0
  let ideal = 0
  results.slice(0, k).forEach(({ name }, at) => {
    if (relevant.includes(name)) gain += discount(at)
  })
  for (let at = 0; at < Math.min(k, relevant.length); at++) ideal += discount(at)
  return gain / ideal
}

/** 1 over the rank of the first relevant tool; 0 where there is none. */
export function reciprocalRank({ relevant }: EvaluatedQuery, results: readonly RankedTool[]): number {
  const at = results.findIndex(({ name }) => relevant.includes(name))
  return at === -1 ? 0 : 1 / (at + 1)
}

export function countRight(relevant: readonly string[], results: readonly RankedTool[]): number {
  return results.reduce((count, { name }) => count + Number(relevant.includes(name)), 0)
}

/** NaN of nothing. */
export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

/** The harmonic mean of precision and recall; 0 where both are 0. */
export function f1Of(precision: number, recallValue: number): number {
  const sum = precision + recallValue
  return sum === 0 ? 0 : (2 * precision * recallValue) / sum
}
