import { parseMemoryRequestContext } from '@mastra/core/memory'
import type { ProcessInputStepArgs } from '@mastra/core/processors'
import { MASTRA_THREAD_ID_KEY } from '@mastra/core/request-context'
import type { RunScope } from './loaded-tool-store.js'

type RequestContext = ProcessInputStepArgs['requestContext']

/** What a step tells the store about its run; `messages` and `requestContext` stand in where the step has none. */
export function scopeOfStep(
  args: ProcessInputStepArgs,
  fallback: { requestContext?: RequestContext; messages?: unknown } = {},
): RunScope {
  const requestContext = args.requestContext ?? fallback.requestContext
  return {
    threadId: threadIdOf(requestContext),
    requestContext,
    messageList: args.messageList,
    state: args.state,
    messages: args.messages ?? fallback.messages,
  }
}

/** What is known outside of a step (an agent that resumes a run). */
export function scopeOfRequest(requestContext: RequestContext, messages: unknown): RunScope {
  return { threadId: threadIdOf(requestContext), requestContext, messages }
}

/** The thread that server middleware set, else the one that the agent resolved for its memory, else none. */
function threadIdOf(requestContext: RequestContext): string | undefined {
  const reserved: unknown = requestContext?.get(MASTRA_THREAD_ID_KEY)
  if (typeof reserved === 'string' && reserved !== '') return reserved
  return parseMemoryRequestContext(requestContext)?.thread?.id || undefined
}
