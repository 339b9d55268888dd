import { resolve } from 'node:path'
import { embedCatalog, reportOf } from '../artifact/build.js'
import { type BuildHooks, type IndexParts, timeOfBuild, writeIndex } from '../artifact/finish.js'
import { otherWeights, rebuildCure, rejectMismatch } from '../artifact/manifest.js'
import { openToolIndex } from '../artifact/open.js'
import { storedCatalog } from '../artifact/stored-catalog.js'
import type { BuildProgress, BuildReport, ManifestAdaptation } from '../artifact/tool-index.js'
import { rejectForeignFolder } from '../artifact/write.js'
import type { ToolLike } from '../catalog/catalog.js'
import { documentOf, type ToolDocument } from '../catalog/document.js'
import { type CheckedEmbedder, checkedEmbedder } from '../embedding/checked.js'
import { defaultEmbedder } from '../embedding/default-embedder.js'
import type { Embedder } from '../embedding/embedder.js'
import { IndexMismatchError, InvalidOptionsError } from '../errors.js'
import { resolveAdaptOptions } from '../index-options.js'
import { buildLexicalLayer } from '../layer-index.js'
import { DEFAULT_SEED } from '../random.js'
import { show, signed } from '../show.js'
import { nearestNames } from '../tuning/known-names.js'
import { untilAborted } from '../wait.js'
import { type Adaptation, learnAdaptation, MIN_QUERIES, type QueryToLearn } from './learn.js'

export interface AdaptToolIndexOptions {
  /** Queries with the callable names of the tools that serve them; those with none are left out. */
  queries: readonly { readonly query: string; readonly relevant: readonly string[] }[]
  /** The tools to index and adapt. Default: those of `index`. */
  tools?: Record<string, ToolLike> | undefined
  /** Folder of an index: its vectors are taken over. Default: `out`, where it holds one. */
  index?: string | undefined
  /** The folder to write, as `buildToolIndex` has it. Default: `index`. */
  out?: string | undefined
  /** As for `buildToolIndex`. Default: the bundled all-MiniLM-L6-v2. */
  embedder?: Embedder | undefined
  /** Stores the documents' texts, too. Default: as `index` does, else `false`. */
  includeDocuments?: boolean | undefined
  /**
   * Whether tools without queries must not be found less well. `false` where nobody asks for them: adapts more strongly,
   * at their cost. Default `true`.
   */
  keepOthers?: boolean | undefined
  /** Seed of the folds, a whole number ≥ 0. Default 1. */
  seed?: number | undefined
  /** Called as the work goes on. */
  onProgress?: ((progress: BuildProgress) => void) | undefined
  /** Ends the work: it rejects with the signal's reason, and the folder is as it was. */
  abortSignal?: AbortSignal | undefined
  /** Takes warnings; default `console.warn`. */
  warn?: ((message: string) => void) | undefined
}

/** What an adaptation brings, and whether it was written. */
export interface AdaptReport {
  /** False where it does not help beyond noise: then nothing was written, and `reason` says so in a sentence. */
  readonly helps: boolean
  readonly reason: string | null
  /** Null where there were too few queries to tell. */
  readonly adaptation: ManifestAdaptation | null
  /** Null where nothing was written. */
  readonly build: BuildReport | null
}

/**
 * Adapts an index to your own queries: learns a linear map of queries, and moves tools towards the queries that they
 * serve, as strongly as cross-validation on these queries finds best. The model stays as it is, and so do the stored
 * vectors of the tools: what is learnt is stored beside them. Where the gain in nDCG@10 on held-out queries is not above
 * 0 with 95 % confidence, nothing is written. The same input gives the same bytes.
 *
 * @throws {ToolSearchError} with the code `INVALID_OPTIONS` for wrong options and unknown names, `INDEX_INVALID` or
 * `INDEX_MISMATCH` for an index that cannot be used, and what `buildToolIndex` throws. The folder is then as it was.
 */
