import { createHash } from 'node:crypto'
import type { Embedder } from '../../src/embedding/embedder.js'

const DIMENSIONS = 256

/** An embedder whose cosine similarity is the overlap of words, and which tells what it was asked. */
export interface WordEmbedder extends Embedder {
  /** The texts of each call, one array a call. */
  readonly documentCalls: string[][]
  readonly queryCalls: string[][]
  /** While set, every call rejects with it. */
  failure: Error | undefined
  /** While set, calls wait for it. */
  gate: Promise<void> | undefined
}

/** Deterministic, without a model: each word has its own signed dimension (of 256), a text is the sum of its words. */
export function wordEmbedder(members: Partial<Embedder> = {}): WordEmbedder {
  const documentCalls: string[][] = []
  const queryCalls: string[][] = []
  async function embed(texts: readonly string[]): Promise<Float32Array[]> {
    if (embedder.gate) await embedder.gate
    if (embedder.failure) throw embedder.failure
    return texts.map(bagOfWords)
  }
  const embedder: WordEmbedder = {
    modelId: 'bag-of-words',
    dimensions: DIMENSIONS,
    documentCalls,
    queryCalls,
    failure: undefined,
    gate: undefined,
    embedDocuments(texts) {
      documentCalls.push([...texts])
      return embed(texts)
    },
    embedQueries(texts) {
      queryCalls.push([...texts])
      return embed(texts)
    },
    ...members,
  }
  return embedder
}

const places = new Map<string, { dimension: number; sign: number }>()

function placeOf(word: string) {
  let place = places.get(word)
  if (!place) {
    const [low, high] = createHash('sha256').update(word).digest()
    place = { dimension: low!, sign: high! % 2 === 0 ? 1 : -1 }
    places.set(word, place)
  }
  return place
}

function bagOfWords(text: string): Float32Array {
  const vector = new Float32Array(DIMENSIONS)
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) {
    const { dimension, sign } = placeOf(word)
    vector[dimension]! += sign
  }
  // A text without words needs some direction, too.
  if (vector.every(value => value === 0)) vector[0] = 1
  return vector
}
