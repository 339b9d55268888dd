import { tokenize } from '../lexical/tokens.js'
import type { EvaluatedQuery } from './evaluated-query.js'

/** A relevant tool, and the tool that stood right above it. */
export interface Confusion {
  readonly tool: string
  readonly other: string
  /** Of so many queries. */
  readonly queries: number
  readonly examples: readonly string[]
  /** Words of the one's text that the other's lacks, rare ones first: what would tell them apart. */
  readonly words: { readonly tool: readonly string[]; readonly other: readonly string[] }
}

const EXAMPLES = 3
const WORDS = 8

/**
 * Pairs of tools that the search takes for each other, the most frequent first: for each relevant tool that is not at the
 * top, the nearest tool above it that is not relevant. `texts` gives a tool's document.
 */
export function confusionsOf(queries: readonly EvaluatedQuery[], texts: ReadonlyMap<string, string>): Confusion[] {
  const pairs = new Map<string, { tool: string; other: string; queries: string[] }>()
  for (const { query, relevant, ranked } of queries) {
    for (const tool of relevant) {
      const place = ranked.findIndex(({ name }) => name === tool)
      const above = place === -1 ? [] : ranked.slice(0, place).filter(({ name }) => !relevant.includes(name))
      const other = above.at(-1)?.name
      if (other === undefined) continue
      const key = JSON.stringify([tool, other])
      const known = pairs.get(key)
      if (known) known.queries.push(query)
      else pairs.set(key, { tool, other, queries: [query] })
    }
  }
  const rarity = documentFrequencies(texts)
  return [...pairs.values()]
    .sort((a, b) => b.queries.length - a.queries.length || a.tool.localeCompare(b.tool, 'en'))
    .map(pair => ({
      tool: pair.tool,
      other: pair.other,
      queries: pair.queries.length,
      examples: pair.queries.slice(0, EXAMPLES),
      words: {
        tool: wordsOnlyIn(texts.get(pair.tool) ?? '', texts.get(pair.other) ?? '', rarity),
        other: wordsOnlyIn(texts.get(pair.other) ?? '', texts.get(pair.tool) ?? '', rarity),
      },
    }))
}

/** The words as they are written, whose tokens the other text does not have. */
function wordsOnlyIn(text: string, other: string, frequencies: ReadonlyMap<string, number>): string[] {
  const known = new Set(tokenize(other))
  const words = new Map<string, string>()
  for (const [word] of text.matchAll(/[\p{L}\p{M}\p{N}]+/gu)) {
    const tokens = tokenize(word)
    // Single letters are what an apostrophe leaves.
    if (/^[a-z]$/i.test(word) || tokens.length === 0 || tokens.some(token => known.has(token))) continue
    const [token] = tokens as [string]
    if (!words.has(token)) words.set(token, word.toLowerCase())
  }
  return [...words]
    .sort(([a], [b]) => (frequencies.get(a) ?? 0) - (frequencies.get(b) ?? 0))
    .slice(0, WORDS)
    .map(([, word]) => word)
}

/** In how many texts each token is. */
export function documentFrequencies(texts: ReadonlyMap<string, string>): Map<string, number> {
  const frequencies = new Map<string, number>()
  for (const text of texts.values()) {
    for (const token of new Set(tokenize(text))) frequencies.set(token, (frequencies.get(token) ?? 0) + 1)
  }
  return frequencies
}
