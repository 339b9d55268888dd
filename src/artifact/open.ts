import { webcrypto } from 'node:crypto'
import { closeSync, constants, fstatSync, openSync, read, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { z } from 'zod/v4'
import { hashOf } from '../catalog/document.js'
import { InvalidIndexError, isToolSearchError } from '../errors.js'
import { resolveOpenOptions } from '../options.js'
import { messageOf } from '../show.js'
import { dotProduct } from '../vector/dot-product.js'
import type { HnswGraph } from '../vector/hnsw-graph.js'
import { untilAborted } from '../wait.js'
import { littleEndian32 } from './byte-order.js'
import { decodeGraph } from './graph-file.js'
import { fitsVectors } from './graph-fit.js'
import { broken, checkedManifest, MANIFEST_FILES, type ManifestFileContents, parseJson } from './manifest.js'
import {
  MANIFEST_FILE,
  type ManifestFile,
  type ManifestTool,
  type StoredDocument,
  type ToolIndex,
  type ToolIndexManifest,
} from './tool-index.js'

// Some 300,000 tools. Beyond, the text of the manifest alone would take the memory of the process.
const MAX_MANIFEST_BYTES = 64 * 2 ** 20

// Bytes of one read: the most that a single call takes is 2 GiB.
const READ_BYTES = 2 ** 30

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
 * @throws {InvalidIndexError} where it is missing or broken, {IndexMismatchError} where it has another format version.
 */
export async function openToolIndex(path: string, options: OpenToolIndexOptions = {}): Promise<ToolIndex> {
  const { abortSignal } = resolveOpenOptions(path, options)
  abortSignal?.throwIfAborted()
  const folder = resolve(path)
  const contents = readManifestFile(folder)
  // The data is read while the manifest is checked: of 4,000 tools both take about as long.
  const early = readEarly(folder, contents)
  const opening = openManifest(folder, checkedManifest(contents, folder), { withDocuments: true, early })
  return untilAborted(opening, abortSignal)
}

interface OpenOptions {
  readonly withDocuments: boolean
  readonly early?: ReadonlyMap<string, Promise<DataFile>> | undefined
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
      // What was read early may be what has been replaced.
      return await readData(folder, current, replaced === 0 ? options : { ...options, early: undefined })
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
  return checkedManifest(readManifestFile(folder), folder)
}

function readManifestFile(folder: string): ManifestFileContents {
  const check = (size: number) => {
    if (size > MAX_MANIFEST_BYTES) throw new Error(`it has ${size} bytes, more than ${MAX_MANIFEST_BYTES}`)
  }
  const bytes = withFile(folder, MANIFEST_FILE, check, fd => {
    const contents = readFileSync(fd)
    closeSync(fd)
    return contents
  })
  return parseJson(bytes, folder)
}

interface DataFile {
  readonly bytes: ArrayBuffer
  /** Rejects where the bytes are not those that the manifest names. */
  readonly verified: Promise<void>
}

/** Starts to read the data files of a manifest that is yet to be checked, by name. */
function readEarly(folder: string, { value }: ManifestFileContents): Map<string, Promise<DataFile>> {
  const reading = new Map<string, Promise<DataFile>>()
  const { success, data } = MANIFEST_FILES.safeParse((value as { files?: unknown } | null)?.files, { jitless: true })
  for (const file of success ? Object.values(data) : []) {
    if (!file) continue
    const read = readDataFile(folder, file)
    read.catch(() => {}) // Reported when the manifest is sound, and the file is asked for.
    reading.set(file.name, read)
  }
  return reading
}

async function readData(
  folder: string,
  manifest: ToolIndexManifest,
  { withDocuments, early }: OpenOptions,
): Promise<ToolIndex> {
  const { files, tools, model } = manifest
  const read = (file: ManifestFile | null) => file && (early?.get(file.name) ?? readDataFile(folder, file))
  const [vectorFile, graphFile, documentsFile] = await Promise.all([
    read(files.vectors),
    read(files.graph),
    withDocuments ? read(files.documents) : null,
  ])
  const allVerified = Promise.all([vectorFile, graphFile, documentsFile].map(file => file?.verified))
  allVerified.catch(() => {}) // Awaited below.
  try {
    // Their hashes are computed meanwhile, in other threads.
    const vectors = checkedVectors(folder, vectorFile!.bytes, model.dimensions)
    const graph = graphFile ? checkedGraph(folder, graphFile.bytes, manifest, vectors) : undefined
    const documents = documentsFile ? checkedDocuments(folder, documentsFile.bytes, manifest) : undefined
    await allVerified
    return {
      path: folder,
      manifest,
      vectors,
      graph,
      documents,
      rowOfName: firstRows(tools, tool => tool.name),
      rowOfDocument: firstRows(tools, tool => tool.documentHash),
    }
  } catch (error) {
    // That a file was altered says more than what is wrong within it.
    await allVerified
    throw error
  }
}

/** Finds the first row of a key; the table is made when it is first asked for, since not every use needs it. */
function firstRows(
  tools: readonly ManifestTool[],
  keyOf: (tool: ManifestTool) => string,
): (key: string) => number | undefined {
  let rows: Map<string, number> | undefined
  return key => {
    if (!rows) {
      rows = new Map()
      for (let row = tools.length - 1; row >= 0; row--) rows.set(keyOf(tools[row]!), row)
    }
    return rows.get(key)
  }
}

async function readDataFile(folder: string, { name, bytes: expected, sha256 }: ManifestFile): Promise<DataFile> {
  const check = (size: number) => {
    if (size !== expected) throw new Error(`it has ${size} bytes, and the manifest says ${expected}`)
  }
  const bytes = await withFile(folder, name, check, readAll).catch(error =>
    Promise.reject(unreadable(folder, name, error)),
  )
  const verified = webcrypto.subtle.digest('SHA-256', bytes).then(digest => {
    const got = Buffer.from(digest).toString('hex')
    if (got !== sha256) throw broken(folder, `its ${name} was altered: its sha256 is ${got}`)
  })
  verified.catch(() => {}) // Awaited by whoever uses the bytes.
  return { bytes, verified }
}

const readInThread = promisify(read)

/** The first `size` bytes of an open file, which is closed then. Read in another thread, each part in one call. */
async function readAll(fd: number, size: number): Promise<ArrayBuffer> {
  try {
    // Memory of its own that is not cleared first: it is filled, or the read fails.
    const bytes = Buffer.allocUnsafeSlow(size)
    for (let at = 0; at < size; ) {
      const { bytesRead } = await readInThread(fd, bytes, at, Math.min(READ_BYTES, size - at), at)
      if (bytesRead === 0) throw new Error(`it ends after ${at} of ${size} bytes`)
      at += bytesRead
    }
    return bytes.buffer
  } finally {
    closeSync(fd)
  }
}

/** Calls `read` with an opened regular file and its size, after `check`. */
function withFile<T>(
  folder: string,
  name: string,
  check: (size: number) => void,
  read: (fd: number, size: number) => T,
): T {
  let fd: number | undefined
  try {
    // Non-blocking: opening a named pipe would otherwise wait for its writer.
    fd = openSync(join(folder, name), constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
    const stats = fstatSync(fd)
    if (!stats.isFile()) throw new Error('it is no regular file')
    check(stats.size)
    return read(fd, stats.size)
  } catch (error) {
    if (fd !== undefined) closeSync(fd)
    throw unreadable(folder, name, error)
  }
}

function unreadable(folder: string, name: string, error: unknown): Error {
  return isToolSearchError(error) ? error : broken(folder, `its ${name} cannot be read (${messageOf(error)})`, error)
}

function checkedVectors(folder: string, bytes: ArrayBuffer, dimensions: number): Float32Array {
  const { buffer, byteOffset } = littleEndian32(new Uint8Array(bytes))
  const vectors = new Float32Array(buffer, byteOffset, bytes.byteLength / 4)
  for (let row = 0; row * dimensions < vectors.length; row++) {
    const start = row * dimensions
    const squares = dotProduct(vectors, start, vectors, start, dimensions)
    // The negation also catches NaN.
    if (!(Math.abs(squares - 1) <= UNIT_TOLERANCE)) {
      throw broken(folder, `its vector ${row} has the length ${Math.sqrt(squares)}, not 1`)
    }
  }
  return vectors
}

function checkedGraph(
  folder: string,
  bytes: ArrayBuffer,
  { graph, tools, model }: ToolIndexManifest,
  vectors: Float32Array,
): HnswGraph {
  try {
    const decoded = decodeGraph(new Uint8Array(bytes), { ...graph!, size: tools.length })
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
