import { type PrebuiltIndexOptions, prebuiltIndex } from './artifact/prebuilt-index.js'
import type { ToolIndex } from './artifact/tool-index.js'
import { type Catalog, createCatalog, type ToolLike } from './catalog/catalog.js'
import { type CheckedEmbedder, checkedEmbedder } from './embedding/checked.js'
import { defaultEmbedder } from './embedding/default-embedder.js'
import type { Embedder } from './embedding/embedder.js'
import {
  EmbeddingError,
  isToolSearchError,
  ModelLoadError,
  SearchUnavailableError,
  type ToolSearchErrorCode,
} from './errors.js'
import { explainCandidates } from './explain.js'
import { exactlyNamed } from './layer-index.js'
import { type LayerIndex, LayerIndexes, type StoreLayerMaker } from './layer-indexes.js'
import { clausesOf } from './lexical/clauses.js'
import { DEFAULT_TOP_K, type OnStale, resolveSearcherOptions, resolveSearchOptions } from './options.js'
import { createQueryEmbedder } from './query-embedder.js'
import { searchedText } from './query-text.js'
import { rankInParts } from './ranking/parts.js'
import { type QueryToRank, type RankableLayer, rankQuery } from './ranking/rank.js'
import { DEFAULT_MIN_SCORE, type EvidenceWeights } from './ranking/score.js'
import type { CatalogSearcher, SearchOptions, SearchResponse } from './searcher-types.js'
import { candidatesOf, select } from './select-results.js'
import { messageOf } from './show.js'
import type { ResolvedVectorStore, VectorStoreOptions } from './vector-store/vector-store.js'
import { untilAborted, withinTime } from './wait.js'
import { type Warn, warnOnce } from './warn-once.js'

export interface CatalogSearcherOptions {
  /** Default: the bundled model. */
  readonly embedder?: Embedder | undefined
  /** Makes a failing embedder or vector store an error instead of a lexical search. */
  readonly strict: boolean
  readonly warn: Warn
  /** A prebuilt index of the first layer's tools, and perhaps of others. */
  readonly index?: PrebuiltIndexOptions | undefined
  /** Where the vectors of the first layer are, if not in this process. */
  readonly vectorStore?: ResolvedVectorStore | undefined
  /** Longest wait of one search for its embeddings, in ms; for tests. Default 60,000. */
  readonly maxWaitMs?: number | undefined
}

export interface ToolSearcherOptions {
  /** Searchable tools. Callable name: `tool.id`, else the record key. */
  tools: Record<string, ToolLike>
  /** What turns texts into vectors. Default: the bundled all-MiniLM-L6-v2. */
  embedder?: Embedder | undefined
  /**
   * Makes a search without embeddings an error (`SEARCH_UNAVAILABLE`) instead of a lexical search with one warning: where the
   * embedder or the vector store fails, or the index cannot be read. Default `false`.
   */
  strict?: boolean | undefined
  /** A prebuilt index of the tools: its folder (`buildToolIndex`), or what `openToolIndex` gave. Not with `vectorStore`. Default: none. */
  index?: string | ToolIndex | undefined
  /** What to do about tools that are new or changed since the index was built. Default `'update'`. */
  onStale?: OnStale | undefined
  /** A Mastra vector store that holds the vectors of `tools`, shared by many processes. Default: this process does. */
  vectorStore?: VectorStoreOptions | undefined
  /** Takes warnings; default `console.warn`. */
  warn?: ((message: string) => void) | undefined
}

/** Searches one catalog without an agent, exactly as the processor does. */
export interface ToolSearcher {
  /**
   * The tools that serve `query`, best first, each with a score from 0 to 1.
   * @throws {ToolSearchError} with the code `INVALID_OPTIONS` for bad options, and with `strict` `SEARCH_UNAVAILABLE` where
   * the embedder or the vector store fails.
   */
  search(query: string, options?: SearchOptions): Promise<SearchResponse>
  /**
   * Loads the model and indexes the tools (or writes them to the vector store) ahead of the first search, without a time
   * limit.
   * @throws {ToolSearchError} where that fails, also without `strict`; it can be tried again.
   */
  warmup(): Promise<void>
}

