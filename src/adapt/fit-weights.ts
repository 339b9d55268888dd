import { DEFAULT_TOP_K } from '../options.js'
import { pick, seededRandom } from '../random.js'
import { together } from '../ranking/parts.js'
import { DEFAULT_WEIGHTS, type EvidenceWeights, evidenceOf, SMALL_TALK, scoreOf } from '../ranking/score.js'
import { calibrationError, type Prediction } from '../tuning/calibration-error.js'
import { type Estimate, percentileInterval } from '../tuning/intervals.js'
import { mean } from '../tuning/metrics.js'
import { topK } from '../vector/top-k.js'
import { queryFolds } from './folds.js'
import { ndcgOf } from './held-out.js'
import { fitLogistic } from './logistic.js'

/** What a text has to do with each tool of the catalog. */
export interface TextEvidence {
  /** Cosine similarity to each tool, as far as the model can read it. */
  readonly similarities: Float32Array
  readonly shares: Float32Array
  /** How likely (0–1) the text is no request. */
  readonly smallTalk: number
}

/** One of a query's best tools. */
interface Result {
  /** What speaks for it: similarity and share, added by a ratio. */
  readonly sum: number
  readonly smallTalk: number
  readonly relevant: boolean
}

/** A query's ranking by each of `RATIOS`; all that fitting needs of it. */
export interface JudgedQuery {
  readonly rankings: readonly { readonly results: readonly Result[]; readonly ndcg: number }[]
  readonly isAnswerable: boolean
}

// A share's weight beside a similarity's, as multiples of the bundled model's: a model whose similarities lie closer
// together needs a smaller one. The first is preferred.
const RATIOS = [1, 0.5, 2, 0.25, 4, 0.125, 8, 0.0625]
const DEFAULT_RATIO = DEFAULT_WEIGHTS.lexicalShare / DEFAULT_WEIGHTS.cosine

/**
 * Ranks the tools for a query by each ratio of weights. `texts` has the query and, where it is long, its clauses; `tools`
 * the rows of those that serve it, none where nothing fits.
 */
export function judge(
  texts: readonly [whole: TextEvidence, ...clauses: TextEvidence[]],
  tools: readonly number[],
): JudgedQuery {
  const [whole, ...clauses] = texts
  const relevant = new Set(tools)
  const rankings = RATIOS.map(multiple => {
    const ratio = multiple * DEFAULT_RATIO
    const ofTexts = texts.map(({ similarities, shares }) =>
      Float64Array.from(similarities, (cosine, row) => cosine + ratio * shares[row]!),
    )
    const [ofWhole, ...ofClauses] = ofTexts as [Float64Array, ...Float64Array[]]
    const sums = ofClauses.length === 0 ? ofWhole : ofWhole.map((_, row) => together(ofTexts.map(of => of[row]!)))
    const smallTalkAt = (row: number) => {
      const values = ofClauses.map(of => of[row]!)
      const best = clauses[values.indexOf(Math.max(...values))]
      return together(best ? [whole.smallTalk, best.smallTalk] : [whole.smallTalk])
    }
    const results = Array.from(topK(sums, DEFAULT_TOP_K), row => ({
      sum: sums[row]!,
      smallTalk: smallTalkAt(row),
      relevant: relevant.has(row),
    }))
    return { results, ndcg: tools.length > 0 ? ndcgOf(sums, tools) : 0 }
  })
  return { rankings, isAnswerable: tools.length > 0 }
}

/**
 * The weights by which a score is about the share of results with that score that are relevant: their ratio by nDCG@10
 * of the ranking, then slope and bias by logistic regression over the results of a search with the default `topK`.
 * Undefined where relevant results have no more evidence than others.
 */
