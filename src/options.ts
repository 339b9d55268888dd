import type { ToolSearchFilterArgs } from '@mastra/core/processors'
import { distance } from 'fastest-levenshtein'
import { z } from 'zod/v4'
import type { ToolIndex } from './artifact/tool-index.js'
import type { ToolLike } from './catalog/catalog.js'
import type { Embedder } from './embedding/embedder.js'
import { InvalidOptionsError } from './errors.js'
import { DEFAULT_MIN_SCORE } from './ranking/score.js'
import type { ToolSearcherOptions } from './searcher.js'
import type { SearchOptions } from './searcher-types.js'
import { show } from './show.js'
import type { ResolvedVectorStore, VectorStoreOptions } from './vector-store/vector-store.js'

export type { ToolSearchFilterArgs, ToolSearchFilterPhase } from '@mastra/core/processors'

/** Any Mastra tool, as `filter` and `getLoadedToolsForRequestContext` show it. */
export type MastraTool = ToolSearchFilterArgs['tool']

/** Decides for one request whether a tool may be found (`search`), loaded (`load`) and used (`active`). */
export type ToolSearchFilter = (args: ToolSearchFilterArgs) => boolean | Promise<boolean>

export interface SemanticToolSearchOptions {
  /** Searchable tools, not in the prompt until loaded. Callable name: `tool.id`, else the record key. */
  tools: Record<string, MastraTool | ToolLike>
  /** Makes the step's own tools (`args.tools`) searchable, and withholds them until loaded. Default `false`. */
  includeResolvedTools?: boolean | undefined
  /** Adds one line per allowed tool to the system prompt, so that the model may skip the search. Default `false`. */
  injectCatalog?: boolean | undefined
  search?: SearchTuning | undefined
  /** Where 'loaded' lives: a map per thread, or the conversation's own messages. Default `'in-memory'`. */
  storage?: 'in-memory' | 'context' | undefined
  /** Milliseconds without use after which an in-memory thread may be swept; `0` = never. Default 3,600,000. */
  ttl?: number | undefined
  /** Request-aware policy; a throw or rejection means 'not allowed'. Default: everything is allowed. */
  filter?: ToolSearchFilter | undefined
  /** What turns texts into vectors. Default: the bundled all-MiniLM-L6-v2. */
  embedder?: Embedder | undefined
  /**
   * Makes a search without embeddings an error (`SEARCH_UNAVAILABLE`) instead of a lexical search with one warning: where the
   * embedder or the vector store fails, or the index cannot be read. Default `false`.
   */
  strict?: boolean | undefined
  /** A prebuilt index of the tools: its folder (`buildToolIndex`), or what `openToolIndex` gave. Not with `vectorStore`. Default: none. */
  index?: string | ToolIndex | undefined
  /** What to do about tools that are new or changed since the index was built. Default `'update'`. */
  onStale?: OnStale | undefined
  /** A Mastra vector store that holds the vectors of `tools`, shared by many processes. Default: this process does. */
  vectorStore?: VectorStoreOptions | undefined
}

/**
 * `update`: embed new and changed tools at start. `warn`: leave them to the words, so that nothing is embedded.
 * `error`: fail at once, also for tools that are gone. The first two say in one warning how many there are.
 */
export type OnStale = 'update' | 'warn' | 'error'

export interface SearchTuning {
  /** Most results of one search, a whole number ≥ 1. Default 5. */
  topK?: number | undefined
  /** Results that score at or below it are left out, 0–1. Default 0.048, measured. */
  minScore?: number | undefined
  /** A search activates what it returns, and `load_tool` is not exposed. Default `false`. */
  autoLoad?: boolean | undefined
}

