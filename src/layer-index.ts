import type { Catalog, CatalogEntry, CatalogLayer } from './catalog/catalog.js'
import { callableNameOf, documentOf, isDocumentOf, type ToolDocument } from './catalog/document.js'
import { createLexicalIndexBuilder, type LexicalIndex } from './lexical/bm25.js'
import { tokenize } from './lexical/tokens.js'
import { createNameSet, type NameSet, namesIn } from './ranking/exact-name.js'
import type { EvidenceWeights } from './ranking/score.js'
import type { RemoteVectors } from './vector/remote-vectors.js'
import type { VectorIndex } from './vector/vector-index.js'

/** The lexical side of one layer; documents are numbered by their position in the layer. */
export interface LexicalLayer {
  readonly documents: readonly ToolDocument[]
  readonly lexical: LexicalIndex
}

/** The dense side of one layer. */
export interface DenseLayer {
  /** Held here, or by a store. */
  readonly vectors: VectorIndex | RemoteVectors
  /** For each document, the share (0–1) of it that the model can read: it weighs the cosine similarity. */
  readonly readableShares: Float32Array
  /** How a query's vector becomes what is compared with `vectors`, where these are adapted to queries. */
  readonly mapQuery?: ((query: Float32Array) => Float32Array) | undefined
  /** Fitted to the embedder; absent for those of `ranking/score`. */
  readonly weights?: EvidenceWeights | undefined
}

// Documents handled before other work may run: some 10 ms.
const DOCUMENTS_PER_TURN = 256

/** Makes the documents of a layer, letting the event loop run in between. */
export async function documentsOf(layer: CatalogLayer): Promise<ToolDocument[]> {
  const documents: ToolDocument[] = []
  await inTurns(layer.entries, entry => documents.push(documentOf(entry)))
  return documents
}

/**
 * Whether these are the layer's documents, each of a tool of the same callable name, letting the event loop run in
 * between. Compares what tools say with what documents were made of, which is faster than making them.
 */
export async function areDocumentsOf(documents: readonly ToolDocument[], layer: CatalogLayer): Promise<boolean> {
  const { entries } = layer
  if (documents.length !== entries.length) return false
  const isSameAt = (at: number) => isDocumentOf(documents[at]!, entries[at]!)
  // Most that differ do so in their first or last tool.
  if (documents.length > 0 && !(isSameAt(0) && isSameAt(documents.length - 1))) return false
  let same = true
  await inTurns(documents, (_, at) => {
    same &&= isSameAt(at)
  })
  return same
}

/** Gives a layer the set of names of documents that `areDocumentsOf` found to be its own: made once for all of them. */
export function shareNames(layer: CatalogLayer, documents: readonly ToolDocument[]): void {
  nameSets.set(layer, namesOf(documents))
}

const namesByDocuments = new WeakMap<readonly ToolDocument[], NameSet>()

function namesOf(documents: readonly ToolDocument[]): NameSet {
  let names = namesByDocuments.get(documents)
  if (!names) {
    names = createNameSet(documents.flatMap(document => callableNameOf(document) ?? []))
    namesByDocuments.set(documents, names)
  }
  return names
}

/** Indexes the words of documents, letting the event loop run in between. */
export async function buildLexicalLayer(documents: readonly ToolDocument[]): Promise<LexicalLayer> {
  const builder = createLexicalIndexBuilder()
  await inTurns(documents, document => builder.add(document))
  return { documents, lexical: builder.build() }
}

async function inTurns<T>(items: readonly T[], handle: (item: T, at: number) => void): Promise<void> {
  for (let at = 0; at < items.length; at++) {
    if (at % DOCUMENTS_PER_TURN === 0 && at > 0) await new Promise(resolve => setImmediate(resolve))
    handle(items[at]!, at)
  }
}

const nameSets = new WeakMap<CatalogLayer, NameSet>()

/**
 * The catalog's entries whose names the query contains, in the order in which it mentions them. `layers` tell which
 * plain words are used by other tools' texts, too.
 */
export function exactlyNamed(catalog: Catalog, layers: readonly LexicalLayer[], query: string): CatalogEntry[] {
  const frequencyOf = (term: string) => layers.reduce((sum, { lexical }) => sum + lexical.documentFrequency(term), 0)
  const isCommonWord = (name: string) => tokenize(name).every(term => frequencyOf(term) > 1)
  return namesIn(query, catalog.layers.map(nameSetOf), isCommonWord).flatMap(name => catalog.byName(name) ?? [])
}

/** The names of a layer, made once a layer. */
function nameSetOf(layer: CatalogLayer): NameSet {
  let names = nameSets.get(layer)
  if (!names) {
    names = createNameSet(layer.entries.map(entry => entry.name))
    nameSets.set(layer, names)
  }
  return names
}
