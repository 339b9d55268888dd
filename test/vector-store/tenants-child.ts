import { Mastra } from '@mastra/core'
import { Agent } from '@mastra/core/agent'
import { RequestContext } from '@mastra/core/request-context'
import { PgVector } from '@mastra/pg'
import { deleteTenant, tenantToolSearch } from '../../examples/vector-store/src/tenants.js'
import { resultsOf } from '../agent/agent-harness.js'
import { scriptedModel } from '../agent/scripted-model.js'

/** Runs the example's agent for two tenants and prints what their searches found, and which indexes there are. */
const { model, play } = scriptedModel()
const agent = new Agent({
  id: 'main',
  name: 'main',
  instructions: 'Help.',
  model,
  inputProcessors: tenantToolSearch,
})
new Mastra({ agents: { agent }, logger: false })
const store = new PgVector({ id: 'check', connectionString: process.env.DATABASE_URL! })
const ours = async () => (await store.listIndexes()).filter(name => name.startsWith('tools_')).sort()

async function found(tenant: string | undefined): Promise<string[]> {
  const requestContext = new RequestContext()
  if (tenant !== undefined) {
    requestContext.set('tenant', tenant)
    const [processor] = tenantToolSearch({ requestContext })
    await processor!.warmup()
  }
  play([{ tool: 'search_tools', input: { query: 'reserve a place for our meeting' } }], 'done')
  const results = resultsOf(await agent.generate('A', { requestContext }))
  return results.flatMap(result => (result as { results: { name: string }[] }).results.map(({ name }) => name))
}

const acme = await found('acme')
const globex = await found('globex')
const withoutTenant = await found(undefined).catch((error: Error) => error.message)
const indexes = await ours()
await deleteTenant('acme')
console.log(JSON.stringify({ acme, globex, withoutTenant, indexes, afterDeletion: await ours() }))
process.exit()
