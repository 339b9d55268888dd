import type { EmbeddingModelV2 } from '@ai-sdk/provider'
import type { ModelRouterEmbeddingModel } from '@mastra/core/llm'
import { MockEmbeddingModelV3 } from 'ai/test'
import { afterEach, describe, expect, expectTypeOf, it, vi } from 'vitest'
import { type AiSdkEmbeddingModel, aiSdkEmbedder } from '../../src/embedding/ai-sdk.js'
import { EmbedderMismatchError, EmbeddingError, InvalidOptionsError } from '../../src/errors.js'
import { hashedVector } from './hand-made-embedder.js'

type DoEmbed = MockEmbeddingModelV3['doEmbed']

const answer = (values: readonly string[]) => ({ embeddings: values.map(value => hashedVector(value)), warnings: [] })

function mockModel(options: Partial<ConstructorParameters<typeof MockEmbeddingModelV3>[0]> = {}) {
  return new MockEmbeddingModelV3({
    provider: 'mock',
    modelId: 'embed-1',
    maxEmbeddingsPerCall: 3,
    doEmbed: async ({ values }) => answer(values),
    ...options,
  })
}

afterEach(() => {
  vi.useRealTimers()
})

describe('aiSdkEmbedder', () => {
  it("accepts the models of AI SDK 5, AI SDK 6 and Mastra's router", () => {
    expectTypeOf<EmbeddingModelV2<string>>().toExtend<AiSdkEmbeddingModel>()
    expectTypeOf<MockEmbeddingModelV3>().toExtend<AiSdkEmbeddingModel>()
    expectTypeOf<ModelRouterEmbeddingModel>().toExtend<AiSdkEmbeddingModel>()
  })

  it('is named after provider and model unless told otherwise', () => {
    expect(aiSdkEmbedder({ model: mockModel(), dimensions: 16 }).modelId).toBe('mock/embed-1')
    expect(aiSdkEmbedder({ model: mockModel(), dimensions: 16, modelId: 'mine' }).modelId).toBe('mine')
  })

  it("splits texts by the smaller of maxBatch and the model's own limit, and keeps their order", async () => {
    const texts = ['a', 'b', 'c', 'd', 'e', 'f', 'g']
    const cases = [
      [128, Promise.resolve(3), 3],
      [2, 3, 4],
      [128, null, 1],
      [4, null, 2],
    ] as const
    for (const [maxBatch, limit, calls] of cases) {
      const model = mockModel({ maxEmbeddingsPerCall: limit as number })
      const vectors = await aiSdkEmbedder({ model, dimensions: 16, maxBatch }).embedDocuments(texts)
      expect(model.doEmbedCalls).toHaveLength(calls)
      expect(vectors).toEqual(texts.map(text => hashedVector(text)))
    }
  })

  it('makes at most four calls at once, and one at a time where the model does not allow it', async () => {
    for (const [supportsParallelCalls, expected] of [
      [true, 4],
      [false, 1],
    ] as const) {
      let running = 0
      let most = 0
      const doEmbed: DoEmbed = async ({ values }) => {
        most = Math.max(most, ++running)
        await new Promise(resolve => setTimeout(resolve, 2))
        running--
        return answer(values)
      }
      const model = mockModel({ supportsParallelCalls, maxEmbeddingsPerCall: 1, doEmbed })
      await aiSdkEmbedder({ model, dimensions: 16 }).embedDocuments('abcdefgh'.split(''))
      expect(most).toBe(expected)
    }
  })

  it('puts the prefixes in front', async () => {
    const model = mockModel()
    const embedder = aiSdkEmbedder({ model, dimensions: 16, queryPrefix: 'q: ', documentPrefix: 'd: ' })
    await embedder.embedQueries(['x'])
    await embedder.embedDocuments(['x'])
    expect(model.doEmbedCalls.map(call => call.values)).toEqual([['q: x'], ['d: x']])
  })

  it('tries once more after a retryable error', async () => {
    vi.useFakeTimers()
    const failure = Object.assign(new Error('overloaded'), { isRetryable: true })
    const doEmbed = vi.fn<DoEmbed>(async ({ values }) => answer(values)).mockRejectedValueOnce(failure)
    const embedding = aiSdkEmbedder({ model: mockModel({ doEmbed }), dimensions: 16 }).embedQueries(['x'])
    await vi.advanceTimersByTimeAsync(500)
    expect(await embedding).toHaveLength(1)
    expect(doEmbed).toHaveBeenCalledTimes(2)
  })

  it('does not try again after another error, and keeps it as cause', async () => {
    const failure = new Error('bad key')
    const doEmbed = vi.fn<DoEmbed>().mockRejectedValue(failure)
    const embedding = aiSdkEmbedder({ model: mockModel({ doEmbed }), dimensions: 16 }).embedQueries(['x'])
    await expect(embedding).rejects.toThrow(EmbeddingError)
    await expect(embedding).rejects.toMatchObject({ cause: failure })
    expect(doEmbed).toHaveBeenCalledTimes(1)
  })

  it('gives up after timeoutMs, also with a provider that ignores the signal', async () => {
    vi.useFakeTimers()
    let seen: AbortSignal | undefined
    const doEmbed: DoEmbed = ({ abortSignal }) => {
      seen = abortSignal
      return new Promise(() => {})
    }
    const embedding = aiSdkEmbedder({ model: mockModel({ doEmbed }), dimensions: 16, timeoutMs: 50 }).embedQueries([
      'x',
    ])
    const check = expect(embedding).rejects.toThrow(/no answer within 50 ms/)
    await vi.advanceTimersByTimeAsync(50)
    await check
    expect(seen?.aborted).toBe(true)
  })

  it.each([2 ** 31, Number.MAX_SAFE_INTEGER])(
    'waits with a timeoutMs of %d, longer than a timer can',
    async timeoutMs => {
      const doEmbed: DoEmbed = async ({ values }) => {
        await new Promise(resolve => setTimeout(resolve, 20))
        return answer(values)
      }
      const embedder = aiSdkEmbedder({ model: mockModel({ doEmbed }), dimensions: 16, timeoutMs })
      expect(await embedder.embedQueries(['x'])).toHaveLength(1)
    },
  )

  it('makes no further call after one has failed, and aborts those in flight', async () => {
    const failure = new Error('bad key')
    const signals: (AbortSignal | undefined)[] = []
    const doEmbed: DoEmbed = async ({ abortSignal }) => {
      signals.push(abortSignal)
      if (signals.length < 4) return new Promise(() => {})
      throw failure
    }
    const model = mockModel({ doEmbed, supportsParallelCalls: true, maxEmbeddingsPerCall: 1 })
    const texts = Array.from({ length: 40 }, (_, i) => `text ${i}`)
    const embedding = aiSdkEmbedder({ model, dimensions: 16 }).embedDocuments(texts)
    await expect(embedding).rejects.toMatchObject({ code: 'EMBEDDING_FAILED', cause: failure })
    expect(signals.slice(0, 3).map(signal => signal?.aborted)).toEqual([true, true, true])
    await new Promise(resolve => setTimeout(resolve, 20))
    expect(signals).toHaveLength(4)
  })

  it('makes no further call after one has failed where the others then succeed', async () => {
    let calls = 0
    const doEmbed: DoEmbed = async ({ values }) => {
      if (++calls === 2) throw new Error('bad key')
      await new Promise(resolve => setTimeout(resolve, 5))
      return answer(values)
    }
    const model = mockModel({ doEmbed, supportsParallelCalls: true, maxEmbeddingsPerCall: 1 })
    const embedding = aiSdkEmbedder({ model, dimensions: 16 }).embedDocuments('abcdefghijklmnop'.split(''))
    await expect(embedding).rejects.toThrow('bad key')
    await new Promise(resolve => setTimeout(resolve, 30))
    expect(calls).toBe(4)
  })

  it('wraps what has no message', async () => {
    const thrown: unknown = Object.create(null)
    const model = mockModel({ doEmbed: () => Promise.reject(thrown) })
    const embedding = aiSdkEmbedder({ model, dimensions: 16 }).embedQueries(['x'])
    await expect(embedding).rejects.toMatchObject({ code: 'EMBEDDING_FAILED', cause: thrown })
  })

  it('hands an abort to the provider and rejects at once', async () => {
    let seen: AbortSignal | undefined
    const doEmbed: DoEmbed = ({ abortSignal }) => {
      seen = abortSignal
      return new Promise(() => {})
    }
    const abort = new AbortController()
    const embedding = aiSdkEmbedder({ model: mockModel({ doEmbed }), dimensions: 16 }).embedQueries(['x'], {
      abortSignal: abort.signal,
    })
    const check = expect(embedding).rejects.toThrow(/aborted by its caller/)
    await new Promise(resolve => setTimeout(resolve, 1))
    abort.abort()
    await check
    expect(seen?.aborted).toBe(true)
  })

  it('rejects a call that returns too few embeddings instead of shifting the rest', async () => {
    const doEmbed: DoEmbed = async ({ values }) => answer(values.slice(1))
    const embedding = aiSdkEmbedder({ model: mockModel({ doEmbed }), dimensions: 16 }).embedQueries(['x', 'y'])
    await expect(embedding).rejects.toThrow(EmbedderMismatchError)
  })

  it.each([
    ['no options', undefined, 'options'],
    ['a model id', { model: 'openai/text-embedding-3-small', dimensions: 1536 }, 'ModelRouterEmbeddingModel'],
    ['an object without doEmbed', { model: {}, dimensions: 16 }, 'doEmbed'],
    ['dimensions without a prototype', { model: mockModel(), dimensions: Object.create(null) }, 'dimensions'],
    ['an unknown option', { model: mockModel(), dimensions: 16, timeoutMS: 1 }, 'timeoutMS'],
    ['no dimensions', { model: mockModel() }, 'dimensions'],
    ['a time-out of 0', { model: mockModel(), dimensions: 16, timeoutMs: 0 }, 'timeoutMs'],
    ['half a text in a batch', { model: mockModel(), dimensions: 16, maxBatch: 1.5 }, 'maxBatch'],
    ['a blank modelId', { model: mockModel(), dimensions: 16, modelId: ' ' }, 'modelId'],
    ['a prefix that is no string', { model: mockModel(), dimensions: 16, queryPrefix: 1 }, 'queryPrefix'],
  ])('rejects %s at construction', (_, options, named) => {
    expect(() => aiSdkEmbedder(options as never)).toThrow(InvalidOptionsError)
    expect(() => aiSdkEmbedder(options as never)).toThrow(named)
  })
})
