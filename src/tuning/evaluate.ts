import type { ToolSearcher } from '../searcher.js'
import { type EvaluatedQuery, type LabelledQuery, RANKED_DEPTH, type RankedTool } from './evaluated-query.js'

export interface EvaluateOptions {
  /** Tools ranked for each query. */
  readonly depth?: number | undefined
  readonly onProgress?: ((done: number, total: number) => void) | undefined
  readonly abortSignal?: AbortSignal | undefined
}

/**
 * Asks the searcher for each query, once for each text, without a `minScore`. One after the other: embedding takes the
 * time (some 5 ms a query), and uses all cores by itself.
 */
export async function evaluateQueries(
  queries: readonly LabelledQuery[],
  searcher: ToolSearcher,
  { depth = RANKED_DEPTH, onProgress, abortSignal }: EvaluateOptions = {},
): Promise<EvaluatedQuery[]> {
  const rankings = new Map<string, readonly RankedTool[]>()
  const evaluated: EvaluatedQuery[] = []
  for (const labelled of queries) {
    abortSignal?.throwIfAborted()
    onProgress?.(evaluated.length, queries.length)
    let ranked = rankings.get(labelled.query)
    if (!ranked) {
      ranked = (await searcher.search(labelled.query, { topK: depth, minScore: 0, abortSignal })).results
      rankings.set(labelled.query, ranked)
    }
    evaluated.push({ ...labelled, ranked })
  }
  onProgress?.(evaluated.length, queries.length)
  return evaluated
}
