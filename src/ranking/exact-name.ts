/** The callable names of one layer, ready to be looked up. */
export interface NameSet {
  /** The name that `text` is: in its own case, or in any where it is an identifier or `wholeQuery`. */
  lookUp(text: string, wholeQuery: boolean): string | undefined
  /** Names in scripts without spaces, which no word's end marks. */
  readonly unspaced: readonly string[]
}

// Bounds on the work for a huge query: names are looked for in its first words only.
const MAX_WORDS = 400
const MAX_WORDS_OF_NAME = 16
const MAX_TRAILING_SIGNS = 4

const HAN_OR_KANA = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u
// A word: letters and digits of one kind of script, with `_`, which never ends a name; it never starts with a mark, such as that
// of an emoji ("⚠️get_issue").
const WORD =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]+|(?!\p{M})(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}])[\p{L}\p{M}\p{N}_])+/gu

export function createNameSet(names: Iterable<string>): NameSet {
  const exact = new Set<string>()
  const folded = new Map<string, string>()
  const unspaced: string[] = []
  for (const name of names) {
    exact.add(name)
    const key = name.toLowerCase()
    if (!folded.has(key)) folded.set(key, name)
    if (HAN_OR_KANA.test(name)) unspaced.push(name)
  }
  return {
    unspaced,
    lookUp(text, wholeQuery) {
      if (exact.has(text)) return text
      const name = folded.get(text.toLowerCase())
      return name !== undefined && (wholeQuery || isIdentifier(name)) ? name : undefined
    },
  }
}

/**
 * The names of `sets` that the query contains, in the order in which it mentions them; the longest wins at each place.
 *
 * Names of several words ("getIssue", "get_issue", "files/read") match in any case; a plain word ("fetch") in its own
 * case, or as the whole query. `isCommonWord` says of a plain word whether other tools' texts use it, too: then it is a
 * name only where it is marked as one ("`help`", "help()", "call help", "the help tool"). Taking every "help" and
 * "search" in a sentence for a name cost 0.03 nDCG@10 on BFCL (measured when it was tried).
 */
export function namesIn(query: string, sets: readonly NameSet[], isCommonWord: (name: string) => boolean): string[] {
  const text = query.trim()
  const lookUp = (part: string, wholeQuery: boolean) => {
    for (const set of sets) {
      const name = set.lookUp(part, wholeQuery)
      if (name !== undefined) return name
    }
    return undefined
  }
  const whole = lookUp(text, true)
  if (whole !== undefined) return [whole]

  const found: { name: string; at: number }[] = []
  const words = wordsOf(text)
  for (let from = 0; from < words.length; ) {
    let next = from + 1
    for (let to = Math.min(words.length, from + MAX_WORDS_OF_NAME) - 1; to >= from; to--) {
      const name = nameBetween(words[from]!, words[to]!)
      if (name === undefined) continue
      found.push({ name, at: words[from]!.start })
      next = to + 1
      break
    }
    from = next
  }
  // No space tells where such a name ends, so it is looked for as it is.
  for (const name of sets.flatMap(set => set.unspaced)) {
    const at = text.indexOf(name)
    if (at >= 0) found.push({ name, at })
  }
  found.sort((a, b) => a.at - b.at || b.name.length - a.name.length)
  return [...new Set(found.map(({ name }) => name))]

  function nameBetween(first: Word, last: Word): string | undefined {
    // A name may begin or end with signs ("@scope/tool", "is_done?"); try with them first.
    for (const begin of first.lead < first.start ? [first.lead, first.start] : [first.start]) {
      for (let end = last.tail; end >= last.end; end--) {
        const name = lookUp(text.slice(begin, end), false)
        if (name === undefined) continue
        if (isIdentifier(name)) return name
        if (!standsAlone(text, begin, end)) continue
        if (!isCommonWord(name) || isMarkedAsName(text, begin, end)) return name
      }
    }
    return undefined
  }
}

interface Word {
  readonly start: number
  readonly end: number
  /** Start of the signs that are attached in front of the word. */
  readonly lead: number
  /** End of the signs that are attached behind the word. */
  readonly tail: number
}

function wordsOf(text: string): Word[] {
  const words: Word[] = []
  for (const { 0: word, index } of text.matchAll(WORD)) {
    let lead = index
    while (lead > 0 && /[@/#$.:~+-]/.test(text[lead - 1]!)) lead--
    const end = index + word.length
    let tail = end
    while (tail < end + MAX_TRAILING_SIGNS && tail < text.length && /[^\s\p{L}\p{M}\p{N}_]/u.test(text[tail]!)) tail++
    words.push({ start: index, end, lead, tail })
    if (words.length === MAX_WORDS) break
  }
  return words
}

/** A name that no sentence contains by chance: a sign, a digit, or a capital within. */
function isIdentifier(name: string): boolean {
  return /[^\p{L}\p{M}]/u.test(name) || /\p{Ll}\p{Lu}/u.test(name)
}

const MARK_BEFORE = /\b(?:call|invoke|load|run|use|using)\s+$/iu
const MARK_AFTER = /^(?:\(|\s+(?:tool|function|plugin|api)\b)/iu
const QUOTE_AFTER = /^[`"'”’」』>)*]/u

/** Written as one writes the name of a tool: quoted, called, or beside a word that says so. */
function isMarkedAsName(text: string, start: number, end: number): boolean {
  const before = text.slice(Math.max(0, start - 12), start)
  const after = text.slice(end, end + 14)
  const quoted = /[`"'“‘「『<(*@]$/u.test(before)
  return quoted ? QUOTE_AFTER.test(after) || before.endsWith('@') : MARK_BEFORE.test(before) || MARK_AFTER.test(after)
}

/** Not a part of another identifier: "search" does not stand alone in "full-text-search" or "search.web". */
function standsAlone(text: string, start: number, end: number): boolean {
  const joined = /[\p{L}\p{N}][-./:]$/u.test(text.slice(Math.max(0, start - 2), start))
  return !joined && !/^[-./:][\p{L}\p{N}]/u.test(text.slice(end, end + 2))
}
