/** nDCG@k with binary relevance: DCG with 1 / log2(rank + 1), over that of an ideal ranking. */
export function ndcgAt(k: number, ranked: readonly string[], relevant: ReadonlySet<string>): number {
  let gain = 0
  let ideal = 0
  for (let rank = 1; rank <= k; rank++) {
    const discount = 1 / Math.log2(rank + 1)
    const name = ranked[rank - 1]
    if (name !== undefined && relevant.has(name)) gain += discount
    if (rank <= relevant.size) ideal += discount
  }
  return ideal === 0 ? 0 : gain / ideal
}

/** Share of the relevant tools that are among the first `k`. */
export function recallAt(k: number, ranked: readonly string[], relevant: ReadonlySet<string>): number {
  const found = ranked.slice(0, k).filter(name => relevant.has(name)).length
  return relevant.size === 0 ? 0 : found / relevant.size
}

/** 1 when a relevant tool is among the first `k`, else 0. */
export function hitAt(k: number, ranked: readonly string[], relevant: ReadonlySet<string>): number {
  return ranked.slice(0, k).some(name => relevant.has(name)) ? 1 : 0
}

/**
 * Area under the ROC curve: the chance that a positive scores above a negative, ties counting half
 * (the Mann–Whitney statistic).
 */
export function areaUnderCurve(positives: readonly number[], negatives: readonly number[]): number {
  const all = [
    ...positives.map(score => ({ score, positive: true })),
    ...negatives.map(score => ({ score, positive: false })),
  ].sort((a, b) => a.score - b.score)
  let rankSum = 0
  for (let i = 0; i < all.length; ) {
    let end = i
    while (end < all.length && all[end]!.score === all[i]!.score) end++
    const meanRank = (i + 1 + end) / 2
    for (let j = i; j < end; j++) if (all[j]!.positive) rankSum += meanRank
    i = end
  }
  const n = positives.length
  return (rankSum - (n * (n + 1)) / 2) / (n * negatives.length)
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

/** 1 over the rank of the first relevant tool among the first `k`, 0 where there is none; its mean is MRR@k. */
export function reciprocalRankAt(k: number, ranked: readonly string[], relevant: ReadonlySet<string>): number {
  const at = ranked.slice(0, k).findIndex(name => relevant.has(name))
  return at === -1 ? 0 : 1 / (at + 1)
}
