import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { checkedEmbedder } from '../../src/embedding/checked.js'
import { BUNDLED_MODEL } from '../../src/embedding/model-source.js'
import { findPackageRoot } from '../../src/embedding/package-root.js'
import { transformersEmbedder } from '../../src/embedding/transformers-js.js'
import { cosine, describeEmbedderContract } from './embedder-contract.js'

const weights = join(findPackageRoot() ?? '', 'models', BUNDLED_MODEL, 'onnx/model_quantized.onnx')
const reason = existsSync(weights) ? '' : ' (skipped: the weights are missing, see scripts/model)'

describe.skipIf(reason)(`bundled model${reason}`, () => {
  // The int8 model takes the range of its activations from the whole batch, so that a text's vector depends a little on
  // the texts beside it: cosine 0.982 at the least, 0.994 in the median, over 800 tools embedded alone and in batches.
  describeEmbedderContract(BUNDLED_MODEL, { create: () => transformersEmbedder(), sameTextCosine: 0.97 })

  it('has 384 dimensions, a window of 256 tokens and an id with its revision', () => {
    const embedder = transformersEmbedder()
    expect(embedder).toMatchObject({ dimensions: 384, maxTokens: 256 })
    expect(embedder.modelId).toMatch(/^all-MiniLM-L6-v2@[0-9a-f]{12}$/)
  })

  it('gives the same vectors for the same list of texts', async () => {
    const embedder = checkedEmbedder(transformersEmbedder())
    const texts = Array.from({ length: 50 }, (_, i) => `tool number ${i} ${'word '.repeat(i)}`)
    expect(await embedder.embedDocuments(texts)).toEqual(await embedder.embedDocuments(texts))
  })

  it('puts a request nearer to the tool that serves it than to others', async () => {
    const embedder = checkedEmbedder(transformersEmbedder())
    const documents = await embedder.embedDocuments([
      'send email: Sends a message to one or more recipients',
      'get weather: Current conditions and forecast for a place',
      'create invoice: Bills a customer for goods or services',
    ])
    const [query] = await embedder.embedQueries(['will it rain in Lisbon tomorrow?'])
    const similarities = documents.map(document => cosine(document, query!))
    expect(similarities.indexOf(Math.max(...similarities))).toBe(1)
  })

  it('reads English and other Latin-script words, not CJK, Cyrillic or emoji', async () => {
    const embedder = checkedEmbedder(transformersEmbedder())
    const texts = [
      'send an email',
      'café naïve 42',
      '发送邮件',
      '天気を教えて',
      '안녕하세요',
      'привет мир',
      '👍',
      '123 !?',
    ]
    expect(await embedder.readableShares(texts)).toEqual([1, 1, 0, 0, 0, 0, 0, 1])
  })

  it('embeds a text of 1 MB about as fast as one that fills the window', async () => {
    const embedder = checkedEmbedder(transformersEmbedder())
    await embedder.load()
    const timeMs = async (text: string) => {
      const start = performance.now()
      await embedder.embedDocuments([text])
      return performance.now() - start
    }
    const window = Math.max(await timeMs('word '.repeat(1_000)), await timeMs('word '.repeat(1_000)))
    for (const unit of ['word ', 'a', '字', ' ', '!']) {
      expect(await timeMs(unit.repeat(1_000_000))).toBeLessThan(window * 10 + 200)
    }
  })

  it('answers a query while a catalog is being embedded', async () => {
    const embedder = checkedEmbedder(transformersEmbedder())
    await embedder.load()
    let catalogDone = false
    const catalog = embedder
      .embedDocuments(Array.from({ length: 300 }, (_, i) => `tool ${i} ${'some words '.repeat(20)}`))
      .then(() => {
        catalogDone = true
      })
    await embedder.embedQueries(['weather'])
    expect(catalogDone).toBe(false)
    await catalog
  })
})
