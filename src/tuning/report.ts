import type { ManifestAdaptation, ManifestCalibration } from '../artifact/tool-index.js'
import { DEFAULT_TOP_K } from '../options.js'
import { DEFAULT_MIN_SCORE } from '../ranking/score.js'
import { type Aim, aimText } from './aim.js'
import { type Confusion, confusionsOf } from './confusions.js'
import { crossValidate, type Reached, reachedBy } from './cross-validation.js'
import { STEPS } from './curve.js'
import { type DraftTrust, draftTrust } from './draft-trust.js'
import type { EvaluatedQuery, SearchSettings } from './evaluated-query.js'
import { type Failure, type FalseAnswer, failuresOf, falseAnswersOf } from './failures.js'
import { type Estimate, wilson } from './intervals.js'
import { type Recommendation, recommend } from './recommend.js'
import { type CheckedRequirement, checkRequirements, measure, type Requirement } from './requirements.js'
import { warningsOf } from './warnings.js'

export interface ReportOptions {
  readonly aim: Aim
  /** Settings that the user gave; what is missing is recommended. */
  readonly given: { readonly topK?: number | undefined; readonly minScore?: number | undefined }
  readonly requirements: readonly Requirement[]
  readonly seed: number
  readonly tools: number
  /** Each tool's document by name; of an index without texts, the words of the names. */
  readonly texts: ReadonlyMap<string, string>
  readonly hasTexts: boolean
  /** What the index learnt from queries; null for nothing. */
  readonly adaptation: ManifestAdaptation | null
  /** Weights of the score that the index stores; null for those of the package. */
  readonly calibration: ManifestCalibration | null
}

/** All that `tune` found; plain data, for JSON and the page. */
export interface TuneReport {
  readonly tools: number
  readonly queries: {
    readonly total: number
    readonly answerable: number
    readonly unanswerable: number
    readonly drafts: number
    /** Tools that some query names. */
    readonly tools: number
  }
  readonly aim: string
  readonly seed: number
  readonly recommended: SearchSettings & {
    readonly isMet: boolean
    readonly intervals: Recommendation['intervals']
    /** What the parts of the queries recommend by themselves; empty where there are too few. */
    readonly folds: readonly SearchSettings[]
    /** What the recommendation reaches on queries that it was not made from. */
    readonly onNewQueries: Reached | null
  }
  /** Given ones, else the recommended: those that failures, confusions and requirements are about. */
  readonly settings: SearchSettings
  readonly compared: readonly ComparedSettings[]
  /** Of the ranking alone, without a `minScore`. */
  readonly ranking: Readonly<Record<'hit@1' | 'recall@5' | 'ndcg@10' | 'mrr', Estimate>>
  /** At the `topK` in force. */
  readonly curve: readonly CurvePoint[]
  /** recall@k for k from 1, without a `minScore`. */
  readonly recallByTopK: readonly number[]
  readonly failures: readonly Failure[]
  readonly falseAnswers: readonly FalseAnswer[]
  readonly confusions: readonly Confusion[]
  /** False where words of confused tools are those of their names alone. */
  readonly hasTexts: boolean
  /** What the index learnt from queries; null for nothing. */
  readonly adaptation: ManifestAdaptation | null
  /** Weights of the score that the index stores; null for those of the package. */
  readonly calibration: ManifestCalibration | null
  readonly requirements: readonly CheckedRequirement[]
  /** Null where no line is a draft. */
  readonly drafts: DraftTrust | null
  readonly warnings: readonly string[]
}

export interface ComparedSettings extends SearchSettings {
  readonly label: 'none' | 'default' | 'recommended' | 'given'
  readonly reached: Reached
}

/** One point of the curve; null where there is nothing to measure. */
export interface CurvePoint {
  readonly minScore: number
  readonly recall: number
  readonly precision: number | null
  readonly f1: number
  readonly noAnswer: number | null
}

// Every hundredth; charts need no more.
const CURVE_EVERY = STEPS / 100

/** The whole report. At least one query must have a relevant tool. */
export function tuneReport(queries: readonly EvaluatedQuery[], options: ReportOptions): TuneReport {
  const { aim, given, requirements, seed, texts, tools, hasTexts, adaptation, calibration } = options
  const answerable = queries.filter(({ relevant }) => relevant.length > 0)
  const recommendation = recommend(queries, { aim, topK: given.topK, seed })
  const { topK, minScore, isMet, intervals, curve, recalls } = recommendation
  const validation = crossValidate(queries, { aim, topK: given.topK, seed })
  const settings = { topK, minScore: given.minScore ?? minScore }
  const drafts = draftTrust(queries, texts)
  const facts = {
    tools,
    queries: {
      total: queries.length,
      answerable: answerable.length,
      unanswerable: queries.length - answerable.length,
      drafts: queries.filter(({ isDraft }) => isDraft).length,
      tools: new Set(queries.flatMap(({ relevant }) => relevant)).size,
    },
    aim: aimText(aim),
    recommended: {
      topK,
      minScore,
      isMet,
      intervals,
      folds: validation?.choices ?? [],
      onNewQueries: validation?.reached ?? null,
    },
    drafts,
    hasTexts,
    adaptation,
    calibration,
  }
  const ranked = { topK: Number.POSITIVE_INFINITY, minScore: 0 }
  const estimate = (value: number) => wilson(value, answerable.length)
  return {
    ...facts,
    seed,
    settings,
    compared: compare(queries, { topK, minScore }, given, seed),
    ranking: {
      'hit@1': estimate(measure('hit', queries, { ...ranked, topK: 1 })),
      'recall@5': estimate(measure('recall', queries, { ...ranked, topK: 5 })),
      'ndcg@10': estimate(measure('ndcg', queries, { ...ranked, topK: 10 })),
      mrr: estimate(measure('mrr', queries, ranked)),
    },
    curve: Array.from({ length: STEPS / CURVE_EVERY + 1 }, (_, at) => pointAt(curve, at * CURVE_EVERY)),
    recallByTopK: recalls,
    failures: failuresOf(queries, settings),
    falseAnswers: falseAnswersOf(queries, settings),
    confusions: confusionsOf(queries, texts),
    requirements: checkRequirements(requirements, queries, settings),
    warnings: warningsOf(facts),
  }
}

/** The figures at a step. */
export function pointAt({ recall, precision, f1, noAnswer }: Recommendation['curve'], step: number): CurvePoint {
  return {
    minScore: step / STEPS,
    recall: recall[step]!,
    precision: numberOrNull(precision[step]!),
    f1: f1[step]!,
    noAnswer: numberOrNull(noAnswer[step]!),
  }
}

const numberOrNull = (value: number) => (Number.isNaN(value) ? null : value)

/** No `minScore`, the defaults, the recommended settings, and those given where they are others. */
function compare(
  queries: readonly EvaluatedQuery[],
  recommended: SearchSettings,
  given: ReportOptions['given'],
  seed: number,
): ComparedSettings[] {
  const { topK } = recommended
  const all: Omit<ComparedSettings, 'reached'>[] = [
    { label: 'none', topK, minScore: 0 },
    { label: 'default', topK: DEFAULT_TOP_K, minScore: DEFAULT_MIN_SCORE },
    { label: 'recommended', topK, minScore: recommended.minScore },
  ]
  if (given.minScore !== undefined) all.push({ label: 'given', topK, minScore: given.minScore })
  return all.map(one => ({ ...one, reached: reachedBy(queries, () => one, seed) }))
}

/** Ready to be pasted. */
export const optionsText = ({ topK, minScore }: { topK: number; minScore: number }): string =>
  `search: { topK: ${topK}, minScore: ${minScore} }`
