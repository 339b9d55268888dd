/** Stable codes of every error that this package throws on purpose; the README's table lists cause and cure. */
export type ToolSearchErrorCode =
  | 'INVALID_OPTIONS'
  | 'TOOL_NAME_COLLISION'
  | 'RESERVED_TOOL_NAME'
  | 'MODEL_LOAD_FAILED'
  | 'EMBEDDING_FAILED'
  | 'EMBEDDER_MISMATCH'
  | 'SEARCH_UNAVAILABLE'
  | 'INDEX_INVALID'
  | 'INDEX_MISMATCH'
  | 'INDEX_STALE'
  | 'VECTOR_STORE_FAILED'
  | 'VECTOR_STORE_MISMATCH'

// A registered symbol, so that the guard also works across two installed copies of this package.
const MARKER = Symbol.for('mastra-semantic-tool-search.error')

/**
 * Base of every error that this package throws on purpose.
 * `code` is stable between releases; `message` says what happened, the values, and the cure; `cause` is kept.
 */
export class ToolSearchError extends Error {
  readonly code: ToolSearchErrorCode

  constructor(code: ToolSearchErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.name = new.target.name
    this.code = code
    Object.defineProperty(this, MARKER, { value: true })
  }
}

/** True for an error of this package, also when another installed copy of it threw the error. */
export function isToolSearchError(error: unknown): error is ToolSearchError {
  return typeof error === 'object' && error !== null && MARKER in error
}

/** An option or argument has a wrong type or lies out of range. Thrown at once, before anything is done. */
export class InvalidOptionsError extends ToolSearchError {
  constructor(message: string, options?: { cause?: unknown }) {
    super('INVALID_OPTIONS', message, options)
  }
}

/** Two different tools claim one callable name (or one's record key is the other's callable name). */
export class ToolNameCollisionError extends ToolSearchError {
  readonly toolName: string

  constructor(toolName: string, message: string) {
    super('TOOL_NAME_COLLISION', message)
    this.toolName = toolName
  }
}

/** A tool bears the name of a meta-tool (`search_tools`, `load_tool`). */
export class ReservedToolNameError extends ToolSearchError {
  readonly toolName: string

  constructor(toolName: string, message: string) {
    super('RESERVED_TOOL_NAME', message)
    this.toolName = toolName
  }
}

/** The embedding model's files or native runtime could not be loaded. Loading may be tried again. */
export class ModelLoadError extends ToolSearchError {
  readonly modelId: string

  constructor(modelId: string, message: string, options?: { cause?: unknown }) {
    super('MODEL_LOAD_FAILED', message, options)
    this.modelId = modelId
  }
}

/** A loaded embedder failed on a batch of texts (an exception, a time-out, an abort). */
export class EmbeddingError extends ToolSearchError {
  readonly modelId: string

  constructor(modelId: string, message: string, options?: { cause?: unknown }) {
    super('EMBEDDING_FAILED', message, options)
    this.modelId = modelId
  }
}

/** An embedder returned what it did not promise: wrong count, wrong dimensions, NaN, or another model id. */
export class EmbedderMismatchError extends ToolSearchError {
  readonly modelId: string
  readonly expected: string
  readonly got: string

  constructor(modelId: string, expected: string, got: string, cure: string) {
    super('EMBEDDER_MISMATCH', `Embedder "${modelId}": expected ${expected}, got ${got}. ${cure}`)
    this.modelId = modelId
    this.expected = expected
    this.got = got
  }
}

/** With `strict: true`, the search failed because embeddings are not available; `cause` says why. */
export class SearchUnavailableError extends ToolSearchError {
  constructor(message: string, options?: { cause?: unknown }) {
    super('SEARCH_UNAVAILABLE', message, options)
  }
}

/** A prebuilt index is missing, cut, corrupt or forged; nothing of it was used. */
export class InvalidIndexError extends ToolSearchError {
  /** The folder. */
  readonly path: string

  constructor(path: string, message: string, options?: { cause?: unknown }) {
    super('INDEX_INVALID', message, options)
    this.path = path
  }
}

/** A prebuilt index was made for another model, dimension, document template or format than this process has. */
export class IndexMismatchError extends ToolSearchError {
  readonly path: string
  /** What differs, such as `model`. */
  readonly property: string
  /** What this process needs, and what the index has. */
  readonly expected: string
  readonly got: string

  constructor(path: string, mismatch: { property: string; expected: string; got: string; cure: string }) {
    const { property, expected, got, cure } = mismatch
    super('INDEX_MISMATCH', `The index "${path}" has the ${property} ${got}, and this process ${expected}. ${cure}`)
    this.path = path
    this.property = property
    this.expected = expected
    this.got = got
  }
}

/**
 * With `onStale: 'error'`, the tools are not those that the index was built from. Or the index learnt something else
 * while this process worked on it (`adaptToolIndex`, `calibrateToolIndex`, `buildToolIndex`): then no tools are named.
 */
export class StaleIndexError extends ToolSearchError {
  readonly path: string
  /** Callable names. */
  readonly added: readonly string[]
  readonly changed: readonly string[]
  readonly removed: readonly string[]

  constructor(
    path: string,
    drift: { added: readonly string[]; changed: readonly string[]; removed: readonly string[] },
    message: string,
  ) {
    super('INDEX_STALE', message)
    this.path = path
    this.added = drift.added
    this.changed = drift.changed
    this.removed = drift.removed
  }
}

/** A vector store failed, was too slow, or does not have the catalog (yet); `cause` says why. Searches try it again. */
export class VectorStoreError extends ToolSearchError {
  /** Name of the index in the store. */
  readonly index: string

  constructor(index: string, message: string, options?: { cause?: unknown }) {
    super('VECTOR_STORE_FAILED', message, options)
    this.index = index
  }
}

/** An index of a vector store holds vectors of another model, dimension or namespace, or rows that this package did not write. */
export class VectorStoreMismatchError extends ToolSearchError {
  readonly index: string
  /** What differs, such as `model`. */
  readonly property: string
  /** What this process needs, and what the index has. */
  readonly expected: string
  readonly got: string

  constructor(index: string, mismatch: { property: string; expected: string; got: string }) {
    const { property, expected, got } = mismatch
    const cure = 'Choose another indexName (both may stand side by side while you deploy), or delete the index.'
    super(
      'VECTOR_STORE_MISMATCH',
      `The store's index "${index}" has the ${property} ${got}, and this process ${expected}. ${cure}`,
    )
    this.index = index
    this.property = property
    this.expected = expected
    this.got = got
  }
}
