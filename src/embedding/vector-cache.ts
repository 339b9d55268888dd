import { InvalidOptionsError } from '../errors.js'
import { show } from '../show.js'

/** What is kept for one document text. */
export interface CachedVector {
  /** Unit length. */
  vector: Float32Array
  /** Share (0–1) of the text's tokens that the model can read. */
  readableShare: number
}

/** Document vectors of one model by the document's hash, bounded; the least recently used goes first. */
export interface VectorCache {
  /** The vector of `key`, which counts as used now. */
  get(key: string): CachedVector | undefined
  set(key: string, value: CachedVector): void
  /** Vectors kept, at most `maxEntries`. */
  readonly size: number
}

/**
 * Most vectors kept by default. One of 384 dimensions takes 1.5 KiB and some 200 bytes for its key and entry: 50,000
 * take about 85 MiB at most (340 MiB with 1,536 dimensions). Catalogs seldom have more than a few hundred tools.
 */
export const DEFAULT_MAX_CACHED_VECTORS = 50_000

/** An empty cache. `maxEntries` is a whole number ≥ 1; throws `InvalidOptionsError` otherwise. */
export function createVectorCache(options: { maxEntries?: number | undefined } = {}): VectorCache {
  const maxEntries = options.maxEntries ?? DEFAULT_MAX_CACHED_VECTORS
  if (!Number.isInteger(maxEntries) || maxEntries < 1) {
    throw new InvalidOptionsError(`Expected maxEntries to be a whole number ≥ 1, got ${show(maxEntries)}.`)
  }
  const entries = new Map<string, CachedVector>() // in order of use: a Map iterates in order of insertion
  return {
    get(key) {
      const value = entries.get(key)
      if (value !== undefined) {
        entries.delete(key)
        entries.set(key, value)
      }
      return value
    },
    set(key, value) {
      entries.delete(key)
      entries.set(key, value)
      if (entries.size > maxEntries) entries.delete(entries.keys().next().value!)
    },
    get size() {
      return entries.size
    },
  }
}
