import { resolve } from 'node:path'
import { type CatalogEntry, createCatalog, type ToolLike } from '../catalog/catalog.js'
import { DOCUMENT_TEMPLATE_VERSION, documentOf, readDescription, type ToolDocument } from '../catalog/document.js'
import { type CheckedEmbedder, checkedEmbedder } from '../embedding/checked.js'
import { defaultEmbedder } from '../embedding/default-embedder.js'
import { EMPTY_DOCUMENT } from '../embedding/document-vectors.js'
import type { Embedder, ModelProvenance } from '../embedding/embedder.js'
import { packageVersion } from '../embedding/package-root.js'
import type { CachedVector } from '../embedding/vector-cache.js'
import { InvalidOptionsError, isToolSearchError } from '../errors.js'
import { countInvisibleCharacters } from '../inspect/invisible-characters.js'
import { orderOf } from '../inspect/lint-orders.js'
import { resolveBuildOptions } from '../options.js'
import { messageOf, show } from '../show.js'
import { buildHnsw, HNSW_MIN_SIZE, HNSW_PARAMETERS, HNSW_SEED } from '../vector/hnsw.js'
import type { HnswGraph } from '../vector/hnsw-graph.js'
import { untilAborted } from '../wait.js'
import { littleEndian32 } from './byte-order.js'
import { encodeGraph, graphOf } from './graph-file.js'
import { fitsVectors } from './graph-fit.js'
import { vectorOfRow } from './indexed-layer.js'
import { openToolIndex } from './open.js'
import {
  type BuildProgress,
  type BuildReport,
  FORMAT_VERSION,
  type ManifestTool,
  type StoredDocument,
  type ToolIndex,
  type ToolIndexManifest,
} from './tool-index.js'
import { type DataFiles, type ManifestMembers, manifestOf, rejectForeignFolder, writeArtifact } from './write.js'

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
 * whatever was there before and in whatever order the tools come; the time stamp is that of `SOURCE_DATE_EPOCH` (in
 * seconds) where it is set. An index that is the same already is left as it is.
 *
 * @throws {InvalidOptionsError | ReservedToolNameError | ToolNameCollisionError} for what cannot be indexed,
 * {ModelLoadError | EmbeddingError | EmbedderMismatchError} where the model fails. The folder is then as it was.
 */
