import { EmbedderMismatchError, EmbeddingError, isToolSearchError } from '../errors.js'
import { messageOf } from '../show.js'
import { orAbort, throwIfAborted } from './abort.js'
import { aString, checkOptions, type Rule, type Rules, wholeNumberFrom } from './check-options.js'
import type { Embedder, Embedding } from './embedder.js'

/**
 * An AI SDK embedding model, specification v2 or v3: what `openai.textEmbeddingModel('…')` returns, or Mastra's
 * `new ModelRouterEmbeddingModel('openai/text-embedding-3-small')`. Only these members are used.
 */
export interface AiSdkEmbeddingModel {
  readonly provider: string
  readonly modelId: string
  readonly maxEmbeddingsPerCall?: number | undefined | PromiseLike<number | undefined>
  readonly supportsParallelCalls?: boolean | undefined | PromiseLike<boolean>
  doEmbed(options: {
    values: string[]
    abortSignal?: AbortSignal
  }): PromiseLike<{ embeddings: readonly (readonly number[])[] }>
}

export interface AiSdkEmbedderOptions {
  model: AiSdkEmbeddingModel
  /** Length of the model's embeddings, ≥ 1 (1,536 for text-embedding-3-small). */
  dimensions: number
  /** Default `<provider>/<modelId>`. Give your own where settings of the model change its vectors. */
  modelId?: string | undefined
  /** Put in front of queries. Default none. */
  queryPrefix?: string | undefined
  /** Put in front of documents. Default none. */
  documentPrefix?: string | undefined
  /** Most time for one call of the model, in milliseconds, ≥ 1 (25 days at most). Default 10,000. */
  timeoutMs?: number | undefined
  /** Most texts in one call, ≥ 1; the model's own `maxEmbeddingsPerCall` counts too. Default 128. */
  maxBatch?: number | undefined
}

// Calls at once to a model that allows it; more meets rate limits rather than time.
const PARALLEL_CALLS = 4

const RETRY_DELAY_MS = 500

// Longest delay of a timer, some 25 days; with a longer one it fires at once.
const MAX_TIMER_MS = 2 ** 31 - 1

const MODEL: Rule = [
  'an AI SDK embedding model (an object with doEmbed, such as new ModelRouterEmbeddingModel(id) makes)',
  value =>
    typeof value === 'object' && value !== null && typeof (value as { doEmbed?: unknown }).doEmbed === 'function',
]

const RULES: Rules<AiSdkEmbedderOptions> = {
  model: MODEL,
  dimensions: wholeNumberFrom(1),
  modelId: ['a non-empty string', value => typeof value === 'string' && value.trim() !== ''],
  queryPrefix: aString,
  documentPrefix: aString,
  timeoutMs: wholeNumberFrom(1),
  maxBatch: wholeNumberFrom(1),
}

/**
 * An `Embedder` over an AI SDK embedding model. Nothing of `ai` is imported.
 *
 * A failed call is tried once more, half a second later, if the AI SDK calls its error retryable (`isRetryable`: HTTP
 * 408, 409, 429 and 5xx). A time-out and an abort reach the provider through its `abortSignal`, and a failed call ends the
 * others for the same texts.
 *
 * @throws {ToolSearchError} at once with the code `INVALID_OPTIONS`; its methods reject with `EMBEDDING_FAILED` for a failed
 * call, a time-out or an abort, and `EMBEDDER_MISMATCH` for a wrong count of embeddings.
 */
