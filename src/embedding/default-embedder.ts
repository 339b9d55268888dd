import type { Embedder } from './embedder.js'
import { transformersEmbedder } from './transformers-js.js'

let shared: Embedder | undefined

/** The embedder over the bundled model: one a process, so that all processors share its cached vectors. */
export function defaultEmbedder(): Embedder {
  shared ??= transformersEmbedder()
  return shared
}
