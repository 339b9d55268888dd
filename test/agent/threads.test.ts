import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MASTRA_THREAD_ID_KEY, RequestContext } from '@mastra/core/request-context'
import { InMemoryStore } from '@mastra/core/storage'
import { LibSQLStore } from '@mastra/libsql'
import { Memory } from '@mastra/memory'
import { afterEach, describe, expect, it } from 'vitest'
import { makeTool } from '../processor/harness.js'
import { CALL_WEATHER, LOAD_WEATHER, META, makeScene, noting, SEARCH_FORECAST, STORES } from './agent-harness.js'
import type { Turn } from './scripted-model.js'

const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

const onThread = (thread: string) => ({ memory: { thread, resource: 'user' } })
const contextOf = (threadId: string) => {
  const requestContext = new RequestContext()
  requestContext.set(MASTRA_THREAD_ID_KEY, threadId)
  return requestContext
}

describe('two threads in parallel', () => {
  it.each(STORES)('stay apart (%s)', async storage => {
    const store = new InMemoryStore()
    const first = makeScene({
      script: [LOAD_WEATHER, CALL_WEATHER, 'one'],
      options: { storage },
      storage: store,
      agent: { memory: new Memory({ storage: store }) },
    })
    const second = makeScene({
      script: [[{ tool: 'load_tool', input: { toolName: 'invoice' } }], 'two'],
      processor: first.processor,
      storage: store,
      agent: { memory: new Memory({ storage: store }) },
    })
    await Promise.all([first.agent.generate('A', onThread('a')), second.agent.generate('B', onThread('b'))])
    expect(first.offered.at(-1)).toEqual([...META, 'weather'])
    expect(second.offered.at(-1)).toEqual([...META, 'invoice'])
  })
})

describe('memory', () => {
  it.each(STORES)('keeps a loaded tool for the next call on the thread (%s)', async storage => {
    const store = new InMemoryStore()
    const { agent, offered, calls, play } = makeScene({
      script: [LOAD_WEATHER, 'loaded'],
      options: { storage },
      storage: store,
      agent: { memory: new Memory({ storage: store }) },
    })
    await agent.generate('Load it', onThread('t'))
    play(CALL_WEATHER, 'done')
    await agent.generate('Use it', onThread('t'))
    expect(offered.slice(2)).toEqual([
      [...META, 'weather'],
      [...META, 'weather'],
    ])
    expect(calls).toHaveLength(1)
    play('nothing')
    await agent.generate('Other thread', onThread('u'))
    expect(offered.at(-1)).toEqual(META)
  })

  it.each([
    { storage: 'context', autoLoad: false, expected: [...META, 'weather'] },
    { storage: 'in-memory', autoLoad: false, expected: META },
    { storage: 'context', autoLoad: true, expected: ['search_tools', 'weather'] },
    { storage: 'in-memory', autoLoad: true, expected: ['search_tools'] },
  ] as const)(
    'after a restart has what the store keeps ($storage, auto-load $autoLoad)',
    async ({ storage, autoLoad, expected }) => {
      const folder = mkdtempSync(join(tmpdir(), 'tool-search-'))
      folders.push(folder)
      const scene = (...script: Turn[]) => {
        const store = new LibSQLStore({ id: 'store', url: `file:${join(folder, 'memory.db')}` })
        return makeScene({
          script,
          options: { storage, search: { autoLoad } },
          storage: store,
          agent: { memory: new Memory({ storage: store }) },
        })
      }
      const before = scene(autoLoad ? SEARCH_FORECAST : LOAD_WEATHER, 'loaded')
      await before.agent.generate('Load it', onThread('t'))
      expect(before.offered.at(-1)).toContain('weather')

      const after = scene('hello again')
      await after.agent.generate('Still there?', onThread('t'))
      expect(after.offered).toEqual([expected])
    },
  )

  it('unloads a tool whose message is no longer recalled (context)', async () => {
    const store = new InMemoryStore()
    const { agent, offered, play } = makeScene({
      script: [LOAD_WEATHER, 'loaded'],
      options: { storage: 'context' },
      storage: store,
      agent: { memory: new Memory({ storage: store, options: { lastMessages: 1 } }) },
    })
    await agent.generate('Load it', onThread('t'))
    play('one', 'two')
    await agent.generate('First', onThread('t'))
    await agent.generate('Second', onThread('t'))
    expect(offered.at(-1)).toEqual(META)
  })
})

