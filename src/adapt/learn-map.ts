import { topK } from '../vector/top-k.js'
import { countsOf, type LabelledVectors, namedTools } from './labelled-vectors.js'
import { mapLoss, TEMPERATURE } from './map-loss.js'
import { type Matrix, zeros } from './matrix.js'
import { minimize } from './minimize.js'
import { type ReducedVectors, reduceVectors, wholeMap } from './reduced-vectors.js'

export interface MapSettings {
  /** Weight of the squared distance to the identity: the more, the less changes. */
  readonly weight: number
  /**
   * Weight, 0 to 1, of tools without queries among those that a query is to be told apart from. Nobody asks for them
   * here, so that each can only lose: at 0 they do not, at 1 queries of other tools gain most.
   */
  readonly others: number
}

// All where they are as few, else the nearest: the softmax of a query is all but 0 beyond.
const MAX_CANDIDATES = 128

// On MetaTool 6, 10 and 20 steps gave the same nDCG@10 to 0.002.
const STEPS = 8

// Length of the first step, all numbers of the change together; the identity has about 20.
const FIRST_STEP = 0.1

// Some milliseconds of work where similarities must be computed.
const QUERIES_A_TURN = 16

/**
 * What is to be added to the identity, in the coordinates of `ReducedVectors`, learnt from some of the queries. The same
 * for the same input. `onTurn` is called every few milliseconds, and may throw to end it.
 */
export async function learnChange(
  data: ReducedVectors,
  queries: readonly number[],
  { weight, others }: MapSettings,
  onTurn: () => void = () => {},
): Promise<Matrix> {
  const change = zeros(data.toolBasis.rows, data.queryBasis.rows)
  if (queries.length === 0) return change
  const counts = countsOf(data, queries)
  const rows = others > 0 ? Array.from(counts.keys()) : namedTools(counts)
  const candidates: Uint32Array[] = []
  const base: Float64Array[] = []
  for (const [at, query] of queries.entries()) {
    if (at % QUERIES_A_TURN === 0) {
      await new Promise(resolve => setImmediate(resolve))
      onTurn()
    }
    const similarities = data.similarities(query)
    const own = candidatesOf(similarities, rows, data.relevant[query]!)
    candidates.push(own)
    const logitOf = (tool: number) => similarities[tool]! / TEMPERATURE + (counts[tool]! > 0 ? 0 : Math.log(others))
    base.push(Float64Array.from(own, logitOf))
  }
  const { queryCoordinates, toolCoordinates, relevant } = data
  const loss = mapLoss(
    {
      queries: picked(queryCoordinates, queries),
      tools: toolCoordinates,
      candidates,
      right: queries.map(query => relevant[query]!.length),
      base,
      weight,
    },
    onTurn,
  )
  await minimize(loss, change.values, { steps: STEPS, firstStep: FIRST_STEP })
  return change
}

/** The query's own tools, then those of `rows` that are nearest to it. */
function candidatesOf(similarities: Float32Array, rows: readonly number[], own: readonly number[]): Uint32Array {
  const nearest = topK(
    Float32Array.from(rows, row => similarities[row]!),
    MAX_CANDIDATES,
  )
  const others = Array.from(nearest, at => rows[at]!).filter(tool => !own.includes(tool))
  return Uint32Array.from([...own, ...others])
}

function picked({ columns, values }: Matrix, rows: readonly number[]): Matrix {
  const found = zeros(rows.length, columns)
  rows.forEach((row, at) => {
    found.values.set(values.subarray(row * columns, (row + 1) * columns), at * columns)
  })
  return found
}

/** The linear map of queries (`dimensions` × `dimensions`, row by row, for W q) learnt from all of them. */
export async function learnMap(
  data: LabelledVectors,
  settings: MapSettings,
  onTurn: () => void = () => {},
): Promise<Float64Array> {
  const reduced = reduceVectors(data, { keepSimilarities: false })
  return wholeMap(reduced, await learnChange(reduced, [...data.relevant.keys()], settings, onTurn))
}
