import type { RequestContext } from '@mastra/core/request-context'
import { PgVector } from '@mastra/pg'
import { SemanticToolSearchProcessor, vectorIndexName } from 'mastra-semantic-tool-search'
import { toolsOf } from './tools.js'

const store = new PgVector({ id: 'tool-search', connectionString: process.env.DATABASE_URL! })
const processors = new Map<string, SemanticToolSearchProcessor>()

/** For an agent's `inputProcessors`: the processor of the request's tenant, made with its first request. */
export function tenantToolSearch({ requestContext }: { requestContext: RequestContext }) {
  const tenant: unknown = requestContext.get('tenant') // set by your server from the session
  if (typeof tenant !== 'string') throw new Error('The request has no tenant.')
  const processor =
    processors.get(tenant) ??
    new SemanticToolSearchProcessor({
      tools: toolsOf(tenant),
      vectorStore: { store, indexName: 'tools', namespace: tenant },
    })
  processors.set(tenant, processor)
  return [processor]
}

/** Ends what a tenant's processor does, and deletes its index. */
export async function deleteTenant(tenant: string) {
  processors.get(tenant)?.dispose()
  processors.delete(tenant)
  await store.deleteIndex({ indexName: vectorIndexName({ store, indexName: 'tools', namespace: tenant }) })
}
