import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Embedding } from '../src/embedding/embedder.js'
import { transformersEmbedder } from '../src/embedding/transformers-js.js'

// Floors, not the measured figures (0.998 at the lowest and 97 %): kernels of other CPUs round differently.
const MIN_COSINE = 0.985
const MIN_TOP_5_OVERLAP = 0.95

const DIMENSIONS = 384

interface ParityTexts {
  documents: string[]
  queries: string[]
}

const fixture = (file: string) => readFileSync(new URL(`fixtures/parity/${file}`, import.meta.url))

/** IEEE half precision, which Node 20 has no array type for. */
function float16(bits: number): number {
  const sign = bits >> 15 === 1 ? -1 : 1
  const exponent = (bits >> 10) & 31
  const fraction = (bits & 1023) / 1024
  return sign * (exponent === 0 ? 2 ** -14 * fraction : 2 ** (exponent - 15) * (1 + fraction))
}

function readReference(rows: number): number[][] {
  const bytes = fixture('embeddings.f16')
  expect(bytes.length).toBe(rows * DIMENSIONS * 2)
  return Array.from({ length: rows }, (_, row) =>
    Array.from({ length: DIMENSIONS }, (_, i) => float16(bytes.readUInt16LE((row * DIMENSIONS + i) * 2))),
  )
}

function dot(a: Embedding, b: Embedding): number {
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!
  return sum
}

const cosineSimilarity = (a: Embedding, b: Embedding) => dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b))

function top5(query: Embedding, documents: readonly Embedding[]): number[] {
  const similarities = documents.map(document => cosineSimilarity(query, document))
  return [...similarities.keys()].sort((a, b) => similarities[b]! - similarities[a]!).slice(0, 5)
}

describe('the bundled int8 model against the fp32 reference', () => {
  const texts = JSON.parse(fixture('texts.json').toString()) as ParityTexts
  const reference = readReference(texts.documents.length + texts.queries.length)
  const referenceDocuments = reference.slice(0, texts.documents.length)
  const referenceQueries = reference.slice(texts.documents.length)
  let documents: readonly Embedding[]
  let queries: readonly Embedding[]

  beforeAll(async () => {
    const embedder = transformersEmbedder()
    documents = await embedder.embedDocuments(texts.documents)
    queries = await embedder.embedQueries(texts.queries)
  })

  it.each([
    ['document', () => documents, referenceDocuments],
    ['query', () => queries, referenceQueries],
  ] as const)(`gives every %s a cosine similarity of at least ${MIN_COSINE}`, (_, embeddings, expected) => {
    expect(embeddings()).toHaveLength(expected.length)
    const similarities = embeddings().map((embedding, i) => cosineSimilarity(embedding, expected[i]!))
    expect(Math.min(...similarities)).toBeGreaterThanOrEqual(MIN_COSINE)
  })

  it(`shares at least ${MIN_TOP_5_OVERLAP * 100} % of the five nearest documents of a query`, () => {
    const shares = queries.map((query, i) => {
      const expected = top5(referenceQueries[i]!, referenceDocuments)
      return top5(query, documents).filter(document => expected.includes(document)).length / expected.length
    })
    const mean = shares.reduce((sum, share) => sum + share, 0) / shares.length
    expect(mean).toBeGreaterThanOrEqual(MIN_TOP_5_OVERLAP)
  })

  it('cuts documents past the window of 256 tokens where the reference does', () => {
    // The longest texts: cut elsewhere, they would differ from the reference by more than quantization does.
    const long = [...texts.documents.keys()].filter(i => texts.documents[i]!.length > 1800)
    expect(long.length).toBeGreaterThanOrEqual(5)
    for (const i of long) expect(cosineSimilarity(documents[i]!, referenceDocuments[i]!)).toBeGreaterThan(0.995)
  })
})
