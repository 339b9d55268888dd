import { PgVector } from '@mastra/pg'
import { SemanticToolSearchProcessor } from 'mastra-semantic-tool-search'
import { allTools } from './tools.js'

const store = new PgVector({ id: 'tool-search', connectionString: process.env.DATABASE_URL! })

/** An input processor for the agents of one tenant; all pods share what the store holds of it. */
export const toolSearch = new SemanticToolSearchProcessor({
  tools: allTools,
  vectorStore: { store, indexName: 'tools', namespace: 'acme' },
})
