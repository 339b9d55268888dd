// STUB (replaced by the real one)
import type { CatalogSearcher } from './searcher-types.js'
import type { Embedder } from './embedding/embedder.js'
export function createCatalogSearcher(_: { embedder?: Embedder; strict: boolean; warn: (message: string) => void }): CatalogSearcher {
  throw new Error('stub')
}
