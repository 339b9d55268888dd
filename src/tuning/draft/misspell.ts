import { pick } from '../../random.js'

// Keys beside each other on a QWERTY keyboard.
const ROWS = ['qwertyuiop', 'asdfghjkl', 'zxcvbnm']

const NEIGHBORS: ReadonlyMap<string, readonly string[]> = new Map(
  ROWS.flatMap((row, at) =>
    [...row].map((key, column): [string, string[]] => {
      const beside = [row[column - 1], row[column + 1]]
      // Each row is shifted by half a key against the one above.
      const above = ROWS[at - 1]?.slice(column, column + 2) ?? ''
      const below = ROWS[at + 1]?.slice(Math.max(0, column - 1), column + 1) ?? ''
      return [key, [...beside, ...above, ...below].filter(near => near !== undefined)]
    }),
  ),
)

// Slips in shorter words make other words.
const MIN_LETTERS = 5

/** The text with one slip of the fingers in one of its longer words; as it is where there is none. */
export function misspelled(text: string, random: () => number): string {
  const words = [...text.matchAll(/[A-Za-z]+/g)].filter(([word]) => word.length >= MIN_LETTERS)
  if (words.length === 0) return text
  const { 0: word, index } = pick(words, random)
  // Not the first letter, which people seldom miss.
  const at = 1 + Math.floor(random() * (word.length - 2))
  return text.slice(0, index) + slip(word, at, random) + text.slice(index + word.length)
}

function slip(word: string, at: number, random: () => number): string {
  const [before, letter, rest] = [word.slice(0, at), word[at]!, word.slice(at + 1)]
  const dropped = before + rest
  const neighbors = NEIGHBORS.get(letter)
  switch (Math.floor(random() * 3)) {
    case 0:
      return neighbors ? before + pick(neighbors, random) + rest : dropped
    case 1:
      // Two equal letters swapped are no slip.
      return rest[0] === letter ? dropped : before + rest[0] + letter + rest.slice(1)
    default:
      return dropped
  }
}