describe('a tool loaded on a thread before', () => {
  // With the reserved key the agent asks for loaded tools before the first step, and hands us its copies of them.
  it.each([false, true])('comes back as the same tool (includeResolvedTools: %s)', async includeResolvedTools => {
    const { agent, offered, calls, play } = makeScene({
      script: [LOAD_WEATHER, 'loaded'],
      options: { includeResolvedTools },
      agent: { tools: { fetch_page: makeTool('fetch_page') } },
    })
    await agent.generate('Load it', { requestContext: contextOf('t') })
    play(CALL_WEATHER, 'done')
    await agent.generate('Use it', { requestContext: contextOf('t') })
    const always = includeResolvedTools ? [] : ['fetch_page']
    expect(offered.at(-1)).toEqual([...META, ...always, 'weather'])
    expect(calls).toHaveLength(1)
  })

  it.each([false, true])('does so under tool hooks (includeResolvedTools: %s)', async includeResolvedTools => {
    const hooked: string[] = []
    const { agent, offered, play } = makeScene({
      script: [LOAD_WEATHER, 'loaded'],
      options: { includeResolvedTools },
      agent: {
        tools: { fetch_page: makeTool('fetch_page') },
        hooks: { beforeToolCall: ({ toolName }: { toolName: string }) => void hooked.push(toolName) },
      },
    })
    await agent.generate('Load it', { requestContext: contextOf('t') })
    play('done')
    await agent.generate('And now', { requestContext: contextOf('t') })
    expect(offered.at(-1)).toContain('weather')
  })

  it('comes back under its own name when the agent renames its copy, or has it under another key', async () => {
    const calls: Parameters<typeof noting>[0] = []
    const dotted = noting(calls, 'weather.now', 'Current forecast')
    const own = noting(calls, 'fetch_page', 'Download a web page')
    const { agent, offered, play } = makeScene({
      script: [[{ tool: 'load_tool', input: { toolNames: ['weather.now', 'fetch_page'] } }], 'loaded'],
      options: { includeResolvedTools: true, tools: { dotted } },
      agent: { tools: { fetchPage: own } },
    })
    await agent.generate('Load them', { requestContext: contextOf('t') })
    play([{ tool: 'weather.now' }, { tool: 'fetch_page' }], 'done')
    await agent.generate('Use them', { requestContext: contextOf('t') })
    expect(offered.slice(1)).toEqual(Array.from({ length: 3 }, () => [...META, 'weather.now', 'fetch_page']))
    expect(calls.map(({ tool }) => tool)).toEqual(['weather.now', 'fetch_page'])
  })

  it('is not offered when the policy forbids it after the agent got its copy', async () => {
    let permits = Infinity
    const { agent, offered, calls, play } = makeScene({
      script: [LOAD_WEATHER, 'loaded'],
      options: { filter: ({ phase }) => phase !== 'active' || permits-- > 0 },
    })
    await agent.generate('Load it', { requestContext: contextOf('t') })
    play(CALL_WEATHER, 'done')
    permits = 1 // for the agent's question before the first step
    await agent.generate('Use it', { requestContext: contextOf('t') })
    expect(permits).toBeLessThan(1)
    expect(offered.at(-1)).toEqual(META)
    expect(calls).toEqual([])
  })

  it('comes back when it is also one of the agent itself', async () => {
    const calls: Parameters<typeof noting>[0] = []
    const weather = noting(calls, 'weather', 'Current forecast')
    for (const includeResolvedTools of [false, true]) {
      const { agent, offered, play } = makeScene({
        script: [LOAD_WEATHER, CALL_WEATHER, 'ok'],
        options: { includeResolvedTools, tools: { weather } },
        agent: { tools: { weather } },
      })
      await agent.generate('Load it', { requestContext: contextOf('t') })
      expect(offered.at(-1)).toEqual([...META, 'weather'])
      play(CALL_WEATHER, 'ok')
      await agent.generate('Use it', { requestContext: contextOf('t') })
      expect(offered.at(-1)).toEqual([...META, 'weather'])
    }
    expect(calls).toHaveLength(4)
  })

  it('stops the run when the agent always has a different tool of that name', async () => {
    const { agent } = makeScene({
      script: [LOAD_WEATHER, 'never said'],
      agent: { tools: { weather: makeTool('weather', 'Something else entirely') } },
    })
    await expect(agent.generate('Load it')).rejects.toThrow(/collides with a different tool/)
  })
})
