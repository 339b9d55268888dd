import { convertArrayToReadableStream, MockLanguageModelV3 } from 'ai/test'

/** What the model says in one turn: a text, or tool calls. */
export type Turn = string | { tool: string; input?: unknown }[]

type StreamResult = Awaited<ReturnType<MockLanguageModelV3['doStream']>>
type StreamPart = StreamResult['stream'] extends ReadableStream<infer Part> ? Part : never
type CallOptions = Parameters<MockLanguageModelV3['doStream']>[0]

/** A language model that plays a script, one turn a call, and keeps what it was given. */
export interface ScriptedModel {
  readonly model: MockLanguageModelV3
  /** Names of the tools offered in each call. */
  readonly offered: string[][]
  /** The prompt of each call. */
  readonly prompts: CallOptions['prompt'][]
  /** Appends turns to the script. */
  play(...turns: Turn[]): void
}

const USAGE = {
  inputTokens: { total: 10, noCache: 10, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 5, text: 5, reasoning: undefined },
}

let lastCallId = 0

export function scriptedModel(...script: Turn[]): ScriptedModel {
  const turns = [...script]
  const offered: string[][] = []
  const prompts: CallOptions['prompt'][] = []
  const next = (options: CallOptions) => {
    prompts.push(options.prompt)
    offered.push((options.tools ?? []).map(({ name }) => name))
    const turn = turns.length > 0 ? turns.shift()! : 'Nothing more to say.'
    const content =
      typeof turn === 'string'
        ? [{ type: 'text' as const, text: turn }]
        : turn.map(({ tool, input = {} }) => ({
            type: 'tool-call' as const,
            toolCallId: `call-${++lastCallId}`,
            toolName: tool,
            input: JSON.stringify(input),
          }))
    const unified = typeof turn === 'string' ? ('stop' as const) : ('tool-calls' as const)
    return { content, finishReason: { unified, raw: unified } }
  }
  const model = new MockLanguageModelV3({
    doGenerate: async options => ({ ...next(options), usage: USAGE, warnings: [] }),
    doStream: async options => {
      const { content, finishReason } = next(options)
      const parts: StreamPart[] = [{ type: 'stream-start', warnings: [] }]
      for (const [index, part] of content.entries()) {
        if (part.type === 'tool-call') parts.push(part)
        else {
          const id = `text-${index}`
          parts.push({ type: 'text-start', id }, { type: 'text-delta', id, delta: part.text }, { type: 'text-end', id })
        }
      }
      parts.push({ type: 'finish', finishReason, usage: USAGE })
      return { stream: convertArrayToReadableStream(parts) }
    },
  })
  return { model, offered, prompts, play: (...more) => void turns.push(...more) }
}
