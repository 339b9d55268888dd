import { MessageList } from '@mastra/core/agent'
import type { ProcessInputStepArgs } from '@mastra/core/processors'
import { MASTRA_THREAD_ID_KEY, RequestContext } from '@mastra/core/request-context'
import { createTool } from '@mastra/core/tools'
import { z } from 'zod/v4'
import type { CatalogEntry } from '../../src/catalog/catalog.js'
import type { MastraTool, SemanticToolSearchOptions } from '../../src/options.js'
import { SemanticToolSearchProcessor } from '../../src/processor.js'
import type { CatalogSearcher } from '../../src/searcher-types.js'

/** A Mastra tool that answers with its own id. */
export function makeTool(id: string, description = `Does ${id}`): MastraTool {
  return createTool({
    id,
    description,
    inputSchema: z.object({ value: z.string().optional() }),
    execute: async () => id,
  })
}

/** A record of tools under their own ids. */
export function makeTools(descriptions: Record<string, string>): Record<string, MastraTool> {
  return Object.fromEntries(Object.entries(descriptions).map(([id, text]) => [id, makeTool(id, text)]))
}

export const WEATHER = 'Get the current weather forecast for a city'
export const INVOICE = 'Create an invoice and send it to a customer'
export const ISSUE = 'Open a github issue in a repository'

const words = (text: string) => new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])

/** Stands in for the real searcher: the share of the query's words that name and description contain. */
export function wordSearcher(): CatalogSearcher & { queries: string[] } {
  const queries: string[] = []
  return {
    queries,
    async warmup() {},
    async searchCatalog(catalog, query, { topK = 5, minScore = 0, accept }) {
      queries.push(query)
      const wanted = words(query)
      const scored: { entry: CatalogEntry; score: number }[] = []
      for (const layer of catalog.layers) {
        for (const entry of layer.entries) {
          const text = words(`${entry.name.replaceAll(/[_.-]/g, ' ')} ${String(entry.tool.description ?? '')}`)
          const score = [...wanted].filter(word => text.has(word)).length / wanted.size
          if (score > minScore) scored.push({ entry, score })
        }
      }
      scored.sort((a, b) => b.score - a.score)
      const results: { name: string; score: number }[] = []
      for (const { entry, score } of scored) {
        if (results.length === topK) break
        if (!accept || (await accept(entry))) results.push({ name: entry.name, score })
      }
      return { results, mode: 'lexical' }
    },
  }
}

export type Options = Partial<SemanticToolSearchOptions>

/** A processor over weather, invoice and issue tools, with the word searcher. */
export function makeProcessor(options: Options = {}, searcher: CatalogSearcher = wordSearcher()) {
  const tools = makeTools({ weather: WEATHER, create_invoice: INVOICE, github_issue: ISSUE })
  return new SemanticToolSearchProcessor({ tools, ...options }, searcher)
}

export interface RunOptions {
  threadId?: string | undefined
  requestContext?: RequestContext
  tools?: Record<string, unknown>
}

export interface StepOptions {
  messages?: unknown
  tools?: Record<string, unknown>
}

/** One agent call: its steps share message list, state and request context. */
export function makeRun(options: RunOptions = {}) {
  const requestContext = options.requestContext ?? new RequestContext()
  if (options.threadId !== undefined) requestContext.set(MASTRA_THREAD_ID_KEY, options.threadId)
  const messageList = new MessageList({})
  const state = {}
  let stepNumber = 0
  const args = ({ messages = [], tools = options.tools ?? {} }: StepOptions = {}) =>
    ({
      messages,
      messageList,
      requestContext,
      state,
      tools,
      stepNumber: stepNumber++,
    }) as unknown as ProcessInputStepArgs
  return { args, requestContext, messageList, state }
}

/** A conversation with one completed call for each given result. */
export function messagesWith(...results: { toolName: string; result: unknown; state?: string }[]): unknown[] {
  return results.map(({ toolName, result, state = 'result' }, index) => ({
    id: `m${index}`,
    role: 'assistant',
    createdAt: new Date(0),
    content: {
      format: 2,
      parts: [
        { type: 'tool-invocation', toolInvocation: { state, toolCallId: `c${index}`, toolName, args: {}, result } },
      ],
    },
  }))
}

export interface MetaTools {
  search(query: string): Promise<Record<string, unknown>>
  load(input: { toolName?: string; toolNames?: string[] }): Promise<Record<string, unknown>>
  names: string[]
  tools: Record<string, unknown>
}

type Execute = (input: unknown, context: unknown) => Promise<Record<string, unknown>>

/** A step's result with its meta-tools as plain functions. */
export function metaToolsOf(result: unknown): MetaTools {
  const { tools } = result as { tools: Record<string, unknown> }
  const execute = (name: string, input: unknown) => (tools[name] as { execute: Execute }).execute(input, {})
  return {
    tools,
    names: Object.keys(tools),
    search: query => execute('search_tools', { query }),
    load: input => execute('load_tool', input),
  }
}

interface StepProcessor {
  processInputStep(args: ProcessInputStepArgs): Promise<unknown>
}

/** Runs one step and returns its meta-tools. */
export async function step(processor: StepProcessor, run: ReturnType<typeof makeRun>, options?: StepOptions) {
  return metaToolsOf(await processor.processInputStep(run.args(options)))
}

export const namesIn = (result: Record<string, unknown>) =>
  (result.results as { name: string }[]).map(({ name }) => name)
