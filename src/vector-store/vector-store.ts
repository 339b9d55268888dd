import type {
  CreateIndexParams,
  DeleteVectorsParams,
  DescribeIndexParams,
  IndexStats,
  QueryResult,
  QueryVectorParams,
  UpdateVectorParams,
  UpsertVectorParams,
} from '@mastra/core/vector'

// biome-ignore lint/suspicious/noExplicitAny: each store has a type of filters of its own.
type AnyFilter = any

/** What is asked of a store; the methods of `MastraVector`. */
export interface VectorStore {
  /** What its names of indexes are joined with; some stores allow no `_`. */
  readonly indexSeparator?: string
  listIndexes(): Promise<string[]>
  createIndex(params: CreateIndexParams): Promise<void>
  describeIndex(params: DescribeIndexParams): Promise<IndexStats>
  query(params: QueryVectorParams<AnyFilter>): Promise<QueryResult[]>
  upsert(params: UpsertVectorParams<AnyFilter>): Promise<string[]>
  updateVector(params: UpdateVectorParams<AnyFilter>): Promise<void>
  deleteVectors(params: DeleteVectorsParams<AnyFilter>): Promise<void>
}

export interface VectorStoreOptions {
  /**
   * A `MastraVector`. `PgVector` and `LibSQLVector` are tested; another one must filter by metadata (equality, `$or`,
   * `$gte`, `$lt`) and return up to 5,000 results of one query. It is not closed.
   */
  store: VectorStore
  /**
   * Name of the index (table, collection) in the store: 1 to 32 letters (A-Z, a-z), digits and `_`, the first no digit.
   * LibSQL takes no SQL keyword, such as `index`.
   */
  indexName: string
  /** Keeps catalogs apart, such as those of tenants: each gets an index of its own. Default: none. */
  namespace?: string | undefined
  /** Longest wait of a search for the store, in ms, > 0. Then tools are searched by their words. Default 1,000. */
  timeoutMs?: number | undefined
  /** Embeds and writes what the store lacks. `false`: only reads (`push` writes). Default `true`. */
  sync?: boolean | undefined
  /**
   * How long a row must be in no catalog that is synchronised before the next start or `push` deletes it, in ms ≥ 0, so that
   * an older version that still runs keeps its tools. The shortest of all processes and pushes (`--remove-after`) decides.
   * `0` = at once. Default 86,400,000 (a day).
   */
  removeAfterMs?: number | undefined
}

/** The options with every default filled in. */
export interface ResolvedVectorStore {
  readonly store: VectorStore
  readonly indexName: string
  readonly namespace: string | undefined
  readonly timeoutMs: number
  readonly sync: boolean
  readonly removeAfterMs: number
}
