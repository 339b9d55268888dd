import { createHash } from 'node:crypto'
import type { CatalogLayer } from './catalog/catalog.js'
import type { ToolDocument } from './catalog/document.js'
import type { CheckedEmbedder } from './embedding/checked.js'
import { vectorsOf } from './embedding/document-vectors.js'
import { buildLexicalLayer, type DenseLayer, documentsOf, type LexicalLayer } from './layer-index.js'
import { messageOf } from './show.js'
import { createExactIndex } from './vector/exact.js'
import { createHnswIndex } from './vector/hnsw.js'
import type { VectorIndex } from './vector/vector-index.js'
import type { Warn } from './warn-once.js'

/** From this size on a lasting layer gets an HNSW graph; below, comparing all vectors takes about a millisecond. */
export const HNSW_MIN_SIZE = 2_000

// Indexes of request-resolved layers that are kept, by what they contain: most recent first, bounded by documents.
const MAX_KEPT_DOCUMENTS = 50_000
const MAX_KEPT_LAYERS = 64

export interface LayerIndexesOptions {
  /** The embedder; throws where there is none to be had. */
  readonly embedder: () => CheckedEmbedder
  readonly warn: Warn
}

/** One layer's indexes: the words at once, the vectors when they are asked for. */
export interface LayerIndex {
  readonly lexical: LexicalLayer
  /** Built once and shared; rejects where the embedder fails, and then builds anew when called again. */
  dense(): Promise<DenseLayer>
}

/**
 * The indexes of layers: of a lasting layer by its identity, of a request's layer by the texts it contains, so that a
 * request whose tools were seen before embeds nothing. Holds texts and vectors, never a tool object of a request.
 */
export class LayerIndexes {
  readonly #options: LayerIndexesOptions
  readonly #lasting = new WeakMap<CatalogLayer, Promise<LayerIndex>>()
  readonly #kept = new Map<string, LayerIndex>()

  constructor(options: LayerIndexesOptions) {
    this.#options = options
  }

  layer(layer: CatalogLayer, lasting: boolean): Promise<LayerIndex> {
    return lasting ? this.#lastingLayer(layer) : this.#requestLayer(layer)
  }

  #lastingLayer(layer: CatalogLayer): Promise<LayerIndex> {
    let index = this.#lasting.get(layer)
    if (!index) {
      index = this.#build(layer)
      this.#lasting.set(layer, index)
      index.catch(() => this.#lasting.delete(layer))
    }
    return index
  }

  async #build(layer: CatalogLayer): Promise<LayerIndex> {
    return this.#indexOf(await buildLexicalLayer(await documentsOf(layer)), true)
  }

  async #requestLayer(layer: CatalogLayer): Promise<LayerIndex> {
    const documents = await documentsOf(layer)
    const fingerprint = fingerprintOf(documents)
    const index = this.#kept.get(fingerprint) ?? this.#indexOf(await buildLexicalLayer(documents), false)
    this.#kept.delete(fingerprint)
    this.#kept.set(fingerprint, index)
    this.#evict()
    return index
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

  #indexOf(lexical: LexicalLayer, lasting: boolean): LayerIndex {
    let building: Promise<DenseLayer> | undefined
    return {
      lexical,
      dense: () => {
        if (!building) {
          const started = this.#buildDense(lexical.documents, lasting)
          building = started
          started.catch(() => {
            building = undefined
          })
        }
        return building
      },
    }
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
          'hnsw',
          `hnswlib-node is not available, so every search compares all tools (exact, but slower in large catalogs): ${messageOf(error)} ` +
            'Install a C++ compiler and Python, then reinstall, to get the HNSW index.',
        )
      }
    }
    return createExactIndex(vectors, dimensions)
  }
}

function fingerprintOf(documents: readonly ToolDocument[]): string {
  const hash = createHash('sha256')
  for (const { key } of documents) hash.update(`${key.length}:`).update(key)
  return hash.digest('base64url')
}
