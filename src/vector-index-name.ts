import { hash } from 'node:crypto'
import { checkStoreAddress } from './options.js'
import type { VectorStore, VectorStoreOptions } from './vector-store/vector-store.js'

/** Of the `vectorStore` option, what its index is named by. */
export interface VectorIndexAddress extends Pick<VectorStoreOptions, 'indexName' | 'namespace'> {
  /** Only its separator counts. Default: a store whose separator is `_`, such as `PgVector` and `LibSQLVector`. */
  store?: Pick<VectorStore, 'indexSeparator'> | undefined
}

// What PostgreSQL has room for beside the suffixes of PgVector's own indexes, and Pinecone takes at all.
const MAX_INDEX_NAME = 45
const HASH_DIGITS = 12

/**
 * The name of an index in its store: `indexName` itself without a `namespace`. With one, an index of its own, so that no
 * other tenant's rows are seen, counted or passed on the way: `<indexName>_<lower-case letters and digits of the
 * namespace, cut>_<first 12 hex digits of its SHA-256>`, at most 45 characters. Serves `createIndex` ahead of the first
 * start, and `deleteIndex`.
 *
 * @throws {ToolSearchError} `INVALID_OPTIONS` for a name or namespace that the `vectorStore` option does not take.
 */
export function vectorIndexName({ store, indexName, namespace }: VectorIndexAddress): string {
  checkStoreAddress({ indexName, namespace })
  if (namespace === undefined) return indexName
  const separator = store?.indexSeparator ?? '_'
  const digits = hash('sha256', namespace, 'hex').slice(0, HASH_DIGITS)
  const room = MAX_INDEX_NAME - indexName.length - HASH_DIGITS - 2 * separator.length
  const readable = namespace
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '')
    .slice(0, Math.max(0, room))
  return [indexName, ...(readable ? [readable] : []), digits].join(separator)
}
