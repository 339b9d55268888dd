import type { Matrix } from './matrix.js'
import { addOuterProducts, multiplyByTransposed, zeros } from './matrix.js'
import type { Objective } from './minimize.js'

/** Cosines over the temperature are the logits of the softmax, as in contrastive training of sentence models. */
export const TEMPERATURE = 0.05

export interface MapLoss {
  /** One row a query, of unit length. */
  readonly queries: Matrix
  /** One row a tool, of unit length. */
  readonly tools: Matrix
  /** For each query the rows of tools that it is to be told apart from, its own included. */
  readonly candidates: readonly Uint32Array[]
  /** For each query how many of its candidates, the first ones, serve it. */
  readonly right: readonly number[]
  /** For each tool what is added to its logit: the logarithm of its weight. */
  readonly offsets: Float64Array
  /** Weight of the squared distance of the map to the identity. */
  readonly weight: number
}

// Rows of one turn: some 20 ms.
const ROWS_PER_TURN = 64

/**
 * The loss of a linear map W of queries: the mean of −log softmax of a query's own tools among its candidates, by
 * (W q) · t over the temperature, plus the weighted squared distance of W to the identity. Convex in W. Lets the event
 * loop run in between; `onTurn` may throw to end it.
 */
export function mapLoss(
  { queries, tools, candidates, right, offsets, weight }: MapLoss,
  onTurn: () => void = () => {},
): Objective {
  const { rows, columns } = queries
  const mapped = zeros(rows, columns)
  const pulls = zeros(rows, columns)
  return async (point, gradient) => {
    const map: Matrix = { rows: columns, columns, values: point }
    const slope: Matrix = { rows: columns, columns, values: gradient }
    let loss = 0
    gradient.fill(0)
    for (let from = 0; from < rows; from += ROWS_PER_TURN) {
      await new Promise(resolve => setImmediate(resolve))
      onTurn()
      const to = Math.min(rows, from + ROWS_PER_TURN)
      multiplyByTransposed(queries, map, mapped, from, to)
      for (let row = from; row < to; row++) loss += queryLoss(row)
      addOuterProducts(pulls, queries, slope, from, to)
    }
    for (let i = 0; i < point.length; i++) {
      const distance = point[i]! - (i % (columns + 1) === 0 ? 1 : 0)
      gradient[i]! += 2 * weight * distance
      loss += weight * distance * distance
    }
    return loss
  }

  /** The query's part of the loss; its gradient by the mapped query goes to its row of `pulls`. */
  function queryLoss(row: number): number {
    const own = candidates[row]!
    const target = right[row]!
    const start = row * columns
    const logits = new Float64Array(own.length)
    let highest = Number.NEGATIVE_INFINITY
    for (let at = 0; at < own.length; at++) {
      const tool = own[at]! * columns
      let sum = 0
      for (let i = 0; i < columns; i++) sum += mapped.values[start + i]! * tools.values[tool + i]!
      logits[at] = sum / TEMPERATURE + offsets[own[at]!]!
      highest = Math.max(highest, logits[at]!)
    }
    let total = 0
    for (const logit of logits) total += Math.exp(logit - highest)
    const normalizer = highest + Math.log(total)
    let loss = 0
    pulls.values.fill(0, start, start + columns)
    for (let at = 0; at < own.length; at++) {
      const wanted = at < target ? 1 / target : 0
      if (wanted > 0) loss += wanted * (normalizer - logits[at]!)
      const force = (Math.exp(logits[at]! - normalizer) - wanted) / TEMPERATURE / rows
      const tool = own[at]! * columns
      for (let i = 0; i < columns; i++) pulls.values[start + i]! += force * tools.values[tool + i]!
    }
    return loss / rows
  }
}
