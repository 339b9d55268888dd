import type { Catalog, CatalogEntry } from './catalog/catalog.js'

/** Why a candidate is not in the results: `score` (at or below `minScore`), `topK`, or `filter`. */
export type CutReason = 'score' | 'topK' | 'filter'

/** One tool found: `score` is 0–1, higher is better; 1 only when the query contains the tool's exact name. */
export interface SearchResult {
  name: string
  score: number
}

/** How one candidate's score came about. Ranks count from 1; `undefined` where the part did not score it. */
export interface CandidateExplanation {
  name: string
  score: number
  rank: number
  /** Cosine similarity of the embeddings, −1 to 1, before it is weighed by how much of the texts the model can read. */
  dense: { cosineSimilarity: number; rank: number } | undefined
  /** `share` (0–1): the BM25 score as a share of what fully matching every term of the query would score. */
  lexical: { share: number; rank: number } | undefined
  /**
   * The clause of a long query that fits this tool best: it counts half as much as the whole. Absent where the query was
   * searched as one.
   */
  clause?: { text: string; cosineSimilarity: number | undefined; share: number } | undefined
  exactName: boolean
  cut: CutReason | undefined
}

export interface SearchResponse {
  /** Best first. */
  results: SearchResult[]
  /** Which parts decided: `lexical` when the embedder or the vector store failed, or the model cannot read the query. */
  mode: 'hybrid' | 'lexical'
  /**
   * The best 100 candidates, and whatever the filter refused, in rank order; only with `explain: true`. With a vector
   * store, their ranks are those among the best 1,000.
   */
  candidates?: CandidateExplanation[]
  /**
   * How likely (0–1) the query is small talk, as the embedder reads it, which lowers all scores alike; 0 where the words
   * alone decide. Only with `explain: true`.
   */
  smallTalk?: number
}

export interface SearchOptions {
  /** Most results, a whole number ≥ 1. Default 5. */
  topK?: number | undefined
  /** Results that score at or below it are left out, 0–1. Default 0.048. */
  minScore?: number | undefined
  /** Adds `candidates` and `smallTalk` to the response. */
  explain?: boolean | undefined
  /** Asked in rank order, about as few candidates as `topK` needs; false (or a throw) removes the candidate. */
  accept?: ((entry: CatalogEntry) => boolean | Promise<boolean>) | undefined
  /** Ends the wait: the search rejects with the signal's reason. Embedding that has begun goes on, for later searches. */
  abortSignal?: AbortSignal | undefined
}

/** Internal: a tool in rank order. */
export interface RankedCandidate {
  readonly entry: CatalogEntry
  readonly score: number
}

/** Internal: what the processor needs of the searcher. `catalog` is the catalog of one step. */
export interface CatalogSearcher {
  searchCatalog(catalog: Catalog, query: string, options: SearchOptions): Promise<SearchResponse>
  /** Loads the model and indexes `catalog` ahead of the first search. */
  warmup(catalog: Catalog): Promise<void>
  /** Ends what goes on in the background. */
  dispose?(): void
}