export function fitWeights(queries: readonly JudgedQuery[]): EvidenceWeights | undefined {
  const at = bestRatio(queries)
  const ratio = RATIOS[at]! * DEFAULT_RATIO
  const results = queries.flatMap(({ rankings }) => rankings[at]!.results)
  const right = results.filter(({ relevant }) => relevant).length
  // Instead of 0 and 1, so that a few results that a threshold happens to separate do not make it certain (Platt 1999).
  const targets = { relevant: (right + 1) / (right + 2), other: 1 / (results.length - right + 2) }
  const { slope, bias } = fitLogistic(
    results.map(({ sum, relevant, smallTalk }) => ({
      feature: sum,
      offset: -SMALL_TALK * smallTalk,
      target: relevant ? targets.relevant : targets.other,
    })),
  )
  if (!(slope > 0)) return undefined
  return { cosine: rounded(slope), lexicalShare: rounded(slope * ratio), bias: rounded(bias) }
}

const rounded = (weight: number) => Number(weight.toFixed(4))

/** The first ratio, or the one of the best ranking where it is better by more than a standard error. */
function bestRatio(queries: readonly JudgedQuery[]): number {
  const answerable = queries.filter(({ isAnswerable }) => isAnswerable)
  if (answerable.length === 0) return 0
  const means = RATIOS.map((_, at) => mean(answerable.map(({ rankings }) => rankings[at]!.ndcg)))
  const best = means.indexOf(Math.max(...means))
  const differences = answerable.map(({ rankings }) => rankings[best]!.ndcg - rankings[0]!.ndcg)
  const advantage = mean(differences)
  const variance = mean(differences.map(difference => (difference - advantage) ** 2))
  return advantage > Math.sqrt(variance / differences.length) ? best : 0
}

/** What fitted weights do to queries that they were not fitted to. */
export interface CalibrationFigures {
  /** Expected calibration error, with the package's weights. */
  readonly before: number
  /** The same with weights fitted to the other folds. */
  readonly after: number
  /** How much less that is, with its interval. */
  readonly gain: Estimate
}

// The interval's ends move by less than a hundredth of its width with more.
const RESAMPLES = 1_000

/** Fits and measures in turn. `groups` has equal numbers for queries of equal text. */
export function crossValidateWeights(
  queries: readonly JudgedQuery[],
  groups: readonly number[],
  seed: number,
): CalibrationFigures {
  const before = queries.map(query => predictions(query, 0, DEFAULT_WEIGHTS))
  const after = [...before]
  for (const { learnFrom, measureOn } of queryFolds(groups, seed)) {
    const fold = learnFrom.map(at => queries[at]!)
    const fitted = fitWeights(fold)
    if (!fitted) continue
    const ratio = bestRatio(fold)
    for (const at of measureOn) after[at] = predictions(queries[at]!, ratio, fitted)
  }
  const error = (all: readonly Prediction[][], drawn: readonly number[]) =>
    calibrationError(drawn.flatMap(at => all[at]!))
  const gainOn = (drawn: readonly number[]) => error(before, drawn) - error(after, drawn)
  const all = [...queries.keys()]
  const gains = resampled(groups, seed).map(gainOn)
  return { before: error(before, all), after: error(after, all), gain: percentileInterval(gainOn(all), gains) }
}

/** Queries drawn with replacement, those of one group together: equal texts tell one thing. */
function resampled(groups: readonly number[], seed: number): number[][] {
  const members = new Map<number, number[]>()
  groups.forEach((group, at) => {
    members.set(group, [...(members.get(group) ?? []), at])
  })
  const all = [...members.values()]
  const random = seededRandom(seed)
  return Array.from({ length: RESAMPLES }, () => all.flatMap(() => pick(all, random)))
}

function predictions({ rankings }: JudgedQuery, ratio: number, weights: EvidenceWeights): Prediction[] {
  return rankings[ratio]!.results.map(({ sum, smallTalk, relevant }) => {
    // The sum has the shares in it.
    const score = scoreOf(evidenceOf(sum, 0, 1, smallTalk, weights))
    return { score, relevant }
  })
}