/** Options with every default filled in. */
export interface ResolvedOptions {
  readonly tools: Record<string, ToolLike>
  readonly includeResolvedTools: boolean
  readonly injectCatalog: boolean
  readonly topK: number
  readonly minScore: number
  readonly autoLoad: boolean
  readonly storage: 'in-memory' | 'context'
  readonly ttlMs: number
  readonly filter: ToolSearchFilter | undefined
  readonly embedder: Embedder | undefined
  readonly strict: boolean
  readonly index: string | ToolIndex | undefined
  readonly onStale: OnStale
  readonly vectorStore: ResolvedVectorStore | undefined
}

export const DEFAULT_TOP_K = 5
export const DEFAULT_TTL_MS = 3_600_000
export const DEFAULT_STORE_TIMEOUT_MS = 1_000
export const DEFAULT_REMOVE_AFTER_MS = 86_400_000

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

// A Map or an array-like has no own keys that name tools, and would pass for an empty catalog.
const isRecordOfTools = (value: unknown) => isObject(value) && !(Symbol.iterator in value)

// The message of each field is the expectation alone; `explain` joins it with the path and the value.
export const field = (expectation: string, check: (value: unknown) => boolean) =>
  z.custom<unknown>(check, { message: expectation }).optional()
export const flag = field('true or false', value => typeof value === 'boolean')
export const aFunction = field('a function', value => typeof value === 'function')
export const anAbortSignal = field('an AbortSignal', value => value instanceof AbortSignal)

export const isPath = (value: unknown) => typeof value === 'string' && value !== '' && !value.includes('\0')

const SEARCH_SCHEMA = z.strictObject({
  topK: field('a whole number ≥ 1', value => Number.isSafeInteger(value) && (value as number) >= 1),
  minScore: field('a number from 0 to 1', value => typeof value === 'number' && value >= 0 && value <= 1),
  autoLoad: flag,
})

// A timer of Node holds no more; it would fire at once.
const MAX_TIMER_MS = 2_147_483_647

const isNumberFrom = (value: unknown, least: number, most: number) =>
  typeof value === 'number' && value >= least && value <= most

// What PgVector and LibSQL both take as a name, with room for a namespace (vector-index-name.ts).
const INDEX_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,31}$/

function suggestedIndexName(value: unknown): string {
  if (typeof value !== 'string' || value.trim() === '') return ''
  const name = value.trim().replace(/[^A-Za-z0-9_]+/g, '_')
  return ` (such as ${show(`${/^\d/.test(name) ? '_' : ''}${name}`.slice(0, 32))})`
}
const isStorable = (text: string) => text.isWellFormed() && !text.includes('\0')

const STORE_SCHEMA = z.strictObject({
  store: z.custom<unknown>(isVectorStore, { message: 'a MastraVector, such as a PgVector' }),
  indexName: z.custom<unknown>(value => typeof value === 'string' && INDEX_NAME.test(value), {
    error: ({ input }) => `1 to 32 letters (A-Z, a-z), digits and _, the first no digit${suggestedIndexName(input)}`,
  }),
  namespace: field(
    // Ill-formed ones would be the same when encoded, and PostgreSQL has no NUL.
    'a text of 1 to 200 characters, well-formed and without NUL',
    value => typeof value === 'string' && value.trim() !== '' && value.length <= 200 && isStorable(value),
  ),
  timeoutMs: field('a number of milliseconds > 0', value => isNumberFrom(value, Number.MIN_VALUE, MAX_TIMER_MS)),
  sync: flag,
  removeAfterMs: field('a number of milliseconds ≥ 0 (0 = at once)', value =>
    isNumberFrom(value, 0, Number.MAX_SAFE_INTEGER),
  ),
})

