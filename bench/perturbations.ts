import { STOP_WORDS } from '../src/lexical/stop-words.js'
import { pick } from '../src/random.js'

/** The same request as others write it; draws from `random`, where it draws at all. */
export type Perturbation = (query: string, random: () => number) => string

/** Ways in which people and agents write one request. A query that one of them does not change is left out there. */
export const PERTURBATIONS = {
  'one typo': withTypo,
  'upper case': query => query.toUpperCase(),
  'number toggled': withOtherNumber,
  keywords: query => contentWords(query).join(', '),
  snake_case: query => wordsOf(query).join('_').toLowerCase(),
  'British spelling': inBritishSpelling,
} as const satisfies Record<string, Perturbation>

const LETTERS = 'abcdefghijklmnopqrstuvwxyz'
const MIN_TYPO_LETTERS = 4

/** One letter swapped with the next, left out, doubled or replaced, in one word of at least 4 letters. */
export function withTypo(query: string, random: () => number): string {
  const words = [...query.matchAll(/[A-Za-z]+/g)].filter(({ 0: word }) => word.length >= MIN_TYPO_LETTERS)
  if (words.length === 0) return query
  const { 0: word, index } = pick(words, random)
  let mistyped = word
  // Swapping two equal letters, or replacing one by itself, is no typo.
  while (mistyped === word) mistyped = pick(TYPOS, random)(word, Math.floor(random() * word.length), random)
  return query.slice(0, index) + mistyped + query.slice(index + word.length)
}

const TYPOS: readonly ((word: string, at: number, random: () => number) => string)[] = [
  (word, at) => (at + 1 < word.length ? word.slice(0, at) + word[at + 1] + word[at] + word.slice(at + 2) : word),
  (word, at) => word.slice(0, at) + word.slice(at + 1),
  (word, at) => word.slice(0, at) + word[at] + word.slice(at),
  (word, at, random) => word.slice(0, at) + pick([...LETTERS], random) + word.slice(at + 1),
]

const DETERMINERS =
  'a|an|the|this|that|these|those|my|your|his|her|our|their|its|some|any|all|every|each|no|of|for|about|many|several'
const WITH_NUMBER = new RegExp(`\\b((?:${DETERMINERS}) )([a-z]{4,})\\b|\\b([a-z]{3,}s)\\b`, 'g')

/**
 * Plurals as singulars, and singulars that follow a determiner or "of", "for", "about" as plurals: a rule without a
 * dictionary, so that some words come out as no one writes them.
 */
export function withOtherNumber(query: string): string {
  return query.replace(WITH_NUMBER, (_, before: string | undefined, noun: string | undefined, plural: string) => {
    const word = noun ?? plural
    return (before ?? '') + (STOP_WORDS.has(word) ? word : otherNumber(word))
  })
}

function otherNumber(word: string): string {
  if (/(?:ss|us|is)$/.test(word)) return word
  if (/ies$/.test(word)) return `${word.slice(0, -3)}y`
  if (/(?:ch|sh|x|ss)es$/.test(word)) return word.slice(0, -2)
  if (word.endsWith('s')) return word.slice(0, -1)
  if (/[^aeiou]y$/.test(word)) return `${word.slice(0, -1)}ies`
  return /(?:ch|sh|x)$/.test(word) ? `${word}es` : `${word}s`
}

const BRITISH: readonly (readonly [RegExp, string])[] = [
  [/\b(col|fav|behavi|neighb|lab|harb|hon|hum|rum|flav)or(?=(?:s|ed|ing|able|ful|hood|ite|ites)?\b)/gi, '$1our'],
  [/\b(cent|theat|lit|fib|kilomet|millimet|centimet)er(s?)\b/gi, '$1re$2'],
  [/\b(catalog|dialog|analog)(s?)\b/gi, '$1ue$2'],
  [/\b(organ|optim|custom|recogn|summar|categor|visual|special|real|author|normal|util|minim|maxim)iz/gi, '$1is'],
  [/\b(anal|paral|catal)yz/gi, '$1ys'],
  [/\b(travel|cancel|label|model|signal|fuel)(ed|ing|er|ers)\b/gi, '$1l$2'],
  [/\b(jewel)ry\b/gi, '$1lery'],
  [/\b(gr)ay\b/gi, '$1ey'],
  [/\b(defen|licen)se\b/gi, '$1ce'],
  [/\b(fulfil|enrol)l(s?)\b/gi, '$1$2'],
  [/\b(pajamas)\b/gi, 'pyjamas'],
]

function inBritishSpelling(query: string): string {
  return BRITISH.reduce((text, [american, british]) => text.replace(american, british), query)
}

/** The words of a text; apostrophes go ("don't": dont). */
function wordsOf(text: string): string[] {
  return text
    .replace(/[’']/g, '')
    .split(/[^\p{L}\p{M}\p{N}_]+/u)
    .filter(Boolean)
}

function contentWords(query: string): string[] {
  return wordsOf(query).filter(word => !STOP_WORDS.has(word.toLowerCase()))
}
