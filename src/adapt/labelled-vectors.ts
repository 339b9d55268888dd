/** What is learnt from: vectors of tools and of queries, each of unit length, and which tools serve which query. */
export interface LabelledVectors {
  readonly dimensions: number
  /** One row a tool. */
  readonly tools: Float32Array
  /** One row a query. */
  readonly queries: Float32Array
  /** For each query the rows of its tools, each once, at least one. */
  readonly relevant: readonly (readonly number[])[]
}

/** How many of the queries name each tool. */
export function countsOf({ tools, dimensions, relevant }: LabelledVectors, queries: readonly number[]): Uint32Array {
  const counts = new Uint32Array(tools.length / dimensions)
  for (const query of queries) for (const tool of relevant[query]!) counts[tool]!++
  return counts
}

/** The rows of the tools that some query names, in order. */
export function namedTools(counts: Uint32Array): number[] {
  return Array.from(counts.keys()).filter(tool => counts[tool]! > 0)
}
