import { createHash } from 'node:crypto'
import { driftOf } from './artifact/drift.js'
import { indexedVectorIndex, rowsOf, storedVector, vectorOfRow } from './artifact/indexed-layer.js'
import type { ToolIndex, ToolIndexDrift } from './artifact/tool-index.js'
import type { CatalogLayer } from './catalog/catalog.js'
import type { ToolDocument } from './catalog/document.js'
import type { CheckedEmbedder } from './embedding/checked.js'
import { vectorsOf } from './embedding/document-vectors.js'
import type { CachedVector } from './embedding/vector-cache.js'
import {
  areDocumentsOf,
  buildLexicalLayer,
  type DenseLayer,
  documentsOf,
  type LexicalLayer,
  shareNames,
} from './layer-index.js'
import type { OnStale } from './options.js'
import { messageOf } from './show.js'
import { createExactIndex } from './vector/exact.js'
import { createHnswIndex, HNSW_MIN_SIZE } from './vector/hnsw.js'
import { packRows } from './vector/pack-rows.js'
import type { VectorIndex } from './vector/vector-index.js'
import type { StoreLayer } from './vector-store/store-layer.js'
import { keepSuccess } from './wait.js'
import type { Warn } from './warn-once.js'

// Indexes of request-resolved layers that are kept, by what they contain: most recent first, bounded by documents.
const MAX_KEPT_DOCUMENTS = 50_000
const MAX_KEPT_LAYERS = 64

export interface LayerIndexesOptions {
  /** The embedder; throws where there is none to be had. */
  readonly embedder: () => CheckedEmbedder
  readonly warn: Warn
  /** A prebuilt index; its vectors are not embedded again. */
  readonly index?: LayerIndexSource | undefined
  /** Where the vectors of lasting layers are, if not in this process. */
  readonly storeLayer?: StoreLayerMaker | undefined
}

/** Makes the dense side of a layer of these documents and callable names. */
export type StoreLayerMaker = (documents: readonly ToolDocument[], names: readonly string[]) => Promise<StoreLayer>

export interface LayerIndexSource {
  /** Undefined where it cannot be opened; says so itself. */
  readonly open: () => Promise<ToolIndex | undefined>
  readonly onStale: OnStale
  /** Called with the tools that differ, once the lasting layer is indexed. */
  readonly onDrift: (drift: ToolIndexDrift) => void
}

