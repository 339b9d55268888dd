import { Mastra } from '@mastra/core'
import { Agent } from '@mastra/core/agent'
import { createDurableAgent } from '@mastra/core/agent/durable'
import { RequestContext } from '@mastra/core/request-context'
import { InMemoryStore } from '@mastra/core/storage'
import { createTool } from '@mastra/core/tools'
import { describe, expect, it } from 'vitest'
import { z } from 'zod/v4'
import { makeProcessor } from '../processor/harness.js'
import {
  CALL_WEATHER,
  LOAD_WEATHER,
  META,
  makeScene,
  noting,
  SEARCH_FORECAST,
  STORES,
  type ToolCall,
} from './agent-harness.js'
import { scriptedModel } from './scripted-model.js'

describe('several agents that share one processor', () => {
  it('do not see what the other loads in an anonymous run (context store)', async () => {
    const first = makeScene({ script: [LOAD_WEATHER, 'one', 'one again'], options: { storage: 'context' } })
    const second = makeScene({ script: ['two'], processor: first.processor })
    await Promise.all([first.agent.generate('A'), second.agent.generate('B')])
    await second.agent.generate('B again')
    expect(first.offered.at(-1)).toEqual([...META, 'weather'])
    expect(second.offered).toEqual([META, META])
    await first.agent.generate('A again')
    expect(first.offered.at(-1)).toEqual(META)
  })

  it('do not see it either when the caller uses one request context for all (context store)', async () => {
    const requestContext = new RequestContext()
    const first = makeScene({ script: [LOAD_WEATHER, CALL_WEATHER, 'one'], options: { storage: 'context' } })
    const second = makeScene({ script: ['two', 'two again'], processor: first.processor })
    await Promise.all([first.agent.generate('A', { requestContext }), second.agent.generate('B', { requestContext })])
    await second.agent.generate('B again', { requestContext })
    expect(first.calls).toHaveLength(1)
    expect(second.offered).toEqual([META, META])
  })

  it('share a thread (in-memory store)', async () => {
    const requestContext = new RequestContext()
    requestContext.set('mastra__threadId', 't')
    const first = makeScene({ script: [LOAD_WEATHER, 'one'] })
    const second = makeScene({ script: [CALL_WEATHER, 'two'], processor: first.processor })
    await first.agent.generate('A', { requestContext })
    await second.agent.generate('B', { requestContext })
    expect(second.offered[0]).toEqual([...META, 'weather'])
    expect(first.calls).toHaveLength(1)
  })
})

describe('sub-agents', () => {
  it.each(STORES)('are found, loaded and called like tools, and may share the processor (%s)', async storage => {
    const calls: ToolCall[] = []
    const processor = makeProcessor({
      storage,
      includeResolvedTools: true,
      tools: { weather: noting(calls, 'weather', 'Current forecast') },
    })
    const sub = scriptedModel(LOAD_WEATHER, CALL_WEATHER, 'It is sunny in Oslo.')
    const reporter = new Agent({
      id: 'reporter',
      name: 'reporter',
      description: 'Writes newspaper reports',
      instructions: 'Report.',
      model: sub.model,
      inputProcessors: [processor],
    })
    const { agent, offered } = makeScene({
      processor,
      script: [
        [{ tool: 'search_tools', input: { query: 'newspaper reports' } }],
        [{ tool: 'load_tool', input: { toolName: 'agent-reporter' } }],
        [{ tool: 'agent-reporter', input: { prompt: 'Weather in Oslo?' } }],
        'Reported.',
      ],
      agent: { agents: { reporter } },
    })
    const output = await agent.generate('Have it reported')
    expect(output.text).toContain('Reported.')
    expect(offered.at(-1)).toContain('agent-reporter')
    expect(sub.offered.at(-1)).toContain('weather')
    expect(calls).toHaveLength(1)
  })
})

describe('tools that an agent makes for each request', () => {
  it.each(STORES)('run with the credentials of their own caller, in parallel (%s)', async storage => {
    const calls: { user: unknown; credential: unknown }[] = []
    const toolsFor = ({ requestContext }: { requestContext: RequestContext }) => {
      const credential = requestContext.get('user')
      const weather = createTool({
        id: 'weather',
        description: 'Current forecast',
        inputSchema: z.object({ city: z.string() }),
        execute: async (_, context) => void calls.push({ user: context?.requestContext?.get('user'), credential }),
      })
      return { weather }
    }
    const processor = makeProcessor({ storage, includeResolvedTools: true, tools: {} })
    const run = async (user: string) => {
      const { agent } = makeScene({
        processor,
        script: [SEARCH_FORECAST, LOAD_WEATHER, CALL_WEATHER, 'ok'],
        agent: { tools: toolsFor },
      })
      const requestContext = new RequestContext()
      requestContext.set('user', user)
      await agent.generate('Weather?', { requestContext })
    }
    await Promise.all(['ada', 'bob', 'cyd'].map(run))
    expect(calls.map(({ user }) => user).toSorted()).toEqual(['ada', 'bob', 'cyd'])
    expect(calls.every(({ user, credential }) => user === credential)).toBe(true)
  })
})

describe('a durable agent', () => {
  it.each(STORES)('searches, loads and calls (%s)', async storage => {
    const calls: ToolCall[] = []
    const processor = makeProcessor({ storage, tools: { weather: noting(calls, 'weather', 'Current forecast') } })
    const { model, offered } = scriptedModel(SEARCH_FORECAST, LOAD_WEATHER, CALL_WEATHER, 'It is sunny.')
    const agent = new Agent({ id: 'main', name: 'main', instructions: 'Help.', model, inputProcessors: [processor] })
    const durable = createDurableAgent({ agent })
    new Mastra({ agents: { main: durable as never }, logger: false, storage: new InMemoryStore() })
    const requestContext = new RequestContext()
    requestContext.set('user', 'ada')
    const { output, cleanup } = await durable.stream('Weather?', { requestContext })
    expect(await output.text).toContain('It is sunny.')
    cleanup()
    expect(offered).toEqual([META, META, [...META, 'weather'], [...META, 'weather']])
    expect(calls).toEqual([{ tool: 'weather', input: { city: 'Oslo' }, user: 'ada' }])
  })
})
