import { hasWords } from './lexical/tokens.js'

// A whole page of text is no request for a tool, and its first part says what is wanted.
const MAX_QUERY_CHARACTERS = 4_000

/**
 * What of a query is searched for: trimmed, at most 4,000 UTF-16 code units, lone surrogates replaced. Undefined where that has no
 * words.
 */
export function searchedText(query: string): string | undefined {
  const text = query.trim().slice(0, MAX_QUERY_CHARACTERS).toWellFormed()
  return hasWords(text) ? text : undefined
}
