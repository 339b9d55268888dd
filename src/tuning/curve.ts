import type { EvaluatedQuery } from './evaluated-query.js'
import { MAX_TOP_K } from './evaluated-query.js'
import { f1Of } from './metrics.js'

/** `minScore` is looked at in thousandths: what is recommended has three decimals. */
export const STEPS = 1000

/** A query as counting needs it: which of its first results are right, and up to which step each is returned. */
export interface Profile {
  /** Number of relevant tools. */
  readonly relevant: number
  /** By rank; the last step (thousandth of `minScore`) at which the result is still returned, -1 for none. */
  readonly lastSteps: Int16Array
  /** By rank: 1 where the tool is relevant. */
  readonly right: Uint8Array
}

/** By step, 0 to `STEPS`. NaN where there is nothing to measure, as precision where nothing is returned. */
export interface Curve {
  /** Mean over answerable queries of the share of their relevant tools that are returned. */
  readonly recall: Float64Array
  /** Right ones among all returned tools, over all queries together; also those that nothing fits. */
  readonly precision: Float64Array
  /** Harmonic mean of these two. */
  readonly f1: Float64Array
  /** Share of the unanswerable queries for which nothing is returned. */
  readonly noAnswer: Float64Array
}

export function profileOf({ relevant, ranked }: EvaluatedQuery, depth = MAX_TOP_K): Profile {
  const first = ranked.slice(0, depth)
  return {
    relevant: relevant.length,
    lastSteps: Int16Array.from(first, ({ score }) => lastStepBelow(score)),
    right: Uint8Array.from(first, ({ name }) => Number(relevant.includes(name))),
  }
}

/** The last step below a score: a search returns what scores above `minScore`, not at it. */
export function lastStepBelow(score: number): number {
  let step = Math.min(STEPS, Math.ceil(score * STEPS) + 1)
  while (step >= 0 && step / STEPS >= score) step--
  return step
}

/**
 * All figures at each `minScore` and one `topK`. `weights` (how often each query counts, default once) serve resampling.
 * One pass: each result adds to the step where it ends to be returned, and sums from the last step back do the rest.
 */
export function curveOf(profiles: readonly Profile[], topK: number, weights?: ArrayLike<number>): Curve {
  const found = new Float64Array(STEPS + 1)
  const rightOnes = new Float64Array(STEPS + 1)
  const all = new Float64Array(STEPS + 1)
  const answering = new Float64Array(STEPS + 1)
  let answerable = 0
  let unanswerable = 0
  for (let at = 0; at < profiles.length; at++) {
    const weight = weights ? weights[at]! : 1
    if (weight === 0) continue
    const { relevant, lastSteps, right } = profiles[at]!
    if (relevant > 0) answerable += weight
    else unanswerable += weight
    const count = Math.min(topK, lastSteps.length)
    for (let rank = 0; rank < count; rank++) {
      const step = lastSteps[rank]!
      if (step < 0) break
      all[step]! += weight
      if (right[rank] === 1) {
        rightOnes[step]! += weight
        found[step]! += weight / relevant
      }
    }
    if (relevant === 0 && count > 0 && lastSteps[0]! >= 0) answering[lastSteps[0]!]! += weight
  }
  for (const sums of [found, rightOnes, all, answering]) {
    for (let step = STEPS - 1; step >= 0; step--) sums[step]! += sums[step + 1]!
  }
  const recall = found.map(sum => sum / answerable)
  const precision = rightOnes.map((sum, step) => sum / all[step]!)
  return {
    recall,
    precision,
    // Where nothing is returned, nothing is right.
    f1: precision.map((value, step) => f1Of(Number.isNaN(value) ? 0 : value, recall[step]!)),
    noAnswer: answering.map(sum => (unanswerable === 0 ? Number.NaN : 1 - sum / unanswerable)),
  }
}

/** recall@k for k from 1 to `MAX_TOP_K`, without a `minScore`. */
export function recallByTopK(profiles: readonly Profile[], weights?: ArrayLike<number>): number[] {
  const found = new Float64Array(MAX_TOP_K)
  let answerable = 0
  for (let at = 0; at < profiles.length; at++) {
    const weight = weights ? weights[at]! : 1
    const { relevant, right, lastSteps } = profiles[at]!
    if (relevant === 0 || weight === 0) continue
    answerable += weight
    for (let rank = 0; rank < Math.min(MAX_TOP_K, right.length); rank++) {
      if (right[rank] === 1 && lastSteps[rank]! >= 0) found[rank]! += weight / relevant
    }
  }
  let sum = 0
  return Array.from(found, ofRank => {
    sum += ofRank
    return sum / answerable
  })
}
