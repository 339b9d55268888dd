import { resolve } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { keptLearning } from '../artifact/build.js'
import { driftOf, hasDrift, hashedTools, staleness } from '../artifact/drift.js'
import { adaptedParts, type BuildHooks, timeOfBuild, writeIndex } from '../artifact/finish.js'
import { rebuildCure } from '../artifact/manifest.js'
import type { BuildProgress, BuildReport, ManifestCalibration } from '../artifact/tool-index.js'
import { rejectForeignFolder } from '../artifact/write.js'
import { createCatalog, type ToolLike } from '../catalog/catalog.js'
import { documentOf } from '../catalog/document.js'
import { type CheckedEmbedder, checkedEmbedder } from '../embedding/checked.js'
import { defaultEmbedder } from '../embedding/default-embedder.js'
import type { Embedder } from '../embedding/embedder.js'
import { InvalidOptionsError, StaleIndexError } from '../errors.js'
import { resolveCalibrateOptions } from '../index-options.js'
import { buildLexicalLayer, exactlyNamed, type LexicalLayer } from '../layer-index.js'
import { lexicalSharesOf, weightQuery } from '../lexical/bm25.js'
import { clausesOf } from '../lexical/clauses.js'
import { DEFAULT_SEED, seededRandom, shuffled } from '../random.js'
import { DEFAULT_WEIGHTS, type EvidenceWeights } from '../ranking/score.js'
import { rowProducts } from '../vector/row-products.js'
import { untilAborted } from '../wait.js'
import { crossValidateWeights, fitWeights, type JudgedQuery, judge, type TextEvidence } from './fit-weights.js'
import { groupsOf } from './folds.js'
import {
  type EmbeddedLabel,
  embedLabels,
  type LabelledCatalog,
  labelledCatalog,
  labelsOf,
  type QueryWithNames,
} from './labelled-catalog.js'
import { MIN_QUERIES } from './learn.js'

