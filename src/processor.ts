import type { ProcessInputStepArgs, Processor } from '@mastra/core/processors'
import { type Catalog, createCatalog, mergeCatalog } from './catalog/catalog.js'
import { ContextLoadedToolStore } from './loaded-tools/context-store.js'
import { GivenOutTools } from './loaded-tools/given-out.js'
import { DEFAULT_THREAD_ID, InMemoryLoadedToolStore } from './loaded-tools/in-memory-store.js'
import type { LoadedToolStore, StateStats } from './loaded-tools/loaded-tool-store.js'
import { scopeOfRequest, scopeOfStep } from './loaded-tools/run-scope.js'
import { LOAD_TOOL, SEARCH_TOOLS } from './meta-tools/activation.js'
import { catalogLine } from './meta-tools/describe.js'
import { type InputTools, instanceFor, rejectMetaTools, withoutMetaTools } from './meta-tools/input-tools.js'
import { createLoadTool } from './meta-tools/load-tool.js'
import { type Policy, policyOf } from './meta-tools/policy.js'
import { createSearchTool } from './meta-tools/search-tools.js'
import type { ToolStep } from './meta-tools/tool-step.js'
import { catalogMessage, SYSTEM_MESSAGE, SYSTEM_MESSAGE_AUTO_LOAD } from './meta-tools/wording.js'
import { type MastraTool, type ResolvedOptions, resolveOptions, type SemanticToolSearchOptions } from './options.js'
import { createCatalogSearcher } from './searcher.js'
import type { CatalogSearcher } from './searcher-types.js'
import { messageOf } from './show.js'
import { warnOnce } from './warn-once.js'

type RequestContext = ProcessInputStepArgs['requestContext']

/** Where `getLoadedToolsForRequestContext` is called from: a live step, or a resume with or without messages. */
export interface LoadedToolsRequest {
  requestContext?: RequestContext
  stepArgs?: ProcessInputStepArgs | undefined
  messages?: ProcessInputStepArgs['messages'] | undefined
  /** The request's resolved tools, among which loaded names may be. */
  tools?: Record<string, unknown> | undefined
}

/** The tools of one step; beside the meta-tools, whatever is always available or loaded. */
export interface StepTools {
  [name: string]: unknown
  search_tools: ReturnType<typeof createSearchTool>
  /** Absent with `search.autoLoad`. */
  load_tool?: ReturnType<typeof createLoadTool>
}

/** What `__registerMastra` needs of a Mastra instance. */
interface LoggerSource {
  getLogger?: () => { warn(message: string): void } | undefined
}

/**
 * Keeps a large tool catalog out of the prompt: the model searches it by meaning, and loads what it needs.
 *
 * Drop-in replacement for Mastra's `ToolSearchProcessor` (same options, meta-tools, stores and methods). An input
 * processor; `TokenLimiterProcessor` goes after it. One instance may serve several agents.
 *
 * @throws {ToolSearchError} from the constructor, with the code `INVALID_OPTIONS`, `RESERVED_TOOL_NAME` or
 * `TOOL_NAME_COLLISION`, and for an index `INDEX_INVALID`, `INDEX_MISMATCH` or (with `onStale: 'error'`) `INDEX_STALE`.
 */
export class SemanticToolSearchProcessor implements Processor<'tool-search'> {
  // As Mastra's class has it: whoever looks the processor up by id finds the replacement.
  readonly id = 'tool-search'
  readonly name = 'Tool Search Processor'
  readonly description = 'Lets the model find tools by meaning and load the ones it needs'

  readonly #options: ResolvedOptions
  readonly #staticCatalog: Catalog
  readonly #store: LoadedToolStore
  readonly #givenOut = new GivenOutTools()
  readonly #searcher: CatalogSearcher
  #logger: { warn(message: string): void } = console
  readonly #warn = warnOnce(message => this.#logger.warn(message))

