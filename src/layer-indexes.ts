import { createHash } from 'node:crypto'
import type { CatalogLayer } from './catalog/catalog.js'
import type { ToolDocument } from './catalog/document.js'
import type { CheckedEmbedder } from './embedding/checked.js'
import { type CachedVector, createVectorCache, type VectorCache, vectorCacheKey } from './embedding/vector-cache.js'
import { buildLexicalLayer, type DenseLayer, documentsOf, type LexicalLayer } from './layer-index.js'
import { createExactIndex } from './vector/exact.js'
import { createHnswIndex } from './vector/hnsw.js'
import type { VectorIndex } from './vector/vector-index.js'

/** From this size on a lasting layer gets an HNSW graph; below, comparing all vectors takes about a millisecond. */
export const HNSW_MIN_SIZE = 2_000

// Indexes of request-resolved layers that are kept, by what they contain: most recent first, bounded by documents.
const MAX_KEPT_DOCUMENTS = 50_000
const MAX_KEPT_LAYERS = 64

/** One layer ready to be searched. `dense` is absent while no embeddings are available. */
export interface LayerIndex {
  readonly lexical: LexicalLayer
  readonly dense: DenseLayer | undefined
}

export interface LayerIndexesOptions {
  /** The embedder; throws where there is none to be had. */
  readonly embedder: () => CheckedEmbedder
  readonly warn: (message: string) => void
}

interface KeptLayer {
  readonly lexical: LexicalLayer
  dense: Promise<DenseLayer> | undefined
}

/**
 * The indexes of layers: of a lasting layer by its identity, of a request's layer by the texts it contains, so that a
 * request whose tools were seen before embeds nothing. Holds texts and vectors, never a tool object of a request.
 */
export class LayerIndexes {
  readonly #options: LayerIndexesOptions
  readonly #lasting = new WeakMap<CatalogLayer, Promise<KeptLayer>>()
  readonly #kept = new Map<string, KeptLayer>()

  constructor(options: LayerIndexesOptions) {
    this.#options = options
  }

  /**
   * The lexical index of a layer, and its vectors by `dense()`: that rejects where the embedder fails, and may be
   * called again.
   */
  async layer(
    layer: CatalogLayer,
    lasting: boolean,
  ): Promise<{ lexical: LexicalLayer; dense: (abortSignal?: AbortSignal) => Promise<DenseLayer> }> {
    const kept = await (lasting ? this.#lastingLayer(layer) : this.#requestLayer(layer))
    return { lexical: kept.lexical, dense: abortSignal => this.#denseOf(kept, lasting, abortSignal) }
  }

  #lastingLayer(layer: CatalogLayer): Promise<KeptLayer> {
    let kept = this.#lasting.get(layer)
    if (!kept) {
      kept = documentsOf(layer).then(documents => ({ lexical: buildLexicalLayer(documents), dense: undefined }))
      this.#lasting.set(layer, kept)
    }
    return kept
  }

  async #requestLayer(layer: CatalogLayer): Promise<KeptLayer> {
    const documents = await documentsOf(layer)
    const fingerprint = fingerprintOf(documents)
    let kept = this.#kept.get(fingerprint)
    if (kept) this.#kept.delete(fingerprint)
    else kept = { lexical: buildLexicalLayer(documents), dense: undefined }
    this.#kept.set(fingerprint, kept)
    this.#evict()
    return kept
  }

  #evict(): void {
    let documents = 0
    for (const { lexical } of this.#kept.values()) documents += lexical.documents.length
    for (const [fingerprint, { lexical }] of this.#kept) {
      if (this.#kept.size === 1 || (documents <= MAX_KEPT_DOCUMENTS && this.#kept.size <= MAX_KEPT_LAYERS)) return
      this.#kept.delete(fingerprint)
      documents -= lexical.documents.length
    }
  }

  /** Built once; callers that come while it is built share the work, and a failure is forgotten. */
  async #denseOf(kept: KeptLayer, lasting: boolean, abortSignal?: AbortSignal): Promise<DenseLayer> {
    if (!kept.dense) {
      // Not tied to one caller's signal: others may be waiting for the same index, and the next search needs it.
      const building = this.#buildDense(kept.lexical.documents, lasting)
      kept.dense = building
      building.catch(() => {
        if (kept.dense === building) kept.dense = undefined
      })
    }
    return await untilAborted(kept.dense, abortSignal)
  }

  async #buildDense(documents: readonly ToolDocument[], lasting: boolean): Promise<DenseLayer> {
    const embedder = this.#options.embedder()
    const found = await vectorsOf(documents, embedder)
    const vectors = new Float32Array(documents.length * embedder.dimensions)
    const readableShares = new Float32Array(documents.length)
    found.forEach(({ vector, readableShare }, position) => {
      vectors.set(vector, position * embedder.dimensions)
      readableShares[position] = readableShare
    })
    return { vectors: await this.#vectorIndex(vectors, embedder.dimensions, lasting), readableShares }
  }

  async #vectorIndex(vectors: Float32Array, dimensions: number, lasting: boolean): Promise<VectorIndex> {
    if (lasting && vectors.length / dimensions >= HNSW_MIN_SIZE) {
      try {
        return await createHnswIndex(vectors, dimensions)
      } catch (error) {
        this.#options.warn(
          `hnswlib-node is not available, so every search compares all tools (exact, but slower in large catalogs): ${messageOf(error)} ` +
            'Install a C++ compiler and Python, then reinstall, to get the HNSW index.',
        )
      }
    }
    return createExactIndex(vectors, dimensions)
  }
}

const cachesByEmbedder = new WeakMap<object, VectorCache>()

/** The vectors of documents, those not seen before embedded in one call. */
async function vectorsOf(documents: readonly ToolDocument[], embedder: CheckedEmbedder): Promise<CachedVector[]> {
  let cache = cachesByEmbedder.get(embedder)
  if (!cache) {
    cache = createVectorCache()
    cachesByEmbedder.set(embedder, cache)
  }
  const found = new Map<string, CachedVector>()
  const missing = new Map<string, string>()
  const keys = documents.map(document => vectorCacheKey(embedder.modelId, document.key))
  keys.forEach((key, position) => {
    const known = cache.get(key)
    if (known) found.set(key, known)
    // An empty text has no meaning to embed, and some models refuse it.
    else missing.set(key, documents[position]!.text || EMPTY_DOCUMENT)
  })
  if (missing.size > 0) {
    const texts = [...missing.values()]
    const vectors = await embedder.embedDocuments(texts)
    const shares = await embedder.readableShares(texts)
    ;[...missing.keys()].forEach((key, at) => {
      const value = { vector: vectors[at]!, readableShare: shares[at]! }
      cache.set(key, value)
      found.set(key, value)
    })
  }
  return keys.map(key => found.get(key)!)
}

const EMPTY_DOCUMENT = '-'

function fingerprintOf(documents: readonly ToolDocument[]): string {
  const hash = createHash('sha256')
  for (const { key } of documents) hash.update(`${key.length}:`).update(key)
  return hash.digest('base64url')
}

/** The promise's outcome, or the signal's reason when that comes first. */
export function untilAborted<T>(promise: Promise<T>, abortSignal: AbortSignal | undefined): Promise<T> {
  if (!abortSignal) return promise
  abortSignal.throwIfAborted()
  return new Promise<T>((resolve, reject) => {
    const onAbort = () => reject(abortSignal.reason)
    abortSignal.addEventListener('abort', onAbort, { once: true })
    promise.then(resolve, reject).finally(() => abortSignal.removeEventListener('abort', onAbort))
  })
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
