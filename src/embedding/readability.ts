import type { ModelCard } from './model-cards.js'
import { encodeContent } from './tokenize.js'
import type { Tokenizer } from './transformers-runtime.js'

const NEUTRAL = 0
const READABLE = 1
const UNREADABLE = 2

/**
 * A function that gives the share (0–1) of a text's tokens that the model can read; 1 where there is none to count.
 *
 * Unreadable are the unknown token and, for models that read Latin script only, tokens with a letter of another script:
 * their vocabulary holds single CJK, Cyrillic and Arabic characters whose vectors carry no meaning. Special tokens and
 * those without any letter (digits, punctuation) are not counted.
 */
export function createReadability(tokenizer: Tokenizer, card: ModelCard): (text: unknown) => number {
  const classes = new Map<number, number>() // filled as tokens are met: vocabularies have up to 250,000
  const special = new Set(tokenizer.all_special_ids)
  const classOf = (id: number): number => {
    let found = classes.get(id)
    if (found === undefined) {
      found = classify(id, tokenizer, special, card.scripts)
      classes.set(id, found)
    }
    return found
  }
  return text => {
    if (typeof text === 'string' && isPlainEnglish(text)) return 1
    let readable = 0
    let counted = 0
    for (const id of encodeContent(tokenizer, text, card.maxTokens)) {
      const tokenClass = classOf(id)
      if (tokenClass === NEUTRAL) continue
      counted++
      if (tokenClass === READABLE) readable++
    }
    return counted === 0 ? 1 : readable / counted
  }
}

function classify(id: number, tokenizer: Tokenizer, special: Set<number>, scripts: ModelCard['scripts']): number {
  if (id === tokenizer.unk_token_id) return UNREADABLE // before the special ones, of which it is one
  if (special.has(id)) return NEUTRAL
  const token = tokenizer.model.vocab[id] ?? ''
  if (!/\p{L}/u.test(token)) return NEUTRAL
  if (scripts === 'latin' && /[^\P{L}\p{Script=Latin}]/u.test(token)) return UNREADABLE
  return READABLE
}

// ASCII words are never unknown to a WordPiece or SentencePiece vocabulary, unless longer than 100 characters (which
// WordPiece gives up on). Most documents are such, and tokenizing them costs a tenth of embedding them.
function isPlainEnglish(text: string): boolean {
  return /^[\x20-\x7e\t\r\n]*$/.test(text) && !/\w{101}/.test(text)
}
