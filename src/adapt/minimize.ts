import { innerProduct } from './matrix.js'

/** A smooth function: its value at a point, with the gradient written into `gradient`. */
export type Objective = (point: Float64Array, gradient: Float64Array) => Promise<number>

export interface MinimizeOptions {
  /** Steps at the most. */
  readonly steps: number
  /** How far the first step goes. */
  readonly firstStep: number
}

// Usual values (Nocedal and Wright, "Numerical Optimization", 2006, chapters 3 and 7).
const MEMORY = 6
const SUFFICIENT_DECREASE = 1e-4
const MIN_STEP = 1e-4

// A step that gains less than this share of the value is the last.
const NO_GAIN = 1e-5

/** Moves `point` to where a convex function is least, by L-BFGS with a backtracking line search. */
export async function minimize(objective: Objective, point: Float64Array, options: MinimizeOptions): Promise<void> {
  const size = point.length
  let gradient = new Float64Array(size)
  let value = await objective(point, gradient)
  const history: { step: Float64Array; change: Float64Array; product: number }[] = []
  let next = new Float64Array(size)
  let nextGradient = new Float64Array(size)
  for (let taken = 0; taken < options.steps; taken++) {
    const direction = directionOf(gradient, history, options.firstStep)
    const slope = innerProduct(gradient, direction)
    if (!(slope > 0)) return
    let length = 1
    let reached: number
    for (;;) {
      for (let i = 0; i < size; i++) next[i] = point[i]! - length * direction[i]!
      reached = await objective(next, nextGradient)
      if (reached <= value - SUFFICIENT_DECREASE * length * slope) break
      length /= 2
      if (length < MIN_STEP) return
    }
    const step = new Float64Array(size)
    const change = new Float64Array(size)
    for (let i = 0; i < size; i++) {
      step[i] = next[i]! - point[i]!
      change[i] = nextGradient[i]! - gradient[i]!
    }
    const product = innerProduct(step, change)
    if (product > 0) history.push({ step, change, product })
    if (history.length > MEMORY) history.shift()
    point.set(next)
    ;[gradient, nextGradient, next] = [nextGradient, gradient, new Float64Array(size)]
    const gained = value - reached
    value = reached
    if (gained <= NO_GAIN * Math.abs(value)) return
  }
}

/** The gradient times an estimate of the inverse Hessian (the two loops of algorithm 7.4 there). */
function directionOf(
  gradient: Float64Array,
  history: readonly { step: Float64Array; change: Float64Array; product: number }[],
  firstStep: number,
): Float64Array {
  const direction = gradient.slice()
  const size = direction.length
  const shares: number[] = []
  for (const { step, change, product } of [...history].reverse()) {
    const share = innerProduct(step, direction) / product
    for (let i = 0; i < size; i++) direction[i]! -= share * change[i]!
    shares.push(share)
  }
  const latest = history.at(-1)
  const scale = latest
    ? latest.product / innerProduct(latest.change, latest.change)
    : firstStep / Math.sqrt(innerProduct(gradient, gradient))
  for (let i = 0; i < size; i++) direction[i]! *= scale
  for (const { step, change, product } of history) {
    const share = shares.pop()! - innerProduct(change, direction) / product
    for (let i = 0; i < size; i++) direction[i]! += share * step[i]!
  }
  return direction
}
