// Shorter requests are searched as one: on nine corpora, parts of requests of fewer words cost as much as they gain.
const MIN_WORDS = 25

// Two words are rarely a request ("and again", "thank you").
const MIN_CLAUSE_WORDS = 3

const MAX_CLAUSES = 8

// Ends of sentences and lines, words that join requests, and commas before what is more than an item of a list.
const BETWEEN =
  /(?<=[.?!;]) | ?\n ?|,? (?:and|then|also|plus|afterwards|finally|additionally|as well as) (?:(?:then|also) )?|, (?=\w+ \w+ \w+)/i

/** The clauses of a long request, each of which may want a tool of its own, in order; none where there are no two. */
export function clausesOf(text: string): string[] {
  const folded = text.replace(/[^\S\n]+/g, ' ').replace(/(?: ?\n ?)+/g, '\n')
  if (countWords(folded) < MIN_WORDS) return []
  const clauses = new Set(
    folded
      .split(BETWEEN)
      .map(clause => clause.trim())
      .filter(clause => countWords(clause) >= MIN_CLAUSE_WORDS),
  )
  return clauses.size > 1 ? [...clauses].slice(0, MAX_CLAUSES) : []
}

function countWords(text: string): number {
  return text.split(/\s/).filter(Boolean).length
}
