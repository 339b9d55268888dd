/**
 * A tool as this package sees it: Mastra tools, AI SDK tools, and tools converted by an agent all fit.
 * Typed loosely on purpose: nothing here depends on Mastra.
 */
export interface ToolLike {
  id?: unknown
  description?: unknown
  inputSchema?: unknown
  parameters?: unknown
}

export interface CatalogEntry {
  /** The callable name: what search results, `load_tool` and `filter` use. */
  readonly name: string
  /** The key under which the record held the tool. */
  readonly key: string
  readonly tool: ToolLike
}

/** The searchable tools of one step: the static layer, plus the step's resolved tools where there are any. */
export interface Catalog {
  /**
   * One or two layers with disjoint callable names. A layer is an immutable snapshot; the static layer is the same
   * object in every step, so an index built for it is found again by identity.
   */
  readonly layers: readonly CatalogLayer[]
  readonly size: number
  /** Looks up a callable name (own names only: `constructor` is not one). */
  byName(name: string): CatalogEntry | undefined
  /** Looks up a record key. */
  byKey(key: string): CatalogEntry | undefined
  /** All entries, static layer first, in record order. */
  entries(): Iterable<CatalogEntry>
}

export interface CatalogLayer {
  readonly entries: readonly CatalogEntry[]
}