export async function buildToolIndex(options: BuildToolIndexOptions): Promise<BuildReport> {
  const { tools, out, includeDocuments, onProgress, abortSignal, warn } = resolveBuildOptions(options)
  abortSignal?.throwIfAborted()
  const builtAt = timeOfBuild()
  const path = resolve(out)
  await rejectForeignFolder(path)
  const embedder = checkedEmbedder(options.embedder ?? defaultEmbedder())
  const entries = [...createCatalog(tools).layers[0]!.entries].sort(byName)
  const documents = entries.map(documentOf)
  const previous = await openPrevious(path, warn)
  const provenance = await untilAborted(embedder.knownProvenance(), abortSignal)
  const counts = (await embedder.tokenCounts([])) !== undefined
  const reusable = previous && isReusable(previous, embedder, { provenance, counts }) ? previous : undefined

  const missing = new Map<string, ToolDocument>()
  for (const document of documents) {
    if (reusable?.rowOfDocument(document.hash) === undefined) missing.set(document.hash, document)
  }
  const embedded = await embedAll([...missing.values()], embedder, { onProgress, abortSignal })
  const vectors = new Float32Array(documents.length * embedder.dimensions)
  const manifestTools = documents.map((document, row): ManifestTool => {
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
  const graph = await buildGraph(vectors, embedder.dimensions, { onProgress, abortSignal, warn })

  const files: DataFiles = {
    vectors: littleEndian32(new Uint8Array(vectors.buffer)),
    ...(graph && { graph: encodeGraph(graph) }),
    ...(includeDocuments && { documents: encodeDocuments(documents) }),
  }
  const manifest = manifestOf(
    { ...membersOf(embedder, provenance, graph), builtAt: builtAt ?? new Date().toISOString(), tools: manifestTools },
    files,
  )
  abortSignal?.throwIfAborted()
  const unchanged = previous && isSame(previous.manifest, manifest, builtAt)
  if (!unchanged) {
    onProgress?.({ phase: 'write', done: 0, total: 1 })
    await writeArtifact(path, manifest, files)
    onProgress?.({ phase: 'write', done: 1, total: 1 })
  }
  return {
    path,
    tools: documents.length,
    embedded: missing.size,
    reused: documents.length - documents.filter(document => missing.has(document.hash)).length,
    bytes: Object.values(files).reduce((sum, bytes) => sum + (bytes?.length ?? 0), 0),
    written: !unchanged,
    manifest: unchanged ? previous.manifest : manifest,
  }
}

function membersOf(
  { modelId, dimensions, maxTokens }: CheckedEmbedder,
  provenance: ModelProvenance | undefined,
  graph: HnswGraph | undefined,
): Omit<ManifestMembers, 'builtAt' | 'tools'> {
  const { efConstruction } = HNSW_PARAMETERS
  return {
    formatVersion: FORMAT_VERSION,
    packageVersion: packageVersion(),
    documentTemplateVersion: DOCUMENT_TEMPLATE_VERSION,
    model: {
      id: modelId,
      revision: provenance?.revision ?? null,
      weightsSha256: provenance?.weightsSha256 ?? null,
      dimensions,
      maxTokens,
    },
    graph: graph
      ? {
          M: graph.M,
          efConstruction,
          seed: HNSW_SEED,
          maxLevel: graph.levels[graph.entryPoint]!,
          entryPoint: graph.entryPoint,
        }
      : null,
  }
}

/** Code units, not the locale's order: the same on every machine. */
function byName(a: CatalogEntry, b: CatalogEntry): number {
  return a.name < b.name ? -1 : 1
}

/** The time that the environment sets for reproducible builds (reproducible-builds.org), else undefined. */
function timeOfBuild(): string | undefined {
  const epoch = process.env.SOURCE_DATE_EPOCH
  if (epoch === undefined || epoch === '') return undefined
  const time = new Date(Number(epoch) * 1_000)
  if (!/^\d+$/.test(epoch) || Number.isNaN(time.getTime()) || time.getUTCFullYear() > 9_999) {
    throw new InvalidOptionsError(`Expected SOURCE_DATE_EPOCH to be a whole number of seconds, got ${show(epoch)}`)
  }
  return time.toISOString()
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
    const texts = part.map(({ text }) => text || EMPTY_DOCUMENT)
    // `independent`: a vector must not depend on which other documents are new.
    const embedding = embedder.embedDocuments(texts, { abortSignal, independent: true })
    const vectors = await untilAborted(embedding, abortSignal)
    const shares = await untilAborted(embedder.readableShares(texts), abortSignal)
    const counts = await untilAborted(embedder.tokenCounts(texts), abortSignal)
    part.forEach(({ hash }, i) => {
      embedded.set(hash, { vector: vectors[i]!, readableShare: shares[i]!, tokens: counts?.[i] ?? null })
    })
  }
  if (documents.length > 0) onProgress?.({ phase: 'embed', done: documents.length, total: documents.length })
  return embedded
}

function storedDocument(index: ToolIndex, hash: string): EmbeddedDocument {
  const row = index.rowOfDocument(hash)!
  return { ...vectorOfRow(index, row), tokens: index.manifest.tools[row]!.tokens }
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

async function buildGraph(
  vectors: Float32Array,
  dimensions: number,
  {
    onProgress,
    abortSignal,
    warn,
  }: { warn: (message: string) => void } & Pick<BuildToolIndexOptions, 'onProgress' | 'abortSignal'>,
): Promise<HnswGraph | undefined> {
  const total = vectors.length / dimensions
  if (total < HNSW_MIN_SIZE) return undefined
  const report = (done: number) => onProgress?.({ phase: 'graph', done, total })
  try {
    const hnsw = await buildHnsw(vectors, dimensions, { abortSignal, onProgress: report })
    const graph = await graphOf(hnsw, total, dimensions)
    report(total)
    // Vectors without neighbours: comparing all is as good, and whoever opens the index would refuse the graph.
    return fitsVectors(graph, vectors, dimensions) ? graph : undefined
  } catch (error) {
    abortSignal?.throwIfAborted()
    warn(
      `The index gets no HNSW graph, so that searches compare all of its tools: ${messageOf(error)} ` +
        'Build it where hnswlib-node is installed (with a C++ compiler and Python) to get one.',
    )
    return undefined
  }
}

function encodeDocuments(documents: readonly ToolDocument[]): Uint8Array {
  const lines = documents.map(({ name, description, parameters }) => {
    const stored: StoredDocument = { name, description, parameters }
    return JSON.stringify(stored)
  })
  return Buffer.from(`[\n${lines.join(',\n')}\n]\n`)
}

/** Whether a build gives what is there; the time stamp alone is no difference, unless it is set from outside. */
function isSame(there: ToolIndexManifest, built: ToolIndexManifest, builtAt: string | undefined): boolean {
  const comparable = ({ digest: _, ...manifest }: ToolIndexManifest) =>
    JSON.stringify({ ...manifest, builtAt: builtAt && manifest.builtAt })
  return comparable(there) === comparable(built)
}
