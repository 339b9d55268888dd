import type { CheckedEmbedder } from './embedding/checked.js'

export interface EmbeddedQuery {
  readonly vector: Float32Array
  /** Share (0–1) of the query that the model can read. */
  readonly readableShare: number
  /** How likely (0–1) it is small talk and no request. */
  readonly smallTalk: number
}

// Agents repeat their searches; one entry is 1.5 KiB.
const MAX_KEPT_QUERIES = 256

/** Embeds queries and keeps the latest; a failure is not kept. */
export function createQueryEmbedder(embedder: () => CheckedEmbedder): (query: string) => Promise<EmbeddedQuery> {
  const kept = new Map<string, Promise<EmbeddedQuery>>()
  return query => {
    const known = kept.get(query)
    const embedded = known ?? embedQuery(embedder, query)
    if (!known) embedded.catch(() => kept.delete(query))
    kept.delete(query)
    kept.set(query, embedded)
    if (kept.size > MAX_KEPT_QUERIES) kept.delete(kept.keys().next().value!)
    return embedded
  }
}

async function embedQuery(embedder: () => CheckedEmbedder, query: string): Promise<EmbeddedQuery> {
  const [readableShare] = await embedder().readableShares([query])
  const [read] = await embedder().readQueries([query])
  return { vector: read!.embedding, readableShare: readableShare!, smallTalk: read!.smallTalk }
}
