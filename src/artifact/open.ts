import { webcrypto } from 'node:crypto'
import { constants, type Stats } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { z } from 'zod/v4'
import { hashOf } from '../catalog/document.js'
import { InvalidIndexError, isToolSearchError } from '../errors.js'
import { resolveOpenOptions } from '../options.js'
import { messageOf } from '../show.js'
import { littleEndian32 } from './byte-order.js'
import { decodeGraph } from './graph-file.js'
import { broken, parseManifest } from './manifest.js'
import {
  MANIFEST_FILE,
  type ManifestFile,
  type StoredDocument,
  type ToolIndex,
  type ToolIndexManifest,
} from './tool-index.js'

// Some 300,000 tools. Beyond, the text of the manifest alone would take the memory of the process.
export const MAX_MANIFEST_BYTES = 64 * 2 ** 20

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
  const folder = resolve(path)
  return openManifest(folder, await readManifest(folder), { abortSignal, withDocuments: true })
}

/** Opens the data of a manifest that was read before; of a newer one where the folder has one by now. */
export async function openManifest(
  folder: string,
  manifest: ToolIndexManifest,
  options: OpenToolIndexOptions & { withDocuments: boolean },
): Promise<ToolIndex> {
  let current = manifest
  for (let replaced = 0; ; replaced++) {
    options.abortSignal?.throwIfAborted()
    try {
      return await readData(folder, current, options)
    } catch (error) {
      if (!(error instanceof InvalidIndexError) || replaced >= MAX_REPLACED) throw error
      const newer = await readManifest(folder)
      if (newer.digest === current.digest) throw error
      current = newer
    }
  }
}

/** The folder's manifest. Throws as `openToolIndex` does. */
export async function readManifest(folder: string): Promise<ToolIndexManifest> {
  const bytes = await readChecked(folder, MANIFEST_FILE, ({ size }) => {
    if (size > MAX_MANIFEST_BYTES) throw new Error(`it has ${size} bytes, more than ${MAX_MANIFEST_BYTES}`)
  })
  return parseManifest(Buffer.from(bytes).toString('utf8'), folder)
}

async function readData(
  folder: string,
  manifest: ToolIndexManifest,
  { withDocuments }: { withDocuments: boolean },
): Promise<ToolIndex> {
  const { files, tools, model } = manifest
  const read = (file: ManifestFile | null) => file && readDataFile(folder, file)
  const [vectorBytes, graphBytes, documentBytes] = await Promise.all([
    read(files.vectors),
    read(files.graph),
    withDocuments ? read(files.documents) : null,
  ])
  const vectors = checkedVectors(folder, vectorBytes!, model.dimensions)
  const graph = manifest.graph && graphBytes ? checkedGraph(folder, graphBytes, manifest) : undefined
  const documents = documentBytes ? checkedDocuments(folder, documentBytes, manifest) : undefined
  const rowsByName = new Map(tools.map(({ name }, row) => [name, row]))
  const rowsByHash = new Map<string, number>()
  tools.forEach(({ documentHash }, row) => {
    if (!rowsByHash.has(documentHash)) rowsByHash.set(documentHash, row)
  })
  return {
    path: folder,
    manifest,
    vectors,
    graph,
    documents,
    rowOfName: name => rowsByName.get(name),
    rowOfDocument: hash => rowsByHash.get(hash),
  }
}

async function readDataFile(folder: string, file: ManifestFile): Promise<ArrayBuffer> {
  const bytes = await readChecked(folder, file.name, ({ size }) => {
    if (size !== file.bytes) throw new Error(`it has ${size} bytes, and the manifest says ${file.bytes}`)
  })
  // In libuv's threads, unlike `createHash`, so that several files are hashed at once.
  const sha256 = Buffer.from(await webcrypto.subtle.digest('SHA-256', bytes)).toString('hex')
  if (sha256 !== file.sha256) throw broken(folder, `its ${file.name} was altered: its sha256 is ${sha256}`)
  return bytes
}

/** The bytes of a regular file, not more than it had when it was opened. */
async function readChecked(folder: string, name: string, check: (stats: Stats) => void): Promise<ArrayBuffer> {
  let handle: FileHandle | undefined
  try {
    // Non-blocking: opening a named pipe would otherwise wait for its writer.
    handle = await open(join(folder, name), constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
    const stats = await handle.stat()
    if (!stats.isFile()) throw new Error('it is no regular file')
    check(stats)
    const bytes = new Uint8Array(new ArrayBuffer(stats.size))
    for (let at = 0; at < stats.size; ) {
      const { bytesRead } = await handle.read(bytes, at, Math.min(READ_BYTES, stats.size - at), at)
      if (bytesRead === 0) throw new Error(`it ends after ${at} of ${stats.size} bytes`)
      at += bytesRead
    }
    return bytes.buffer
  } catch (error) {
    if (isToolSearchError(error)) throw error
    throw broken(folder, `its ${name} cannot be read (${messageOf(error)})`, error)
  } finally {
    await handle?.close()
  }
}

function checkedVectors(folder: string, bytes: ArrayBuffer, dimensions: number): Float32Array {
  const { buffer, byteOffset } = littleEndian32(new Uint8Array(bytes))
  const vectors = new Float32Array(buffer, byteOffset, bytes.byteLength / 4)
  for (let start = 0; start < vectors.length; start += dimensions) {
    let squares = 0
    for (let i = start; i < start + dimensions; i++) squares += vectors[i]! * vectors[i]!
    // The negation also catches NaN.
    if (!(Math.abs(squares - 1) <= UNIT_TOLERANCE)) {
      throw broken(folder, `its vector ${start / dimensions} has the length ${Math.sqrt(squares)}, not 1`)
    }
  }
  return vectors
}

function checkedGraph(folder: string, bytes: ArrayBuffer, { graph, tools }: ToolIndexManifest) {
  try {
    return decodeGraph(new Uint8Array(bytes), { ...graph!, size: tools.length })
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
