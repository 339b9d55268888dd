import { resolve } from 'node:path'
import { keptLearning } from '../artifact/build.js'
import { adaptedParts, type BuildHooks, timeOfBuild, writeIndex } from '../artifact/finish.js'
import type { BuildProgress, BuildReport, ManifestCalibration } from '../artifact/tool-index.js'
import { rejectForeignFolder } from '../artifact/write.js'
import type { ToolLike } from '../catalog/catalog.js'
import { type CheckedEmbedder, checkedEmbedder } from '../embedding/checked.js'
import { defaultEmbedder } from '../embedding/default-embedder.js'
import type { Embedder } from '../embedding/embedder.js'
import { InvalidOptionsError } from '../errors.js'
import { resolveCalibrateOptions } from '../index-options.js'
import { buildLexicalLayer } from '../layer-index.js'
import { lexicalSharesOf, weightQuery } from '../lexical/bm25.js'
import { clausesOf } from '../lexical/clauses.js'
import { DEFAULT_SEED, seededRandom, shuffled } from '../random.js'
import { rowProducts } from '../vector/row-products.js'
import { untilAborted } from '../wait.js'
import { crossValidateWeights, fitWeights, type JudgedQuery, judge, type TextEvidence } from './fit-weights.js'
import { groupsOf } from './folds.js'
import { embedLabels, type LabelledCatalog, labelledCatalog, type QueryWithNames } from './labelled-catalog.js'
import { MIN_QUERIES } from './learn.js'

export interface CalibrateToolIndexOptions {
  /** Queries with the callable names of the tools that serve them; none where nothing fits. Others than `adaptToolIndex` had. */
  queries: readonly QueryWithNames[]
  /** Folder of the index, which is replaced in one step. */
  index: string
  /** The tools: new and changed ones are indexed, too. Needed where the index stores no texts. Default: those of `index`. */
  tools?: Record<string, ToolLike> | undefined
  /** As for `buildToolIndex`. Default: the bundled all-MiniLM-L6-v2. */
  embedder?: Embedder | undefined
  /** Seed of the folds, a whole number ≥ 0. Default 1. */
  seed?: number | undefined
  /** Called as the work goes on. */
  onProgress?: ((progress: BuildProgress) => void) | undefined
  /** Ends the work: it rejects with the signal's reason, and the folder is as it was. */
  abortSignal?: AbortSignal | undefined
  /** Takes warnings; default `console.warn`. */
  warn?: ((message: string) => void) | undefined
}

/** What a calibration brings, and whether it was written. */
export interface CalibrateReport {
  /** False where it does not help beyond noise: then nothing was written, and `reason` says so in a sentence. */
  readonly helps: boolean
  readonly reason: string | null
  /** Null where the queries say nothing. */
  readonly calibration: ManifestCalibration | null
  /** Null where nothing was written. */
  readonly build: BuildReport | null
}

// Of more, so many are drawn: three numbers are fitted.
const MAX_QUERIES = 2_000

/**
 * Fits what makes a score of similarity and words to an embedder, by labelled queries, and stores it in the index: a score
 * is then about the share of results with that score that are relevant. The weights of the package are those of the
 * bundled model; other models' similarities lie elsewhere. Where held-out queries are not predicted better beyond noise
 * (95 % confidence), nothing is written. The same input gives the same bytes.
 *
 * A query that the model can read in part only is left out.
 *
 * @throws {ToolSearchError} with the code `INVALID_OPTIONS` for wrong options, unknown names and an index without texts,
 * `INDEX_INVALID` or `INDEX_MISMATCH` for an index that cannot be used, and what `buildToolIndex` throws. The folder is then
 * as it was.
 */
