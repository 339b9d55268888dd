import { seededRandom } from '../random.js'
import { type Estimate, percentileInterval } from '../tuning/intervals.js'
import { mean } from '../tuning/metrics.js'
import { type Fold, queryFolds, toolFolds } from './folds.js'
import { type Evidence, heldOutNdcg } from './held-out.js'
import { countsOf, type LabelledVectors } from './labelled-vectors.js'
import { learnChange, type MapSettings } from './learn-map.js'
import { centroidsOf } from './pull.js'
import { type ReducedVectors, reduceVectors } from './reduced-vectors.js'

/** How strongly a search is adapted. */
export interface Strength {
  /** Null for no map of queries. */
  readonly map: MapSettings | null
  /** 0 for no pull of tools, up to 1. */
  readonly pull: number
}

export interface Choice {
  readonly strength: Strength
  /** nDCG@10 on queries that were held out, before and after. */
  readonly before: number
  readonly after: number
  /** What the chosen strength gains, by choices that the measured queries had no part in; 95 % interval of pairs. */
  readonly gain: Estimate
  /**
   * The gain on queries of tools that were held out with all of their queries: what tools without queries are to
   * expect. Null where each tool has some, or nobody asked.
   */
  readonly gainOfOthers: Estimate | null
}

export interface ChooseOptions {
  readonly evidence: Evidence
  /** Equal numbers for queries of equal text: these are held out together. */
  readonly groups: readonly number[]
  /** Whether tools without queries may not lose. */
  readonly keepOthers: boolean
  readonly seed: number
  /** Called before each part of the work, of at most `PARTS`. */
  readonly onPart?: ((done: number, total: number) => void) | undefined
  readonly abortSignal?: AbortSignal | undefined
}

// In the order of preference: the first ones were good with 50 as with 1,000 queries on MetaTool, and the later ones
// must be better than them beyond noise.
const MAPS: readonly (MapSettings | null)[] = [
  { weight: 0.03, others: 0.1 },
  { weight: 0.03, others: 0 },
  { weight: 0.1, others: 0 },
  null,
]
const PULLS = [0.3, 0.2, 0.1, 0, 0.5, 0.7]

// Less is noise with some hundred queries.
const TOLERATED = 0.005

const RESAMPLES = 2_000

/** The map's settings that make a difference: with queries for each tool there are no others to weigh. */
function mapsFor(data: LabelledVectors): readonly (MapSettings | null)[] {
  const isCovered = countsOf(data, [...data.relevant.keys()]).every(count => count > 0)
  return isCovered ? MAPS.filter(map => !map || map.others === 0) : MAPS
}

/**
 * Chooses how strongly to adapt by cross-validation: each query is measured with what others teach. With `keepOthers`
 * only what tools that were held out with all their queries do not lose by, on the average. The gain that is told is
 * that of choices made without the fold that it is measured on.
 */
export async function chooseStrength(labelled: LabelledVectors, options: ChooseOptions): Promise<Choice> {
  const { groups, seed, keepOthers } = options
  const data = reduceVectors(labelled, { keepSimilarities: true })
  const maps = mapsFor(data)
  const size = data.tools.length / data.dimensions
  const hasOthers = countsOf(data, [...data.relevant.keys()]).filter(count => count > 0).length < size
  const measuresUntaught = keepOthers && hasOthers
  const folds = queryFolds(groups, seed)
  const untaughtFolds = measuresUntaught ? toolFolds(data, seed) : []
  const parts = partCounter(maps.length * (folds.length + untaughtFolds.length), options)

  const all: Measured[] = []
  for (const map of maps) {
    const values = await measureFolds(data, map, folds, options, parts)
    const untaught = measuresUntaught ? await measureFolds(data, map, untaughtFolds, options, parts) : undefined
    PULLS.forEach((pull, at) => {
      all.push({ strength: { map, pull }, values: values[at]!, untaught: untaught?.[at] })
    })
  }
  const none = all.find(({ strength }) => strength.map === null && strength.pull === 0)!
  const allowed = measuresUntaught
    ? all.filter(({ untaught }) => meanOf(untaught!) >= meanOf(none.untaught!) - TOLERATED)
    : all

  const chosen = bestOn(allowed, [...groups.keys()])
  // Each query's gain by the strength that the other folds choose: its own part in the choice would flatter.
  const heldOutGains = new Float64Array(groups.length)
  for (const { learnFrom, measureOn } of folds) {
    const { values } = bestOn(allowed, learnFrom)
    for (const query of measureOn) heldOutGains[query] = values[query]! - none.values[query]!
  }
  const before = meanOf(none.values)
  const gain = intervalOf(heldOutGains, groups, seed)
  return {
    strength: chosen.strength,
    before,
    after: before + gain.value,
    gain,
    gainOfOthers: measuresUntaught
      ? intervalOf(
          chosen.untaught!.map((value, query) => value - none.untaught![query]!),
          groups,
          seed,
        )
      : null,
  }
}

