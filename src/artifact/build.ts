import { resolve } from 'node:path'
import { type CatalogEntry, createCatalog, type ToolLike } from '../catalog/catalog.js'
import { DOCUMENT_TEMPLATE_VERSION, documentOf, readDescription, type ToolDocument } from '../catalog/document.js'
import { type CheckedEmbedder, checkedEmbedder } from '../embedding/checked.js'
import { defaultEmbedder } from '../embedding/default-embedder.js'
import { embedTexts, textToEmbed } from '../embedding/document-vectors.js'
import type { Embedder, ModelProvenance } from '../embedding/embedder.js'
import type { CachedVector } from '../embedding/vector-cache.js'
import { isToolSearchError } from '../errors.js'
import { resolveBuildOptions } from '../index-options.js'
import { countInvisibleCharacters } from '../inspect/invisible-characters.js'
import { orderOf } from '../inspect/lint-orders.js'
import { messageOf } from '../show.js'
import { untilAborted } from '../wait.js'
import { adaptationOf, type BuildHooks, type IndexParts, timeOfBuild, writeIndex } from './finish.js'
import { documentVectorOfRow } from './indexed-layer.js'
import { fitsReadQueries } from './manifest.js'
import { openToolIndex } from './open.js'
import type { BuildProgress, BuildReport, ManifestModel, ManifestTool, ToolIndex } from './tool-index.js'
import { rejectForeignFolder } from './write.js'

export interface BuildToolIndexOptions {
  /** The tools to index. Callable name: `tool.id`, else the record key. */
  tools: Record<string, ToolLike>
  /** The folder to write: a new or empty one, or an index, which is replaced in one step. */
  out: string
  /** What turns texts into vectors; whoever opens the index needs the same. Default: the bundled all-MiniLM-L6-v2. */
  embedder?: Embedder | undefined
  /** Stores the documents' texts, too, so that the index can be searched by words without its tools. Default `false`. */
  includeDocuments?: boolean | undefined
  /** Called as the work goes on. */
  onProgress?: ((progress: BuildProgress) => void) | undefined
  /** Ends the build: it rejects with the signal's reason, and the folder is as it was. */
  abortSignal?: AbortSignal | undefined
  /** Takes warnings; default `console.warn`. */
  warn?: ((message: string) => void) | undefined
}

// Documents of one call to the embedder: half a second of work, so that progress shows and an abort is quick.
const DOCUMENTS_PER_CALL = 64

/**
 * Builds the index of `tools` in the folder `out`. Documents whose text an index there has already, made by the same
 * model, are not embedded again. The same tools, model and version give the same bytes on the same kind of CPU,
 * in whatever order the tools come, and whatever was there before but for what it has learnt (`adaptToolIndex`,
 * `calibrateToolIndex`), which is kept; the time stamp is that of `SOURCE_DATE_EPOCH` (in seconds) where it is set. An index that is the same already is
 * left as it is.
 *
 * @throws {ToolSearchError} with the code `INVALID_OPTIONS`, `RESERVED_TOOL_NAME` or `TOOL_NAME_COLLISION` for what cannot be
 * indexed, `MODEL_LOAD_FAILED`, `EMBEDDING_FAILED` or `EMBEDDER_MISMATCH` where the model fails, and `INDEX_STALE` where
 * another process has adapted or calibrated the index meanwhile. The folder is then as it was.
 */
export async function buildToolIndex(options: BuildToolIndexOptions): Promise<BuildReport> {
  const { out, includeDocuments, ...rest } = resolveBuildOptions(options)
  // Rejects a wrong one before the work.
  timeOfBuild()
  const path = resolve(out)
  await rejectForeignFolder(path)
  const embedder = checkedEmbedder(options.embedder ?? defaultEmbedder())
  const catalog = await embedCatalog({ ...rest, embedder, reuseFrom: path })
  const learnt = await keptLearning(catalog, embedder, rest.warn)
  const documents = includeDocuments ? catalog.documents : undefined
  return { ...reportOf(path, catalog), ...(await writeIndex({ ...catalog, ...learnt, path, documents }, rest)) }
}

/** What the index that was there has learnt from queries, as far as it serves this model; says where it does not. */
export async function keptLearning(
  { previous, reusable }: { readonly previous: ToolIndex | undefined; readonly reusable: ToolIndex | undefined },
  embedder: CheckedEmbedder,
  warn: (message: string) => void,
): Promise<Pick<IndexParts, 'adaptation' | 'calibration'>> {
  const keepsAdaptation = reusable !== undefined && (await fitsReadQueries(reusable.manifest, embedder))
  if (previous?.adaptation && !keepsAdaptation) {
    warn('What was learnt from queries is for another model or version, and is dropped: adapt the index anew.')
  }
  const calibration = reusable?.manifest.calibration ?? null
  if (previous?.manifest.calibration && !calibration) {
    warn('The calibration of scores is for another model or version, and is dropped: calibrate the index anew.')
  }
  return { adaptation: keepsAdaptation ? adaptationOf(reusable) : undefined, calibration }
}

/** What a report says of embedding. */
export function reportOf(path: string, { documents, embedded, reused }: EmbeddedCatalog) {
  return { path, tools: documents.length, embedded, reused }
}

/** A catalog whose documents have vectors, in the order of an index. */
export interface EmbeddedCatalog {
  readonly previous: ToolIndex | undefined
  /** The same where its vectors serve this model. */
  readonly reusable: ToolIndex | undefined
  readonly model: ManifestModel
  readonly documents: readonly ToolDocument[]
  readonly vectors: Float32Array
  readonly tools: readonly Omit<ManifestTool, 'queries'>[]
  /** Documents embedded now, and those taken over. */
  readonly embedded: number
  readonly reused: number
}