/**
 * A searcher over `tools`, for scripts, tests and tuning.
 * @throws {ToolSearchError} at once, with the code `INVALID_OPTIONS`, `RESERVED_TOOL_NAME` or `TOOL_NAME_COLLISION`, and for
 * an index `INDEX_INVALID`, `INDEX_MISMATCH` or (with `onStale: 'error'`) `INDEX_STALE`.
 */
export function createToolSearcher(options: ToolSearcherOptions): ToolSearcher {
  const { tools, embedder, strict, warn, index, onStale, vectorStore } = resolveSearcherOptions(options)
  const catalog = createCatalog(tools)
  const prebuilt = index === undefined ? undefined : { index, onStale, catalog, includeResolvedTools: false }
  const searching = { embedder, strict, warn: warnOnce(warn), index: prebuilt, vectorStore }
  return searcherOf(catalog, createCatalogSearcher(searching))
}

/** A searcher of one catalog. */
export function searcherOf(catalog: Catalog, searcher: CatalogSearcher): ToolSearcher {
  return {
    search: async (query, searchOptions) =>
      searcher.searchCatalog(catalog, query, resolveSearchOptions(query, searchOptions)),
    warmup: () => searcher.warmup(catalog),
  }
}

// An embedder may be slow (a large catalog takes minutes to embed) or hang; a search goes by words alone after this
// long, and by meaning again as soon as the embeddings are there.
const MAX_WAIT_MS = 60_000

// Candidates ranked before the first filter call: more are ranked only when the filter refuses most of them.
const MIN_CANDIDATES = 64
const CANDIDATES_PER_RESULT = 4