/** One layer's indexes: the words at once, the vectors when they are asked for. */
export interface LayerIndex {
  readonly lexical: LexicalLayer
  /** Built once and shared; rejects where the embedder or the store fails, and is tried anew when called again. */
  dense(): Promise<DenseLayer>
  /** Resolves when all of it is there, however long that takes; rejects where it fails. */
  warmup(): Promise<void>
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
    return this.#indexOf(await buildLexicalLayer(await documentsOf(layer)), layer)
  }

  async #requestLayer(layer: CatalogLayer): Promise<LayerIndex> {
    const known = await this.#keptFor(layer)
    if (known) shareNames(layer, known.index.lexical.documents)
    const documents = known ? known.index.lexical.documents : await documentsOf(layer)
    const fingerprint = known?.fingerprint ?? fingerprintOf(documents)
    const index =
      known?.index ?? this.#kept.get(fingerprint) ?? this.#indexOf(await buildLexicalLayer(documents), undefined)
    this.#kept.delete(fingerprint)
    this.#kept.set(fingerprint, index)
    this.#evict()
    return index
  }

  /** The kept index of the very texts of a layer, as far as comparing them shows. */
  async #keptFor(layer: CatalogLayer): Promise<{ fingerprint: string; index: LayerIndex } | undefined> {
    for (const [fingerprint, index] of [...this.#kept].reverse()) {
      if (await areDocumentsOf(index.lexical.documents, layer)) return { fingerprint, index }
    }
    return undefined
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

  /** `lasting` is the layer itself where it lasts: a request's is not held on to. */
  #indexOf(lexical: LexicalLayer, lasting: CatalogLayer | undefined): LayerIndex {
    const { storeLayer } = this.#options
    if (lasting && storeLayer && lexical.documents.length > 0) return this.#storeIndexOf(lexical, lasting, storeLayer)
    const dense = keepSuccess(() => this.#buildDense(lexical.documents, lasting))
    return { lexical, dense, warmup: async () => void (await dense()) }
  }

  #storeIndexOf(lexical: LexicalLayer, { entries }: CatalogLayer, make: StoreLayerMaker): LayerIndex {
    const names = entries.map(({ name }) => name)
    const layer = keepSuccess(() => make(lexical.documents, names))
    return {
      lexical,
      dense: async () => (await layer()).dense(),
      warmup: async () => (await layer()).synchronised(),
    }
  }

  async #buildDense(documents: readonly ToolDocument[], lasting: CatalogLayer | undefined): Promise<DenseLayer> {
    const embedder = this.#options.embedder()
    const index = await this.#options.index?.open()
    if (index && lasting) return this.#denseFromIndex(index, documents, lasting, embedder)
    const found = await vectorsOf(documents, embedder, index && (hash => storedVector(index, hash)))
    return {
      vectors: await this.#vectorIndex(found, embedder.dimensions, lasting !== undefined),
      readableShares: Float32Array.from(found, ({ readableShare }) => readableShare),
      ...learntBy(index),
    }
  }

  /** The stored vectors, and those of the tools that are new or changed since: embedded now, or left to the words. */
  async #denseFromIndex(
    index: ToolIndex,
    documents: readonly ToolDocument[],
    { entries }: CatalogLayer,
    embedder: CheckedEmbedder,
  ): Promise<DenseLayer> {
    const { dimensions } = embedder
    const { onStale, onDrift } = this.#options.index!
    const tools = documents.map(({ hash }, position) => ({ name: entries[position]!.name, hash }))
    const rows = rowsOf(index, tools)
    const stale = documents.filter((_, position) => rows[position]! < 0)
    const known = (hash: string) => storedVector(index, hash)
    // Without a direction, a document is similar to nothing.
    const unknown: CachedVector = { vector: new Float32Array(dimensions), readableShare: 0 }
    const added =
      onStale === 'warn' ? stale.map(({ hash }) => known(hash) ?? unknown) : await vectorsOf(stale, embedder, known)
    onDrift(driftOf(index.manifest, tools))
    const eachOf = <T>(ofStored: (row: number) => T, ofAdded: (vector: CachedVector) => T): T[] => {
      let next = 0
      return Array.from(rows, row => (row < 0 ? ofAdded(added[next++]!) : ofStored(row)))
    }
    const allVectors = () =>
      eachOf(
        row => vectorOfRow(index, row),
        vector => vector,
      )
    const shares = eachOf(
      row => index.manifest.tools[row]!.readableShare,
      vector => vector.readableShare,
    )
    return {
      vectors: indexedVectorIndex(index, { rows, added }) ?? (await this.#vectorIndex(allVectors(), dimensions, true)),
      readableShares: Float32Array.from(shares),
      ...learntBy(index),
    }
  }

  async #vectorIndex(found: readonly CachedVector[], dimensions: number, lasting: boolean): Promise<VectorIndex> {
    const vectors = packRows(
      found.map(({ vector }) => vector),
      dimensions,
    )
    if (lasting && found.length >= HNSW_MIN_SIZE) {
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

/** What an index has learnt of queries, for all layers of a searcher alike: their evidence is compared. */
function learntBy(index: ToolIndex | undefined): Pick<DenseLayer, 'mapQuery' | 'weights'> {
  return { mapQuery: index?.adaptation?.mapQuery, weights: index?.manifest.calibration ?? undefined }
}

function fingerprintOf(documents: readonly ToolDocument[]): string {
  const hash = createHash('sha256')
  for (const document of documents) hash.update(document.hash)
  return hash.digest('base64url')
}