/** Embeds what the index in `reuseFrom` does not have. */
export async function embedCatalog({
  tools,
  embedder,
  reuseFrom,
  ...hooks
}: {
  tools: Record<string, ToolLike>
  embedder: CheckedEmbedder
  reuseFrom: string
} & BuildHooks): Promise<EmbeddedCatalog> {
  const { abortSignal, warn } = hooks
  abortSignal?.throwIfAborted()
  const entries = [...createCatalog(tools).layers[0]!.entries].sort(byName)
  const documents = entries.map(documentOf)
  const previous = await openPrevious(reuseFrom, warn)
  const provenance = await untilAborted(embedder.knownProvenance(), abortSignal)
  const counts = (await untilAborted(embedder.tokenCounts([]), abortSignal)) !== undefined
  const reusable = previous && isReusable(previous, embedder, { provenance, counts }) ? previous : undefined

  const missing = new Map<string, ToolDocument>()
  for (const document of documents) {
    if (reusable?.rowOfDocument(document.hash) === undefined) missing.set(document.hash, document)
  }
  const embedded = await embedAll([...missing.values()], embedder, hooks)
  const vectors = new Float32Array(documents.length * embedder.dimensions)
  const manifestTools = documents.map((document, row) => {
    const known = embedded.get(document.hash) ?? storedDocument(reusable!, document.hash)
    vectors.set(known.vector, row * embedder.dimensions)
    return {
      name: entries[row]!.name,
      documentHash: document.hash,
      readableShare: known.readableShare,
      tokens: known.tokens,
      ...factsOf(entries[row]!, document),
    }
  })
  return {
    previous,
    reusable,
    model: modelOf(embedder, provenance),
    documents,
    vectors,
    tools: manifestTools,
    embedded: missing.size,
    reused: documents.length - documents.filter(document => missing.has(document.hash)).length,
  }
}

function modelOf(
  { modelId, dimensions, maxTokens }: CheckedEmbedder,
  provenance: ModelProvenance | undefined,
): ManifestModel {
  return {
    id: modelId,
    revision: provenance?.revision ?? null,
    weightsSha256: provenance?.weightsSha256 ?? null,
    dimensions,
    maxTokens,
  }
}

/** Code units, not the locale's order: the same on every machine. */
function byName(a: CatalogEntry, b: CatalogEntry): number {
  return a.name < b.name ? -1 : 1
}

async function openPrevious(path: string, warn: (message: string) => void): Promise<ToolIndex | undefined> {
  try {
    return await openToolIndex(path)
  } catch (error) {
    if (!isToolSearchError(error)) throw error
    if ((error.cause as NodeJS.ErrnoException | undefined)?.code !== 'ENOENT') {
      warn(`Nothing is taken over from the index that is there: ${messageOf(error)}`)
    }
    return undefined
  }
}

function isReusable(
  { manifest }: ToolIndex,
  embedder: CheckedEmbedder,
  { provenance, counts }: { provenance: ModelProvenance | undefined; counts: boolean },
): boolean {
  const { model, documentTemplateVersion, tools } = manifest
  return (
    // A build from nothing would have the token counts, or none.
    tools.every(({ tokens }) => (tokens !== null) === counts) &&
    model.id === embedder.modelId &&
    model.weightsSha256 === (provenance?.weightsSha256 ?? null) &&
    model.dimensions === embedder.dimensions &&
    documentTemplateVersion === DOCUMENT_TEMPLATE_VERSION
  )
}

interface EmbeddedDocument extends CachedVector {
  readonly tokens: number | null
}

async function embedAll(
  documents: readonly ToolDocument[],
  embedder: CheckedEmbedder,
  { onProgress, abortSignal }: Pick<BuildToolIndexOptions, 'onProgress' | 'abortSignal'>,
): Promise<Map<string, EmbeddedDocument>> {
  const embedded = new Map<string, EmbeddedDocument>()
  for (let start = 0; start < documents.length; start += DOCUMENTS_PER_CALL) {
    onProgress?.({ phase: 'embed', done: start, total: documents.length })
    const part = documents.slice(start, start + DOCUMENTS_PER_CALL)
    const texts = part.map(textToEmbed)
    // `independent`: a vector must not depend on which other documents are new.
    const embedding = embedTexts(texts, embedder, { abortSignal, independent: true })
    const vectors = await untilAborted(embedding, abortSignal)
    const counts = await untilAborted(embedder.tokenCounts(texts), abortSignal)
    part.forEach(({ hash }, i) => {
      embedded.set(hash, { ...vectors[i]!, tokens: counts?.[i] ?? null })
    })
  }
  if (documents.length > 0) onProgress?.({ phase: 'embed', done: documents.length, total: documents.length })
  return embedded
}

function storedDocument(index: ToolIndex, hash: string): EmbeddedDocument {
  const row = index.rowOfDocument(hash)!
  return { ...documentVectorOfRow(index, row), tokens: index.manifest.tools[row]!.tokens }
}

function factsOf({ name, tool }: CatalogEntry, document: ToolDocument) {
  const { parameters, truncated } = document
  const description = readDescription(tool)
  return {
    descriptionWords: countWords(description),
    invisibleCharacters: countInvisibleCharacters(`${name}\n${description}\n${parameters}`),
    givesOrders: orderOf(document) !== undefined,
    truncated,
  }
}

// Not white space: Chinese and Japanese have none.
const words = new Intl.Segmenter('en', { granularity: 'word' })

// The time of the segmenter grows with the square of the text.
const MAX_COUNTED_CHARACTERS = 10_000

function countWords(text: string): number {
  let count = 0
  for (const { isWordLike } of words.segment(text.slice(0, MAX_COUNTED_CHARACTERS))) if (isWordLike) count++
  return count
}
