import type { EvaluatedQuery } from '../../src/tuning/evaluated-query.js'

/** An evaluated query; `ranked` as pairs of name and score, best first. */
export function evaluated(
  relevant: readonly string[],
  ranked: readonly (readonly [name: string, score: number])[],
  query = 'q',
): EvaluatedQuery {
  return { query, relevant, isDraft: false, ranked: ranked.map(([name, score]) => ({ name, score })) }
}

/**
 * A hundred queries with known distributions: the right tool of the i-th scores i/200 + 0.3 (0.305 to 0.8) and stands at
 * rank 1 for 80 of them, at rank 3 for 15, at rank 7 for 4; for one it is not ranked. Fifty that nothing fits, whose best
 * tool scores i/100 (0.01 to 0.5).
 */
export function knownDistributions(): EvaluatedQuery[] {
  const answerable = Array.from({ length: 100 }, (_, at) => {
    const score = (at + 1) / 200 + 0.3
    const rank = at < 80 ? 1 : at < 95 ? 3 : at < 99 ? 7 : 0
    const above = Array.from({ length: Math.max(0, rank - 1) }, (_, place) => [`x${place}`, score + 0.1] as const)
    const below = Array.from({ length: 10 }, (_, place) => [`y${place}`, 0.005] as const)
    return evaluated(['a'], [...above, ...(rank > 0 ? [['a', score] as const] : []), ...below], `answerable ${at}`)
  })
  const unanswerable = Array.from({ length: 50 }, (_, at) => evaluated([], [['z', (at + 1) / 100]], `nothing ${at}`))
  return [...answerable, ...unanswerable]
}
