/** A query with the tools that serve it, as a queries file has it. */
export interface LabelledQuery {
  readonly query: string
  /** Callable names, each once; empty where no tool of the catalog fits. */
  readonly relevant: readonly string[]
  /** True for a line that `--draft` made and nobody has confirmed. */
  readonly isDraft: boolean
}

export interface RankedTool {
  readonly name: string
  /** 0 to 1; 1 for a tool whose exact name is in the query. */
  readonly score: number
}

/** A labelled query with what the searcher gave for it, without a `minScore`; all statistics are functions of these. */
export interface EvaluatedQuery extends LabelledQuery {
  /** Best first, `RANKED_DEPTH` or more of them where the catalog has so many. */
  readonly ranked: readonly RankedTool[]
}

/** What a search is told. */
export interface SearchSettings {
  readonly topK: number
  readonly minScore: number
}

/** Largest `topK` that is recommended: what recall is measured against. More results cost more prompt than they serve. */
export const MAX_TOP_K = 20

/** How many tools are ranked for each query: failures further down say only "below". */
export const RANKED_DEPTH = 50