interface Measured {
  readonly strength: Strength
  /** nDCG@10 of each query, held out with its fold. */
  readonly values: Float64Array
  /** The same where no query of its tools was learnt from; undefined where tools without queries do not matter. */
  readonly untaught: Float64Array | undefined
}

const meanOf = (values: Float64Array) => mean(Array.from(values))

/** The preferred strength, or the best over some of the queries where it is better by more than a standard error. */
function bestOn(candidates: readonly Measured[], queries: readonly number[]): Measured {
  const [preferred] = candidates as [Measured, ...Measured[]]
  const score = ({ values }: Measured) => queries.reduce((sum, query) => sum + values[query]!, 0)
  let best = preferred
  for (const candidate of candidates) if (score(candidate) > score(best)) best = candidate
  const differences = queries.map(query => best.values[query]! - preferred.values[query]!)
  const advantage = mean(differences)
  const variance = mean(differences.map(difference => (difference - advantage) ** 2))
  return advantage > Math.sqrt(variance / differences.length) ? best : preferred
}

interface PartCounter {
  readonly next: () => void
}

function partCounter(total: number, { onPart }: ChooseOptions): PartCounter {
  let done = 0
  onPart?.(0, total)
  return { next: () => onPart?.(++done, total) }
}

/** For each of `PULLS` the nDCG@10 of each query, in the queries' order. */
async function measureFolds(
  data: ReducedVectors,
  map: MapSettings | null,
  folds: readonly Fold[],
  { evidence, abortSignal }: ChooseOptions,
  { next }: PartCounter,
): Promise<Float64Array[]> {
  const values = PULLS.map(() => new Float64Array(data.relevant.length))
  const check = () => abortSignal?.throwIfAborted()
  for (const { learnFrom, measureOn } of folds) {
    check()
    const learnt = {
      change: map ? await learnChange(data, learnFrom, map, check) : undefined,
      centroids: centroidsOf(data, learnFrom),
    }
    const onTurn = async () => {
      await new Promise(resolve => setImmediate(resolve))
      check()
    }
    const found = await heldOutNdcg(data, measureOn, learnt, { strengths: PULLS, evidence, onTurn })
    found.forEach((ndcg, strength) => {
      measureOn.forEach((query, at) => {
        values[strength]![query] = ndcg[at]!
      })
    })
    next()
  }
  return values
}

/** The mean of paired differences with its bootstrap interval: groups are drawn, since equal texts tell one thing. */
function intervalOf(differences: Float64Array, groups: readonly number[], seed: number): Estimate {
  const sums = new Map<number, { sum: number; count: number }>()
  groups.forEach((group, query) => {
    const { sum, count } = sums.get(group) ?? { sum: 0, count: 0 }
    sums.set(group, { sum: sum + differences[query]!, count: count + 1 })
  })
  const members = [...sums.values()]
  const random = seededRandom(seed)
  const samples = Array.from({ length: RESAMPLES }, () => {
    let [sum, count] = [0, 0]
    for (let drawn = 0; drawn < members.length; drawn++) {
      const member = members[Math.floor(random() * members.length)]!
      sum += member.sum
      count += member.count
    }
    return sum / count
  })
  return percentileInterval(meanOf(differences), samples)
}
