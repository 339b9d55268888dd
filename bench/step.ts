import { MessageList } from '@mastra/core/agent'
import type { ProcessInputStepArgs } from '@mastra/core/processors'
import { MASTRA_THREAD_ID_KEY, RequestContext } from '@mastra/core/request-context'

/** Either class, as far as it is measured. */
export interface StepProcessor {
  processInputStep(args: ProcessInputStepArgs): Promise<unknown>
}

/** What `search_tools` found: scores are unbounded in Mastra's class. */
export interface FoundTool {
  readonly name: string
  readonly score: number
}

/** The meta-tools of a step. */
export interface MetaTools {
  readonly search_tools: { execute(input: { query: string }, context: object): Promise<{ results: FoundTool[] }> }
  readonly load_tool: { execute(input: { toolName: string }, context: object): Promise<unknown> }
}

/** Runs the first step of a request, with the tools that it resolved. */
export async function stepOf(
  processor: StepProcessor,
  { tools = {}, threadId }: { tools?: Record<string, unknown> | undefined; threadId?: string | undefined } = {},
): Promise<MetaTools> {
  const requestContext = new RequestContext()
  if (threadId !== undefined) requestContext.set(MASTRA_THREAD_ID_KEY, threadId)
  const args = { messages: [], messageList: new MessageList({}), requestContext, state: {}, tools, stepNumber: 0 }
  return ((await processor.processInputStep(args as unknown as ProcessInputStepArgs)) as { tools: MetaTools }).tools
}
