import type { Adaptation } from '../adapt/learn.js'
import { encodeAdaptation, storedAdaptation } from '../adapt/stored-adaptation.js'
import { DOCUMENT_TEMPLATE_VERSION } from '../catalog/document.js'
import { packageVersion } from '../embedding/package-root.js'
import { InvalidOptionsError, StaleIndexError } from '../errors.js'
import { messageOf, show } from '../show.js'
import { buildHnsw, HNSW_MIN_SIZE, HNSW_PARAMETERS, HNSW_SEED } from '../vector/hnsw.js'
import type { HnswGraph } from '../vector/hnsw-graph.js'
import { littleEndian32 } from './byte-order.js'
import { encodeGraph, graphOf } from './graph-file.js'
import { fitsVectors } from './graph-fit.js'
import { readManifest } from './open.js'
import {
  type BuildProgress,
  FORMAT_VERSION,
  type ManifestCalibration,
  type ManifestModel,
  type ManifestTool,
  type StoredDocument,
  type ToolIndex,
  type ToolIndexManifest,
} from './tool-index.js'
import { type DataFiles, manifestOf, writeArtifact } from './write.js'

/** What an index is made of. */
export interface IndexParts {
  /** Absolute path of the folder. */
  readonly path: string
  /** What is there. */
  readonly previous: ToolIndex | undefined
  readonly model: ManifestModel
  /** In the manifest's order. */
  readonly tools: readonly Omit<ManifestTool, 'queries'>[]
  /** As the model made them: one row a tool. */
  readonly vectors: Float32Array
  /** Undefined where they are not to be stored. */
  readonly documents: readonly StoredDocument[] | undefined
  readonly adaptation: Adaptation | undefined
  readonly calibration: ManifestCalibration | null
}

export interface BuildHooks {
  readonly onProgress?: ((progress: BuildProgress) => void) | undefined
  readonly abortSignal?: AbortSignal | undefined
  readonly warn: (message: string) => void
}

export interface WrittenIndex {
  readonly bytes: number
  /** False where the same was there. */
  readonly written: boolean
  readonly manifest: ToolIndexManifest
}

/** Links the vectors, as far as the size asks for it, and writes the index in one step. */
export async function writeIndex(parts: IndexParts, hooks: BuildHooks): Promise<WrittenIndex> {
  const { path, previous, model, vectors, documents, calibration } = parts
  const { onProgress, abortSignal } = hooks
  const builtAt = timeOfBuild()
  const { adaptation, means, tools, searched } = adaptedParts(parts)
  const graph = await buildGraph(searched, model.dimensions, hooks)
  const files: DataFiles = {
    vectors: littleEndian32(
      new Uint8Array(vectors.buffer, vectors.byteOffset, vectors.byteLength) as Uint8Array<ArrayBuffer>,
    ),
    ...(graph && { graph: encodeGraph(graph) }),
    ...(documents && { documents: encodeDocuments(documents) }),
    ...(adaptation && { adaptation: encodeAdaptation(adaptation.map, means) }),
  }
  const manifest = manifestOf(
    {
      formatVersion: FORMAT_VERSION,
      packageVersion: packageVersion(),
      documentTemplateVersion: DOCUMENT_TEMPLATE_VERSION,
      model,
      graph: graph ? graphMembers(graph) : null,
      adaptation: adaptation?.manifest ?? null,
      calibration,
      builtAt: builtAt ?? new Date().toISOString(),
      tools,
    },
    files,
  )
  abortSignal?.throwIfAborted()
  const replaced = previous?.path === path ? previous : undefined
  const unchanged = replaced !== undefined && isSame(replaced.manifest, manifest, builtAt)
  if (!unchanged) {
    if (replaced) rejectLearntMeanwhile(replaced, manifest)
    onProgress?.({ phase: 'write', done: 0, total: 1 })
    await writeArtifact(path, manifest, files)
    onProgress?.({ phase: 'write', done: 1, total: 1 })
  }
  return {
    bytes: Object.values(files).reduce((sum, bytes) => sum + (bytes?.length ?? 0), 0),
    written: !unchanged,
    manifest: unchanged ? replaced.manifest : manifest,
  }
}

/** Refuses to take back what another process has taught the index since it was read: `adapt` beside `tune --calibrate`. */
function rejectLearntMeanwhile(previous: ToolIndex, next: ToolIndexManifest): void {
  let there: ToolIndexManifest
  try {
    there = readManifest(previous.path)
  } catch {
    return // gone or broken by now: nothing is lost
  }
  for (const learnt of ['adaptation', 'calibration'] as const) {
    const [before, now, then] = [previous.manifest, there, next].map(manifest => JSON.stringify(manifest[learnt]))
    if (now === before || then !== before) continue
    throw new StaleIndexError(
      previous.path,
      { added: [], changed: [], removed: [] },
      `Another process has changed the ${learnt} of the index "${previous.path}" since this one read it, and what this one ` +
        'would write has the former. Nothing was written. Run it again.',
    )
  }
}

/** What is searched of an index, and what turns queries towards it. */
export function adaptedParts(parts: Pick<IndexParts, 'adaptation' | 'tools' | 'model' | 'vectors'>) {
  const { model, vectors } = parts
  const { adaptation, means } = kept(parts)
  const tools = parts.tools.map(tool => ({ ...tool, queries: adaptation?.counts.get(tool.name) ?? 0 }))
  const stored =
    adaptation && storedAdaptation(adaptation.map, adaptation.means, { tools, model, adaptation: adaptation.manifest })
  return { adaptation, means, tools, searched: stored?.adapted(vectors) ?? vectors, mapQuery: stored?.mapQuery }
}

/** The adaptation as far as there are tools for it, and their means in order; none where nothing of it is left. */
function kept({ adaptation, tools }: Pick<IndexParts, 'adaptation' | 'tools'>): {
  adaptation: Adaptation | undefined
  means: Float32Array[]
} {
  const means = tools.flatMap(({ name }) => adaptation?.means.get(name) ?? [])
  return { adaptation: adaptation?.map || means.length > 0 ? adaptation : undefined, means }
}

function graphMembers({ M, levels, entryPoint }: HnswGraph) {
  const { efConstruction } = HNSW_PARAMETERS
  return { M, efConstruction, seed: HNSW_SEED, maxLevel: levels[entryPoint]!, entryPoint }
}

/** The adaptation of an index, to be taken over into another of the same model. */
export function adaptationOf({ adaptation, manifest }: ToolIndex): Adaptation | undefined {
  if (!adaptation || !manifest.adaptation) return undefined
  const counts = new Map(manifest.tools.map(({ name, queries }) => [name, queries]))
  return { manifest: manifest.adaptation, map: adaptation.map, means: adaptation.means, counts }
}

/** The time that the environment sets for reproducible builds (reproducible-builds.org), else undefined. */
export function timeOfBuild(): string | undefined {
  const epoch = process.env.SOURCE_DATE_EPOCH
  if (epoch === undefined || epoch === '') return undefined
  const time = new Date(Number(epoch) * 1_000)
  if (!/^\d+$/.test(epoch) || Number.isNaN(time.getTime()) || time.getUTCFullYear() > 9_999) {
    throw new InvalidOptionsError(`Expected SOURCE_DATE_EPOCH to be a whole number of seconds, got ${show(epoch)}`)
  }
  return time.toISOString()
}

async function buildGraph(
  vectors: Float32Array,
  dimensions: number,
  { onProgress, abortSignal, warn }: BuildHooks,
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

function encodeDocuments(documents: readonly StoredDocument[]): Uint8Array {
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
