import { DEFAULT_TOP_K } from '../options.js'
import { pick, seededRandom } from '../random.js'
import { together } from '../ranking/parts.js'
import { DEFAULT_WEIGHTS, type EvidenceWeights, evidenceOf, isInRange, SMALL_TALK, scoreOf } from '../ranking/score.js'
import { type BinnedPredictions, binned, errorOf } from '../tuning/calibration-error.js'
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
  /** Lexical share (0–1) of each tool. */
  readonly shares: Float32Array
  /** How likely (0–1) the text is no request. */
  readonly smallTalk: number
}

/** One of a query's best tools. */
interface Result {
  /** Similarity and share added by a ratio, in units of similarity, without bias and small talk. */
  readonly sum: number
  readonly smallTalk: number
  readonly relevant: boolean
}

interface Ranking {
  readonly results: readonly Result[]
  /** nDCG@10; 0 where nothing fits. */
  readonly ndcg: number
}

/** A query's rankings; all that fitting needs of it. */
export interface JudgedQuery {
  readonly isAnswerable: boolean
  /** By each of `RATIOS`. */
  readonly rankings: readonly Ranking[]
  /** By the weights in force. */
  readonly inForce: Ranking
}

// A share's weight beside a similarity's, as multiples of the bundled model's: a model whose similarities lie closer
// together needs a smaller one. The first is preferred.
const RATIOS = [1, 0.5, 2, 0.25, 4, 0.125, 8, 0.0625].map(
  multiple => (multiple * DEFAULT_WEIGHTS.lexicalShare) / DEFAULT_WEIGHTS.cosine,
)

/**
 * Ranks the tools for a query by each ratio of weights. `texts` has the query and, where it is long, its clauses; `tools`
 * the rows of those that serve it, none where nothing fits.
 */
export function judge(
  texts: readonly [whole: TextEvidence, ...clauses: TextEvidence[]],
  tools: readonly number[],
  inForce: EvidenceWeights = DEFAULT_WEIGHTS,
): JudgedQuery {
  const relevant = new Set(tools)

  function rankBy(ratio: number, cosineWeight: number): Ranking {
    // As searches choose the clause that fits a tool best: likely small talk lowers a clause.
    const lowered = ({ smallTalk }: TextEvidence) => (SMALL_TALK * smallTalk) / cosineWeight
    const ofTexts = texts.map(text =>
      Float64Array.from(text.similarities, (cosine, row) => cosine + ratio * text.shares[row]! - lowered(text)),
    )
    const [ofWhole, ...ofClauses] = ofTexts as [Float64Array, ...Float64Array[]]
    const sums = ofClauses.length === 0 ? ofWhole : ofWhole.map((_, row) => together(ofTexts.map(of => of[row]!)))
    const smallTalkAt = (row: number) => {
      const [whole, ...clauses] = texts
      const values = ofClauses.map(of => of[row]!)
      const best = clauses[values.indexOf(Math.max(...values))]
      return together(best ? [whole.smallTalk, best.smallTalk] : [whole.smallTalk])
    }
    const results = Array.from(topK(sums, DEFAULT_TOP_K), row => {
      const smallTalk = smallTalkAt(row)
      const sum = sums[row]! + (SMALL_TALK * smallTalk) / cosineWeight
      return { sum, smallTalk, relevant: relevant.has(row) }
    })
    return { results, ndcg: tools.length > 0 ? ndcgOf(sums, tools) : 0 }
  }
  return {
    isAnswerable: tools.length > 0,
    // By the package's weight: that of the fit is not known yet, and what is in force must not change it.
    rankings: RATIOS.map(ratio => rankBy(ratio, DEFAULT_WEIGHTS.cosine)),
    inForce: rankBy(inForce.lexicalShare / inForce.cosine, inForce.cosine),
  }
}

// 95 % of a normal distribution are within so many standard errors.
const SURE = 1.96

/**
 * The weights by which a score is about the share of results with that score that are relevant: their ratio by nDCG@10
 * of the ranking, then slope and bias by logistic regression over the results of a search with the default `topK`.
 * Undefined where relevant results have no more evidence than others, beyond noise, or the weights would be too extreme to
 * store.
 */
