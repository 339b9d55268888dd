import { MessageList } from '@mastra/core/agent'
import { ToolSearchProcessor } from '@mastra/core/processors'
import { RequestContext } from '@mastra/core/request-context'
import type { ToolLike } from '../src/catalog/catalog.js'

export interface MastraResult {
  readonly name: string
  /** BM25, unbounded. */
  readonly score: number
}

/** Searches with Mastra's own class; `accept` is its `filter`. */
export type MastraSearch = (query: string, accept?: (name: string) => boolean) => Promise<MastraResult[]>

/** Mastra's own class, driven through its `search_tools`: its ten best results, best first. */
export async function searchWithMastra(tools: Record<string, ToolLike>): Promise<MastraSearch> {
  let accepted = (_: string) => true
  const options = { tools: tools as never, search: { topK: 10 } }
  const plain = await searchToolsOf(new ToolSearchProcessor(options))
  const filter = ({ toolName }: { toolName: string }) => accepted(toolName)
  const filtered = await searchToolsOf(new ToolSearchProcessor({ ...options, filter }))
  return (query, accept) => {
    if (!accept) return plain(query)
    accepted = accept
    return filtered(query)
  }
}

async function searchToolsOf(processor: ToolSearchProcessor): Promise<(query: string) => Promise<MastraResult[]>> {
  const { tools: metaTools } = await processor.processInputStep({
    messages: [],
    messageList: new MessageList({}),
    requestContext: new RequestContext(),
    tools: {},
    stepNumber: 0,
  } as never)
  return async query => {
    const found = (await metaTools.search_tools.execute?.({ query }, {} as never)) as { results: MastraResult[] }
    return found.results
  }
}
