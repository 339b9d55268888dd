import { stemmer } from 'stemmer'
import { STOP_WORDS } from './stop-words.js'

/** Words of an identifier: camelCase, snake_case, kebab-case, dots, slashes and digits split; case kept. */
export function nameWords(name: string): string[] {
  // Most names of parameters are one word or several in lower case; a catalog has thousands of them.
  if (PLAIN_NAME.test(name)) return name.split('_').filter(Boolean)
  return (
    name
      .replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2')
      // Without a quantifier: `\p{Lu}+` would take quadratic time on a long run of capitals.
      .replace(/\p{Lu}(?=\p{Lu}\p{Ll})/gu, '$& ')
      .replace(/(\p{L})(\d)/gu, '$1 $2')
      .replace(/(\d)(\p{L})/gu, '$1 $2')
      .split(/[^\p{L}\p{M}\p{N}]+/u)
      .filter(Boolean)
  )
}

const PLAIN_NAME = /^[a-z_]+$/

/** False for a text of blanks, punctuation and signs only: it says nothing to search for. Pictographs may. */
export function hasWords(text: string): boolean {
  // U+FFFD stands for a broken character.
  return /[\p{L}\p{N}\p{So}]/u.test(text.toWellFormed().replaceAll('\ufffd', ''))
}

// Scripts written without spaces between words.
const UNSPACED =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}ー\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}'
// None starts with a mark: those of emoji ("🗑️") belong to no word, and must not hide the word behind them.
const RUN = new RegExp(
  `(?!\\p{M})(?:[${UNSPACED}\\p{M}]+|[\\p{Script=Hangul}\\p{M}]+|(?:(?![${UNSPACED}\\p{Script=Hangul}])[\\p{L}\\p{M}\\p{N}])+)`,
  'gu',
)
// Variation selectors and enclosing marks, as of "1️⃣": how a character looks, not which one it is.
const LOOKS = /[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]|\p{Me}/gu
const IN_PARTS = new RegExp(`[${UNSPACED}\\p{Script=Hangul}]`, 'u')
const STARTS_UNSPACED = new RegExp(`^[${UNSPACED}]`, 'u')
const STARTS_HANGUL = /^\p{Script=Hangul}/u
const HAN = /\p{Script=Han}/u
const ASCII_RUN = /[a-z0-9]+/gi
// biome-ignore lint/suspicious/noControlCharactersInRegex: the ASCII range is what is meant.
const ASCII = /^[\x00-\x7f]*$/

/**
 * The lexical tokens of a text, in order, repeats kept: lower case, without English stop words, English words stemmed.
 * An identifier gives its words and itself ("getIssue": getissue, get, issue). Scripts without spaces give their
 * words (`Intl.Segmenter`) and each Han character; Hangul its words and their character pairs, since particles stick
 * to the words.
 */
export function tokenize(text: string): string[] {
  const tokens: string[] = []
  const ascii = ASCII.test(text)
  const runs = ascii ? text.match(ASCII_RUN) : composed(text).match(RUN)
  if (!runs) return tokens
  for (const run of runs) {
    if (ascii) words(run, tokens)
    else if (STARTS_UNSPACED.test(run)) unspacedWords(run, tokens)
    else if (STARTS_HANGUL.test(run)) hangul(run, tokens)
    else words(withoutAccents(run), tokens)
  }
  return tokens
}

/** Full-width letters and half-width kana as the usual forms (NFKC), without marks of looks alone. */
function composed(text: string): string {
  return (
    text
      .normalize('NFKC')
      .replace(LOOKS, '')
      // NFKC takes Thai and Lao "am" vowels apart, and segmenters know their words by the whole ones.
      .replaceAll('\u0e4d\u0e32', '\u0e33')
      .replaceAll('\u0ecd\u0eb2', '\u0eb3')
  )
}

/**
 * Whether a term is of a script whose words give several terms each (a Chinese word of two characters three of them), where
 * a Latin word gives one.
 */
export function isInParts(term: string): boolean {
  return IN_PARTS.test(term)
}

// Most runs are one word in one case; only the others go through the splitting of identifiers.
const ONE_WORD = /^(?:\p{L}\p{Ll}*|\p{Lu}+|\p{N}+)$/u

function words(run: string, tokens: string[]): void {
  if (ONE_WORD.test(run)) {
    pushWord(run.toLowerCase(), tokens)
    return
  }
  const parts = nameWords(run)
  if (parts.length > 1) pushWord(run.toLowerCase(), tokens)
  for (const part of parts) pushWord(part.toLowerCase(), tokens)
}

function pushWord(word: string, tokens: string[]): void {
  if (!STOP_WORDS.has(word)) tokens.push(stem(word))
}

// Porter's stemmer (1980): "translating" and "translation" are one token. Against folding the plural alone, nDCG@10 rose
// on each corpus: MetaTool 0.692 to 0.697, StableToolBench 0.684 to 0.686, the others by less.
const stems = new Map<string, string>()
const MAX_KEPT_STEMS = 20_000

function stem(word: string): string {
  let stemmed = stems.get(word)
  if (stemmed === undefined) {
    stemmed = word.length > MAX_STEMMED_CHARACTERS ? word : stemmer(word)
    // The words of a catalog are few and come again; whatever comes from queries must not pile up.
    if (stems.size >= MAX_KEPT_STEMS) stems.clear()
    stems.set(word, stemmed)
  }
  return stemmed
}

// Longer runs are no words, and the stemmer's patterns are not made for them.
const MAX_STEMMED_CHARACTERS = 40

let segmenter: Intl.Segmenter | undefined

// Measured on the Chinese and Japanese test catalog (nDCG@10): character pairs 0.77, single characters 0.85, words
// 0.78, pairs and Han characters 0.88, words and Han characters 0.91.
function unspacedWords(run: string, tokens: string[]): void {
  segmenter ??= new Intl.Segmenter('zh', { granularity: 'word' })
  for (const { segment } of segmenter.segment(run)) {
    tokens.push(segment)
    const characters = Array.from(segment)
    if (characters.length > 1) for (const character of characters) if (HAN.test(character)) tokens.push(character)
  }
}

function hangul(run: string, tokens: string[]): void {
  tokens.push(run)
  const characters = Array.from(run)
  if (characters.length < 3) return
  for (let i = 0; i + 1 < characters.length; i++) tokens.push(characters[i]! + characters[i + 1]!)
}

function withoutAccents(run: string): string {
  return run
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFC')
}