/** Internal: searches the catalog of a step. The first layer is taken to last, a second one to be the request's. */
export function createCatalogSearcher(options: CatalogSearcherOptions): CatalogSearcher {
  const { strict, warn, maxWaitMs = MAX_WAIT_MS } = options
  let checked: CheckedEmbedder | undefined
  if (options.embedder) checked = checkedEmbedder(options.embedder)
  // Created on first use: making the default embedder reads files, which may be missing.
  const embedder = () => {
    try {
      checked ??= checkedEmbedder(defaultEmbedder())
      return checked
    } catch (error) {
      if (isToolSearchError(error)) throw error
      throw new ModelLoadError('bundled', `The bundled model cannot be read: ${messageOf(error)}`, { cause: error })
    }
  }
  const prebuilt = options.index && prebuiltIndex(options.index, { embedder, warn, strict })
  const { vectorStore } = options
  const disposals: (() => void)[] = []
  let isDisposed = false
  const storeLayer: StoreLayerMaker | undefined =
    vectorStore &&
    (async (documents, names) => {
      // Only here, so that without a store nothing of it is loaded.
      const { createStoreLayer } = await import('./vector-store/store-layer.js')
      const layer = createStoreLayer(documents, names, { options: vectorStore, embedder, warn })
      if (isDisposed) layer.dispose()
      else disposals.push(layer.dispose)
      return layer
    })
  const indexes = new LayerIndexes({ embedder, warn, index: prebuilt, storeLayer })
  const embedQuery = createQueryEmbedder(embedder)

  function layersOf(catalog: Catalog) {
    return Promise.all(catalog.layers.map((layer, at) => indexes.layer(layer, at === 0)))
  }

  // Once a wait was in vain, searches do not wait again until the embeddings have come.
  const overdue = new WeakSet<object>()

  async function embeddings(query: string, layers: readonly LayerIndex[]) {
    const texts = [query, ...clausesOf(query)]
    const embedded = Promise.all(texts.map(async text => ({ text, ...(await embedQuery(text)) })))
    const wanted = Promise.all([embedded, ...layers.map(layer => layer.dense())])
    const late = layers.find(layer => overdue.has(layer))
    const [queries, ...dense] = await withinTime(wanted, late ? 0 : maxWaitMs, () => {
      for (const layer of layers) {
        overdue.add(layer)
        wanted.then(
          () => overdue.delete(layer),
          () => overdue.delete(layer),
        )
      }
      return new EmbeddingError(
        checked?.modelId ?? 'unknown',
        `The embedder has not answered within ${maxWaitMs} ms. Call warmup() at start, where it may take its time.`,
      )
    })
    return {
      layers: layers.map((layer, at) => ({ lexical: layer.lexical, dense: dense[at] })),
      // All layers are of one index; the first one says whether it could be opened.
      queries: queries.map(each => ({ ...each, vector: dense[0]?.mapQuery?.(each.vector) ?? each.vector })),
      weights: dense[0]?.weights,
    }
  }

  /** What can be ranked by now: without the embeddings, the words. */
  async function rankables(layers: readonly LayerIndex[], query: string, abortSignal: AbortSignal | undefined) {
    try {
      return await untilAborted(embeddings(query, layers), abortSignal)
    } catch (error) {
      abortSignal?.throwIfAborted()
      return wordsAlone(layers, query, error)
    }
  }

  /** With `strict` an error, otherwise a warning. */
  function wordsAlone(layers: readonly LayerIndex[], query: string, error: unknown): Rankables {
    if (strict) {
      throw new SearchUnavailableError(`Tool search has no embeddings (strict: true): ${messageOf(error)}`, {
        cause: error,
      })
    }
    if (isStoreError(error)) {
      warn('store', `Tools are searched by their words alone until their vector store serves: ${messageOf(error)}`)
    } else {
      warn(
        'embeddings',
        `Embeddings are not available, so tools are searched by their words alone until they are: ${messageOf(error)}`,
      )
    }
    const rankable = layers.map(({ lexical }): RankableLayer => ({ lexical, dense: undefined }))
    return { layers: rankable, queries: [{ text: query, vector: undefined, readableShare: 0, smallTalk: 0 }] }
  }

  async function searchCatalog(
    catalog: Catalog,
    query: string,
    { topK = DEFAULT_TOP_K, minScore = DEFAULT_MIN_SCORE, accept, explain, abortSignal }: SearchOptions,
  ): Promise<SearchResponse> {
    const text = searchedText(query)
    if (text === undefined || catalog.size === 0) {
      return { results: [], mode: 'lexical', ...(explain && { candidates: [], smallTalk: 0 }) }
    }
    const layers = await untilAborted(layersOf(catalog), abortSignal)
    const whole = catalog.byName(query)
    const lexicalLayers = layers.map(layer => layer.lexical)
    const named = whole ? [whole] : exactlyNamed(catalog, lexicalLayers, text)

    const searchAmong = async ({ layers, queries, weights }: Rankables): Promise<SearchResponse> => {
      const [ofWhole, ...ofClauses] = queries.map(each => rankQuery(each, layers, weights))
      const ranked = rankInParts(ofWhole!, ofClauses)
      const limit = Math.max(MIN_CANDIDATES, topK * CANDIDATES_PER_RESULT)
      const candidates = candidatesOf(catalog, named, ranked, { limit, wanted: topK })
      const { results, refused } = await select(candidates, { topK, minScore, accept }, abortSignal)
      const mode = queries.some(({ vector, readableShare }) => vector && readableShare > 0) ? 'hybrid' : 'lexical'
      if (!explain) return { results, mode }
      return {
        results,
        mode,
        candidates: await explainCandidates({ catalog, ranked, queries, named, results, refused, minScore }),
        smallTalk: mode === 'hybrid' ? queries[0]!.smallTalk : 0,
      }
    }
    const rankable = await rankables(layers, text, abortSignal)
    try {
      return await untilAborted(searchAmong(rankable), abortSignal)
    } catch (error) {
      if (!isStoreError(error)) throw error
      return searchAmong(wordsAlone(layers, text, error))
    }
  }

  return {
    searchCatalog,
    async warmup(catalog) {
      await embedder().load()
      await prebuilt?.openOrThrow()
      for (const layer of await layersOf(catalog)) await layer.warmup()
    },
    dispose() {
      isDisposed = true
      for (const dispose of disposals) dispose()
    },
  }
}

interface Rankables {
  readonly layers: readonly RankableLayer[]
  /** The query, then its clauses where it is long. */
  readonly queries: readonly QueryToRank[]
  /** The index's own; where it has none, the default. */
  readonly weights?: EvidenceWeights | undefined
}

const STORE_CODES: ReadonlySet<unknown> = new Set<ToolSearchErrorCode>(['VECTOR_STORE_FAILED', 'VECTOR_STORE_MISMATCH'])

const isStoreError = (error: unknown) => isToolSearchError(error) && STORE_CODES.has(error.code)
