import { topK } from '../vector/top-k.js'
import { countsOf, type LabelledVectors, namedTools } from './labelled-vectors.js'
import { mapLoss } from './map-loss.js'
import { identity, type Matrix, multiplyByTransposed, rowsOf, zeros } from './matrix.js'
import { minimize } from './minimize.js'

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

// Length of the first step, all numbers of the map together; the identity has about 20.
const FIRST_STEP = 0.1

const QUERIES_A_TURN = 16

/**
 * The linear map of queries (`dimensions` × `dimensions`, row by row, for W q) learnt from these queries. The same for
 * the same input. `onTurn` is called every few milliseconds, and may throw to end it.
 */
export async function learnMap(
  data: LabelledVectors,
  queries: readonly number[],
  { weight, others }: MapSettings,
  onTurn: () => void = () => {},
): Promise<Float64Array> {
  const { dimensions } = data
  const map = identity(dimensions)
  if (queries.length === 0) return map.values
  const counts = countsOf(data, queries)
  const rows = others > 0 ? Array.from(counts.keys()) : namedTools(counts)
  const tools = rowsOf(data.tools, dimensions, rows)
  const offsets = Float64Array.from(rows, row => (counts[row]! > 0 ? 0 : Math.log(others)))
  const position = new Map(rows.map((row, at) => [row, at]))
  const own = queries.map(query => data.relevant[query]!.map(tool => position.get(tool)!))
  const vectors = rowsOf(data.queries, dimensions, queries)
  const candidates = await candidatesOf({ vectors, tools, own, onTurn })
  const loss = mapLoss(
    { queries: vectors, tools, candidates, right: own.map(each => each.length), offsets, weight },
    onTurn,
  )
  await minimize(loss, map.values, { steps: STEPS, firstStep: FIRST_STEP })
  return map.values
}

/** For each query its own tools, then those nearest to it. */
async function candidatesOf({
  vectors,
  tools,
  own,
  onTurn,
}: {
  vectors: Matrix
  tools: Matrix
  own: readonly (readonly number[])[]
  onTurn: () => void
}): Promise<Uint32Array[]> {
  const similarities = zeros(QUERIES_A_TURN, tools.rows)
  const { columns } = vectors
  const candidates: Uint32Array[] = []
  for (let from = 0; from < vectors.rows; from += QUERIES_A_TURN) {
    await new Promise(resolve => setImmediate(resolve))
    onTurn()
    const to = Math.min(vectors.rows, from + QUERIES_A_TURN)
    const part: Matrix = { rows: to - from, columns, values: vectors.values.subarray(from * columns, to * columns) }
    multiplyByTransposed(part, tools, similarities)
    for (let query = from; query < to; query++) {
      const start = (query - from) * tools.rows
      const nearest = topK(similarities.values.subarray(start, start + tools.rows), MAX_CANDIDATES)
      const right = own[query]!
      candidates.push(Uint32Array.from([...right, ...nearest.filter(tool => !right.includes(tool))]))
    }
  }
  return candidates
}
