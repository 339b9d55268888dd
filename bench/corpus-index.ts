import type { ToolLike } from '../src/catalog/catalog.js'
import { documentOf, documentOfFields, type ToolDocument } from '../src/catalog/document.js'
import { type CheckedEmbedder, checkedEmbedder } from '../src/embedding/checked.js'
import type { Embedder } from '../src/embedding/embedder.js'
import { buildLexicalLayer, type LexicalLayer } from '../src/layer-index.js'
import { lexicalSharesOf, weightQuery } from '../src/lexical/bm25.js'
import { createExactIndex } from '../src/vector/exact.js'
import { packRows } from '../src/vector/pack-rows.js'
import { topK } from '../src/vector/top-k.js'
import type { VectorIndex } from '../src/vector/vector-index.js'
import type { Corpus } from './corpora.js'

/** How a tool is written as a document. `shipped` is what the package does. */
export const RENDERINGS = {
  shipped: (document: ToolDocument) => document,
  'without parameters': (document: ToolDocument) => documentOfFields({ ...document, parameters: '' }),
  'name not split': (document: ToolDocument, name: string) => documentOfFields({ ...document, name }),
} as const

export type Rendering = keyof typeof RENDERINGS

/** What a search asks of a corpus, in parts, so that each can be measured by itself. */
export interface CorpusIndex {
  readonly names: readonly string[]
  readonly lexical: LexicalLayer
  /** One row a tool, of unit length. */
  readonly vectors: Float32Array
  readonly dimensions: number
  /** Compares all of them. */
  readonly exact: VectorIndex
  readonly readableShares: Float32Array
  /** For each query its vector, of unit length. */
  readonly queryVectors: readonly Float32Array[]
}

/** The documents of tools, and their vectors: one row a tool, of unit length. */
export async function embedTools(
  tools: Readonly<Record<string, ToolLike>>,
  embedder: CheckedEmbedder,
  rendering: Rendering = 'shipped',
): Promise<{ documents: ToolDocument[]; vectors: Float32Array }> {
  const documents = Object.entries(tools).map(([name, tool]) =>
    RENDERINGS[rendering](documentOf({ name, key: name, tool }), name),
  )
  const vectors = await embedder.embedDocuments(documents.map(({ text }) => text))
  return { documents, vectors: packRows(vectors, embedder.dimensions) }
}

export async function indexCorpus(
  { tools, queries }: Corpus,
  inner: Embedder,
  rendering?: Rendering,
): Promise<CorpusIndex> {
  const embedder = checkedEmbedder(inner)
  const { documents, vectors } = await embedTools(tools, embedder, rendering)
  return {
    names: Object.keys(tools),
    lexical: await buildLexicalLayer(documents),
    vectors,
    dimensions: embedder.dimensions,
    exact: createExactIndex(vectors, embedder.dimensions),
    readableShares: Float32Array.from(await embedder.readableShares(documents.map(({ text }) => text))),
    queryVectors: (await embedder.readQueries(queries.map(({ query }) => query))).map(({ embedding }) => embedding),
  }
}

/** What speaks for each tool of a corpus as the answer to one query. */
export interface Evidence {
  readonly names: readonly string[]
  /** Cosine similarities, weighed by how much of the document the model can read. */
  readonly cosine: Float32Array
  /** Lexical shares. */
  readonly shares: Float32Array
}

export function evidenceFor(index: CorpusIndex, query: string, queryVector: Float32Array): Evidence {
  const { names, lexical, exact, readableShares } = index
  const cosine = exact.similarities(queryVector)
  for (let i = 0; i < cosine.length; i++) cosine[i]! *= readableShares[i]!
  const { lexical: words } = lexical
  return { names, cosine, shares: lexicalSharesOf(words, weightQuery(query, [words])) }
}

const DEPTH = 10

/** The ten best tools by meaning alone. */
export function byMeaning({ names, cosine }: Evidence): string[] {
  return Array.from(topK(cosine, DEPTH), at => names[at]!)
}

/** The ten best tools by words alone; only those that share one. */
export function byWords({ names, shares }: Evidence): string[] {
  return Array.from(topK(shares, DEPTH))
    .filter(at => shares[at]! > 0)
    .map(at => names[at]!)
}

/** The ten best tools of the `k` nearest and the `k` best by words, ranked by cosine plus `weight` times lexical share. */
export function byBoth({ names, cosine, shares }: Evidence, k: number, weight: number): string[] {
  const positions = new Set([...topK(cosine, k), ...topK(shares, k)])
  const sum = (at: number) => cosine[at]! + weight * shares[at]!
  return [...positions]
    .sort((a, b) => sum(b) - sum(a) || a - b)
    .slice(0, DEPTH)
    .map(at => names[at]!)
}
