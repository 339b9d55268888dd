import { distance } from 'fastest-levenshtein'
import { show } from '../show.js'
import type { BadLine, NumberedQuery, ReadQueries } from './queries-file.js'

/** Sets lines apart that name a tool which the catalog does not have, with names that it has. */
export function withKnownNames(read: ReadQueries, names: ReadonlySet<string>): ReadQueries {
  const suggestions = new Map<string, readonly string[]>()
  const suggest = (wanted: string) => {
    let found = suggestions.get(wanted)
    // Each is a comparison with all names: of a wrong file, thousands of lines need none.
    if (!found) found = suggestions.size < MAX_SUGGESTED ? nearestNames(wanted, names) : []
    suggestions.set(wanted, found)
    return found
  }
  const unknown: BadLine[] = []
  const isKnown = ({ relevant, line }: NumberedQuery) => {
    const wrong = relevant.filter(name => !names.has(name))
    for (const name of wrong) {
      const near = suggest(name)
      const hint = near.length > 0 ? ` Did you mean ${near.map(show).join(' or ')}?` : ''
      unknown.push({ line, reason: `there is no tool ${show(name)}.${hint}` })
    }
    return wrong.length === 0
  }
  const queries = read.queries.filter(isKnown)
  return { queries, badLines: [...read.badLines, ...unknown].sort((a, b) => a.line - b.line) }
}

const MAX_SUGGESTED = 200
const SUGGESTIONS = 3

// One slip per three letters is a typo; more is another word.
const LETTERS_PER_SLIP = 3

const plain = (name: string) => name.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '')

/** Up to three names: within some typos of the wanted one, or that contain it or are contained in it. */
export function nearestNames(wanted: string, names: Iterable<string>): string[] {
  const needle = plain(wanted)
  if (needle === '') return []
  const limit = Math.ceil(needle.length / LETTERS_PER_SLIP)
  const near: { name: string; slips: number }[] = []
  for (const name of names) {
    const candidate = plain(name)
    if (candidate === '') continue
    const contains = candidate.includes(needle) || needle.includes(candidate)
    // The difference of lengths is a lower bound, and costs nothing.
    const least = Math.abs(candidate.length - needle.length)
    const slips = least > limit ? Number.POSITIVE_INFINITY : distance(candidate, needle)
    if (slips <= limit) near.push({ name, slips })
    else if (contains) near.push({ name, slips: limit + least })
  }
  return near
    .sort((a, b) => a.slips - b.slips || a.name.length - b.name.length)
    .slice(0, SUGGESTIONS)
    .map(({ name }) => name)
}
