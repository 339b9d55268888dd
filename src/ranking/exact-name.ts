/** Finds callable names in queries. */
export interface NameMatcher {
  /**
   * The names that the query contains, in the order in which it mentions them; the longest wins at each place.
   * `isCommonWord` says of a name that is a plain word ("help") whether other tools' texts use it too: then it is a
   * name only where it is the whole query, or marked as one ("`help`", "help()", "call help", "the help tool").
   */
  namesIn(query: string, isCommonWord: (name: string) => boolean): string[]
}

// Bounds on the work for a huge query: names are looked for in its first words only.
const MAX_WORDS = 400
const MAX_WORDS_OF_NAME = 16

const HAN_OR_KANA = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u
// A word: letters and digits of one kind of script, with `_`, which never ends a name.
const WORD =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]+|(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}])[\p{L}\p{M}\p{N}_])+/gu

/**
 * A matcher over one set of callable names. Names of several words ("getIssue", "get_issue", "files/read") match in any
 * case; a plain word ("fetch") matches in its own case, or as the whole query, since it may be a mere word of English.
 * Taking every "help" and "search" in a sentence for a name cost 0.03 nDCG@10 on BFCL (bench/quality.ts).
 */
export function createNameMatcher(names: Iterable<string>): NameMatcher {
  const exact = new Set<string>()
  const folded = new Map<string, string>()
  const unspaced: string[] = []
  for (const name of names) {
    exact.add(name)
    const key = name.toLowerCase()
    if (!folded.has(key)) folded.set(key, name)
    if (HAN_OR_KANA.test(name)) unspaced.push(name)
  }

  function lookUp(text: string, wholeQuery: boolean): string | undefined {
    if (exact.has(text)) return text
    const name = folded.get(text.toLowerCase())
    return name !== undefined && (wholeQuery || isIdentifier(name)) ? name : undefined
  }

  return {
    namesIn(query, isCommonWord) {
      const trimmed = query.trim()
      const whole = lookUp(trimmed, true)
      if (whole !== undefined) return [whole]
      const found: { name: string; at: number }[] = []
      const words = wordsOf(trimmed)
      for (let from = 0; from < words.length; ) {
        const last = Math.min(words.length, from + MAX_WORDS_OF_NAME) - 1
        let next = from + 1
        for (let to = last; to >= from; to--) {
          const match = lookUpFrom(words, from, to)
          if (match === undefined) continue
          found.push({ name: match, at: words[from]!.start })
          next = to + 1
          break
        }
        from = next
      }
      // No space tells where such a name ends, so it is looked for as it is.
      for (const name of unspaced) {
        const at = trimmed.indexOf(name)
        if (at >= 0 && !found.some(other => other.name === name)) found.push({ name, at })
      }
      found.sort((a, b) => a.at - b.at)
      return [...new Set(found.map(({ name }) => name))]

      function lookUpFrom(words: readonly Word[], from: number, to: number): string | undefined {
        const { start, lead } = words[from]!
        const end = words[to]!.end
        // A name may begin with a sign ("@scope/tool", "/files"); try with it first.
        for (const begin of lead < start ? [lead, start] : [start]) {
          const name = lookUp(trimmed.slice(begin, end), false)
          if (name === undefined) continue
          if (isIdentifier(name)) return name
          if (!standsAlone(trimmed, begin, end)) continue
          if (!isCommonWord(name) || isMarkedAsName(trimmed, begin, end)) return name
        }
        return undefined
      }
    },
  }
}

interface Word {
  readonly start: number
  readonly end: number
  /** Start of the signs that are attached in front of the word. */
  readonly lead: number
}

function wordsOf(text: string): Word[] {
  const words: Word[] = []
  for (const { 0: word, index } of text.matchAll(WORD)) {
    let lead = index
    while (lead > 0 && /[@/#$.:-]/.test(text[lead - 1]!)) lead--
    words.push({ start: index, end: index + word.length, lead })
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
