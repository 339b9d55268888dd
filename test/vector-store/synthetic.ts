import { createHash } from 'node:crypto'
import type { Embedder } from '../../src/embedding/embedder.js'
import { seededRandom } from '../../src/random.js'

// As many as the bundled model's.
export const DIMENSIONS = 384

// Vectors of texts lie in heaps; vectors drawn alone would all be equally far from each other.
const HEAPS = 2_000
const SPREAD = 0.7

const heaps = new Map<number, Float32Array>()

function drawn(seed: number): Float32Array {
  const random = seededRandom(seed)
  return Float32Array.from({ length: DIMENSIONS }, () => random() - 0.5)
}

/** The vector of a text: near to those of texts that name the same `heap<number>`, made of nothing but the text. */
function vectorOf(text: string): Float32Array {
  const at = Number(/heap(\d+)/.exec(text)?.[1] ?? 0)
  let heap = heaps.get(at)
  if (!heap) {
    heap = drawn(at + 1)
    heaps.set(at, heap)
  }
  const own = drawn(createHash('sha256').update(text).digest().readUInt32BE(0))
  return own.map((value, i) => heap[i]! + SPREAD * value)
}

/** An embedder that costs next to nothing, and counts the documents that it was given. */
export function syntheticEmbedder(): Embedder & { documents: number } {
  const embedder = {
    modelId: 'synthetic',
    dimensions: DIMENSIONS,
    documents: 0,
    async embedQueries(texts: readonly string[]) {
      return texts.map(vectorOf)
    },
    async embedDocuments(texts: readonly string[]) {
      embedder.documents += texts.length
      return texts.map(vectorOf)
    },
  }
  return embedder
}

const WORDS = ['alpha', 'bravo', 'delta', 'gamma', 'kilo', 'lima', 'oscar', 'tango', 'zulu', 'sigma', 'omega', 'theta']

/** Tools of which fifty lie in each heap, with words that some of them share. */
export function syntheticTools(count: number, from = 0): Record<string, { description: string }> {
  return Object.fromEntries(
    Array.from({ length: count }, (_, at) => {
      const number = at + from
      const word = WORDS[number % WORDS.length]
      return [`tool_${number}`, { description: `Does ${word} work of heap${number % HEAPS} for case ${number % 977}.` }]
    }),
  )
}

/** Queries that mean a heap, and mention words of some tools. */
export function syntheticQueries(count: number): string[] {
  return Array.from({ length: count }, (_, at) => {
    const word = WORDS[(at * 5) % WORDS.length]
    return `something of heap${(at * 37) % HEAPS} with ${word} for case ${(at * 13) % 977}`
  })
}
