import { embedCatalog, reportOf } from '../artifact/build.js'
import type { BuildHooks, IndexParts } from '../artifact/finish.js'
import { otherWeights, rebuildCure, rejectMismatch } from '../artifact/manifest.js'
import { openToolIndex } from '../artifact/open.js'
import { storedCatalog } from '../artifact/stored-catalog.js'
import type { BuildReport, ToolIndex } from '../artifact/tool-index.js'
import { type Catalog, createCatalog, type ToolLike } from '../catalog/catalog.js'
import { documentOf, type ToolDocument } from '../catalog/document.js'
import type { CheckedEmbedder } from '../embedding/checked.js'
import { IndexMismatchError, InvalidOptionsError } from '../errors.js'
import { searchedText } from '../query-text.js'
import { show } from '../show.js'
import { nearestNames } from '../tuning/known-names.js'
import { untilAborted } from '../wait.js'

/** A query as users label it: `relevant` has callable names. */
export interface QueryWithNames {
  readonly query: string
  readonly relevant: readonly string[]
}

/** A query with its vector, of unit length. */
export interface EmbeddedLabel {
  readonly text: string
  readonly vector: Float32Array
  /** Share (0–1) of it that the model can read; above 0. */
  readonly readableShare: number
  /** How likely (0–1) it is no request. */
  readonly smallTalk: number
  /** Rows of the tools that serve it, each once, in order. */
  readonly tools: readonly number[]
}

/** What is learnt over: a catalog whose documents have vectors. */
export interface LabelledCatalog {
  readonly parts: Omit<IndexParts, 'path' | 'documents' | 'adaptation' | 'calibration'>
  /** What was there and serves this model: what it has learnt can be kept. */
  readonly reusable: ToolIndex | undefined
  readonly catalog: Catalog
  /** In the order of the rows. */
  readonly documents: readonly ToolDocument[]
  /** Whether an index was there that stores its texts. */
  readonly hadDocuments: boolean
  readonly report: (path: string) => Pick<BuildReport, 'path' | 'tools' | 'embedded' | 'reused'>
}

/** The tools, embedded as far as the index in `from` does not have them; without tools, that index. */
export function labelledCatalog(
  tools: Record<string, ToolLike> | undefined,
  from: string,
  embedder: CheckedEmbedder,
  hooks: BuildHooks,
): Promise<LabelledCatalog> {
  return tools ? ofTools(tools, from, embedder, hooks) : ofIndex(from, embedder, hooks)
}

async function ofTools(
  tools: Record<string, ToolLike>,
  reuseFrom: string,
  embedder: CheckedEmbedder,
  hooks: BuildHooks,
): Promise<LabelledCatalog> {
  const embedded = await embedCatalog({ ...hooks, tools, embedder, reuseFrom })
  const { previous, reusable, documents } = embedded
  return {
    parts: embedded,
    reusable,
    catalog: createCatalog(tools),
    documents,
    hadDocuments: previous?.manifest.files.documents != null,
    report: path => reportOf(path, embedded),
  }
}

async function ofIndex(from: string, embedder: CheckedEmbedder, { abortSignal }: BuildHooks): Promise<LabelledCatalog> {
  const previous = await openToolIndex(from, { abortSignal })
  const { manifest, documentVectors, documents } = previous
  rejectMismatch(manifest, embedder, from)
  const here = await otherWeights(manifest, embedder, abortSignal)
  if (here !== undefined) {
    throw new IndexMismatchError(from, {
      property: "model's weights",
      expected: `has ${here}`,
      got: manifest.model.weightsSha256!,
      cure: rebuildCure(from),
    })
  }
  const catalog = storedCatalog(previous)
  return {
    parts: { previous, model: manifest.model, tools: manifest.tools, vectors: documentVectors },
    reusable: previous,
    catalog,
    documents: manifest.tools.map(({ name }) => documentOf(catalog.byName(name)!)),
    hadDocuments: documents !== undefined,
    report: path => ({ path, tools: manifest.tools.length, embedded: 0, reused: manifest.tools.length }),
  }
}

/** What is searched for, and the rows of the tools that serve it, each once, in order. */
export interface Label {
  readonly text: string
  readonly tools: readonly number[]
}

/** One label a text, with all tools that any of its lines names; those without words are left out, as no search asks for them. */
export function labelsOf(queries: readonly QueryWithNames[], names: readonly string[]): Label[] {
  const rows = new Map(names.map((name, row) => [name, row]))
  const merged = new Map<string, Set<number>>()
  for (const { query, relevant } of queries) {
    const text = searchedText(query)
    const known: Set<number> = (text !== undefined && merged.get(text)) || new Set()
    if (text !== undefined) merged.set(text, known)
    for (const name of relevant) {
      const row = rows.get(name)
      if (row === undefined) {
        const near = nearestNames(name, names).map(show)
        const hint = near.length > 0 ? ` Did you mean ${near.join(' or ')}?` : ''
        throw new InvalidOptionsError(
          `The query ${show(query)} names the tool ${show(name)}, which is not there.${hint}`,
        )
      }
      known.add(row)
    }
  }
  return Array.from(merged, ([text, tools]) => ({ text, tools: [...tools].sort((a, b) => a - b) }))
}

// A few hundred milliseconds of work.
const QUERIES_PER_CALL = 64

/** Those that the model can read at least in part, with their vectors. */
export async function embedLabels(
  queries: readonly Label[],
  embedder: CheckedEmbedder,
  { abortSignal, onProgress }: Omit<BuildHooks, 'warn'>,
): Promise<EmbeddedLabel[]> {
  const embedded: EmbeddedLabel[] = []
  for (let start = 0; start < queries.length; start += QUERIES_PER_CALL) {
    onProgress?.({ phase: 'queries', done: start, total: queries.length })
    const part = queries.slice(start, start + QUERIES_PER_CALL)
    const texts = part.map(({ text }) => text)
    // `independent`: what is learnt must not depend on how the queries are batched.
    const read = await untilAborted(embedder.readQueries(texts, { abortSignal, independent: true }), abortSignal)
    const shares = await untilAborted(embedder.readableShares(texts), abortSignal)
    part.forEach(({ text, tools }, at) => {
      // Searches go by words alone then: its vector says nothing.
      if (shares[at] === 0) return
      const { embedding: vector, smallTalk } = read[at]!
      embedded.push({ text, tools, vector, smallTalk, readableShare: shares[at]! })
    })
  }
  if (queries.length > 0) onProgress?.({ phase: 'queries', done: queries.length, total: queries.length })
  return embedded
}
