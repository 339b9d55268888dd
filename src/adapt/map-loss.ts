import type { Matrix } from './matrix.js'
import { addOuterProducts, multiplyByTransposed, zeros } from './matrix.js'
import type { Objective } from './minimize.js'

/** Cosines over the temperature are the logits of the softmax, as in contrastive training of sentence models. */
export const TEMPERATURE = 0.05

export interface MapLoss {
  /** One row a query, in its coordinates. */
  readonly queries: Matrix
  /** One row a tool, in its coordinates. */
  readonly tools: Matrix
  /** For each query the rows of tools that it is to be told apart from, its own first. */
  readonly candidates: readonly Uint32Array[]
  /** For each query how many of its candidates serve it. */
  readonly right: readonly number[]
  /** For each query its candidates' logits where nothing is changed. */
  readonly base: readonly Float64Array[]
  /** Weight of the squared size of the change. */
  readonly weight: number
}

// Rows of one turn: some 20 ms.
const ROWS_PER_TURN = 64

/**
 * The loss of a change A (tools' × queries' coordinates) of the similarities of queries and tools, q · t + t · (A q): the
 * mean of −log softmax of a query's own tools among its candidates, by similarities over the temperature, plus the
 * weighted sum of A's squares. Convex in A. Lets the event loop run in between; `onTurn` may throw to end it.
 */
export function mapLoss(
  { queries, tools, candidates, right, base, weight }: MapLoss,
  onTurn: () => void = () => {},
): Objective {
  const { rows } = queries
  const { columns } = tools
  const mapped = zeros(rows, columns)
  const gradients = zeros(rows, columns)
  return async (point, gradient) => {
    const change: Matrix = { rows: columns, columns: queries.columns, values: point }
    const slope: Matrix = { rows: columns, columns: queries.columns, values: gradient }
    let loss = 0
    gradient.fill(0)
    for (let from = 0; from < rows; from += ROWS_PER_TURN) {
      await new Promise(resolve => setImmediate(resolve))
      onTurn()
      const to = Math.min(rows, from + ROWS_PER_TURN)
      multiplyByTransposed(queries, change, mapped, from, to)
      for (let row = from; row < to; row++) loss += queryLoss(row)
      addOuterProducts(gradients, queries, slope, from, to)
    }
    for (let i = 0; i < point.length; i++) {
      gradient[i]! += 2 * weight * point[i]!
      loss += weight * point[i]! * point[i]!
    }
    return loss
  }

  /** The query's part of the loss; its gradient by the mapped query goes to its row of `gradients`. */
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
      logits[at] = sum / TEMPERATURE + base[row]![at]!
      highest = Math.max(highest, logits[at]!)
    }
    let total = 0
    for (const logit of logits) total += Math.exp(logit - highest)
    const normalizer = highest + Math.log(total)
    let loss = 0
    gradients.values.fill(0, start, start + columns)
    for (let at = 0; at < own.length; at++) {
      const wanted = at < target ? 1 / target : 0
      if (wanted > 0) loss += wanted * (normalizer - logits[at]!)
      const gradient = (Math.exp(logits[at]! - normalizer) - wanted) / TEMPERATURE / rows
      const tool = own[at]! * columns
      for (let i = 0; i < columns; i++) gradients.values[start + i]! += gradient * tools.values[tool + i]!
    }
    return loss / rows
  }
}
