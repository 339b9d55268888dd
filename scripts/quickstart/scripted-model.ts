import { MockLanguageModelV3 } from 'ai/test'

/** What Mastra gives the model in one step. */
export type ReceivedPrompt = Parameters<MockLanguageModelV3['doGenerate']>[0]

/** What the model knows of a request before it sees any tool. */
export interface Script {
  /** The words that it searches with. */
  readonly searchWords: string
  /** Values that it may pass to a tool, by parameter name. */
  readonly facts: Readonly<Record<string, unknown>>
  /** The tool that it calls where there is no search, because all tools are in its prompt. */
  readonly directTool?: string
}

export type Decision = { call: string; input: Readonly<Record<string, unknown>> } | { answer: string }

export interface ModelStep {
  readonly received: ReceivedPrompt
  readonly decision: Decision
}

/** What `search_tools` told the model. */
export interface Found {
  readonly name: string
  readonly description: string
  readonly score: number
}

const USAGE = {
  inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: undefined, text: undefined, reasoning: undefined },
}

/**
 * Stands in for the LLM. Its search words and facts are written down; everything else follows from what it receives:
 * it loads the first tool that `search_tools` returned, and calls it once it is in its tool list.
 */
export function scriptedModel(script: Script): { model: MockLanguageModelV3; steps: ModelStep[] } {
  const steps: ModelStep[] = []
  const model = new MockLanguageModelV3({
    doGenerate: async received => {
      const decision = decide(received, script)
      steps.push({ received, decision })
      const reason = 'call' in decision ? ('tool-calls' as const) : ('stop' as const)
      const content =
        'call' in decision
          ? {
              type: 'tool-call' as const,
              toolCallId: `call-${steps.length}`,
              toolName: decision.call,
              input: JSON.stringify(decision.input),
            }
          : { type: 'text' as const, text: decision.answer }
      return { content: [content], finishReason: { unified: reason, raw: reason }, usage: USAGE, warnings: [] }
    },
  })
  return { model, steps }
}

function decide(received: ReceivedPrompt, script: Script): Decision {
  const result = lastToolResult(received)
  if (!result) {
    return offers(received, 'search_tools')
      ? { call: 'search_tools', input: { query: script.searchWords } }
      : callTool(script.directTool ?? '', received, script)
  }
  if (result.toolName === 'search_tools') {
    const [first] = foundTools(result)
    if (!first) return { answer: 'I found no tool for this.' }
    return { call: 'load_tool', input: { toolName: first.name } }
  }
  if (result.toolName === 'load_tool') return callTool(String(result.value.toolName), received, script)
  return { answer: `${result.toolName} says: ${textOf(result)}` }
}

function callTool(name: string, received: ReceivedPrompt, { facts }: Script): Decision {
  const tool = received.tools?.find(each => each.name === name)
  if (tool?.type !== 'function') return { answer: `I have no tool "${name}".` }
  const parameters = Object.keys(tool.inputSchema.properties ?? {})
  const input = Object.fromEntries(parameters.filter(key => key in facts).map(key => [key, facts[key]]))
  return { call: name, input }
}

const offers = ({ tools = [] }: ReceivedPrompt, name: string) => tools.some(tool => tool.name === name)

/** What a tool call brought. */
export interface ToolResult {
  readonly toolName: string
  readonly value: Readonly<Record<string, unknown>>
}

/** The result of the call that led to this step, or `undefined` in the first step. */
export function lastToolResult({ prompt }: ReceivedPrompt): ToolResult | undefined {
  const last = prompt.at(-1)
  if (last?.role !== 'tool') return undefined
  const part = last.content.find(each => each.type === 'tool-result')
  if (!part) return undefined
  const { output } = part
  const value = output.type === 'json' || output.type === 'error-json' ? output.value : { error: output }
  return { toolName: part.toolName, value: (value ?? {}) as Record<string, unknown> }
}

/** What `search_tools` found, best first. */
export const foundTools = ({ value }: ToolResult) => (value.results ?? []) as readonly Found[]

/** The text of an MCP answer, else the answer as JSON. */
export function textOf({ value }: ToolResult): string {
  const [first] = Array.isArray(value.content) ? (value.content as { text?: unknown }[]) : []
  return typeof first?.text === 'string' ? first.text : JSON.stringify(value)
}
