// Default_Ignorable_Code_Point has what draws nothing (zero-width characters, bidirectional marks, embeddings and
// isolates, soft hyphens, tag characters, variation selectors, fillers); Cf and Cc the rest of what only steers.
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Cc}]/u

const WHITE_SPACE_CONTROLS = new Set(['\t', '\n', '\r'])

// Category Cf, yet drawn: signs that are written under or over Arabic, Syriac and Kaithi numbers.
const VISIBLE_FORMAT = /[\u0600-\u0605\u06DD\u070F\u0890\u0891\u08E2\u{110BD}\u{110CD}]/u

const ZERO_WIDTH_SPACE = '\u200B'
const ZERO_WIDTH_NON_JOINER = '\u200C'
const ZERO_WIDTH_JOINER = '\u200D'

// Scripts whose spelling needs joiners: Persian plurals, Indic conjuncts, Sinhala, old Malayalam chillus.
const JOINING_SCRIPTS =
  /[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Nko}\p{Script=Mongolian}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Tibetan}]/u

// Scripts without blanks between words, whose writers mark where a line may break.
const UNSPACED_SCRIPTS = /[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u

const LETTER_OR_MARK = /[\p{L}\p{M}]/u
const EMOJI_VARIATION = /[\uFE0E\uFE0F]/u
const KEYCAP_BASE = /[0-9#*]/
const KEYCAP = '\u20E3'
const SKIN_TONE = /\p{Emoji_Modifier}/u
const IDEOGRAPHIC_VARIATION = /[\uFE00-\uFE02\u{E0100}-\u{E01EF}]/u
const MONGOLIAN_VARIATION = /[\u180B-\u180D\u180F]/u

// The only flags that Unicode recommends as tag sequences: England, Scotland, Wales. Others would carry hidden text.
const TAGGED_FLAGS =
  /(\u{1F3F4}\u{E0067}\u{E0062}(?:\u{E0065}\u{E006E}\u{E0067}|\u{E0073}\u{E0063}\u{E0074}|\u{E0077}\u{E006C}\u{E0073})\u{E007F})/gu

/**
 * How many characters of `text` a reader does not see and a model does: zero-width and bidirectional controls, tag
 * characters, variation selectors where none belongs, soft hyphens, other format and control characters but tab and
 * line ends. What writing needs is not counted: emoji sequences, and joiners within words of scripts that have them.
 */
export function countInvisibleCharacters(text: string): number {
  return marksOf(text).filter(({ isHidden }) => isHidden).length
}

/** `text` with each character that `countInvisibleCharacters` counts written out, such as `[U+202E]`. */
export function revealInvisibleCharacters(text: string): string {
  const marks = marksOf(text)
  return marks.length === 0
    ? text
    : marks.map(({ character, isHidden }) => (isHidden ? written(character) : character)).join('')
}

const written = (character: string) => `[U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}]`

/** The characters of `text`, flags being one each; none where nothing is invisible, as in most texts. */
function marksOf(text: string): { character: string; isHidden: boolean }[] {
  if (!INVISIBLE.test(text)) return []
  const characters = text.split(TAGGED_FLAGS).flatMap((part, at) => (at % 2 === 1 ? [part] : Array.from(part)))
  return characters.map((character, at) => ({
    character,
    isHidden: !isFlag(character) && isInvisible(character) && !isSpelling(characters, at),
  }))
}

/** Only flags are kept together from several characters. */
const isFlag = (character: string) => character.length > 2

/** True for a character that draws nothing or steers how others are drawn, wherever it stands. */
function isInvisible(character: string): boolean {
  return INVISIBLE.test(character) && !WHITE_SPACE_CONTROLS.has(character) && !VISIBLE_FORMAT.test(character)
}

/** Whether the invisible character at `at` is there as a part of how its neighbours are written. */
function isSpelling(characters: readonly string[], at: number): boolean {
  const character = characters[at]!
  const before = characters[at - 1] ?? ''
  const after = characters[at + 1] ?? ''
  if (EMOJI_VARIATION.test(character) && isEmojiBase(before, after)) return true
  if (IDEOGRAPHIC_VARIATION.test(character)) return /\p{Script=Han}/u.test(before)
  if (MONGOLIAN_VARIATION.test(character)) return /\p{Script=Mongolian}/u.test(before) && LETTER_OR_MARK.test(before)
  if (character === ZERO_WIDTH_SPACE) return isLetterOf(UNSPACED_SCRIPTS, before) && isLetterOf(UNSPACED_SCRIPTS, after)
  if (character === ZERO_WIDTH_NON_JOINER)
    return isLetterOf(JOINING_SCRIPTS, before) && isLetterOf(JOINING_SCRIPTS, after)
  if (character !== ZERO_WIDTH_JOINER) return false
  // A joiner also ends a word: it gives a letter the form that it has before others.
  if (isLetterOf(JOINING_SCRIPTS, before)) return after === '' || !isInvisible(after)
  return /\p{Extended_Pictographic}/u.test(after) && isJoinedEmoji(characters, at - 1)
}

const isLetterOf = (scripts: RegExp, character: string) => LETTER_OR_MARK.test(character) && scripts.test(character)

function isEmojiBase(character: string, after: string): boolean {
  if (KEYCAP_BASE.test(character)) return after === KEYCAP
  return /\p{Emoji}/u.test(character)
}

/** Whether an emoji ends at `at`, with at most a skin tone and a variation selector behind it. */
function isJoinedEmoji(characters: readonly string[], at: number): boolean {
  let base = at
  if (EMOJI_VARIATION.test(characters[base] ?? '')) base--
  if (SKIN_TONE.test(characters[base] ?? '')) base--
  return /\p{Extended_Pictographic}/u.test(characters[base] ?? '')
}
