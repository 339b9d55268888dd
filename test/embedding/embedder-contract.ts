import { describe, expect, it } from 'vitest'
import { type CheckedEmbedder, checkedEmbedder } from '../../src/embedding/checked.js'
import type { Embedder } from '../../src/embedding/embedder.js'
import { EmbeddingError } from '../../src/errors.js'

const HOSTILE_TEXTS = [
  '',
  '   \n\t ',
  '\0',
  '\ud800 lone \udfff',
  '👩‍👩‍👧‍👦 deploy🚀',
  '[CLS] [SEP] [MASK] </s>',
  '__proto__',
  'constructor',
  '北京 天気 안녕 مرحبا',
  'a'.repeat(5_000),
  'word '.repeat(200_000),
  ' '.repeat(1_000_000),
]

export interface ContractCase {
  create: () => Embedder
  /** Cosine similarity that two embeddings of one text reach whatever they were embedded with. Default 0.9999. */
  sameTextCosine?: number
}

/** Every promise of the interface `Embedder`, run against one implementation of it. */
export function describeEmbedderContract(name: string, { create, sameTextCosine = 0.9999 }: ContractCase): void {
  describe(`embedder contract: ${name}`, () => {
    const methods = ['embedQueries', 'embedDocuments'] as const

    it('has a modelId and whole dimensions before it is loaded', () => {
      const embedder = create()
      expect(embedder.modelId).toMatch(/\S/)
      expect(Number.isInteger(embedder.dimensions) && embedder.dimensions >= 1).toBe(true)
    })

    it('keeps its modelId from one instance to the next', () => {
      expect(create().modelId).toBe(create().modelId)
    })

    it.each(methods)('%s returns nothing for no texts', async method => {
      expect(await create()[method]([])).toEqual([])
    })

    it.each(methods)('%s returns one embedding a text, in order', async method => {
      const embedder = checkedEmbedder(create())
      const texts = Array.from({ length: 70 }, (_, i) => `tool ${i} ${'more words '.repeat((i * 7) % 23)}`)
      const together = await embedder[method](texts)
      expect(together).toHaveLength(texts.length)
      for (const i of [0, 1, 33, 69]) {
        const [alone] = await embedder[method]([texts[i]!])
        expect(cosine(together[i]!, alone!)).toBeGreaterThan(sameTextCosine)
      }
    })

    it('leaves its input as it is', async () => {
      const texts = Object.freeze(['a long text about the weather', 'b', 'a long text about the weather'])
      const [first, , third] = await checkedEmbedder(create()).embedDocuments(texts)
      expect(cosine(first!, third!)).toBeGreaterThan(sameTextCosine)
    })

    it.each(methods)('%s embeds hostile texts', async method => {
      const vectors = await checkedEmbedder(create())[method](HOSTILE_TEXTS) // checks counts, dimensions, numbers
      expect(vectors).toHaveLength(HOSTILE_TEXTS.length)
    })

    it('gives concurrent calls the vectors of calls in a row', async () => {
      const embedder = checkedEmbedder(create())
      const texts = ['send an email', 'read a file', 'current weather']
      const row: Float32Array[] = []
      for (const text of texts) row.push((await embedder.embedQueries([text]))[0]!)
      const concurrent = await Promise.all(texts.map(text => embedder.embedQueries([text])))
      concurrent.forEach(([vector], i) => {
        expect(cosine(vector!, row[i]!)).toBeGreaterThan(sameTextCosine)
      })
    })

    it('rejects with an EmbeddingError once aborted, and works afterwards', async () => {
      const embedder: CheckedEmbedder = checkedEmbedder(create())
      const aborted = AbortSignal.abort(new Error('stop'))
      await expect(embedder.embedDocuments(['a text'], { abortSignal: aborted })).rejects.toThrow(EmbeddingError)
      expect(await embedder.embedDocuments(['a text'], { abortSignal: new AbortController().signal })).toHaveLength(1)
    })

    it('loads any number of times', async () => {
      const embedder = checkedEmbedder(create())
      await Promise.all([embedder.load(), embedder.load()])
      await embedder.load()
    })

    it('gives a readable share from 0 to 1 for each text', async () => {
      const shares = await checkedEmbedder(create()).readableShares(HOSTILE_TEXTS) // checks count and range
      expect(shares).toHaveLength(HOSTILE_TEXTS.length)
      expect(await checkedEmbedder(create()).readableShares(['send an email'])).toEqual([1])
    })
  })
}

export function cosine(a: Float32Array, b: Float32Array): number {
  let dot = 0
  let aa = 0
  let bb = 0
  for (let i = 0; i < a.length; i++) {
    dot += a[i]! * b[i]!
    aa += a[i]! ** 2
    bb += b[i]! ** 2
  }
  return dot / Math.sqrt(aa * bb)
}