const SCHEMA = z.strictObject({
  tools: z.custom<unknown>(isRecordOfTools, { message: 'a record of tools' }),
  includeResolvedTools: flag,
  injectCatalog: flag,
  search: z
    .custom<unknown>(isObject, { message: 'an object with topK, minScore or autoLoad' })
    .pipe(SEARCH_SCHEMA)
    .optional(),
  storage: field("'in-memory' or 'context'", value => value === 'in-memory' || value === 'context'),
  ttl: field(
    'a number of milliseconds ≥ 0 (0 = never)',
    value => typeof value === 'number' && Number.isFinite(value) && value >= 0,
  ),
  filter: aFunction,
  embedder: field('an object with modelId, dimensions, embedQueries and embedDocuments', isEmbedder),
  strict: flag,
  index: field('the path of a folder, or what openToolIndex gave', isIndex),
  onStale: field("'update', 'warn' or 'error'", value => ['update', 'warn', 'error'].includes(value as string)),
  vectorStore: z
    .custom<unknown>(isObject, { message: 'an object with store and indexName' })
    .pipe(STORE_SCHEMA)
    .optional(),
})

/** Options that other functions take, too. */
export const { tools: toolsField, embedder: embedderField } = SCHEMA.shape

const NESTED: Readonly<Record<string, z.ZodObject>> = { search: SEARCH_SCHEMA, vectorStore: STORE_SCHEMA }

/**
 * Checks the options and fills in the defaults; `undefined` counts as absent.
 * An unknown name is refused too: it is most likely a typo, and would otherwise be ignored in silence.
 *
 * @throws {InvalidOptionsError} naming the first option that does not fit, what it must be, and what it was.
 */
export function resolveOptions(options: SemanticToolSearchOptions): ResolvedOptions {
  check(SCHEMA, options, 'the options', ' with at least `tools`')
  const search = options.search ?? {}
  return {
    tools: options.tools,
    includeResolvedTools: options.includeResolvedTools ?? false,
    injectCatalog: options.injectCatalog ?? false,
    topK: search.topK ?? DEFAULT_TOP_K,
    minScore: search.minScore ?? DEFAULT_MIN_SCORE,
    autoLoad: search.autoLoad ?? false,
    storage: options.storage ?? 'in-memory',
    ttlMs: options.ttl ?? DEFAULT_TTL_MS,
    filter: options.filter,
    embedder: options.embedder,
    strict: options.strict ?? false,
    index: options.index,
    onStale: options.onStale ?? 'update',
    vectorStore: resolveVectorStore(options),
  }
}

/** The store with its defaults. One place holds the vectors: the store, or an index. */
function resolveVectorStore({
  vectorStore,
  index,
}: Pick<SemanticToolSearchOptions, 'vectorStore' | 'index'>): ResolvedVectorStore | undefined {
  if (!vectorStore) return undefined
  if (index !== undefined) {
    throw new InvalidOptionsError(
      'Expected index or vectorStore, got both. To fill the store from the index: npx mastra-semantic-tool-search push <tool-index> --url <url>',
    )
  }
  return {
    store: vectorStore.store,
    indexName: vectorStore.indexName,
    namespace: vectorStore.namespace,
    timeoutMs: vectorStore.timeoutMs ?? DEFAULT_STORE_TIMEOUT_MS,
    sync: vectorStore.sync ?? true,
    removeAfterMs: vectorStore.removeAfterMs ?? DEFAULT_REMOVE_AFTER_MS,
  }
}

/** Checks what names an index of a store. */
export function checkStoreAddress({ indexName, namespace }: Pick<VectorStoreOptions, 'indexName' | 'namespace'>): void {
  check(STORE_SCHEMA.pick({ indexName: true, namespace: true }), { indexName, namespace }, 'the address')
}

const SEARCHER_SCHEMA = z.strictObject({
  tools: toolsField,
  embedder: embedderField,
  strict: flag,
  index: SCHEMA.shape.index,
  onStale: SCHEMA.shape.onStale,
  vectorStore: SCHEMA.shape.vectorStore,
  warn: aFunction,
})

