import type { EvaluatedQuery, RankedTool, SearchSettings } from './evaluated-query.js'
import { returned } from './metrics.js'

/** A tool with its place in the ranking, from 1. */
export interface PlacedTool extends RankedTool {
  readonly rank: number
}

/**
 * Why a relevant tool is not returned: `rank` (below `topK`), `score` (at or below `minScore`), or `unranked` (not among
 * the tools that were ranked at all).
 */
export type MissReason = 'rank' | 'score' | 'unranked'

/** A query whose relevant tool is not returned. */
export interface Failure {
  readonly query: string
  readonly isDraft: boolean
  readonly tool: string
  readonly reason: MissReason
  /** Null where it was not ranked. */
  readonly rank: number | null
  readonly score: number | null
  /** What stands above it and is not relevant, best first. */
  readonly beatenBy: readonly PlacedTool[]
}

/** A query that no tool fits, and for which tools are returned. */
export interface FalseAnswer {
  readonly query: string
  readonly isDraft: boolean
  readonly returned: readonly PlacedTool[]
}

// What a reader can compare.
const SHOWN_TOOLS = 5

const GRAVITY: Record<MissReason, number> = { unranked: 0, rank: 1, score: 2 }

/** Every relevant tool that is not returned, the worst first: not ranked, then by rank, then those a score cut. */
export function failuresOf(queries: readonly EvaluatedQuery[], settings: SearchSettings): Failure[] {
  const failures = queries.flatMap(query => {
    const got = new Set(returned(query.ranked, settings).map(({ name }) => name))
    return query.relevant.filter(tool => !got.has(tool)).map(tool => failureOf(query, tool, settings))
  })
  return failures.sort(
    (a, b) => GRAVITY[a.reason] - GRAVITY[b.reason] || (b.rank ?? 0) - (a.rank ?? 0) || (a.score ?? 0) - (b.score ?? 0),
  )
}

function failureOf(
  { query, isDraft, relevant, ranked }: EvaluatedQuery,
  tool: string,
  { topK }: SearchSettings,
): Failure {
  const place = ranked.findIndex(({ name }) => name === tool)
  const above = placed(place === -1 ? ranked : ranked.slice(0, place))
  return {
    query,
    isDraft,
    tool,
    reason: place === -1 ? 'unranked' : place >= topK ? 'rank' : 'score',
    rank: place === -1 ? null : place + 1,
    score: place === -1 ? null : ranked[place]!.score,
    beatenBy: above.filter(({ name }) => !relevant.includes(name)).slice(0, SHOWN_TOOLS),
  }
}

/** The unanswerable queries that return something, the highest score first. */
export function falseAnswersOf(queries: readonly EvaluatedQuery[], settings: SearchSettings): FalseAnswer[] {
  return queries
    .filter(({ relevant }) => relevant.length === 0)
    .map(({ query, isDraft, ranked }) => ({
      query,
      isDraft,
      returned: placed(returned(ranked, settings)).slice(0, SHOWN_TOOLS),
    }))
    .filter(answer => answer.returned.length > 0)
    .sort((a, b) => b.returned[0]!.score - a.returned[0]!.score)
}

const placed = (tools: readonly RankedTool[]): PlacedTool[] => tools.map((tool, at) => ({ ...tool, rank: at + 1 }))
