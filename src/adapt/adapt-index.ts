import { resolve } from 'node:path'
import { type IndexParts, timeOfBuild, writeIndex } from '../artifact/finish.js'
import type { BuildProgress, BuildReport, ManifestAdaptation } from '../artifact/tool-index.js'
import { rejectForeignFolder } from '../artifact/write.js'
import type { ToolLike } from '../catalog/catalog.js'
import { checkedEmbedder } from '../embedding/checked.js'
import { defaultEmbedder } from '../embedding/default-embedder.js'
import type { Embedder } from '../embedding/embedder.js'
import { resolveAdaptOptions } from '../index-options.js'
import { buildLexicalLayer } from '../layer-index.js'
import { DEFAULT_SEED } from '../random.js'
import { signed } from '../show.js'
import { embedLabels, labelledCatalog, labelsOf, type QueryWithNames } from './labelled-catalog.js'
import { type Adaptation, learnAdaptation, MIN_QUERIES } from './learn.js'

export interface AdaptToolIndexOptions {
  /** Queries with the callable names of the tools that serve them; those with none are left out. */
  queries: readonly QueryWithNames[]
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
  const catalog = await labelledCatalog(tools, from, embedder, hooks)
  if (!tools && !catalog.hadDocuments) {
    hooks.warn(
      'The index has no texts, so that the gain is measured with the words of names only. Give the tools, too, or build it with includeDocuments.',
    )
  }
  const { abortSignal, onProgress } = hooks
  const names = catalog.parts.tools.map(({ name }) => name)
  const answerable = queries.filter(({ relevant }) => relevant.length > 0)
  const labelled = await embedLabels(labelsOf(answerable, names), embedder, hooks)
  if (labelled.length < MIN_QUERIES) {
    const reason = `Too few different queries (${labelled.length}) have a relevant tool and can be read by the model; collect at least ${MIN_QUERIES}, better some hundred.`
    return { helps: false, reason, adaptation: null, build: null }
  }
  const { dimensions } = catalog.parts.model
  const calibration = catalog.reusable?.manifest.calibration ?? null
  const readQueryId = (await embedder.knownReadQueryId()) ?? null
  const adaptation = await learnAdaptation(
    {
      dimensions,
      names,
      vectors: catalog.parts.vectors,
      readableShares: Float32Array.from(catalog.parts.tools, ({ readableShare }) => readableShare),
      lexical: await buildLexicalLayer(catalog.documents),
      weights: calibration ?? undefined,
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
    calibration,
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
