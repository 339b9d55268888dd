import type { Catalog } from '../catalog/catalog.js'
import type { CheckedEmbedder } from '../embedding/checked.js'
import { ModelLoadError, StaleIndexError } from '../errors.js'
import type { LayerIndexSource } from '../layer-indexes.js'
import type { OnStale } from '../options.js'
import { messageOf } from '../show.js'
import { keepSuccess } from '../wait.js'
import type { Warn } from '../warn-once.js'
import { driftOf, hasDrift, hashedTools, staleness } from './drift.js'
import { indexSource } from './index-source.js'
import { fitsReadQueries, otherReadQueries, rebuildCure, rejectMismatch } from './manifest.js'
import type { ToolIndex, ToolIndexDrift } from './tool-index.js'

export interface PrebuiltIndexOptions {
  readonly index: string | ToolIndex
  readonly onStale: OnStale
  /** The catalog that the index should be of. */
  readonly catalog: Catalog
  /** Whether a request may bring tools of the index that the catalog lacks: these do not count as gone. */
  readonly includeResolvedTools: boolean
}

export interface PrebuiltIndex extends LayerIndexSource {
  /** Rejects where `open` would warn. */
  openOrThrow(): Promise<ToolIndex>
}

/**
 * The index that a searcher was given. What can be known without the data is checked at once: the manifest, whether it
 * fits the embedder, and with `onStale: 'error'` whether it is of the catalog. Data that turns out broken later costs
 * one warning, and the tools are embedded as if there were no index; with `strict` it is an error.
 */
export function prebuiltIndex(
  { index, onStale, catalog, includeResolvedTools }: PrebuiltIndexOptions,
  { embedder, warn, strict }: { embedder: () => CheckedEmbedder; warn: Warn; strict: boolean },
): PrebuiltIndex {
  const source = indexSource(index)
  const { path, manifest } = source
  rejectMismatch(manifest, embedderIfAny(embedder), path)
  const relevant = (drift: ToolIndexDrift) => (includeResolvedTools ? { ...drift, removed: [] } : drift)
  if (onStale === 'error') {
    const drift = relevant(driftOf(manifest, hashedTools(catalog.entries())))
    if (hasDrift(drift)) throw new StaleIndexError(path, drift, `${staleness(path, drift)} ${rebuildCure(path)}`)
  }

  const openOrThrow = keepSuccess(async (): Promise<ToolIndex> => {
    const opened = await source.open()
    // Also of a newer index that has replaced the one whose manifest was read.
    rejectMismatch(opened.manifest, embedder(), path)
    if (await fitsReadQueries(opened.manifest, embedder())) return opened
    warn('adaptation', otherReadQueries(path))
    return withoutAdaptation(opened)
  })

  return {
    onStale,
    openOrThrow,
    async open() {
      try {
        return await openOrThrow()
      } catch (error) {
        if (strict) throw error
        warn('index', `The tools are embedded as if there were no index: ${messageOf(error)}`)
        return undefined
      }
    },
    onDrift(drift) {
      const counted = relevant(drift)
      if (!hasDrift(counted)) return
      const consequence =
        onStale === 'warn'
          ? 'New and changed ones are found by their words alone.'
          : 'New and changed ones were embedded at start.'
      warn('stale', `${staleness(path, counted)} ${consequence} ${rebuildCure(path)}`)
    },
  }
}

/** The index as the model made it. A graph links the vectors that were pulled, and does not serve others. */
function withoutAdaptation(index: ToolIndex): ToolIndex {
  const { documentVectors, adaptation, graph } = index
  const isPulled = adaptation !== undefined && adaptation.means.size > 0
  return { ...index, vectors: documentVectors, adaptation: undefined, graph: isPulled ? undefined : graph }
}

/** Where the embedder cannot be made, that is not the index's fault; searches say so. */
function embedderIfAny(embedder: () => CheckedEmbedder): CheckedEmbedder | undefined {
  try {
    return embedder()
  } catch (error) {
    if (error instanceof ModelLoadError) return undefined
    throw error
  }
}