export async function calibrateToolIndex(options: CalibrateToolIndexOptions): Promise<CalibrateReport> {
  const { tools, index, queries, seed = DEFAULT_SEED, ...hooks } = resolveCalibrateOptions(options)
  // Rejects a wrong one before the work.
  timeOfBuild()
  const path = resolve(index)
  await rejectForeignFolder(path)
  const embedder = checkedEmbedder(options.embedder ?? defaultEmbedder())
  const catalog = await labelledCatalog(tools, path, embedder, hooks)
  if (!tools && !catalog.hadDocuments) {
    throw new InvalidOptionsError(
      `The index "${path}" has no texts, whose words count in a score. Give the tools, too, or build it with includeDocuments.`,
    )
  }
  const learnt = await keptLearning(
    { previous: catalog.parts.previous, reusable: catalog.reusable },
    embedder,
    hooks.warn,
  )
  const names = catalog.parts.tools.map(({ name }) => name)
  const labels = await embedLabels(queries, names, embedder, hooks)
  const readable = labels.filter(({ readableShare }) => readableShare === 1)
  const drawn = shuffled(readable, seededRandom(seed)).slice(0, MAX_QUERIES)
  if (names.length === 0 || drawn.length < MIN_QUERIES) {
    const reason = `${drawn.length} queries that the model can read are too few for ${names.length} tools; collect at least ${MIN_QUERIES}, better some hundred.`
    return { helps: false, reason, calibration: null, build: null }
  }

  const judged = await judgeAll(catalog, { ...catalog.parts, ...learnt }, drawn, { ...hooks, embedder })
  const weights = fitWeights(judged)
  if (!weights) {
    const reason = 'By these queries, relevant tools have no more evidence than others: check their labels.'
    return { helps: false, reason, calibration: null, build: null }
  }
  const groups = groupsOf(drawn.map(({ text }) => text))
  const { before, after, gain } = crossValidateWeights(judged, groups, seed)
  // In the schema's order, by which two manifests are compared.
  const calibration: ManifestCalibration = { ...weights, queries: drawn.length, before, after, seed }
  if (gain.low <= 0) {
    const errors = `the calibration error is ${before.toFixed(3)} as it is, and ${after.toFixed(3)} with fitted weights`
    const reason = `On held-out queries ${errors}: that is not beyond noise. Either scores fit these queries as well as they can, or the queries are too few.`
    return { helps: false, reason, calibration, build: null }
  }
  const documents = catalog.hadDocuments ? catalog.documents : undefined
  const written = await writeIndex({ ...catalog.parts, ...learnt, path, documents, calibration }, hooks)
  return { helps: true, reason: null, calibration, build: { ...catalog.report(path), ...written } }
}

/** Each query against each tool, as a search compares them. */
async function judgeAll(
  { documents }: LabelledCatalog,
  parts: Parameters<typeof adaptedParts>[0],
  labels: Awaited<ReturnType<typeof embedLabels>>,
  { embedder, abortSignal, onProgress }: { embedder: CheckedEmbedder } & Omit<BuildHooks, 'warn'>,
): Promise<JudgedQuery[]> {
  const { searched, mapQuery } = adaptedParts(parts)
  const { lexical } = await buildLexicalLayer(documents)
  const evidenceOf = (text: string, vector: Float32Array, smallTalk: number): TextEvidence => {
    const similarities = rowProducts(mapQuery?.(vector) ?? vector, searched).all()
    parts.tools.forEach(({ readableShare }, row) => {
      similarities[row]! *= readableShare
    })
    return { similarities, shares: lexicalSharesOf(lexical, weightQuery(text, [lexical])), smallTalk }
  }
  const judged: JudgedQuery[] = []
  for (const { text, vector, smallTalk, tools } of labels) {
    onProgress?.({ phase: 'learn', done: judged.length, total: labels.length })
    await new Promise(resolve => setImmediate(resolve))
    const clauses = clausesOf(text)
    // `independent`: what is learnt must not depend on how texts are batched.
    const reading = clauses.length > 0 ? embedder.readQueries(clauses, { abortSignal, independent: true }) : []
    const read = await untilAborted(Promise.resolve(reading), abortSignal)
    const ofClauses = read.map((each, at) => evidenceOf(clauses[at]!, each.embedding, each.smallTalk))
    judged.push(judge([evidenceOf(text, vector, smallTalk), ...ofClauses], tools))
  }
  onProgress?.({ phase: 'learn', done: labels.length, total: labels.length })
  return judged
}
