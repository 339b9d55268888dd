/** A call of a tool in a log. */
export interface TraceEvent {
  readonly toolName: string
  readonly args: Readonly<Record<string, unknown>>
  /** Undefined where the log does not have it. */
  readonly result: unknown
  /** Milliseconds since 1970, NaN where unknown. */
  readonly time: number
}

/**
 * The calls in one line of a log: a Mastra message (format 2, `content.parts[].toolInvocation`, or the AI SDK's UI parts
 * `tool-<name>` with `input` and `output`), an array of them, an object with `messages`, or a plain
 * `{ "toolName", "args" }`. Anything else has none. Calls that are still streamed do not count.
 */
export function traceEvents(value: unknown, thread = ''): (TraceEvent & { thread: string })[] {
  if (Array.isArray(value)) return value.flatMap(one => traceEvents(one, thread))
  if (!isRecord(value)) return []
  const of = textOf(value.threadId) ?? textOf(value.runId) ?? thread
  if (Array.isArray(value.messages)) return traceEvents(value.messages, of)
  const time = timeOf(value.createdAt ?? value.timestamp)
  if (typeof value.toolName === 'string') {
    return [
      { thread: of, toolName: value.toolName, args: argsOf(value.args ?? value.input), result: value.result, time },
    ]
  }
  const parts = isRecord(value.content) ? value.content.parts : value.parts
  if (!Array.isArray(parts)) return []
  return parts.flatMap(part => {
    const call = callIn(part)
    return call ? [{ ...call, thread: of, time }] : []
  })
}

const STREAMED: ReadonlySet<unknown> = new Set(['partial-call', 'input-streaming'])

function callIn(part: unknown): Omit<TraceEvent, 'time'> | undefined {
  if (!isRecord(part) || typeof part.type !== 'string') return undefined
  if (part.type === 'tool-invocation' && isRecord(part.toolInvocation)) {
    const { toolName, state, args, result } = part.toolInvocation
    if (typeof toolName !== 'string' || STREAMED.has(state)) return undefined
    return { toolName, args: argsOf(args), result }
  }
  const toolName = part.type === 'dynamic-tool' ? part.toolName : /^tool-(.+)$/s.exec(part.type)?.[1]
  if (typeof toolName !== 'string' || STREAMED.has(part.state) || !('input' in part)) return undefined
  return { toolName, args: argsOf(part.input), result: part.output }
}

const argsOf = (args: unknown) => (isRecord(args) ? args : {})
const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined)

function timeOf(value: unknown): number {
  return typeof value === 'string' || typeof value === 'number' ? new Date(value).getTime() : Number.NaN
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
