import type { ToolDocument } from '../catalog/document.js'
import type { CheckedEmbedder } from './checked.js'
import type { EmbedOptions } from './embedder.js'
import { type CachedVector, createVectorCache, type VectorCache } from './vector-cache.js'

interface Vectors {
  readonly cache: VectorCache
  /** What is being embedded right now, so that two catalogs with common tools do not embed them twice. */
  readonly pending: Map<string, Promise<ReadonlyMap<string, CachedVector>>>
}

const vectorsByEmbedder = new WeakMap<CheckedEmbedder, Vectors>()

// An empty text has no meaning to embed, and some models refuse it.
const EMPTY_DOCUMENT = '-'

/** A document's text as it is embedded. */
export const textToEmbed = ({ text }: Pick<ToolDocument, 'text'>) => text || EMPTY_DOCUMENT

/** Embeds texts (`textToEmbed`), and says how much of each the model can read. Nothing is asked of it for none. */
export async function embedTexts(
  texts: readonly string[],
  embedder: CheckedEmbedder,
  options?: EmbedOptions,
): Promise<CachedVector[]> {
  if (texts.length === 0) return []
  const vectors = await embedder.embedDocuments(texts, options)
  const shares = await embedder.readableShares(texts)
  return vectors.map((vector, at) => ({ vector, readableShare: shares[at]! }))
}

/**
 * The vectors of documents, in order; those neither known to `stored` (by hash) nor seen before by this embedder are
 * embedded in one call. Rejects where the embedder does; nothing is kept of a failed call.
 */
export async function vectorsOf(
  documents: readonly ToolDocument[],
  embedder: CheckedEmbedder,
  stored: (hash: string) => CachedVector | undefined = () => undefined,
): Promise<CachedVector[]> {
  const vectors = vectorsByEmbedder.get(embedder) ?? { cache: createVectorCache(), pending: new Map() }
  vectorsByEmbedder.set(embedder, vectors)
  const { cache, pending } = vectors
  const found = new Map<string, CachedVector>()
  const missing = new Map<string, string>()
  const awaited = new Set<Promise<ReadonlyMap<string, CachedVector>>>()
  const keys = documents.map(document => document.hash)
  keys.forEach((key, position) => {
    const known = stored(key) ?? cache.get(key)
    const running = pending.get(key)
    if (known) found.set(key, known)
    else if (running) awaited.add(running)
    else missing.set(key, textToEmbed(documents[position]!))
  })
  if (missing.size > 0) {
    const embedded = embed(missing, embedder, cache)
    awaited.add(embedded)
    for (const key of missing.keys()) pending.set(key, embedded)
    const done = () => {
      for (const key of missing.keys()) if (pending.get(key) === embedded) pending.delete(key)
    }
    embedded.then(done, done)
  }
  for (const batch of await Promise.all(awaited)) for (const [key, value] of batch) found.set(key, value)
  return keys.map(key => found.get(key)!)
}

async function embed(
  texts: ReadonlyMap<string, string>,
  embedder: CheckedEmbedder,
  cache: VectorCache,
): Promise<ReadonlyMap<string, CachedVector>> {
  const vectors = await embedTexts([...texts.values()], embedder)
  const embedded = new Map(Array.from(texts.keys(), (key, at) => [key, vectors[at]!]))
  for (const [key, vector] of embedded) cache.set(key, vector)
  return embedded
}
