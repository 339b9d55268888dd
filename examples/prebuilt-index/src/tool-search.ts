import { SemanticToolSearchProcessor } from 'mastra-semantic-tool-search'
import { allTools } from './tools.js'

/** An input processor for any agent; it opens the index that CI built, and embeds nothing at start. */
export const toolSearch = new SemanticToolSearchProcessor({ tools: allTools, index: './tool-index' })
