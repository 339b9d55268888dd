import type { Agent } from '@mastra/core/agent'
import { RequestContext } from '@mastra/core/request-context'
import { describe, expect, it } from 'vitest'
import { makeTool } from '../processor/harness.js'
import {
  CALL_WEATHER,
  LOAD_WEATHER,
  META,
  makeScene,
  noting,
  resultsOf,
  SEARCH_FORECAST,
  STORES,
} from './agent-harness.js'

const METHODS = {
  generate: (agent: Agent, ...args: Parameters<Agent['generate']>) => agent.generate(...args),
  stream: async (agent: Agent, ...args: Parameters<Agent['stream']>) => (await agent.stream(...args)).getFullOutput(),
}
type Call = (
  agent: Agent,
  text: string,
  options?: { requestContext?: RequestContext },
) => Promise<{
  text: string
  steps: readonly { toolResults: readonly unknown[] }[]
}>
const CASES = STORES.flatMap(storage =>
  Object.entries(METHODS).map(([method, call]) => ({ storage, method, call: call as unknown as Call })),
)

describe.each(CASES)('an agent with the $storage store and $method', ({ storage, call }) => {
  it('searches, loads, calls and answers', async () => {
    const script = [SEARCH_FORECAST, LOAD_WEATHER, CALL_WEATHER, 'It is sunny.']
    const { agent, offered, calls } = makeScene({ script, options: { storage } })
    const output = await call(agent, 'Weather in Oslo?')
    expect(output.text).toContain('It is sunny.')
    expect(offered).toEqual([META, META, [...META, 'weather'], [...META, 'weather']])
    expect(calls).toEqual([{ tool: 'weather', input: { city: 'Oslo' }, user: undefined }])
    expect(resultsOf(output)).toEqual([
      expect.objectContaining({ results: [expect.objectContaining({ name: 'weather' })] }),
      expect.objectContaining({ success: true, loaded: ['weather'] }),
      { answer: 'weather done' },
    ])
  })

  it('skips the load step with auto-load', async () => {
    const script = [SEARCH_FORECAST, CALL_WEATHER, 'Sunny.']
    const { agent, offered, calls } = makeScene({ script, options: { storage, search: { autoLoad: true } } })
    expect((await call(agent, 'Weather?')).text).toContain('Sunny.')
    expect(offered).toEqual([['search_tools'], ['search_tools', 'weather'], ['search_tools', 'weather']])
    expect(calls).toHaveLength(1)
  })

  it('has the request context in a loaded tool', async () => {
    const { agent, calls } = makeScene({ script: [LOAD_WEATHER, CALL_WEATHER, 'ok'], options: { storage } })
    const requestContext = new RequestContext()
    requestContext.set('user', 'ada')
    await call(agent, 'Weather?', { requestContext })
    expect(calls).toEqual([{ tool: 'weather', input: { city: 'Oslo' }, user: 'ada' }])
  })

  it('keeps always-available tools before loaded ones', async () => {
    const { agent, offered } = makeScene({
      script: [LOAD_WEATHER, 'ok'],
      options: { storage },
      agent: { tools: { always: makeTool('always') } },
    })
    await call(agent, 'Weather?')
    expect(offered.at(-1)).toEqual([...META, 'always', 'weather'])
  })

  it('takes parallel tool calls of one turn', async () => {
    const both = [...LOAD_WEATHER, { tool: 'load_tool', input: { toolName: 'invoice' } }] as typeof LOAD_WEATHER
    const { agent, offered } = makeScene({ script: [both, 'ok'], options: { storage } })
    await call(agent, 'Both, please.')
    expect(offered.at(-1)?.toSorted()).toEqual([...META, 'invoice', 'weather'].toSorted())
  })

  it('tells the model that a tool which was never loaded does not exist', async () => {
    const { agent, calls } = makeScene({ script: [CALL_WEATHER, 'sorry'], options: { storage } })
    expect((await call(agent, 'Weather?')).text).toContain('sorry')
    expect(calls).toEqual([])
  })

  it("searches and loads the agent's own tools with includeResolvedTools", async () => {
    const own: Parameters<typeof noting>[0] = []
    const { agent, offered } = makeScene({
      script: [
        [{ tool: 'search_tools', input: { query: 'web page' } }],
        [{ tool: 'load_tool', input: { toolNames: ['fetch_page', 'weather'] } }],
        [{ tool: 'fetch_page', input: {} }],
        'ok',
      ],
      options: { storage, includeResolvedTools: true },
      agent: { tools: { fetch_page: noting(own, 'fetch_page', 'Download a web page') } },
    })
    await call(agent, 'Get the page')
    expect(offered).toEqual([META, META, [...META, 'fetch_page', 'weather'], [...META, 'fetch_page', 'weather']])
    expect(own).toHaveLength(1)
  })

  it('names AI SDK tools of the agent by their record key', async () => {
    const readFile = { description: 'Read a file from disk', inputSchema: {}, execute: async () => 'text' }
    const { agent, offered } = makeScene({
      script: [
        [{ tool: 'search_tools', input: { query: 'file disk' } }],
        [{ tool: 'load_tool', input: { toolName: 'read_file' } }],
        [{ tool: 'read_file', input: {} }],
        'ok',
      ],
      options: { storage, includeResolvedTools: true },
      agent: { tools: { read_file: readFile } as never },
    })
    const output = await call(agent, 'Read it')
    expect(resultsOf(output)[0]).toMatchObject({ results: [{ name: 'read_file' }] })
    expect(resultsOf(output)[2]).toBe('text')
    expect(offered.at(-1)).toEqual([...META, 'read_file'])
  })
})

describe('the prompt', () => {
  it('has the explaining system message once, in every step', async () => {
    const { agent, prompts } = makeScene({ script: [SEARCH_FORECAST, LOAD_WEATHER, 'ok'] })
    await agent.generate('Weather?')
    expect(prompts).toHaveLength(3)
    for (const prompt of prompts) {
      const explaining = prompt.filter(
        ({ role, content }) => role === 'system' && String(content).includes('load_tool'),
      )
      expect(explaining).toHaveLength(1)
    }
  })

  it('lists the catalog with injectCatalog', async () => {
    const { agent, prompts } = makeScene({ script: ['ok'], options: { injectCatalog: true } })
    await agent.generate('Hello')
    expect(JSON.stringify(prompts[0])).toContain('- `weather`: Current forecast for a city')
  })
})
