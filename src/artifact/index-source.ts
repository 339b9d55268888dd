import { readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { messageOf } from '../show.js'
import { broken, parseManifest } from './manifest.js'
import { MAX_MANIFEST_BYTES, openManifest } from './open.js'
import { MANIFEST_FILE, type ToolIndex, type ToolIndexManifest } from './tool-index.js'

/** An index that is opened when it is first needed. */
export interface IndexSource {
  readonly path: string
  readonly manifest: ToolIndexManifest
  /** Opened once; a failure is not kept. Rejects with `InvalidIndexError`. */
  open(): Promise<ToolIndex>
}

/**
 * The index in a folder, whose manifest is read at once, so that what cannot work stops the start and not a search;
 * or one that is open already. Throws as `openToolIndex` does.
 */
export function indexSource(index: string | ToolIndex): IndexSource {
  if (typeof index !== 'string') return { path: index.path, manifest: index.manifest, open: async () => index }
  const path = resolve(index)
  const manifest = readManifestNow(path)
  let opening: Promise<ToolIndex> | undefined
  return {
    path,
    manifest,
    open() {
      if (!opening) {
        opening = openManifest(path, manifest, { withDocuments: false })
        opening.catch(() => {
          opening = undefined
        })
      }
      return opening
    },
  }
}

function readManifestNow(path: string): ToolIndexManifest {
  const file = join(path, MANIFEST_FILE)
  let json: string
  try {
    const stats = statSync(file)
    if (!stats.isFile()) throw new Error('it is no regular file')
    if (stats.size > MAX_MANIFEST_BYTES) throw new Error(`it has ${stats.size} bytes, more than ${MAX_MANIFEST_BYTES}`)
    json = readFileSync(file, 'utf8')
  } catch (error) {
    throw broken(path, `its ${MANIFEST_FILE} cannot be read (${messageOf(error)})`, error)
  }
  return parseManifest(json, path)
}
