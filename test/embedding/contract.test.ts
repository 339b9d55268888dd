import type { EmbeddingModelV2 } from '@ai-sdk/provider'
import { MockEmbeddingModelV3 } from 'ai/test'
import { describe } from 'vitest'
import { aiSdkEmbedder } from '../../src/embedding/ai-sdk.js'
import { createTransformersEmbedder } from '../../src/embedding/transformers-js.js'
import { describeEmbedderContract } from './embedder-contract.js'
import { createFakeRuntime, fakeModelFolder } from './fake-model.js'
import { handMadeEmbedder, hashedVector } from './hand-made-embedder.js'

// The bundled model runs the same suite in bundled-model.test.ts.
describe('embedders', () => {
  describeEmbedderContract('hand-made', { create: handMadeEmbedder })

  const runtime = createFakeRuntime()
  const folder = fakeModelFolder()
  describeEmbedderContract('transformersEmbedder over a fake model', {
    create: () => createTransformersEmbedder({ model: folder }, runtime.importRuntime),
  })

  describeEmbedderContract('aiSdkEmbedder over specification v3', {
    create: () =>
      aiSdkEmbedder({
        dimensions: 16,
        model: new MockEmbeddingModelV3({
          maxEmbeddingsPerCall: 10,
          supportsParallelCalls: true,
          doEmbed: async ({ values }) => ({ embeddings: values.map(hashedVector), warnings: [] }),
        }),
      }),
  })

  const modelV2: EmbeddingModelV2<string> = {
    specificationVersion: 'v2',
    provider: 'mock',
    modelId: 'v2',
    maxEmbeddingsPerCall: Promise.resolve(5),
    supportsParallelCalls: Promise.resolve(false),
    doEmbed: async ({ values }) => ({ embeddings: values.map(hashedVector) }),
  }
  describeEmbedderContract('aiSdkEmbedder over specification v2', {
    create: () => aiSdkEmbedder({ dimensions: 16, model: modelV2 }),
  })
})
