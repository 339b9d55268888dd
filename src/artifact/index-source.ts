import { resolve } from 'node:path'
import { keepSuccess } from '../wait.js'
import { openManifest, readManifest } from './open.js'
import type { ToolIndex, ToolIndexManifest } from './tool-index.js'

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
  const manifest = readManifest(path)
  return { path, manifest, open: keepSuccess(() => openManifest(path, manifest, { withDocuments: false })) }
}
