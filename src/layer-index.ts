import type { Catalog, CatalogEntry, CatalogLayer } from './catalog/catalog.js'
import { documentOf, type ToolDocument } from './catalog/document.js'
import { createLexicalIndex, type LexicalIndex } from './lexical/bm25.js'
import { tokenize } from './lexical/tokens.js'
import { createNameMatcher, type NameMatcher } from './ranking/exact-name.js'
import type { VectorIndex } from './vector/vector-index.js'

/** The lexical side of one layer; documents are numbered by their position in the layer. */
export interface LexicalLayer {
  readonly documents: readonly ToolDocument[]
  readonly lexical: LexicalIndex
}

/** The dense side of one layer. */
export interface DenseLayer {
  readonly vectors: VectorIndex
  /** For each document, the share (0–1) of it that the model can read: it weighs the cosine similarity. */
  readonly readableShares: Float32Array
}

// Documents made before other work may run: some 10 ms.
const DOCUMENTS_PER_TURN = 256

/** Makes the documents of a layer, letting the event loop run in between. */
export async function documentsOf(layer: CatalogLayer): Promise<ToolDocument[]> {
  const documents: ToolDocument[] = []
  for (const entry of layer.entries) {
    if (documents.length % DOCUMENTS_PER_TURN === 0 && documents.length > 0) {
      await new Promise(resolve => setImmediate(resolve))
    }
    documents.push(documentOf(entry))
  }
  return documents
}

export function buildLexicalLayer(documents: readonly ToolDocument[]): LexicalLayer {
  return { documents, lexical: createLexicalIndex(documents) }
}

const matchers = new WeakMap<CatalogLayer, NameMatcher>()

/**
 * The catalog's entries whose names the query contains, in the order in which it mentions them. `layers` tell which
 * plain words are used by other tools' texts, too.
 */
export function exactlyNamed(catalog: Catalog, layers: readonly LexicalLayer[], query: string): CatalogEntry[] {
  const folded = query.toLowerCase()
  const isCommonWord = (name: string) =>
    tokenize(name).every(term => layers.reduce((sum, { lexical }) => sum + lexical.documentFrequency(term), 0) > 1)
  const names = catalog.layers.flatMap(layer => nameMatcherOf(layer).namesIn(query, isCommonWord))
  // Each matcher keeps the order within its layer.
  if (catalog.layers.length > 1) {
    names.sort((a, b) => folded.indexOf(a.toLowerCase()) - folded.indexOf(b.toLowerCase()))
  }
  return names.flatMap(name => catalog.byName(name) ?? [])
}

/** The matcher of a layer's callable names, made once a layer. */
function nameMatcherOf(layer: CatalogLayer): NameMatcher {
  let matcher = matchers.get(layer)
  if (!matcher) {
    matcher = createNameMatcher(layer.entries.map(entry => entry.name))
    matchers.set(layer, matcher)
  }
  return matcher
}
