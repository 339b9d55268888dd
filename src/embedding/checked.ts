import { EmbedderMismatchError, EmbeddingError, InvalidOptionsError, isToolSearchError } from '../errors.js'
import { messageOf, show } from '../show.js'
import type { Embedder, Embedding, EmbedOptions, ModelProvenance, ReadQuery } from './embedder.js'

/** Longest input in tokens of an embedder that does not say. */
export const DEFAULT_MAX_TOKENS = 256

/** An `Embedder` whose results can be trusted: complete, of unit length, with every optional member present. */
export interface CheckedEmbedder extends Embedder {
  readonly maxTokens: number
  embedQueries(texts: readonly string[], options?: EmbedOptions): Promise<Float32Array[]>
  embedDocuments(texts: readonly string[], options?: EmbedOptions): Promise<Float32Array[]>
  /** `embedQueries`, read for ranking. */
  readQueries(texts: readonly string[], options?: EmbedOptions): Promise<CheckedQuery[]>
  load(): Promise<void>
  readableShares(texts: readonly string[]): Promise<number[]>
  /** Undefined where the embedder does not count. */
  tokenCounts(texts: readonly string[]): Promise<number[] | undefined>
  /** How queries are read: undefined where the embedder does not tell, `READ_AS_THEY_ARE` where they are left alone. */
  knownReadQueryId(): Promise<string | undefined>
  /** Undefined where the embedder does not tell. */
  knownProvenance(): Promise<ModelProvenance | undefined>
}

/** The `readQueryId` of embedders that compare queries as they are. */
export const READ_AS_THEY_ARE = 'none'

export interface CheckedQuery extends ReadQuery {
  readonly embedding: Float32Array
}

// One wrapper an embedder: whatever is cached by it is shared by all who use that embedder.
const wrappers = new WeakMap<Embedder, CheckedEmbedder>()

/**
 * Wraps any embedder so that each result is checked and scaled to unit length (new `Float32Array`s).
 *
 * Throws `InvalidOptionsError` where `embedder` is none. Its methods reject with `EmbedderMismatchError` where a result
 * has another count or dimension than promised, holds NaN, an infinite number or only zeros, or where `modelId` or
 * `dimensions` has changed; with `EmbeddingError` (`cause` kept) where the embedder throws anything that is not an error
 * of this package. An embedder that is checked already is returned as it is.
 */
export function checkedEmbedder(embedder: Embedder): CheckedEmbedder {
  validate(embedder)
  const known = wrappers.get(embedder)
  if (known) return known
  const { modelId, dimensions } = embedder

  async function embed(
    method: 'embedQueries' | 'embedDocuments',
    texts: readonly string[],
    options: EmbedOptions | undefined,
  ): Promise<Float32Array[]> {
    if (texts.length === 0) return []
    const results = await guarded(modelId, method, () => embedder[method](texts, options))
    if (embedder.modelId !== modelId) {
      throw new EmbedderMismatchError(modelId, 'an unchanged modelId', show(embedder.modelId), CHANGED_CURE)
    }
    if (embedder.dimensions !== dimensions) {
      throw new EmbedderMismatchError(modelId, `${dimensions} dimensions`, show(embedder.dimensions), CHANGED_CURE)
    }
    if (!Array.isArray(results) || results.length !== texts.length) {
      const got = Array.isArray(results) ? String(results.length) : typeof results
      throw new EmbedderMismatchError(
        modelId,
        `${texts.length} embeddings from ${method}`,
        got,
        'Return one embedding for each text, in order.',
      )
    }
    // Array.from, since map skips the holes of an array such as `new Array(n)`.
    return Array.from(results, (embedding, i) => unitVector(modelId, dimensions, embedding, i))
  }

  async function readQuery(embedding: Float32Array, index: number): Promise<CheckedQuery> {
    if (!embedder.readQuery) return { embedding, smallTalk: 0 }
    const read = await guarded(modelId, 'readQuery', async () => embedder.readQuery?.(embedding))
    if (!isShare(read?.smallTalk)) {
      throw new EmbedderMismatchError(
        modelId,
        'smallTalk from 0 to 1 from readQuery',
        show(read?.smallTalk),
        'Return how likely the query is no request.',
      )
    }
    return { embedding: unitVector(modelId, dimensions, read!.embedding, index), smallTalk: read!.smallTalk }
  }

  const result: CheckedEmbedder = {
    modelId,
    dimensions,
    ...(embedder.readQuery && { readQuery: embedding => embedder.readQuery!(embedding) }),
    ...(embedder.readQueryId && { readQueryId: () => embedder.readQueryId!() }),
    maxTokens: embedder.maxTokens ?? DEFAULT_MAX_TOKENS,
    embedQueries: (texts, options) => embed('embedQueries', texts, options),
    embedDocuments: (texts, options) => embed('embedDocuments', texts, options),
    readQueries: async (texts, options) =>
      Promise.all((await embed('embedQueries', texts, options)).map((embedding, index) => readQuery(embedding, index))),
    load: async () => {
      await guarded(modelId, 'load', async () => embedder.load?.())
    },
    readableShares: async texts => {
      if (!embedder.readableShares || texts.length === 0) return Array.from(texts, () => 1)
      const returned = await guarded(modelId, 'readableShares', async () => embedder.readableShares?.(texts))
      const shares = Array.isArray(returned) ? Array.from<number>(returned) : undefined // as above, for holes
      if (shares?.length !== texts.length || !shares.every(isShare)) {
        throw new EmbedderMismatchError(
          modelId,
          `${texts.length} shares from 0 to 1 from readableShares`,
          shares ? `[${shares.slice(0, 5).map(show).join(', ')}] (${shares.length})` : typeof returned,
          'Return one number for each text, in order.',
        )
      }
      return shares
    },
    tokenCounts: async texts => {
      const counts = await guarded(modelId, 'countTokens', async () => embedder.countTokens?.(texts))
      if (counts === undefined) return undefined
      if (counts.length === texts.length && counts.every(count => Number.isSafeInteger(count) && count >= 0)) {
        return [...counts]
      }
      throw new EmbedderMismatchError(
        modelId,
        `${texts.length} whole numbers ≥ 0 from countTokens`,
        `[${counts.slice(0, 5).map(show).join(', ')}] (${counts.length})`,
        'Return one number for each text, in order.',
      )
    },
    knownReadQueryId: async () => {
      if (!embedder.readQuery) return READ_AS_THEY_ARE
      const id = await guarded(modelId, 'readQueryId', async () => embedder.readQueryId?.())
      if (id === undefined || (typeof id === 'string' && id !== '')) return id
      throw new EmbedderMismatchError(
        modelId,
        'a text from readQueryId',
        show(id),
        'Return what changes whenever readQuery does.',
      )
    },
    knownProvenance: () => guarded(modelId, 'provenance', async () => embedder.provenance?.()),
  }
  wrappers.set(result, result)
  wrappers.set(embedder, result)
  return result
}

