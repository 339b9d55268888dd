import { resolve } from 'node:path'
import { createCatalog, type ToolLike } from '../catalog/catalog.js'
import { type CheckedEmbedder, checkedEmbedder } from '../embedding/checked.js'
import { defaultEmbedder } from '../embedding/default-embedder.js'
import type { Embedder } from '../embedding/embedder.js'
import { isToolSearchError } from '../errors.js'
import { resolveVerifyOptions } from '../index-options.js'
import { messageOf } from '../show.js'
import { driftOf, hasDrift, hashedTools } from './drift.js'
import { fitsReadQueries, otherReadQueries, otherWeights, rebuildCure, rejectMismatch } from './manifest.js'
import { openToolIndex } from './open.js'
import type { ToolIndexManifest, VerifyReport } from './tool-index.js'

export interface VerifyToolIndexOptions {
  /** The tools that the index should be of. Default: not compared. */
  tools?: Record<string, ToolLike> | undefined
  /** What the index will be searched with. Default: the bundled all-MiniLM-L6-v2. */
  embedder?: Embedder | undefined
  /** Ends the wait: rejects with the signal's reason. */
  abortSignal?: AbortSignal | undefined
}

/**
 * Checks an index: whether every byte is as it was built, whether it fits the embedder (down to the hash of the weights,
 * where the embedder tells it), and whether it is of these tools. What is wrong is in the report, not thrown.
 *
 * @throws {ToolSearchError} for wrong arguments, with the code `INVALID_OPTIONS`, `RESERVED_TOOL_NAME` or
 * `TOOL_NAME_COLLISION`.
 */
export async function verifyToolIndex(path: string, options: VerifyToolIndexOptions = {}): Promise<VerifyReport> {
  const { tools, embedder = defaultEmbedder(), abortSignal } = resolveVerifyOptions(path, options)
  const entries = tools && createCatalog(tools).layers[0]!.entries
  const problems: string[] = []
  let manifest: ToolIndexManifest | undefined
  try {
    ;({ manifest } = await openToolIndex(path, { abortSignal }))
    const checked = checkedEmbedder(embedder)
    rejectMismatch(manifest, checked, resolve(path))
    problems.push(...(await weightProblems(manifest, checked, resolve(path), abortSignal)))
    if (!(await fitsReadQueries(manifest, checked))) problems.push(otherReadQueries(resolve(path)))
  } catch (error) {
    if (!isToolSearchError(error)) throw error
    problems.push(messageOf(error))
  }
  const drift = manifest && entries ? driftOf(manifest, hashedTools(entries)) : undefined
  const drifted = drift !== undefined && hasDrift(drift)
  return { ok: problems.length === 0 && !drifted, problems, drift, manifest }
}

async function weightProblems(
  manifest: ToolIndexManifest,
  embedder: CheckedEmbedder,
  path: string,
  abortSignal: AbortSignal | undefined,
): Promise<string[]> {
  const here = await otherWeights(manifest, embedder, abortSignal)
  if (here === undefined) return []
  return [
    `The index "${path}" was built with weights of sha256 ${manifest.model.weightsSha256}, and the model here has ${here}. ${rebuildCure(path)}`,
  ]
}