export function aiSdkEmbedder(options: AiSdkEmbedderOptions): Embedder {
  checkOptions('aiSdkEmbedder', options, RULES, ['model', 'dimensions'])
  const { model, dimensions, queryPrefix = '', documentPrefix = '', timeoutMs = 10_000, maxBatch = 128 } = options
  const modelId = options.modelId ?? `${model.provider}/${model.modelId}`

  async function callOnce(values: string[], abortSignal: AbortSignal | undefined): Promise<readonly Embedding[]> {
    throwIfAborted(modelId, abortSignal)
    const timeout = new AbortController()
    // Not AbortSignal.timeout: its timer does not keep the process alive while the call is pending.
    const timer = setTimeout(
      () => timeout.abort(new Error(`no answer within ${timeoutMs} ms (raise timeoutMs)`)),
      Math.min(timeoutMs, MAX_TIMER_MS),
    )
    const signal = abortSignal ? AbortSignal.any([abortSignal, timeout.signal]) : timeout.signal
    try {
      // Raced, since not every provider heeds the signal.
      const call = Promise.resolve(model.doEmbed({ values, abortSignal: signal }))
      return (await orAbort(modelId, call, signal)).embeddings
    } catch (error) {
      throwIfAborted(modelId, abortSignal)
      throw timeout.signal.aborted ? timeout.signal.reason : error
    } finally {
      clearTimeout(timer)
    }
  }

  async function call(values: string[], abortSignal: AbortSignal | undefined): Promise<readonly Embedding[]> {
    let embeddings: readonly Embedding[]
    try {
      embeddings = await callOnce(values, abortSignal).catch(async error => {
        if (!isRetryable(error)) throw error
        const delay = new Promise(resolve => setTimeout(resolve, RETRY_DELAY_MS))
        await orAbort(modelId, delay, abortSignal)
        return callOnce(values, abortSignal)
      })
    } catch (error) {
      if (isToolSearchError(error)) throw error
      throw new EmbeddingError(
        modelId,
        `Embedding ${values.length} texts with "${modelId}" failed: ${messageOf(error)}`,
        { cause: error },
      )
    }
    // Here, and not only by the caller's check: with several calls, a short one would shift the results of the rest.
    if (!Array.isArray(embeddings) || embeddings.length !== values.length) {
      const got = Array.isArray(embeddings) ? String(embeddings.length) : typeof embeddings
      throw new EmbedderMismatchError(modelId, `${values.length} embeddings`, got, 'The provider is at fault.')
    }
    return embeddings
  }

  async function embed(texts: readonly string[], prefix: string, abortSignal?: AbortSignal): Promise<Embedding[]> {
    throwIfAborted(modelId, abortSignal)
    if (texts.length === 0) return []
    const [modelBatch, parallel] = await Promise.all([model.maxEmbeddingsPerCall, model.supportsParallelCalls])
    const size = Math.max(1, Math.min(maxBatch, modelBatch ?? maxBatch))
    const results = new Array<Embedding>(texts.length)
    // Fired by the first call that fails: its error is the outcome, and what the others would still return costs money.
    const stop = new AbortController()
    const signal = abortSignal ? AbortSignal.any([abortSignal, stop.signal]) : stop.signal
    let next = 0
    const worker = async () => {
      while (next < texts.length && !stop.signal.aborted) {
        const start = next
        next += size
        const values = texts.slice(start, start + size).map(text => prefix + text)
        const embeddings = await call(values, signal)
        embeddings.forEach((embedding, i) => {
          results[start + i] = embedding
        })
      }
    }
    // The reason of an abort is set once, so that the errors of the calls that it ends do not replace the first one.
    const stoppingWorker = () => worker().catch(error => stop.abort(error))
    await Promise.all(Array.from({ length: parallel ? PARALLEL_CALLS : 1 }, stoppingWorker))
    if (stop.signal.aborted) throw stop.signal.reason
    return results
  }

  return {
    modelId,
    dimensions,
    embedQueries: (texts, embedOptions) => embed(texts, queryPrefix, embedOptions?.abortSignal),
    embedDocuments: (texts, embedOptions) => embed(texts, documentPrefix, embedOptions?.abortSignal),
  }
}

function isRetryable(error: unknown): boolean {
  return typeof error === 'object' && error !== null && (error as { isRetryable?: unknown }).isRetryable === true
}
