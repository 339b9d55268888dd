import { seededRandom, shuffled } from '../random.js'
import type { Aim } from './aim.js'
import type { EvaluatedQuery, SearchSettings } from './evaluated-query.js'
import { type Estimate, percentileInterval, widest, wilson } from './intervals.js'
import { countRight, f1Of, returned } from './metrics.js'
import { chooseFor, drawWeights, profilesOf, strataOf } from './recommend.js'

/** What settings reach on some queries; null where there is nothing to measure it on. */
export interface Reached {
  readonly recall: Estimate | null
  /** Recall as a share of that without a `minScore`, at the same `topK`. */
  readonly keptRecall: Estimate | null
  readonly precision: Estimate | null
  readonly f1: Estimate | null
  readonly noAnswer: Estimate | null
}

export interface CrossValidation {
  /** What each fold's training queries recommended. */
  readonly choices: readonly SearchSettings[]
  /** What these recommendations reach on the queries that were held out. */
  readonly reached: Reached
}

/** As is usual (Kohavi, IJCAI 1995): ten parts. */
const MAX_FOLDS = 10

const BOOTSTRAP_SAMPLES = 1_000

/**
 * The honest estimate of what a recommendation reaches on queries that it was not made from: queries are dealt to ten
 * folds, each fold is measured with what the other nine recommend. Null with fewer than two answerable queries.
 */
export function crossValidate(
  queries: readonly EvaluatedQuery[],
  { aim, topK, seed }: { aim: Aim; topK?: number | undefined; seed: number },
): CrossValidation | null {
  const profiles = profilesOf(queries, topK)
  const random = seededRandom(seed)
  const [answerable, unanswerable] = strataOf(profiles).map(places => shuffled(places, random)) as [number[], number[]]
  const folds = Math.min(MAX_FOLDS, answerable.length)
  if (folds < 2) return null
  const foldOf = new Map([...answerable, ...unanswerable].map((place, at) => [place, at % folds]))
  const choices = Array.from({ length: folds }, (_, fold) => {
    const weights = profiles.map((_, at) => Number(foldOf.get(at) !== fold))
    const chosen = chooseFor(profiles, aim, topK, weights)
    return { topK: chosen.topK, minScore: chosen.minScore }
  })
  const reached = reachedBy(queries, (_, at) => choices[foldOf.get(at)!]!, seed)
  return { choices, reached }
}

/** What settings reach on queries, each with its own settings. */
export function reachedBy(
  queries: readonly EvaluatedQuery[],
  settingsOf: (query: EvaluatedQuery, at: number) => SearchSettings,
  seed: number,
): Reached {
  const counts = queries.map((query, at) => countsOf(query, settingsOf(query, at)))
  const strata = strataOf(counts)
  const [answerable, unanswerable] = strata.map(places => places.length) as [number, number]
  const figures = figuresOf(counts)
  const random = seededRandom(seed)
  const samples = Array.from({ length: BOOTSTRAP_SAMPLES }, () =>
    figuresOf(counts, drawWeights(strata, counts.length, random)),
  )
  const bootstrap = (name: keyof Figures) =>
    percentileInterval(
      figures[name],
      samples.map(sample => sample[name]),
    )
  // Where all succeed, or none, a bootstrap knows no doubt: then each query with results counts as one trial.
  const precision = bootstrap('precision')
  const isCertain = precision.low === precision.high
  const answering = counts.filter(({ returned: all }) => all > 0).length
  const found = counts.filter(({ unlimitedRecall }) => unlimitedRecall > 0).length
  const recall = answerable === 0 ? null : wilson(figures.recall, answerable)
  const honestPrecision = answering === 0 ? null : isCertain ? wilson(figures.precision, answering) : precision
  return {
    recall,
    // Nearly all is kept as a rule, where the bootstrap is too sure of itself.
    keptRecall: found === 0 ? null : widest(bootstrap('keptRecall'), wilson(Math.min(1, figures.keptRecall), found)),
    precision: honestPrecision,
    f1: recall && f1Interval(bootstrap('f1'), recall, honestPrecision),
    noAnswer: unanswerable === 0 ? null : wilson(figures.noAnswer, unanswerable),
  }
}

/** Of both parts' ends, where the bootstrap is certain. */
function f1Interval(bootstrapped: Estimate, recall: Estimate, precision: Estimate | null): Estimate {
  if (bootstrapped.low < bootstrapped.high || !precision) return bootstrapped
  return { ...bootstrapped, low: f1Of(precision.low, recall.low), high: f1Of(precision.high, recall.high) }
}

interface Counts {
  readonly relevant: number
  readonly right: number
  readonly returned: number
  readonly recall: number
  /** Without a `minScore`. */
  readonly unlimitedRecall: number
}

function countsOf({ relevant, ranked }: EvaluatedQuery, settings: SearchSettings): Counts {
  const results = returned(ranked, settings)
  const right = countRight(relevant, results)
  const share = (count: number) => (relevant.length === 0 ? 0 : count / relevant.length)
  const unlimited = countRight(relevant, returned(ranked, { ...settings, minScore: 0 }))
  return {
    relevant: relevant.length,
    right,
    returned: results.length,
    recall: share(right),
    unlimitedRecall: share(unlimited),
  }
}

interface Figures {
  readonly recall: number
  readonly keptRecall: number
  readonly precision: number
  readonly f1: number
  readonly noAnswer: number
}

function figuresOf(counts: readonly Counts[], weights?: ArrayLike<number>): Figures {
  let [answerable, unanswerable, right, all, recall, unlimited, empty] = [0, 0, 0, 0, 0, 0, 0]
  for (let at = 0; at < counts.length; at++) {
    const weight = weights ? weights[at]! : 1
    if (weight === 0) continue
    const count = counts[at]!
    right += weight * count.right
    all += weight * count.returned
    if (count.relevant > 0) {
      answerable += weight
      recall += weight * count.recall
      unlimited += weight * count.unlimitedRecall
    } else {
      unanswerable += weight
      if (count.returned === 0) empty += weight
    }
  }
  const precision = right / all
  return {
    recall: recall / answerable,
    keptRecall: recall / unlimited,
    precision,
    f1: f1Of(all === 0 ? 0 : precision, recall / answerable),
    noAnswer: empty / unanswerable,
  }
}
