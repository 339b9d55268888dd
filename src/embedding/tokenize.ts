import type { Tokenizer } from './transformers-runtime.js'

/** Characters read of a text for each token of the window: the longest entry of BERT's vocabulary has 18. */
export const MAX_CHARS_PER_TOKEN = 20

/**
 * Token ids of a text, special tokens included, at most `maxTokens`: a longer text loses its end, not the final special
 * token. Any input works: what is no string counts as empty, a lone surrogate as a space, and of a very long text only
 * as many characters are read as `maxTokens` tokens can hold, so that 1 MB takes no longer than a page.
 */
export function createEncoder(tokenizer: Tokenizer, maxTokens: number): (text: unknown) => number[] {
  const suffix = suffixLength(tokenizer)
  return text => {
    const ids = encode(tokenizer, readablePart(text, maxTokens), true)
    if (ids.length <= maxTokens) return ids
    const end = Math.min(suffix, maxTokens)
    return [...ids.slice(0, maxTokens - end), ...ids.slice(ids.length - end)]
  }
}

// A document's texts are at most this long (src/catalog/document.ts); longer ones are counted up to it.
const MAX_COUNTED_CHARACTERS = 8_000

/** How many tokens a text has, special tokens included, before any window cuts it. */
export function countTokens(tokenizer: Tokenizer, text: string): number {
  return encode(tokenizer, text.slice(0, MAX_COUNTED_CHARACTERS).replace(/\p{Cs}/gu, ' '), true).length
}

/** Token ids of the part of a text that `createEncoder` reads, without special tokens. */
export function encodeContent(tokenizer: Tokenizer, text: unknown, maxTokens: number): number[] {
  return encode(tokenizer, readablePart(text, maxTokens), false).slice(0, maxTokens)
}

function encode(tokenizer: Tokenizer, text: string, specialTokens: boolean): number[] {
  return tokenizer(text, { add_special_tokens: specialTokens, return_tensor: false }).input_ids
}

function readablePart(text: unknown, maxTokens: number): string {
  if (typeof text !== 'string') return ''
  const limit = maxTokens * MAX_CHARS_PER_TOKEN
  let part = text
  if (text.length > limit) {
    // Runs of white space hold no tokens, so they must not use up the limit; four times bounds the search for the rest.
    part = text
      .slice(0, limit * 4)
      .replace(/\s+/g, ' ')
      .slice(0, limit)
  }
  return part.replace(/\p{Cs}/gu, ' ')
}

const suffixLengths = new WeakMap<Tokenizer, number>()

/** How many special tokens the tokenizer puts after a text (1 for BERT's [SEP], 0 for models without). */
function suffixLength(tokenizer: Tokenizer): number {
  let length = suffixLengths.get(tokenizer)
  if (length === undefined) {
    length = measureSuffix(tokenizer)
    suffixLengths.set(tokenizer, length)
  }
  return length
}

function measureSuffix(tokenizer: Tokenizer): number {
  const content = encode(tokenizer, 'a', false)
  const whole = encode(tokenizer, 'a', true)
  const start = whole.findIndex((_, i) => content.every((id, j) => whole[i + j] === id))
  return start < 0 ? 0 : whole.length - start - content.length
}
