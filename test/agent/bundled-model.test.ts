import { Mastra } from '@mastra/core'
import { Agent } from '@mastra/core/agent'
import { ConsoleLogger } from '@mastra/core/logger'
import { describe, expect, it, vi } from 'vitest'
import { SemanticToolSearchProcessor } from '../../src/index.js'
import { LOAD_WEATHER, META, makeScene, noting, resultsOf, STORES, type ToolCall } from './agent-harness.js'
import { scriptedModel } from './scripted-model.js'

const TOOLS = (calls: ToolCall[]) => ({
  weather: noting(calls, 'weather', 'Current conditions and forecast for a place'),
  invoice: noting(calls, 'invoice', 'Bills a customer for goods or services'),
  mail: noting(calls, 'mail', 'Sends a message to a recipient'),
})

describe.each(STORES)('an agent with the bundled model and the %s store', storage => {
  it('finds by meaning, loads and calls a tool that shares no word with the search', { timeout: 60_000 }, async () => {
    const calls: ToolCall[] = []
    const processor = new SemanticToolSearchProcessor({
      tools: TOOLS(calls),
      storage,
      strict: true,
      search: { topK: 1 },
    })
    const script = [
      [{ tool: 'search_tools', input: { query: 'how hot is it outside, will it rain?' } }],
      LOAD_WEATHER,
      [{ tool: 'weather', input: { city: 'Oslo' } }],
      'Sunny.',
    ]
    const { agent, offered } = makeScene({ script, processor })
    const output = await agent.generate('Do I need an umbrella?')
    const [search] = resultsOf(output) as [{ results: { name: string; score: number }[] }]
    expect(search.results.map(({ name }) => name)).toEqual(['weather'])
    expect(offered.at(-1)).toEqual([...META, 'weather'])
    expect(calls).toEqual([{ tool: 'weather', input: { city: 'Oslo' }, user: undefined }])
  })
})

describe('an agent whose embedder fails', () => {
  const fail = async () => {
    throw new Error('no model here')
  }
  const embedder = { modelId: 'broken', dimensions: 3, embedQueries: fail, embedDocuments: fail }

  it('goes on by words, with one warning through Mastra’s logger', async () => {
    const logger = new ConsoleLogger()
    const warn = vi.spyOn(logger, 'warn').mockImplementation(() => {})
    const processor = new SemanticToolSearchProcessor({ tools: TOOLS([]), embedder })
    const search = [{ tool: 'search_tools', input: { query: 'forecast' } }]
    const { model } = scriptedModel(search, search, 'done')
    const agent = new Agent({ id: 'main', name: 'main', instructions: '', model, inputProcessors: [processor] })
    const output = await new Mastra({ agents: { agent }, logger }).getAgent('agent').generate('Weather?')
    for (const result of resultsOf(output)) expect(result).toMatchObject({ results: [{ name: 'weather' }] })
    const ours = warn.mock.calls.filter(([message]) => String(message).includes('Embeddings are not available'))
    expect(ours).toHaveLength(1)
    expect(ours[0]![0]).toContain('no model here')
  })

  it('gets an error result with strict', async () => {
    const processor = new SemanticToolSearchProcessor({ tools: TOOLS([]), embedder, strict: true })
    const { agent, prompts } = makeScene({
      script: [[{ tool: 'search_tools', input: { query: 'forecast' } }]],
      processor,
    })
    await agent.generate('Weather?')
    expect(JSON.stringify(prompts.at(-1))).toContain('Tool search has no embeddings (strict: true)')
  })
})
