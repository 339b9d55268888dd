import { MessageList } from '@mastra/core/agent'
import { ToolSearchProcessor } from '@mastra/core/processors'
import { RequestContext } from '@mastra/core/request-context'
import type { ToolLike } from '../src/catalog/catalog.js'

/** Searches with Mastra's own class through its `search_tools`: the names of its ten best, best first. */
export async function searchWithMastra(tools: Record<string, ToolLike>): Promise<(query: string) => Promise<string[]>> {
  const processor = new ToolSearchProcessor({ tools: tools as never, search: { topK: 10 } })
  const { tools: metaTools } = await processor.processInputStep({
    messages: [],
    messageList: new MessageList({}),
    requestContext: new RequestContext(),
    tools: {},
    stepNumber: 0,
  } as never)
  return async query => {
    const found = (await metaTools.search_tools.execute?.({ query }, {} as never)) as { results: { name: string }[] }
    return found.results.map(result => result.name)
  }
}
