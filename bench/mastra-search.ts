import { ToolSearchProcessor } from '@mastra/core/processors'
import type { ToolLike } from '../src/catalog/catalog.js'
import { type FoundTool, stepOf } from './step.js'

/** Searches with Mastra's own class; `accept` is its `filter`. */
export type MastraSearch = (query: string, accept?: (name: string) => boolean) => Promise<FoundTool[]>

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

async function searchToolsOf(processor: ToolSearchProcessor): Promise<(query: string) => Promise<FoundTool[]>> {
  const { search_tools } = await stepOf(processor)
  return async query => (await search_tools.execute({ query }, {})).results
}
