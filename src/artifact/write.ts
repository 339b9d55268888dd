import { readFileSync } from 'node:fs'
import { open, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { InvalidOptionsError } from '../errors.js'
import { makeFolder, writeInOneStep } from '../write-file.js'
import { DATA_FILE_NAME, type DataFileKind, dataFileName, filesOf, TEMPORARY_NAME } from './data-file-name.js'
import { formatManifest, sha256Of, withDigest } from './manifest.js'
import { readManifest } from './open.js'
import { MANIFEST_FILE, type ManifestFile, type ToolIndexManifest } from './tool-index.js'

/** What is in the data files, by kind. */
export type DataFiles = { readonly vectors: Uint8Array } & { readonly [Kind in DataFileKind]?: Uint8Array | undefined }

export type ManifestMembers = Omit<ToolIndexManifest, 'digest' | 'files'>

// A file that is being written is renamed within seconds; one that is older is left of a build that was killed.
const LEFTOVER_MS = 10 * 60_000

/** The manifest of the members and files: the same for the same contents. */
export function manifestOf(members: ManifestMembers, files: DataFiles): ToolIndexManifest {
  const {
    formatVersion,
    packageVersion,
    builtAt,
    documentTemplateVersion,
    model,
    graph,
    adaptation,
    calibration,
    tools,
  } = members
  const entry = (kind: DataFileKind) => (files[kind] ? fileEntry(kind, files[kind]) : null)
  const entries = {
    vectors: entry('vectors')!,
    graph: entry('graph'),
    documents: entry('documents'),
    adaptation: entry('adaptation'),
  }
  // In the schema's order, which the file has, too.
  return withDigest({
    formatVersion,
    packageVersion,
    builtAt,
    documentTemplateVersion,
    model,
    graph,
    adaptation,
    calibration,
    files: entries,
    tools,
  })
}

function fileEntry(kind: DataFileKind, bytes: Uint8Array): ManifestFile {
  const sha256 = sha256Of(bytes)
  return { name: dataFileName(kind, sha256), bytes: bytes.length, sha256 }
}

/**
 * Writes an index into `folder` so that a reader finds the old one or the new one, whole, whenever the process ends:
 * the data files bear names of their own contents and come first, and the manifest that names them replaces the old
 * one in a single step. Of two builds at once, the one that ends later is what stays; `writeIndex` sees to what either
 * has learnt.
 *
 * @throws {InvalidOptionsError} where the folder holds other things than an index.
 */
export async function writeArtifact(folder: string, manifest: ToolIndexManifest, files: DataFiles): Promise<void> {
  await makeFolder(folder)
  await rejectForeignFolder(folder)
  const named = filesOf(manifest).map(([kind, { name }]) => [name, files[kind]!] as const)
  for (const [name, bytes] of named) await writeInOneStep(join(folder, name), bytes)
  await syncFolder(folder)
  const superseded = namesOfData(folder)
  await writeInOneStep(join(folder, MANIFEST_FILE), Buffer.from(formatManifest(manifest)))
  await syncFolder(folder)
  // Another build may have removed a file that it knew from the index before it, and that this index has again.
  for (const [name, bytes] of named) {
    if ((await sizeOf(join(folder, name))) !== bytes.length) await writeInOneStep(join(folder, name), bytes)
  }
  await removeLeftovers(folder, superseded)
}

/** Refuses a folder of other things, though one of them be a manifest.json: a slip in the path must not mix them. */
export async function rejectForeignFolder(folder: string, option = 'out'): Promise<void> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException): string[] => {
    if (error.code === 'ENOENT') return []
    throw new InvalidOptionsError(
      `Expected ${option} to be a folder, got ${JSON.stringify(folder)} (${error.message}).`,
    )
  })
  const foreign = names.find(name => !DATA_FILE_NAME.test(name) && !TEMPORARY_NAME.test(name))
  const isAlone = names.length === 1
  if (foreign === undefined || names.some(name => DATA_FILE_NAME.test(name)) || hasManifest(folder, isAlone)) return
  throw new InvalidOptionsError(
    `Expected ${option} to be a new or empty folder, or an index, got "${folder}", which holds ${JSON.stringify(foreign)}.`,
  )
}

/**
 * Whether the folder's manifest.json is one of an index, of whatever version: web applications have such files, too. Where
 * it is alone, what is left of an index will do.
 */
function hasManifest(folder: string, isAlone: boolean): boolean {
  try {
    const value = JSON.parse(readFileSync(join(folder, MANIFEST_FILE), 'utf8')) as Partial<ToolIndexManifest> | null
    if (typeof value?.formatVersion !== 'number') return false
    return isAlone || (typeof value.digest === 'string' && Array.isArray(value.tools))
  } catch {
    return false
  }
}

/** So that renames last, too; where folders cannot be synchronised (Windows), the file system sees to it. */
async function syncFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, 'r')
    try {
      await handle.sync()
    } finally {
      await handle.close()
    }
  } catch {
    // As above.
  }
}

/** Removes the data files of the index that was replaced, and what killed builds left; never what the manifest names. */
async function removeLeftovers(folder: string, superseded: ReadonlySet<string>): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!DATA_FILE_NAME.test(name) && !TEMPORARY_NAME.test(name)) continue
    const path = join(folder, name)
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Date.now() }))
    // Young files that nobody names yet are those of a build at the same time, which writes its manifest last.
    if (!superseded.has(name) && Date.now() - mtimeMs < LEFTOVER_MS) continue
    if (namesOfData(folder).has(name)) continue
    // What cannot be removed harms nobody.
    await rm(path, { force: true }).catch(() => {})
  }
}

/** The data files of the index that is in the folder; none where it cannot be read. */
function namesOfData(folder: string): Set<string> {
  try {
    return new Set(filesOf(readManifest(folder)).map(([, { name }]) => name))
  } catch {
    return new Set()
  }
}

async function sizeOf(path: string): Promise<number | undefined> {
  return (await stat(path).catch(() => undefined))?.size
}
