/** One observation for a logistic regression on one feature. */
export interface Observation {
  readonly feature: number
  /** Added to the linear part as it is. Default 0. */
  readonly offset?: number | undefined
  /** 0 to 1: 1 or 0 for what was observed, or near to it. */
  readonly target: number
  /** Default 1. */
  readonly weight?: number | undefined
}

export interface LogisticFit {
  readonly slope: number
  readonly bias: number
}

/** A fit with its standard error; infinite where the observations do not tell the slope. */
export interface FittedLogistic extends LogisticFit {
  readonly slopeError: number
}

const MAX_STEPS = 100
const MAX_HALVINGS = 30
const SMALLEST_GAIN = 1e-14

/**
 * The slope and bias of `target ≈ 1 / (1 + exp(−(slope · feature + bias + offset)))` of most likelihood, by Newton's method
 * with shortened steps. Targets of exactly 0 and 1 that a threshold separates have no such fit: it stops at a steep one.
 * Without observations of different features the slope stays 0.
 */
export function fitLogistic(observations: readonly Observation[]): FittedLogistic {
  const fit = bestFit(observations)
  const { h00, h01, h11 } = derivatives(observations, fit)
  // The square root of the inverse Hessian's entry for the slope.
  const variance = h00 / (h00 * h11 - h01 * h01)
  return {
    ...fit,
    slopeError: variance > 0 && Number.isFinite(variance) ? Math.sqrt(variance) : Number.POSITIVE_INFINITY,
  }
}

function bestFit(observations: readonly Observation[]): LogisticFit {
  let fit: LogisticFit = { slope: 0, bias: 0 }
  let loss = lossOf(observations, fit)
  for (let step = 0; step < MAX_STEPS; step++) {
    const direction = newtonStep(observations, fit)
    let next = loss
    let moved = fit
    let length = 1
    for (let halving = 0; halving < MAX_HALVINGS; halving++, length /= 2) {
      moved = { slope: fit.slope + length * direction.slope, bias: fit.bias + length * direction.bias }
      next = lossOf(observations, moved)
      if (next < loss) break
    }
    // The negation also catches NaN.
    if (!(loss - next > SMALLEST_GAIN * Math.abs(loss))) return fit
    fit = moved
    loss = next
  }
  return fit
}

function newtonStep(observations: readonly Observation[], fit: LogisticFit): LogisticFit {
  const { g0, g1, h00, h01, h11 } = derivatives(observations, fit)
  const determinant = h00 * h11 - h01 * h01
  return { slope: (h00 * g1 - h01 * g0) / determinant, bias: (h11 * g0 - h01 * g1) / determinant }
}

/** Of the likelihood: its gradient, and the negated Hessian, by bias (0) and slope (1). */
function derivatives(observations: readonly Observation[], { slope, bias }: LogisticFit) {
  let [g0, g1, h00, h01, h11] = [0, 0, 0, 0, 0]
  for (const { feature, offset = 0, target, weight = 1 } of observations) {
    const p = 1 / (1 + Math.exp(-(slope * feature + bias + offset)))
    const error = weight * (target - p)
    const variance = weight * p * (1 - p)
    g0 += error
    g1 += error * feature
    h00 += variance
    h01 += variance * feature
    h11 += variance * feature * feature
  }
  return { g0, g1, h00, h01, h11 }
}

/** The sum of cross-entropies in nats. */
function lossOf(observations: readonly Observation[], { slope, bias }: LogisticFit): number {
  let sum = 0
  for (const { feature, offset = 0, target, weight = 1 } of observations) {
    const evidence = slope * feature + bias + offset
    // log(1 + exp(evidence)) without overflow.
    sum += weight * (Math.max(0, evidence) + Math.log1p(Math.exp(-Math.abs(evidence))) - target * evidence)
  }
  return sum
}