export async function adaptToolIndex(options: AdaptToolIndexOptions): Promise<AdaptReport> {
  const { tools, index, out, queries, seed = DEFAULT_SEED, keepOthers = true, ...hooks } = resolveAdaptOptions(options)
  // Rejects a wrong one before the work.
  timeOfBuild()
  const path = resolve(out ?? index!)
  const from = index === undefined ? path : resolve(index)
  await rejectForeignFolder(path)
  const embedder = checkedEmbedder(options.embedder ?? defaultEmbedder())
  const catalog = tools ? await ofTools(tools, from, embedder, hooks) : await ofIndex(from, embedder, hooks)
  const { abortSignal, onProgress } = hooks
  const names = catalog.parts.tools.map(({ name }) => name)
  const labelled = await embedQueries(mergedByText(queries, names), embedder, hooks)
  if (labelled.length < MIN_QUERIES) {
    const reason = `${labelled.length} queries with a relevant tool that the model can read are too few to learn from; collect at least ${MIN_QUERIES}, better some hundred.`
    return { helps: false, reason, adaptation: null, build: null }
  }
  const { dimensions } = catalog.parts.model
  const readQueryId = (await embedder.knownReadQueryId()) ?? null
  const adaptation = await learnAdaptation(
    {
      dimensions,
      names,
      vectors: catalog.parts.vectors,
      readableShares: Float32Array.from(catalog.parts.tools, ({ readableShare }) => readableShare),
      lexical: await buildLexicalLayer(catalog.documents),
    },
    labelled,
    {
      keepOthers,
      readQueryId,
      seed,
      abortSignal,
      onProgress: (done, total) => onProgress?.({ phase: 'learn', done, total }),
    },
  )
  const reason = refusalOf(adaptation)
  if (reason !== null) return { helps: false, reason, adaptation: adaptation.manifest, build: null }
  const { includeDocuments = catalog.hadDocuments } = hooks
  const parts: IndexParts = {
    ...catalog.parts,
    path,
    documents: includeDocuments ? catalog.documents : undefined,
    adaptation,
  }
  const written = await writeIndex(parts, hooks)
  return { helps: true, reason, adaptation: adaptation.manifest, build: { ...catalog.report(path), ...written } }
}

/** Why an adaptation is not worth having; null where it is. */
function refusalOf({ manifest }: Adaptation): string | null {
  const { gain, map, pull } = manifest
  if (map === null && pull === 0) return 'Nothing that can be learnt from these queries helps others of them.'
  if (gain.low > 0) return null
  const figures = `${signed(gain.value)} (95 % interval ${signed(gain.low)} to ${signed(gain.high)})`
  return `On held-out queries nDCG@10 changes by ${figures}: that is not beyond noise. Collect more queries.`
}

interface Source {
  readonly parts: Omit<IndexParts, 'path' | 'documents' | 'adaptation'>
  readonly documents: readonly ToolDocument[]
  readonly hadDocuments: boolean
  readonly report: (path: string) => Pick<BuildReport, 'path' | 'tools' | 'embedded' | 'reused'>
}

async function ofTools(
  tools: Record<string, ToolLike>,
  reuseFrom: string,
  embedder: CheckedEmbedder,
  hooks: BuildHooks,
): Promise<Source> {
  const catalog = await embedCatalog({ ...hooks, tools, embedder, reuseFrom })
  const hadDocuments = catalog.previous?.manifest.files.documents != null
  return { parts: catalog, documents: catalog.documents, hadDocuments, report: path => reportOf(path, catalog) }
}

async function ofIndex(from: string, embedder: CheckedEmbedder, { abortSignal, warn }: BuildHooks): Promise<Source> {
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
  if (!documents) {
    warn(
      'The index has no texts, so that the gain is measured with the words of names only. Give the tools, too, or build it with includeDocuments.',
    )
  }
  const catalog = storedCatalog(previous)
  return {
    parts: { previous, model: manifest.model, tools: manifest.tools, vectors: documentVectors },
    documents: manifest.tools.map(({ name }) => documentOf(catalog.byName(name)!)),
    hadDocuments: documents !== undefined,
    report: path => ({ path, tools: manifest.tools.length, embedded: 0, reused: manifest.tools.length }),
  }
}

interface MergedQuery {
  readonly text: string
  readonly tools: readonly number[]
}

/** One query a text, with all tools that any of its lines names; rows instead of names. */
function mergedByText(queries: AdaptToolIndexOptions['queries'], names: readonly string[]): MergedQuery[] {
  const rows = new Map(names.map((name, row) => [name, row]))
  const merged = new Map<string, Set<number>>()
  for (const { query, relevant } of queries) {
    const text = query.trim()
    for (const name of relevant) {
      const row = rows.get(name)
      if (row === undefined) {
        const near = nearestNames(name, names).map(show)
        const hint = near.length > 0 ? ` Did you mean ${near.join(' or ')}?` : ''
        throw new InvalidOptionsError(
          `The query ${show(query)} names the tool ${show(name)}, which is not there.${hint}`,
        )
      }
      const known = merged.get(text) ?? new Set()
      merged.set(text, known.add(row))
    }
  }
  return Array.from(merged, ([text, tools]) => ({ text, tools: [...tools].sort((a, b) => a - b) }))
}

// A few hundred milliseconds of work.
const QUERIES_PER_CALL = 64

async function embedQueries(
  queries: readonly MergedQuery[],
  embedder: CheckedEmbedder,
  { abortSignal, onProgress }: Omit<BuildHooks, 'warn'>,
): Promise<QueryToLearn[]> {
  const embedded: QueryToLearn[] = []
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
      embedded.push({ text, tools, vector: read[at]!.embedding, readableShare: shares[at]! })
    })
  }
  if (queries.length > 0) onProgress?.({ phase: 'queries', done: queries.length, total: queries.length })
  return embedded
}