export function fitWeights(queries: readonly JudgedQuery[]): EvidenceWeights | undefined {
  const at = bestRatio(queries)
  const results = queries.flatMap(({ rankings }) => rankings[at]!.results)
  const right = results.filter(({ relevant }) => relevant).length
  if (right === 0) return undefined
  // Instead of 0 and 1, so that a few results that a threshold happens to separate do not make it certain (Platt 1999).
  const targets = { relevant: (right + 1) / (right + 2), other: 1 / (results.length - right + 2) }
  const { slope, bias, slopeError } = fitLogistic(
    results.map(({ sum, relevant, smallTalk }) => ({
      feature: sum,
      offset: -SMALL_TALK * smallTalk,
      target: relevant ? targets.relevant : targets.other,
    })),
  )
  if (!(slope > SURE * slopeError)) return undefined
  const weights = { cosine: rounded(slope), lexicalShare: rounded(slope * RATIOS[at]!), bias: rounded(bias) }
  return isInRange(weights) ? weights : undefined
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

/** Expected calibration errors on queries that fitting had no part in. */
export interface CalibrationFigures {
  /** With the package's weights. */
  readonly before: number
  /** With the weights in force. */
  readonly inForce: number
  /** With weights fitted to the other folds. */
  readonly after: number
  /** How much less that is than with those in force, with its interval. */
  readonly gain: Estimate
}

export interface CrossValidationOptions {
  /** Equal numbers for queries of equal text: these are held out together. */
  readonly groups: readonly number[]
  readonly seed: number
  /** The weights by which `judge` made `inForce`. */
  readonly inForce: EvidenceWeights
  /** Lets other work run, and throws where the work is to end. */
  readonly onTurn: () => Promise<void>
}

// The interval's ends move by less than a hundredth of its width with more.
const RESAMPLES = 1_000
// Some 10 ms.
const RESAMPLES_PER_TURN = 50

/** Calibration errors on queries held out in five folds; a fold without a fit keeps the weights in force. */
export async function crossValidateWeights(
  queries: readonly JudgedQuery[],
  { groups, seed, inForce, onTurn }: CrossValidationOptions,
): Promise<CalibrationFigures> {
  const before = queries.map(({ rankings }) => binned(predictions(rankings[0]!, DEFAULT_WEIGHTS)))
  const now = queries.map(query => binned(predictions(query.inForce, inForce)))
  const after = [...now]
  for (const { learnFrom, measureOn } of queryFolds(groups, seed)) {
    await onTurn()
    const fold = learnFrom.map(at => queries[at]!)
    const fitted = fitWeights(fold)
    if (!fitted) continue
    const ratio = bestRatio(fold)
    for (const at of measureOn) after[at] = binned(predictions(queries[at]!.rankings[ratio]!, fitted))
  }
  const all = [...queries.keys()]
  const error = (of: readonly BinnedPredictions[], drawn: readonly number[]) => errorOf(added(of, drawn))
  const gainOn = (drawn: readonly number[]) => error(now, drawn) - error(after, drawn)
  const members = membersOf(groups)
  const random = seededRandom(seed)
  const gains: number[] = []
  while (gains.length < RESAMPLES) {
    if (gains.length % RESAMPLES_PER_TURN === 0) await onTurn()
    // Groups are drawn, since equal texts tell one thing.
    gains.push(gainOn(members.flatMap(() => pick(members, random))))
  }
  return {
    before: error(before, all),
    inForce: error(now, all),
    after: error(after, all),
    gain: percentileInterval(gainOn(all), gains),
  }
}

function added(of: readonly BinnedPredictions[], drawn: readonly number[]): BinnedPredictions {
  const sum = binned([])
  for (const at of drawn) {
    const bins = of[at]!
    for (let bin = 0; bin < sum.length; bin++) sum[bin]! += bins[bin]!
  }
  return sum
}

/** The places of each group. */
function membersOf(groups: readonly number[]): number[][] {
  const members = new Map<number, number[]>()
  groups.forEach((group, at) => {
    const places = members.get(group)
    if (places) places.push(at)
    else members.set(group, [at])
  })
  return [...members.values()]
}

function predictions({ results }: Ranking, weights: EvidenceWeights) {
  return results.map(({ sum, smallTalk, relevant }) => {
    // The sum has the shares in it.
    const score = scoreOf(evidenceOf(sum, 0, 1, smallTalk, weights))
    return { score, relevant }
  })
}