export interface CalibrateToolIndexOptions {
  /** Queries with the callable names of the tools that serve them; none where nothing fits. Others than `adaptToolIndex` had. */
  queries: readonly QueryWithNames[]
  /** Folder of the index, which is replaced in one step. */
  index: string
  /** The tools that the index was built from. Needed where it stores no texts. Default: those of `index`. */
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
  /** What was fitted, also where it was not written; null where the queries are too few, or tell nothing. */
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
 * (95 % confidence), nothing is written. The same input gives the same bytes, but for the time stamp (`SOURCE_DATE_EPOCH`).
 *
 * Queries that the model can read in part only, and those that name a tool, are left out. An index that is calibrated
 * already gets other weights only where these are better than its own. Of more than 2,000 queries so many are drawn. Scores by
 * words alone, of tools that are named, and what small talk costs stay as they are.
 *
 * @throws {ToolSearchError} with the code `INVALID_OPTIONS` for wrong options, unknown names and an index without texts,
 * `INDEX_INVALID` or `INDEX_MISMATCH` for an index that cannot be used, `INDEX_STALE` for `tools` that are not the index's, and
 * what `buildToolIndex` throws. The folder is then as it was.
 */
export async function calibrateToolIndex(options: CalibrateToolIndexOptions): Promise<CalibrateReport> {
  const { tools, index, queries, seed = DEFAULT_SEED, ...hooks } = resolveCalibrateOptions(options)
  // Rejects a wrong one before the work.
  timeOfBuild()
  const path = resolve(index)
  await rejectForeignFolder(path, 'index')
  const embedder = checkedEmbedder(options.embedder ?? defaultEmbedder())
  const stored = await labelledCatalog(undefined, path, embedder, hooks)
  const catalog = tools ? ofTools(tools, stored, path) : stored
  if (!tools && !stored.hadDocuments) {
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
  const lexical = await buildLexicalLayer(catalog.documents)
  // A tool that a query names scores 1 and comes first, whatever the weights.
  const unnamed = labelsOf(queries, names).filter(
    ({ text }) => exactlyNamed(catalog.catalog, [lexical], text).length === 0,
  )
  const drawn = shuffled(unnamed, seededRandom(seed)).slice(0, MAX_QUERIES)
  const labels = (await embedLabels(drawn, embedder, hooks)).filter(({ readableShare }) => readableShare === 1)
  if (labels.length < MIN_QUERIES) {
    const reason = `Too few different queries (${labels.length}) name no tool and can be read by the model; collect at least ${MIN_QUERIES}, better some hundred.`
    return { helps: false, reason, calibration: null, build: null }
  }

  const inForce = learnt.calibration ?? DEFAULT_WEIGHTS
  const parts = { ...catalog.parts, ...learnt }
  const judged = await judgeAll(labels, { parts, lexical, inForce, embedder }, hooks)
  const weights = fitWeights(judged)
  if (!weights) {
    const reason =
      'By these queries, relevant tools have no more evidence than others, beyond noise: check their labels, or collect more.'
    return { helps: false, reason, calibration: null, build: null }
  }
  const groups = groupsOf(labels.map(({ text }) => text))
  const figures = await crossValidateWeights(judged, { groups, seed, inForce, onTurn: () => turn(hooks.abortSignal) })
  const { before, after, gain } = figures
  // In the schema's order, by which two manifests are compared.
  const calibration: ManifestCalibration = { ...weights, queries: labels.length, before, after, seed }
  const isThere = isDeepStrictEqual(calibration, learnt.calibration)
  if (gain.low <= 0 && !isThere) {
    const errors = `the calibration error is ${figures.inForce.toFixed(3)} as it is, and ${after.toFixed(3)} with fitted weights`
    const reason = `On held-out queries ${errors}: that is not beyond noise. Either scores fit these queries as well as they can, or the queries are too few.`
    return { helps: false, reason, calibration, build: null }
  }
  await turn(hooks.abortSignal)
  const documents = stored.hadDocuments ? stored.documents : undefined
  const written = await writeIndex({ ...catalog.parts, ...learnt, path, documents, calibration }, hooks)
  return { helps: true, reason: null, calibration, build: { ...catalog.report(path), ...written } }
}

/** The index with the texts of the tools that it was built from. */
function ofTools(tools: Record<string, ToolLike>, stored: LabelledCatalog, path: string): LabelledCatalog {
  const { manifest } = stored.reusable!
  const catalog = createCatalog(tools)
  const drift = driftOf(manifest, hashedTools(catalog.entries()))
  if (hasDrift(drift)) throw new StaleIndexError(path, drift, `${staleness(path, drift)} ${rebuildCure(path)}`)
  return { ...stored, catalog, documents: manifest.tools.map(({ name }) => documentOf(catalog.byName(name)!)) }
}

/** Each query against each tool, as a search compares them. */
async function judgeAll(
  labels: readonly EmbeddedLabel[],
  {
    parts,
    lexical,
    inForce,
    embedder,
  }: {
    parts: Parameters<typeof adaptedParts>[0]
    lexical: LexicalLayer
    inForce: EvidenceWeights
    embedder: CheckedEmbedder
  },
  { abortSignal, onProgress }: Omit<BuildHooks, 'warn'>,
): Promise<JudgedQuery[]> {
  const { searched, mapQuery } = adaptedParts(parts)
  const index = lexical.lexical
  const evidenceOf = (text: string, vector: Float32Array, smallTalk: number): TextEvidence => {
    const similarities = rowProducts(mapQuery?.(vector) ?? vector, searched).all()
    parts.tools.forEach(({ readableShare }, row) => {
      similarities[row]! *= readableShare
    })
    return { similarities, shares: lexicalSharesOf(index, weightQuery(text, [index])), smallTalk }
  }
  const judged: JudgedQuery[] = []
  for (const { text, vector, smallTalk, tools } of labels) {
    onProgress?.({ phase: 'learn', done: judged.length, total: labels.length })
    await turn(abortSignal)
    const clauses = clausesOf(text)
    // `independent`: what is learnt must not depend on how texts are batched.
    const reading = clauses.length > 0 ? embedder.readQueries(clauses, { abortSignal, independent: true }) : []
    const read = await untilAborted(Promise.resolve(reading), abortSignal)
    const ofClauses = read.map((each, at) => evidenceOf(clauses[at]!, each.embedding, each.smallTalk))
    judged.push(judge([evidenceOf(text, vector, smallTalk), ...ofClauses], tools, inForce))
  }
  onProgress?.({ phase: 'learn', done: labels.length, total: labels.length })
  return judged
}

/** Lets other work run. Rejects where the work is to end. */
async function turn(abortSignal: AbortSignal | undefined): Promise<void> {
  await new Promise(resolve => setImmediate(resolve))
  abortSignal?.throwIfAborted()
}
