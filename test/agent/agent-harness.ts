import { Mastra } from '@mastra/core'
import { Agent } from '@mastra/core/agent'
import { TokenLimiterProcessor } from '@mastra/core/processors'
import { InMemoryStore } from '@mastra/core/storage'
import { createTool } from '@mastra/core/tools'
import { z } from 'zod/v4'
import type { MastraTool } from '../../src/options.js'
import { makeProcessor, type Options } from '../processor/harness.js'
import { type ScriptedModel, scriptedModel, type Turn } from './scripted-model.js'

// Mastra reads it when it would report; the tests stay off the network.
process.env.MASTRA_TELEMETRY_DISABLED = '1'

type AgentConfig = ConstructorParameters<typeof Agent>[0]
type Storage = NonNullable<ConstructorParameters<typeof Mastra>[0]>['storage']

/** A call that a tool got: its input, and what the request context had under `user`. */
export interface ToolCall {
  tool: string
  input: unknown
  user: unknown
}

/** A tool that notes its calls. */
export function noting(calls: ToolCall[], id: string, description = `Does ${id}`, extra: object = {}): MastraTool {
  return createTool({
    id,
    description,
    inputSchema: z.object({ city: z.string().optional() }),
    execute: async (input, context) => {
      calls.push({ tool: id, input, user: context?.requestContext?.get('user') })
      return { answer: `${id} done` }
    },
    ...extra,
  })
}

export interface Scene {
  script?: Turn[]
  options?: Options
  agent?: object
  storage?: Storage
  processor?: ReturnType<typeof makeProcessor>
}

/** A real agent with a scripted model, the processor first and Mastra's token limiter last. */
export function makeScene({ script = [], options = {}, agent: config = {}, storage, processor }: Scene = {}) {
  const calls: ToolCall[] = []
  const tools = {
    weather: noting(calls, 'weather', 'Current forecast for a city'),
    invoice: noting(calls, 'invoice', 'Bill a customer'),
  }
  const search = processor ?? makeProcessor({ tools, ...options })
  const scripted: ScriptedModel = scriptedModel(...script)
  const settings: object = {
    id: 'main',
    name: 'main',
    instructions: 'Help.',
    model: scripted.model,
    inputProcessors: [search, new TokenLimiterProcessor(100_000)],
    ...config,
  }
  const agent = new Agent(settings as AgentConfig)
  const mastra = new Mastra({ agents: { main: agent }, logger: false, storage: storage ?? new InMemoryStore() })
  return { ...scripted, agent: mastra.getAgent('main') as Agent, processor: search, calls, tools }
}

export const META = ['search_tools', 'load_tool']
export const LOAD_WEATHER: Turn = [{ tool: 'load_tool', input: { toolName: 'weather' } }]
export const SEARCH_FORECAST: Turn = [{ tool: 'search_tools', input: { query: 'forecast' } }]
export const CALL_WEATHER: Turn = [{ tool: 'weather', input: { city: 'Oslo' } }]
export const STORES = ['in-memory', 'context'] as const

/** Every tool result of a run, in order. */
export function resultsOf(output: { steps: readonly { toolResults: readonly unknown[] }[] }): unknown[] {
  return output.steps.flatMap(({ toolResults }) =>
    toolResults.map(each => (each as { payload: { result: unknown } }).payload.result),
  )
}
