import { Mastra } from '@mastra/core'
import { Agent } from '@mastra/core/agent'
import { MASTRA_THREAD_ID_KEY, RequestContext } from '@mastra/core/request-context'
import { InMemoryStore } from '@mastra/core/storage'
import { SemanticToolSearchProcessor } from '../../src/index.js'
import { mastraTools, readCatalog } from './catalog.js'
import { type Comparison, printRequest, printSavings } from './demo-report.js'
import { withIndex } from './indexing.js'
import { type DemoRequest, REQUESTS } from './requests.js'
import { type ModelStep, scriptedModel } from './scripted-model.js'

const MAX_STEPS = 8

type Tools = ReturnType<typeof mastraTools>
type Setting = { tools: Tools } | { inputProcessors: SemanticToolSearchProcessor[] }

/** Lets an agent serve each request with tool search, and again with every tool in its prompt, and compares. */
export async function runDemo(): Promise<void> {
  const catalog = readCatalog()
  const tools = mastraTools(catalog)
  const processor = await withIndex(
    catalog,
    embedder => new SemanticToolSearchProcessor({ tools, embedder, strict: true }),
  )
  const comparisons: Comparison[] = []
  for (const [at, request] of REQUESTS.entries()) {
    const start = performance.now()
    const searched = await serve(request, { inputProcessors: [processor] })
    printRequest({ number: at + 1, of: REQUESTS.length, request, steps: searched, tookMs: performance.now() - start })
    const direct = await serve({ ...request, directTool: calledTool(searched) }, { tools })
    comparisons.push({ request, searched, direct })
  }
  printSavings(comparisons, catalog.length)
  processor.dispose()
}

/** Runs the request in a thread of its own, and returns what the model received and decided in each step. */
async function serve(request: DemoRequest, setting: Setting): Promise<ModelStep[]> {
  const { model, steps } = scriptedModel(request)
  const agent = new Agent({ id: 'assistant', name: 'Assistant', instructions: 'Help the user.', model, ...setting })
  new Mastra({ agents: { assistant: agent }, logger: false, storage: new InMemoryStore() })
  const requestContext = new RequestContext()
  requestContext.set(MASTRA_THREAD_ID_KEY, request.text)
  await agent.generate(request.text, { requestContext, maxSteps: MAX_STEPS })
  return steps
}

/** The catalog tool that the model called, which is its last call. */
function calledTool(steps: readonly ModelStep[]): string {
  const calls = steps.flatMap(({ decision }) => ('call' in decision ? [decision.call] : []))
  return calls.at(-1) ?? ''
}
