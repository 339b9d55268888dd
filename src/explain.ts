import type { Catalog, CatalogEntry } from './catalog/catalog.js'
import type { Candidate, RankedQuery } from './ranking/rank.js'
import { EXACT_NAME_SCORE, scoreOf } from './ranking/score.js'
import type { CandidateExplanation, SearchResult } from './searcher-types.js'

/** Most candidates explained, beyond the results and what the filter refused. */
const MAX_EXPLAINED = 100

// Of a store, which is not asked for all that it has.
const MAX_RANKED_REMOTELY = 1_000

/** For each of the best candidates, its parts, its rank in each, and what cut it. Asks the exact index for all ranks. */
export async function explainCandidates(search: {
  catalog: Catalog
  ranked: RankedQuery
  /** What was searched: the query, and its clauses. */
  queries: readonly { readonly text: string }[]
  named: readonly CatalogEntry[]
  results: readonly SearchResult[]
  refused: ReadonlySet<string>
  minScore: number
}): Promise<CandidateExplanation[]> {
  const { catalog, ranked, queries, results, refused, minScore } = search
  const named = search.named.map(entry => entry.name)
  const returned = new Set(results.map(result => result.name))
  const all = await ranked.all(MAX_RANKED_REMOTELY)
  const nameOf = (candidate: (typeof all)[number]) => catalog.layers[candidate.layer]!.entries[candidate.position]!.name
  const denseRanks = ranksBy(all, candidate => candidate.cosineSimilarity ?? Number.NEGATIVE_INFINITY)
  const lexicalRanks = ranksBy(all, candidate => candidate.lexicalShare)

  const explained = all.map((candidate): Omit<CandidateExplanation, 'rank' | 'cut'> => {
    const name = nameOf(candidate)
    const exactName = named.includes(name)
    return {
      name,
      exactName,
      score: exactName ? EXACT_NAME_SCORE : scoreOf(candidate.evidence),
      dense:
        candidate.cosineSimilarity === undefined
          ? undefined
          : { cosineSimilarity: candidate.cosineSimilarity, rank: denseRanks.get(candidate)! },
      lexical:
        candidate.lexicalShare > 0 ? { share: candidate.lexicalShare, rank: lexicalRanks.get(candidate)! } : undefined,
      ...(candidate.part && { clause: clauseOf(candidate.part) }),
    }
  })
  for (const name of named) {
    // A tool found by its name alone: none of its words need be tokens of the query.
    if (explained.some(candidate => candidate.name === name)) continue
    explained.push({ name, exactName: true, score: EXACT_NAME_SCORE, dense: undefined, lexical: undefined })
  }
  const order = (name: string, exactName: boolean) => (exactName ? named.indexOf(name) : named.length)
  return explained
    .sort((a, b) => order(a.name, a.exactName) - order(b.name, b.exactName) || b.score - a.score)
    .map((candidate, at) => ({ ...candidate, rank: at + 1, cut: cutOf(candidate.name, candidate.score) }))
    .filter(({ name, rank }) => rank <= MAX_EXPLAINED || returned.has(name) || refused.has(name))

  function clauseOf({ index, candidate }: NonNullable<Candidate['part']>): CandidateExplanation['clause'] {
    const { cosineSimilarity, lexicalShare } = candidate
    return { text: queries[1 + index]!.text, cosineSimilarity, share: lexicalShare }
  }

  function cutOf(name: string, score: number): CandidateExplanation['cut'] {
    if (returned.has(name)) return undefined
    if (refused.has(name)) return 'filter'
    return score <= minScore ? 'score' : 'topK'
  }
}

function ranksBy<T>(items: readonly T[], value: (item: T) => number): Map<T, number> {
  const order = [...items].sort((a, b) => value(b) - value(a))
  return new Map(order.map((item, at) => [item, at + 1]))
}
