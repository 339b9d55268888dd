import { seededRandom } from '../random.js'
import { type Aim, chooseMinScore, chooseTopK, topKShare } from './aim.js'
import { type Curve, curveOf, type Profile, profileOf, recallByTopK, STEPS } from './curve.js'
import type { EvaluatedQuery, SearchSettings } from './evaluated-query.js'
import { type Estimate, percentileInterval } from './intervals.js'

export interface RecommendOptions {
  readonly aim: Aim
  /** Taken as given instead of recommended. */
  readonly topK?: number | undefined
  readonly seed: number
}

/** What to set for an aim, and how sure that is. */
export interface Recommendation extends SearchSettings {
  /** False where no `minScore` reaches the aim; then it is the one that comes nearest. */
  readonly isMet: boolean
  /** 95 % intervals of what other samples of as many such queries would recommend. */
  readonly intervals: { readonly topK: Estimate; readonly minScore: Estimate }
  /** All figures at this `topK`, by `minScore`. */
  readonly curve: Curve
  /** recall@k for k from 1, without a `minScore`. */
  readonly recalls: readonly number[]
}

// Ends of a 95 % interval hardly move with more (Efron and Tibshirani 1993, section 13.3).
const BOOTSTRAP_SAMPLES = 1_000

// Resampling costs queries times samples; with so many queries the interval is narrow, and less exact ends will do.
const MAX_RESAMPLED = 2_000_000

/** Enough of each query's results for any `topK` that is recommended or given. */
export const profilesOf = (queries: readonly EvaluatedQuery[], topK?: number): Profile[] =>
  queries.map(query => profileOf(query, topK === undefined ? undefined : Math.max(topK, 20)))

/**
 * `topK` first: the smallest whose recall is within the aim of the recall at 20. Then, at this `topK`, `minScore`.
 * At least one query must be answerable.
 */
export function recommend(queries: readonly EvaluatedQuery[], { aim, topK, seed }: RecommendOptions): Recommendation {
  const profiles = profilesOf(queries, topK)
  const recalls = recallByTopK(profiles)
  const chosen = chooseFor(profiles, aim, topK)
  const curve = curveOf(profiles, chosen.topK)
  const { topKs, minScores } = resampled(profiles, { aim, topK, seed })
  return {
    ...chosen,
    intervals: {
      topK: percentileInterval(chosen.topK, topKs),
      minScore: percentileInterval(chosen.minScore, minScores),
    },
    curve,
    recalls,
  }
}

/** What these queries recommend, each counted as often as its weight says. */
export function chooseFor(
  profiles: readonly Profile[],
  aim: Aim,
  given: number | undefined,
  weights?: ArrayLike<number>,
): SearchSettings & { isMet: boolean } {
  const topK = given ?? chooseTopK(recallByTopK(profiles, weights), topKShare(aim))
  const { step, isMet } = chooseMinScore(curveOf(profiles, topK, weights), aim)
  return { topK, minScore: step / STEPS, isMet }
}

/** The recommendations of resamples, drawn with repeats. */
function resampled(profiles: readonly Profile[], { aim, topK, seed }: RecommendOptions) {
  const samples = Math.max(100, Math.min(BOOTSTRAP_SAMPLES, Math.floor(MAX_RESAMPLED / profiles.length)))
  const random = seededRandom(seed)
  const strata = strataOf(profiles)
  const topKs: number[] = []
  const minScores: number[] = []
  for (let sample = 0; sample < samples; sample++) {
    const chosen = chooseFor(profiles, aim, topK, drawWeights(strata, profiles.length, random))
    topKs.push(chosen.topK)
    minScores.push(chosen.minScore)
  }
  return { topKs, minScores }
}

/** Places of answerable and of unanswerable queries: drawn apart, so that neither kind is missing in a sample. */
export function strataOf(profiles: readonly { readonly relevant: number }[]): number[][] {
  const answerable: number[] = []
  const unanswerable: number[] = []
  profiles.forEach(({ relevant }, at) => {
    if (relevant > 0) answerable.push(at)
    else unanswerable.push(at)
  })
  return [answerable, unanswerable]
}

/** How often each query is drawn, when as many are drawn as there are. */
export function drawWeights(strata: readonly number[][], count: number, random: () => number): Uint32Array {
  const weights = new Uint32Array(count)
  for (const places of strata) {
    for (let draw = 0; draw < places.length; draw++) weights[places[Math.floor(random() * places.length)]!]!++
  }
  return weights
}
