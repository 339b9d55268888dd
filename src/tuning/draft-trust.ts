import { tokenize } from '../lexical/tokens.js'
import type { EvaluatedQuery } from './evaluated-query.js'
import { mean } from './metrics.js'

/** How much drafts give away: the share of a query's words that its tool's text has, too. Null where there are none. */
export interface DraftTrust {
  readonly drafts: number
  /** Mean over answerable drafts. */
  readonly sharedWords: number | null
  /** Mean over the other answerable queries. */
  readonly sharedWordsOfOthers: number | null
}

/** Null where no query is a draft. */
export function draftTrust(queries: readonly EvaluatedQuery[], texts: ReadonlyMap<string, string>): DraftTrust | null {
  const drafts = queries.filter(({ isDraft }) => isDraft)
  if (drafts.length === 0) return null
  return {
    drafts: drafts.length,
    sharedWords: sharedWords(drafts, texts),
    sharedWordsOfOthers: sharedWords(
      queries.filter(({ isDraft }) => !isDraft),
      texts,
    ),
  }
}

/** Mean over answerable queries of the share of their words that the nearest relevant tool's text has. */
export function sharedWords(queries: readonly EvaluatedQuery[], texts: ReadonlyMap<string, string>): number | null {
  const tokensOf = new Map<string, ReadonlySet<string>>()
  const textTokens = (name: string) => {
    const tokens = tokensOf.get(name) ?? new Set(tokenize(texts.get(name) ?? ''))
    tokensOf.set(name, tokens)
    return tokens
  }
  const shares = queries.flatMap(({ query, relevant }) => {
    const tokens = [...new Set(tokenize(query))]
    if (tokens.length === 0 || relevant.length === 0) return []
    const counts = relevant.map(name => tokens.filter(token => textTokens(name).has(token)).length)
    return [Math.max(...counts) / tokens.length]
  })
  return shares.length === 0 ? null : mean(shares)
}
