import type { Catalog, CatalogEntry } from './catalog/catalog.js'
import type { Candidate, RankedQuery } from './ranking/rank.js'
import { EXACT_NAME_SCORE, scoreOf } from './ranking/score.js'
import type { RankedCandidate, SearchOptions, SearchResult } from './searcher-types.js'
import { untilAborted } from './wait.js'

// Where all candidates are costly, so many times more are asked for each time that the filter has refused what was found.
const GROWTH = 8

/** Candidates in rank order: tools whose exact name is in the query first, then by evidence; each tool once. */
export async function* candidatesOf(
  catalog: Catalog,
  named: readonly CatalogEntry[],
  ranked: RankedQuery,
  { limit, wanted }: { limit: number; wanted: number },
): AsyncGenerator<RankedCandidate> {
  const seen = new Set<string>()
  for (const entry of named) {
    seen.add(entry.name)
    yield { entry, score: EXACT_NAME_SCORE }
  }
  const fresh = function* (candidates: readonly Candidate[]): Generator<RankedCandidate> {
    for (const { layer, position, evidence } of candidates) {
      const { name } = catalog.layers[layer]!.entries[position]!
      if (seen.has(name)) continue
      seen.add(name)
      // The request's own instance, where it brought one of a static tool.
      const entry = catalog.byName(name)!
      yield { entry, score: scoreOf(evidence) }
    }
  }
  yield* fresh(await ranked.best(limit, wanted))
  // Reached only when the filter refused so many, or `topK` exceeds what the index gave.
  if (ranked.isCostly) {
    for (let most = limit; most * GROWTH < catalog.size; most *= GROWTH) {
      yield* fresh(await ranked.best(most * GROWTH, most))
    }
  }
  if (seen.size < catalog.size) yield* fresh(await ranked.all())
}

/** The results among candidates in rank order, and those that `accept` refused; what throws there is a refusal. */
export async function select(
  candidates: AsyncIterable<RankedCandidate>,
  { topK, minScore, accept }: { topK: number; minScore: number; accept: SearchOptions['accept'] },
  abortSignal: AbortSignal | undefined,
): Promise<{ results: SearchResult[]; refused: Set<string> }> {
  const results: SearchResult[] = []
  const refused = new Set<string>()
  for await (const { entry, score } of candidates) {
    // In rank order, so that nothing better can follow.
    if (score <= minScore) break
    abortSignal?.throwIfAborted()
    if (!accept || (await untilAborted(accepts(accept, entry), abortSignal))) results.push({ name: entry.name, score })
    else refused.add(entry.name)
    if (results.length >= topK) break
  }
  return { results, refused }
}

async function accepts(accept: NonNullable<SearchOptions['accept']>, entry: CatalogEntry): Promise<boolean> {
  try {
    return Boolean(await accept(entry))
  } catch {
    return false
  }
}
