import { createTool } from '@mastra/core/tools'
import { z } from 'zod/v4'
import type { CatalogEntry } from '../catalog/catalog.js'
import { hasWords } from '../lexical/tokens.js'
import type { CatalogSearcher, SearchResult } from '../searcher-types.js'
import { ACTIVATION_TYPE, ACTIVATION_VERSION, type Activation, activationOf, SEARCH_TOOLS } from './activation.js'
import { shortDescription } from './describe.js'
import type { ToolStep } from './tool-step.js'
import * as wording from './wording.js'

export interface SearchToolOptions {
  readonly searcher: CatalogSearcher
  readonly topK: number
  readonly minScore: number
  readonly autoLoad: boolean
  /** Called with what went wrong when a search fails; when it throws, so does `search_tools`. */
  onFailure(error: unknown): void
}

export interface FoundTool {
  name: string
  description: string
  /** 0–1, rounded to two decimals. */
  score: number
}

export interface SearchToolsResult {
  results: FoundTool[]
  message: string
  activation?: Activation
}

const INPUT = z.object({ query: z.string().describe(wording.QUERY_DESCRIPTION) })

const OUTPUT = z.object({
  results: z.array(z.object({ name: z.string(), description: z.string(), score: z.number() })),
  message: z.string(),
  activation: z
    .object({
      type: z.literal(ACTIVATION_TYPE),
      version: z.literal(ACTIVATION_VERSION),
      loaded: z.array(z.string()),
    })
    .optional(),
})

/** The meta-tool `search_tools` of one step. Finds, and with `autoLoad` loads, the best matches. */
export function createSearchTool(step: ToolStep, options: SearchToolOptions) {
  const { autoLoad } = options
  return createTool({
    id: SEARCH_TOOLS,
    description: autoLoad ? wording.SEARCH_DESCRIPTION_AUTO_LOAD : wording.SEARCH_DESCRIPTION,
    inputSchema: INPUT,
    outputSchema: OUTPUT,
    execute: async ({ query }, context): Promise<SearchToolsResult> => {
      if (!hasWords(query)) return { results: [], message: wording.noneFound(query) }
      const abortSignal = context?.abortSignal
      let matches: SearchResult[]
      try {
        matches = await search(query, step, options, abortSignal)
      } catch (error) {
        abortSignal?.throwIfAborted()
        options.onFailure(error)
        const message = autoLoad ? wording.searchFailedAutoLoad(query) : wording.searchFailed(query)
        return { results: [], message }
      }
      const results = matches.flatMap(match => describe(match, step.catalog.byName(match.name)))
      if (results.length === 0) return { results, message: wording.noneFound(query) }
      if (!autoLoad) return { results, message: wording.found(results.length) }
      return loadAll(results, step)
    },
  })
}

async function search(
  query: string,
  { catalog, isAllowed }: ToolStep,
  { searcher, topK, minScore, autoLoad }: SearchToolOptions,
  abortSignal: AbortSignal | undefined,
): Promise<SearchResult[]> {
  // Auto-load is finding and loading in one, not a way around the policy on loading.
  const accept = async (candidate: CatalogEntry) => {
    // The searcher's entry may be the static instance of a tool that this request brought itself.
    const entry = catalog.byName(candidate.name) ?? candidate
    return (await isAllowed(entry, 'search')) && (!autoLoad || (await isAllowed(entry, 'load')))
  }
  const { results } = await searcher.searchCatalog(catalog, query, { topK, minScore, accept, abortSignal })
  return results
}

function describe({ name, score }: SearchResult, entry: CatalogEntry | undefined): FoundTool[] {
  return entry ? [{ name, description: shortDescription(entry), score: Math.round(score * 100) / 100 }] : []
}

function loadAll(results: FoundTool[], step: ToolStep): SearchToolsResult {
  // The receipt names every result, so that it alone restores them when older messages are gone.
  const activation = activationOf(results.map(({ name }) => name))
  const already = activation.loaded.filter(name => step.loaded.has(name)).length
  step.load(activation.loaded)
  return { results, message: wording.foundAndLoaded(activation, already), activation }
}