  /** @param searcher - internal: replaces the searcher that the options describe. */
  constructor(options: SemanticToolSearchOptions, searcher?: CatalogSearcher) {
    this.#options = resolveOptions(options)
    const { tools, storage, ttlMs, embedder, strict, index, onStale, vectorStore, includeResolvedTools } = this.#options
    const catalog = createCatalog(tools)
    this.#staticCatalog = catalog
    const prebuilt = index === undefined ? undefined : { index, onStale, catalog, includeResolvedTools }
    const searching = { embedder, strict, warn: this.#warn, index: prebuilt, vectorStore }
    this.#searcher = searcher ?? createCatalogSearcher(searching)
    this.#store = storage === 'context' ? new ContextLoadedToolStore() : new InMemoryLoadedToolStore({ ttlMs })
  }

  /**
   * Adds the explaining system message, and returns the step's tools: meta-tools, always-available tools, then
   * loaded tools in the order of loading, so that the prompt's cached prefix stays.
   */
  async processInputStep(args: ProcessInputStepArgs): Promise<{ tools: StepTools }> {
    const input = args.tools ?? {}
    rejectMetaTools(input)
    const own = this.#givenOut.takeOut(input, args.requestContext)
    const catalog = this.#catalogFor(own)
    const isAllowed = policyOf(this.#options.filter, args.requestContext)
    const scope = scopeOfStep(args)
    const names = this.#store.startStep(scope)
    const active = await this.#activeTools(names, catalog, own, isAllowed)
    await this.#explain(args, catalog, isAllowed)

    const loaded = new Set(names)
    const load = (added: readonly string[]) => {
      this.#store.add(added, scope)
      for (const name of added) loaded.add(name)
    }
    const step: ToolStep = { catalog, isAllowed, loaded, load }
    // `fromEntries`, unlike assignment, takes every name as a name, `__proto__` too.
    const tools = Object.fromEntries([
      ...this.#metaTools(step),
      ...(this.#options.includeResolvedTools ? [] : Object.entries(own)),
      ...active,
    ])
    return { tools: tools as unknown as StepTools }
  }

  /** The loaded tools by name, for the agent's resume and approval paths, which call this by its name. */
  async getLoadedToolsForRequestContext(request: LoadedToolsRequest = {}): Promise<Record<string, MastraTool>> {
    const { stepArgs } = request
    const requestContext = request.requestContext ?? stepArgs?.requestContext
    const tools = this.#givenOut.takeOut(withoutMetaTools(stepArgs?.tools ?? request.tools ?? {}), requestContext)
    const scope = stepArgs ? scopeOfStep(stepArgs, request) : scopeOfRequest(requestContext, request.messages)
    const isAllowed = policyOf(this.#options.filter, requestContext)
    const names = this.#store.loadedNames(scope)
    const active = await this.#activeTools(names, this.#catalogFor(tools), tools, isAllowed)
    const loaded = Object.fromEntries(active) as Record<string, MastraTool>
    this.#givenOut.note(requestContext, loaded, tools)
    return loaded
  }

  /**
   * Loads the model and indexes the `tools` option (or writes it to the vector store) ahead of the first search, without
   * a time limit.
   * @throws {ToolSearchError} where that fails, also without `strict`; it can be tried again.
   */
  async warmup(): Promise<void> {
    await this.#searcher.warmup(this.#staticCatalog)
  }

  /** Unloads the tools of a thread; without an id, of the callers that have none. In-memory store only. */
  clearState(threadId: string = DEFAULT_THREAD_ID): void {
    this.#store.clearState(threadId)
  }

  /** Unloads the tools of all threads. In-memory store only. */
  clearAllState(): void {
    this.#store.clearAllState()
  }

  /** How many threads the in-memory store holds, those that only looked included, and the oldest access. */
  getStateStats(): StateStats {
    return this.#store.getStateStats()
  }

  /** Sweeps the threads unused for longer than `ttl` at once, and returns how many. In-memory store only. */
  cleanupNow(): number {
    return this.#store.cleanupNow()
  }

  /** Stops the sweep timer and what is being written to a vector store, and drops all loaded state. */
  dispose(): void {
    this.#store.dispose()
    this.#searcher.dispose?.()
  }

  /** Called by Mastra; its logger takes the warnings that otherwise go to the console. */
  __registerMastra(mastra: LoggerSource): void {
    const logger = mastra.getLogger?.()
    if (logger) this.#logger = logger
  }

  #catalogFor(own: InputTools): Catalog {
    return this.#options.includeResolvedTools
      ? mergeCatalog(this.#staticCatalog, own, this.#givenOut.isSame)
      : this.#staticCatalog
  }

  #metaTools(step: ToolStep): [string, unknown][] {
    const { topK, minScore, autoLoad, strict } = this.#options
    const onFailure = (error: unknown) => {
      if (strict) throw error
      this.#warn('search', `Tool search failed, so search_tools found nothing: ${messageOf(error)}`)
    }
    const search = createSearchTool(step, { searcher: this.#searcher, topK, minScore, autoLoad, onFailure })
    return autoLoad
      ? [[SEARCH_TOOLS, search]]
      : [
          [SEARCH_TOOLS, search],
          [LOAD_TOOL, createLoadTool(step)],
        ]
  }

  async #explain({ messageList }: ProcessInputStepArgs, catalog: Catalog, isAllowed: Policy): Promise<void> {
    const { autoLoad, injectCatalog } = this.#options
    messageList.addSystem(autoLoad ? SYSTEM_MESSAGE_AUTO_LOAD : SYSTEM_MESSAGE)
    if (!injectCatalog) return
    const lines: string[] = []
    for (const entry of catalog.entries()) if (await isAllowed(entry, 'search')) lines.push(catalogLine(entry))
    if (lines.length > 0) messageList.addSystem(catalogMessage(lines, autoLoad))
  }

  /** The loaded names whose tools exist and are allowed, with the instance that this request has. */
  async #activeTools(
    names: readonly string[],
    catalog: Catalog,
    own: InputTools,
    isAllowed: Policy,
  ): Promise<[string, unknown][]> {
    const active: [string, unknown][] = []
    for (const name of names) {
      const entry = catalog.byName(name) ?? catalog.byKey(name)
      if (!entry) continue
      if (this.#store.asksLoadAgain && !(await isAllowed(entry, 'load'))) continue
      if (!(await isAllowed(entry, 'active'))) continue
      const { includeResolvedTools } = this.#options
      const tool = includeResolvedTools ? entry.tool : instanceFor(name, entry.tool, own, this.#givenOut.isSame)
      active.push([name, tool])
    }
    return active
  }
}
