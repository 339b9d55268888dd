import { closeSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { z } from 'zod/v4'
import { decodeAdaptation, type StoredAdaptation } from '../adapt/stored-adaptation.js'
import { hashOf } from '../catalog/document.js'
import { InvalidIndexError } from '../errors.js'
import { resolveOpenOptions } from '../index-options.js'
import { messageOf } from '../show.js'
import { dotProduct } from '../vector/dot-product.js'
import type { HnswGraph } from '../vector/hnsw-graph.js'
import { untilAborted } from '../wait.js'
import { IS_LITTLE_ENDIAN, littleEndian32 } from './byte-order.js'
import { readDataFile, withFile } from './data-file.js'
import { decodeGraph } from './graph-file.js'
import { fitsVectors } from './graph-fit.js'
import { broken, parseManifest } from './manifest.js'
import {
  MANIFEST_FILE,
  type ManifestTool,
  type StoredDocument,
  type ToolIndex,
  type ToolIndexManifest,
} from './tool-index.js'

// Some 300,000 tools. Beyond, the text of the manifest alone would take the memory of the process.
const MAX_MANIFEST_BYTES = 64 * 2 ** 20

// A build that ends while the files are read replaces them; more than this many in a row is no coincidence.
const MAX_REPLACED = 5

// A unit vector in 32-bit floats is off by far less; a flipped bit of the sign, exponent or upper mantissa by more.
const UNIT_TOLERANCE = 1e-3

export interface OpenToolIndexOptions {
  /** Ends the wait: rejects with the signal's reason. */
  abortSignal?: AbortSignal | undefined
}

/**
 * The prebuilt index in the folder `path`, read and checked: lengths, hashes, every vector and every link of the graph,
 * so that a file that was cut, altered or crafted is an error, and never a crash or an endless search. Nothing of the
 * folder is executed or written to. Any number of processes may open it at once, also while it is rebuilt.
 *
 * @throws {ToolSearchError} with the code `INDEX_INVALID` where it is missing or broken, `INDEX_MISMATCH` where it has another
 * format version.
 */
export async function openToolIndex(path: string, options?: OpenToolIndexOptions): Promise<ToolIndex> {
  const { abortSignal } = resolveOpenOptions(path, options)
  abortSignal?.throwIfAborted()
  const folder = resolve(path)
  return untilAborted(openManifest(folder, readManifest(folder), { withDocuments: true }), abortSignal)
}

interface OpenOptions {
  readonly withDocuments: boolean
}

/** Opens the data of a manifest that was read before; of a newer one where the folder has one by now. */
export async function openManifest(
  folder: string,
  manifest: ToolIndexManifest,
  options: OpenOptions,
): Promise<ToolIndex> {
  let current = manifest
  for (let replaced = 0; ; replaced++) {
    try {
      return await readData(folder, current, options)
    } catch (error) {
      if (!(error instanceof InvalidIndexError) || replaced >= MAX_REPLACED) throw error
      const newer = readManifest(folder)
      if (newer.digest === current.digest) throw error
      current = newer
    }
  }
}

/** The folder's manifest, read at once: it takes milliseconds. Throws as `openToolIndex` does. */
export function readManifest(folder: string): ToolIndexManifest {
  const check = (size: number) => {
    if (size > MAX_MANIFEST_BYTES) throw new Error(`it has ${size} bytes, more than ${MAX_MANIFEST_BYTES}`)
  }
  const bytes = withFile(folder, MANIFEST_FILE, check, fd => {
    const contents = readFileSync(fd)
    closeSync(fd)
    return contents
  })
  return parseManifest(bytes, folder)
}

async function readData(
  folder: string,
  manifest: ToolIndexManifest,
  { withDocuments }: OpenOptions,
): Promise<ToolIndex> {
  const { files } = manifest
  const documentVectors = await readVectors(folder, manifest)
  const adaptation =
    files.adaptation && checkedAdaptation(folder, await readDataFile(folder, files.adaptation), manifest)
  const vectors = adaptation ? adaptation.adapted(documentVectors) : documentVectors
  const graph = files.graph && checkedGraph(folder, await readDataFile(folder, files.graph), manifest, vectors)
  const documents =
    withDocuments && files.documents
      ? checkedDocuments(folder, await readDataFile(folder, files.documents), manifest)
      : undefined
  return {
    path: folder,
    manifest,
    vectors,
    documentVectors,
    adaptation: adaptation ?? undefined,
    graph: graph ?? undefined,
    documents,
    rowOfName: firstRows(manifest, tool => tool.name),
    rowOfDocument: firstRows(manifest, tool => tool.documentHash),
  }
}

/** Finds the first row of a key; the table is made when it is first asked for, since not every use needs it. */
function firstRows(
  manifest: ToolIndexManifest,
  keyOf: (tool: ManifestTool) => string,
): (key: string) => number | undefined {
  let rows: Map<string, number> | undefined
  return key => {
    if (!rows) {
      const { tools } = manifest
      rows = new Map()
      for (let row = tools.length - 1; row >= 0; row--) rows.set(keyOf(tools[row]!), row)
    }
    return rows.get(key)
  }
}

/** The vectors, each checked to be of unit length; as they are read, while they are in the CPU's cache. */
async function readVectors(folder: string, { files, model }: ToolIndexManifest): Promise<Float32Array> {
  const { dimensions } = model
  let checked = 0
  let wrong: { row: number; squares: number } | undefined
  const checkRows = (vectors: Float32Array, end: number) => {
    for (; checked < end && !wrong; checked++) {
      const start = checked * dimensions
      const squares = dotProduct(vectors, start, vectors, start, dimensions)
      // The negation also catches NaN.
      if (!(Math.abs(squares - 1) <= UNIT_TOLERANCE)) wrong = { row: checked, squares }
    }
  }
  const bytes = await readDataFile(folder, files.vectors, (buffer, end) => {
    if (IS_LITTLE_ENDIAN) checkRows(new Float32Array(buffer), Math.floor(end / 4 / dimensions))
  })
  const { buffer, byteOffset } = littleEndian32(new Uint8Array(bytes))
  const vectors = new Float32Array(buffer, byteOffset, bytes.byteLength / 4)
  checkRows(vectors, vectors.length / dimensions)
  if (wrong) throw broken(folder, `its vector ${wrong.row} has the length ${Math.sqrt(wrong.squares)}, not 1`)
  return vectors
}

function checkedAdaptation(folder: string, bytes: ArrayBuffer, manifest: ToolIndexManifest): StoredAdaptation {
  try {
    return decodeAdaptation(new Uint8Array(bytes), manifest)
  } catch (error) {
    throw broken(folder, messageOf(error), error)
  }
}

function checkedGraph(
  folder: string,
  bytes: ArrayBuffer,
  { graph, model }: ToolIndexManifest,
  vectors: Float32Array,
): HnswGraph {
  try {
    const decoded = decodeGraph(new Uint8Array(bytes), { ...graph!, size: vectors.length / model.dimensions })
    if (!fitsVectors(decoded, vectors, model.dimensions)) throw new Error('its graph is not that of its vectors')
    return decoded
  } catch (error) {
    throw broken(folder, messageOf(error), error)
  }
}

const DOCUMENTS = z.array(z.strictObject({ name: z.string(), description: z.string(), parameters: z.string() }))

function checkedDocuments(folder: string, bytes: ArrayBuffer, { tools }: ToolIndexManifest): StoredDocument[] {
  let documents: StoredDocument[]
  try {
    documents = DOCUMENTS.parse(JSON.parse(Buffer.from(bytes).toString('utf8')))
  } catch (error) {
    throw broken(folder, 'its documents are not what they should be', error)
  }
  if (
    documents.length !== tools.length ||
    !documents.every((fields, row) => hashOf(fields) === tools[row]!.documentHash)
  ) {
    throw broken(folder, 'its documents are not those of its tools')
  }
  return documents
}