/** Checks the options of `createToolSearcher`, as `resolveOptions` does the processor's. */
export function resolveSearcherOptions(options: ToolSearcherOptions) {
  check(SEARCHER_SCHEMA, options, 'the options', ' with at least `tools`')
  return {
    tools: options.tools,
    embedder: options.embedder,
    strict: options.strict ?? false,
    index: options.index,
    onStale: options.onStale ?? ('update' as const),
    vectorStore: resolveVectorStore(options),
    warn: options.warn ?? (message => console.warn(message)),
  }
}

const SEARCH_OPTIONS_SCHEMA = z.strictObject({
  topK: SEARCH_SCHEMA.shape.topK,
  minScore: SEARCH_SCHEMA.shape.minScore,
  explain: flag,
  accept: aFunction,
  abortSignal: anAbortSignal,
})

/** Checks the query and options of one search. */
export function resolveSearchOptions(query: string, options: SearchOptions = {}): SearchOptions {
  if (typeof query !== 'string') throw new InvalidOptionsError(`Expected query to be a string, got ${show(query)}`)
  check(SEARCH_OPTIONS_SCHEMA, options, 'the search options')
  return options
}

function isIndex(value: unknown): boolean {
  if (typeof value === 'string') return isPath(value)
  return isObject(value) && isObject(value.manifest) && value.vectors instanceof Float32Array
}

const STORE_METHODS = [
  'listIndexes',
  'createIndex',
  'describeIndex',
  'query',
  'upsert',
  'updateVector',
  'deleteVectors',
]

function isVectorStore(value: unknown): boolean {
  return isObject(value) && STORE_METHODS.every(method => typeof value[method] === 'function')
}

function isEmbedder(value: unknown): boolean {
  return (
    isObject(value) &&
    typeof value.modelId === 'string' &&
    value.modelId !== '' &&
    Number.isSafeInteger(value.dimensions) &&
    (value.dimensions as number) >= 1 &&
    typeof value.embedQueries === 'function' &&
    typeof value.embedDocuments === 'function'
  )
}

/** Throws `InvalidOptionsError` for the first option that the schema does not take. */
export function check(schema: z.ZodObject, options: object, what: string, holding = ''): void {
  if (!isObject(options)) {
    throw new InvalidOptionsError(`Expected ${what} to be an object${holding}, got ${show(options)}`)
  }
  const { success, error } = schema.safeParse(options)
  if (!success) throw new InvalidOptionsError(explain(error.issues[0]!, schema, options), { cause: error })
}

function explain(issue: z.core.$ZodIssue, schema: z.ZodObject, options: object): string {
  if (issue.code === 'unrecognized_keys') {
    const name = issue.keys[0]!
    const valid = Object.keys(issue.path.length === 0 ? schema.shape : NESTED[String(issue.path[0])]!.shape)
    const prefix = issue.path.map(part => `${String(part)}.`).join('')
    const nearest = nearestName(name, valid)
    return `Unknown option ${prefix}${name}. ${
      nearest === undefined
        ? `Valid names: ${valid.map(each => prefix + each).join(', ')}`
        : `Did you mean ${prefix}${nearest}?`
    }`
  }
  let value: unknown = options
  for (const part of issue.path) value = isObject(value) ? value[String(part)] : undefined
  return `Expected ${issue.path.map(String).join('.')} to be ${issue.message}, got ${show(value)}`
}

// Letters compared of a name: more cannot be near an option's, and the comparison's cost is the product of both lengths.
const MAX_COMPARED = 60

// One slip per three letters is a typo; more is another word.
const LETTERS_PER_SLIP = 3

function nearestName(name: string, candidates: readonly string[]): string | undefined {
  let nearest: string | undefined
  let fewest = Math.ceil(Math.min(name.length, MAX_COMPARED) / LETTERS_PER_SLIP) + 1
  for (const candidate of candidates) {
    const slips = distance(name.toLowerCase().slice(0, MAX_COMPARED), candidate.toLowerCase())
    if (slips < fewest) [nearest, fewest] = [candidate, slips]
  }
  return nearest
}
