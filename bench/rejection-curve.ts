/** A request's results as far as they count: the scores of the relevant tools found, or the best score of any. */
export interface RejectionScores {
  /** For each answerable request, the scores of the relevant tools in its top 5; empty where none was found. */
  readonly found: readonly (readonly number[])[]
  /** For each unanswerable request, the score of its best result; 0 where nothing was found. */
  readonly best: readonly number[]
}

/** One point of the trade-off, for one `minScore`. */
export interface RejectionPoint {
  readonly minScore: number
  /** Share of the relevant tools found that are left out, mean over the answerable requests that found some. */
  readonly recallLost: number
  /** Share of the unanswerable requests that return nothing. */
  readonly empty: number
}

/** What a `minScore` costs and brings: a result at or below it is left out. */
export function rejectionAt({ found, best }: RejectionScores, minScore: number): RejectionPoint {
  const answered = found.filter(scores => scores.length > 0)
  const lost = answered.map(scores => scores.filter(score => score <= minScore).length / scores.length)
  return {
    minScore,
    recallLost: lost.reduce((sum, share) => sum + share, 0) / answered.length,
    empty: best.filter(score => score <= minScore).length / best.length,
  }
}

/** The trade-off at every score that occurs, from nothing lost (or what 0 loses) to everything. */
export function rejectionCurve(scores: RejectionScores): RejectionPoint[] {
  const answered = scores.found.filter(found => found.length > 0)
  const steps = [
    ...answered.flatMap(found => found.map(score => ({ score, lost: 1 / found.length / answered.length, empty: 0 }))),
    ...scores.best.map(score => ({ score, lost: 0, empty: 1 / scores.best.length })),
  ].sort((a, b) => a.score - b.score)
  const points: RejectionPoint[] = []
  let [recallLost, empty] = [0, 0]
  for (const [at, step] of steps.entries()) {
    recallLost += step.lost
    empty += step.empty
    if (steps[at + 1]?.score !== step.score) points.push({ minScore: step.score, recallLost, empty })
  }
  return points
}

/** The area under 'empty' over 'recall lost', straight between points: the chance that a right tool outscores a wrong one. */
export function areaUnder(curve: readonly RejectionPoint[]): number {
  let area = 0
  let before = { recallLost: 0, empty: 0 }
  for (const point of curve) {
    area += ((point.recallLost - before.recallLost) * (point.empty + before.empty)) / 2
    before = point
  }
  return area
}

/** The most unanswerable requests that can be refused while at most `lost` of recall is lost. */
export function emptyAtLost(curve: readonly RejectionPoint[], lost: number): number {
  return curve.filter(({ recallLost }) => recallLost <= lost + Number.EPSILON * curve.length).at(-1)?.empty ?? 0
}