const OPTIONAL_METHODS = ['load', 'readableShares', 'readQuery', 'readQueryId', 'countTokens', 'provenance'] as const

const CHANGED_CURE = 'An embedder keeps its modelId and dimensions for life; create a new one for another model.'

function unitVector(modelId: string, dimensions: number, embedding: Embedding, index: number): Float32Array {
  const length = (embedding as Embedding | undefined)?.length
  if (length !== dimensions) {
    throw new EmbedderMismatchError(
      modelId,
      `embeddings of ${dimensions} numbers`,
      `${show(length)} at index ${index}`,
      'Set dimensions to what the model returns.',
    )
  }
  let largest = 0
  for (let i = 0; i < dimensions; i++) {
    const value = embedding[i]
    if (typeof value !== 'number' || !Number.isFinite(value)) {
      throw new EmbedderMismatchError(
        modelId,
        'finite numbers',
        `${show(value)} at position ${i} of embedding ${index}`,
        'The model or its export is broken for this input.',
      )
    }
    largest = Math.max(largest, Math.abs(value))
  }
  if (largest === 0) {
    throw new EmbedderMismatchError(
      modelId,
      'embeddings with a direction',
      `only zeros at index ${index}`,
      'A zero vector has no cosine similarity; return another vector for such a text.',
    )
  }
  // Scaled by the largest number first: the square of 1e200 is infinite and that of 1e-200 is 0, yet both are finite
  // numbers with a direction, as the interface asks for.
  let squares = 0
  for (let i = 0; i < dimensions; i++) squares += (embedding[i]! / largest) ** 2
  const norm = Math.sqrt(squares)
  return Float32Array.from({ length: dimensions }, (_, i) => embedding[i]! / largest / norm)
}

async function guarded<T>(modelId: string, method: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (error) {
    if (isToolSearchError(error)) throw error
    const message = `${method} of the embedder "${modelId}" failed: ${messageOf(error)}`
    throw new EmbeddingError(modelId, message, { cause: error })
  }
}

function isShare(value: unknown): boolean {
  return typeof value === 'number' && value >= 0 && value <= 1
}

function validate(embedder: Embedder): void {
  const fail: (message: string) => never = message => {
    throw new InvalidOptionsError(
      `${message} See the interface Embedder, or use transformersEmbedder or aiSdkEmbedder.`,
    )
  }
  if (typeof embedder !== 'object' || embedder === null) {
    fail(`Expected embedder to be an object, got ${embedder === null ? 'null' : typeof embedder}.`)
  }
  const { modelId, dimensions, maxTokens } = embedder
  if (typeof modelId !== 'string' || modelId.trim() === '') {
    fail(`Expected embedder.modelId to be a non-empty string, got ${show(modelId)}.`)
  }
  if (!Number.isInteger(dimensions) || dimensions < 1) {
    fail(`Expected embedder.dimensions to be a whole number ≥ 1, got ${show(dimensions)}.`)
  }
  if (maxTokens !== undefined && (!Number.isInteger(maxTokens) || maxTokens < 1)) {
    fail(`Expected embedder.maxTokens to be a whole number ≥ 1, got ${show(maxTokens)}.`)
  }
  for (const name of ['embedQueries', 'embedDocuments', ...OPTIONAL_METHODS] as const) {
    const optional = (OPTIONAL_METHODS as readonly string[]).includes(name)
    const value: unknown = embedder[name]
    if (typeof value !== 'function' && !(optional && value === undefined)) {
      fail(`Expected embedder.${name} to be a function, got ${typeof value}.`)
    }
  }
}
