import { RequestContext } from '@mastra/core/request-context'
import { describe, expect, it, vi } from 'vitest'
import { ReservedToolNameError, ToolNameCollisionError } from '../../src/errors.js'
import type { ToolSearchFilterArgs } from '../../src/options.js'
import {
  makeProcessor,
  makeRun,
  makeTool,
  makeTools,
  messagesWith,
  namesIn,
  type Options,
  step,
  WEATHER,
  wordSearcher,
} from './harness.js'

const META = ['search_tools', 'load_tool']
const systemTexts = (run: ReturnType<typeof makeRun>) =>
  run.messageList.getSystemMessages().map(({ content }) => String(content))
const loadedMessage = (...loaded: string[]) =>
  messagesWith({ toolName: 'load_tool', result: { success: true, loaded } })

describe('identity', () => {
  it('has the id and name of the class that it replaces', () => {
    const { id, name, description } = makeProcessor()
    expect({ id, name }).toEqual({ id: 'tool-search', name: 'Tool Search Processor' })
    expect(description).toEqual(expect.any(String))
  })
})

describe('the tools of a step', () => {
  it('come as meta-tools, always-available tools, then loaded ones in the order of loading', async () => {
    const processor = makeProcessor()
    const run = makeRun({ threadId: 't', tools: { z_own: makeTool('z_own'), a_own: makeTool('a_own') } })
    const { load } = await step(processor, run)
    await load({ toolNames: ['weather', 'github_issue'] })
    await load({ toolName: 'create_invoice' })
    const { names } = await step(processor, run)
    expect(names).toEqual([...META, 'z_own', 'a_own', 'weather', 'github_issue', 'create_invoice'])
  })

  it('are the very objects that were given', async () => {
    const tools = makeTools({ weather: WEATHER })
    const processor = makeProcessor({ tools })
    const own = { own: Object.freeze({ description: 'frozen' }) }
    const run = makeRun({ threadId: 't', tools: own })
    await (await step(processor, run)).load({ toolName: 'weather' })
    const after = await step(processor, run)
    expect(after.tools.weather).toBe(tools.weather)
    expect(after.tools.own).toBe(own.own)
  })

  it('work with hardly any arguments', async () => {
    const messageList = { addSystem: vi.fn() }
    const processor = makeProcessor({ storage: 'context' })
    const { tools } = await processor.processInputStep({ messageList } as never)
    expect(Object.keys(tools)).toEqual(META)
    expect(messageList.addSystem).toHaveBeenCalledTimes(1)
  })

  it('cost no search and no text when the model does not search', async () => {
    const searcher = wordSearcher()
    let reads = 0
    const counting = { id: 'counting', inputSchema: {} }
    Object.defineProperty(counting, 'description', { enumerable: true, get: () => `${reads++}` })
    const processor = makeProcessor({ tools: { counting }, includeResolvedTools: true }, searcher)
    await step(processor, makeRun({ tools: { other: makeTool('other') } }))
    expect(searcher.queries).toEqual([])
    expect(reads).toBe(0)
  })

  it.each([false, true])('refuse an input tool of a meta-tool name (includeResolvedTools: %s)', async include => {
    for (const options of [{}, { search: { autoLoad: true } }] as Options[]) {
      const processor = makeProcessor({ ...options, includeResolvedTools: include })
      for (const name of META) {
        const run = makeRun({ tools: { [name]: makeTool('x') } })
        await expect(step(processor, run)).rejects.toThrow(ReservedToolNameError)
        expect(systemTexts(run)).toEqual([])
      }
    }
  })

  it('refuse a loaded tool that collides with a different always-available one', async () => {
    const processor = makeProcessor()
    const run = makeRun({ threadId: 't', tools: { weather: makeTool('weather', WEATHER) } })
    const { load } = await step(processor, run)
    await load({ toolName: 'weather' })
    const failing = step(processor, run)
    await expect(failing).rejects.toThrow(ToolNameCollisionError)
    await expect(failing).rejects.toThrow(/"weather"/)
  })

  it('take the same tool, always available and loaded, once', async () => {
    const tools = makeTools({ weather: WEATHER })
    const processor = makeProcessor({ tools })
    const run = makeRun({ threadId: 't', tools })
    await (await step(processor, run)).load({ toolName: 'weather' })
    const { names, tools: after } = await step(processor, run)
    expect(names).toEqual([...META, 'weather'])
    expect(after.weather).toBe(tools.weather)
  })
})

describe('system messages', () => {
  it('explain the meta-tools, with another wording for auto-load', async () => {
    const [manual, auto] = [makeRun(), makeRun()]
    await step(makeProcessor(), manual)
    await step(makeProcessor({ search: { autoLoad: true } }), auto)
    expect(systemTexts(manual)).toEqual([expect.stringMatching(/search_tools.*load_tool/s)])
    expect(systemTexts(auto)).toEqual([expect.stringContaining('search_tools')])
    expect(systemTexts(auto)[0]).not.toContain('load_tool')
  })

  it('list one line per allowed tool with injectCatalog', async () => {
    const run = makeRun({ threadId: 't' })
    const tools = { ...makeTools({ weather: WEATHER, secret: 'Hidden', many: 'Two\n  lines' }), bare: { id: 'bare' } }
    const filter: Options['filter'] = ({ toolName }) => toolName !== 'secret'
    await step(makeProcessor({ tools, filter, injectCatalog: true }), run)
    const [, listing] = systemTexts(run)
    expect(listing?.split('\n').filter(line => line.startsWith('- '))).toEqual([
      `- \`weather\`: ${WEATHER}`,
      '- `many`: Two lines',
      '- `bare`',
    ])
  })

  it('cut descriptions in the list to 150 characters', async () => {
    const run = makeRun()
    await step(makeProcessor({ tools: makeTools({ long: 'x'.repeat(300) }), injectCatalog: true }), run)
    expect(systemTexts(run)[1]).toContain(`- \`long\`: ${'x'.repeat(147)}...`)
  })

  it('have no list when no tool is allowed', async () => {
    const run = makeRun()
    await step(makeProcessor({ filter: () => false, injectCatalog: true }), run)
    expect(systemTexts(run)).toHaveLength(1)
  })

  it('list resolved tools, too', async () => {
    const run = makeRun({ tools: { fetch: makeTool('fetch', 'Fetch a page') } })
    await step(makeProcessor({ injectCatalog: true, includeResolvedTools: true }), run)
    expect(systemTexts(run)[1]).toContain('- `fetch`: Fetch a page')
  })
})

describe('the filter', () => {
  it('sees callable name, tool, request context and phase', async () => {
    const seen: ToolSearchFilterArgs[] = []
    const weather = makeTool('weather', WEATHER)
    const processor = makeProcessor({
      tools: { getWeather: weather },
      filter: args => seen.push(args) > 0,
      storage: 'context',
    })
    const run = makeRun()
    const { search, load } = await step(processor, run)
    await search('weather')
    await load({ toolName: 'getWeather' })
    await step(processor, run, { messages: loadedMessage('weather') })
    expect(seen.every(({ tool }) => tool === weather)).toBe(true)
    expect(seen.every(({ requestContext }) => requestContext === run.requestContext)).toBe(true)
    expect(seen.map(({ toolName, phase }) => `${toolName} ${phase}`)).toEqual([
      'weather search',
      'weather load',
      'weather load',
      'weather active',
      'weather load',
      'weather active',
    ])
  })

  it.each([
    [
      'throws',
      () => {
        throw new Error('no')
      },
    ],
    ['rejects', () => Promise.reject(new Error('no'))],
    ['returns false', () => false],
    ['returns nothing', () => undefined as unknown as boolean],
    ['returns 0', () => 0 as unknown as boolean],
  ])('that %s allows nothing', async (_, filter) => {
    const { search, load } = await step(makeProcessor({ filter }), makeRun())
    expect(await search('weather')).toMatchObject({ results: [] })
    expect(await load({ toolName: 'weather' })).toMatchObject({ success: false })
  })

  it('that returns any truthy value allows', async () => {
    const { load } = await step(makeProcessor({ filter: () => 'yes' as unknown as boolean }), makeRun())
    expect(await load({ toolName: 'weather' })).toMatchObject({ success: true })
  })

  it('hides a loaded tool in phase active, and shows it again when allowed again', async () => {
    let allowed = true
    const processor = makeProcessor({ filter: ({ phase }) => phase !== 'active' || allowed })
    const run = makeRun({ threadId: 't' })
    await (await step(processor, run)).load({ toolName: 'weather' })
    allowed = false
    expect((await step(processor, run)).names).toEqual(META)
    allowed = true
    expect((await step(processor, run)).names).toEqual([...META, 'weather'])
  })

  it("asks phase load again for what messages claim, with the 'context' store only", async () => {
    const filter: Options['filter'] = ({ phase }) => phase !== 'load'
    const messages = loadedMessage('weather')
    const context = makeProcessor({ storage: 'context', filter })
    expect((await step(context, makeRun(), { messages })).names).toEqual(META)

    let mayLoad = true
    const inMemory = makeProcessor({ filter: ({ phase }) => phase !== 'load' || mayLoad })
    const run = makeRun({ threadId: 't' })
    await (await step(inMemory, run)).load({ toolName: 'weather' })
    mayLoad = false
    expect((await step(inMemory, run)).names).toEqual([...META, 'weather'])
  })
})

describe("the 'context' store in a processor", () => {
  const context = (options: Options = {}) => makeProcessor({ storage: 'context', ...options })

  it('takes loaded names from the messages of another process, unknown ones aside', async () => {
    const messages = loadedMessage('weather', 'long_gone', 'constructor')
    expect((await step(context(), makeRun(), { messages })).names).toEqual([...META, 'weather'])
  })

  it('understands the receipts and results that it wrote itself', async () => {
    for (const options of [{}, { search: { autoLoad: true } }] as Options[]) {
      const writer = await step(context(options), makeRun())
      const toolName = options.search ? 'search_tools' : 'load_tool'
      const result = options.search ? await writer.search('weather') : await writer.load({ toolName: 'weather' })
      const messages = JSON.parse(JSON.stringify(messagesWith({ toolName, result })))
      expect((await step(context(options), makeRun(), { messages })).names).toContain('weather')
    }
  })

  it('keeps a name for the next step of an anonymous run, and not for the run after', async () => {
    const processor = context()
    const run = makeRun()
    await (await step(processor, run)).load({ toolName: 'weather' })
    expect((await step(processor, run)).names).toContain('weather')
    expect((await step(processor, makeRun())).names).toEqual(META)
  })

  it('keeps apart two anonymous runs that share a request context', async () => {
    const processor = context()
    const requestContext = new RequestContext()
    const [one, two] = [makeRun({ requestContext }), makeRun({ requestContext })]
    const first = await step(processor, one)
    await step(processor, two)
    await first.load({ toolName: 'weather' })
    expect((await step(processor, two)).names).toEqual(META)
    expect((await step(processor, one)).names).toEqual([...META, 'weather'])
  })

  it('leaves the state methods without effect', async () => {
    const processor = context()
    const messages = loadedMessage('weather')
    await step(processor, makeRun({ threadId: 't' }), { messages })
    processor.clearState('t')
    processor.clearAllState()
    expect(processor.cleanupNow()).toBe(0)
    expect(processor.getStateStats()).toEqual({ threadCount: 0, oldestAccessTime: null })
    expect((await step(processor, makeRun({ threadId: 't' }), { messages })).names).toContain('weather')
  })
})

describe('includeResolvedTools', () => {
  const include = (options: Options = {}) => makeProcessor({ includeResolvedTools: true, ...options })

  it("withholds the step's own tools until they are loaded", async () => {
    const processor = include()
    const fetch = makeTool('fetch_page', 'Fetch a web page')
    const run = makeRun({ threadId: 't', tools: { fetch_page: fetch } })
    const { names, search, load } = await step(processor, run)
    expect(names).toEqual(META)
    expect(namesIn(await search('web page'))).toEqual(['fetch_page'])
    await load({ toolName: 'fetch_page' })
    const after = await step(processor, run)
    expect(after.names).toEqual([...META, 'fetch_page'])
    expect(after.tools.fetch_page).toBe(fetch)
  })

  it("gives each request its own instance, never another caller's", async () => {
    const processor = include()
    const [forA, forB] = [makeTool('whoami'), makeTool('whoami')]
    await (await step(processor, makeRun({ tools: { whoami: forA } }))).load({ toolName: 'whoami' })
    expect((await step(processor, makeRun({ tools: { whoami: forB } }))).tools.whoami).toBe(forB)
    expect((await step(processor, makeRun())).names).toEqual(META)
  })

  it('refuses a resolved tool that collides with a different static one', async () => {
    await expect(step(include(), makeRun({ tools: { weather: makeTool('weather') } }))).rejects.toThrow(
      ToolNameCollisionError,
    )
  })

  it('shows the filter the instance of the request', async () => {
    const seen = new Set<unknown>()
    const tools = makeTools({ weather: WEATHER })
    const processor = include({ tools, filter: ({ tool }) => seen.add(tool).size > 0 })
    const own = makeTool('fetch_page', 'weather page')
    await (await step(processor, makeRun({ tools: { ...tools, fetch_page: own } }))).search('weather')
    expect([...seen]).toEqual([tools.weather, own])
  })
})

describe('getLoadedToolsForRequestContext', () => {
  it('returns the loaded tools of the thread by name', async () => {
    const tools = makeTools({ weather: WEATHER })
    const processor = makeProcessor({ tools })
    const run = makeRun({ threadId: 't' })
    await (await step(processor, run)).load({ toolName: 'weather' })
    const { requestContext } = makeRun({ threadId: 't' })
    expect(await processor.getLoadedToolsForRequestContext({ requestContext })).toEqual({ weather: tools.weather })
    const other = makeRun({ threadId: 'other' }).requestContext
    expect(await processor.getLoadedToolsForRequestContext({ requestContext: other })).toEqual({})
  })

  it('finds the thread of the memory context, too', async () => {
    const processor = makeProcessor()
    const run = makeRun({ threadId: 't' })
    await (await step(processor, run)).load({ toolName: 'weather' })
    const requestContext = new RequestContext()
    requestContext.set('MastraMemory', { thread: { id: 't' } })
    expect(Object.keys(await processor.getLoadedToolsForRequestContext({ requestContext }))).toEqual(['weather'])
  })

  it('works without arguments, for the callers without a thread', async () => {
    const processor = makeProcessor()
    expect(await processor.getLoadedToolsForRequestContext()).toEqual({})
    await (await step(processor, makeRun())).load({ toolName: 'weather' })
    expect(Object.keys(await processor.getLoadedToolsForRequestContext())).toEqual(['weather'])
  })

  it('reads messages, of a step or given, with the context store', async () => {
    const processor = makeProcessor({ storage: 'context' })
    const messages = loadedMessage('weather') as never
    const stepArgs = makeRun().args({ messages })
    expect(Object.keys(await processor.getLoadedToolsForRequestContext({ stepArgs }))).toEqual(['weather'])
    expect(Object.keys(await processor.getLoadedToolsForRequestContext({ messages }))).toEqual(['weather'])
    expect(await processor.getLoadedToolsForRequestContext()).toEqual({})
  })

  it('answers the request whose step had the messages, and no other, when it has none', async () => {
    const processor = makeProcessor({ storage: 'context' })
    const run = makeRun({ threadId: 't' })
    await step(processor, run, { messages: loadedMessage('weather') })
    const { requestContext } = run
    expect(Object.keys(await processor.getLoadedToolsForRequestContext({ requestContext }))).toEqual(['weather'])
    const another = makeRun({ threadId: 't' }).requestContext
    expect(await processor.getLoadedToolsForRequestContext({ requestContext: another })).toEqual({})
  })

  it('finds resolved tools among the given ones', async () => {
    const processor = makeProcessor({ includeResolvedTools: true })
    const tools = { fetch: makeTool('fetch') }
    const run = makeRun({ threadId: 't', tools })
    await (await step(processor, run)).load({ toolName: 'fetch' })
    const { requestContext } = run
    expect(await processor.getLoadedToolsForRequestContext({ requestContext, tools })).toEqual(tools)
    expect(await processor.getLoadedToolsForRequestContext({ requestContext })).toEqual({})
  })

  it('asks the filter with the request context at hand', async () => {
    const processor = makeProcessor({
      filter: ({ requestContext, phase }) => phase !== 'active' || !!requestContext?.get('ok'),
    })
    const run = makeRun({ threadId: 't' })
    await (await step(processor, run)).load({ toolName: 'weather' })
    const { requestContext } = run
    expect(await processor.getLoadedToolsForRequestContext({ requestContext })).toEqual({})
    requestContext.set('ok', true)
    expect(Object.keys(await processor.getLoadedToolsForRequestContext({ requestContext }))).toEqual(['weather'])
  })
})

describe("an agent's copies of what it was given", () => {
  const copyOf = (tool: { id?: unknown; description?: unknown }) => ({
    type: 'function',
    id: tool.id,
    description: tool.description,
    parameters: { jsonSchema: { properties: { value: {} } } },
    hasSuspendSchema: false,
    execute: async () => 'copy',
  })

  it('collide with nothing, and the original stands for them', async () => {
    const tools = makeTools({ weather: WEATHER })
    for (const include of [false, true]) {
      const processor = makeProcessor({ tools, includeResolvedTools: include })
      const run = makeRun({ threadId: 't' })
      await (await step(processor, run)).load({ toolName: 'weather' })
      const { requestContext } = run
      const given = await processor.getLoadedToolsForRequestContext({ requestContext, tools: {} })
      const after = await step(processor, run, { tools: { weather: copyOf(given.weather!) } })
      expect(after.names).toEqual([...META, 'weather'])
      expect(after.tools.weather).toBe(tools.weather)
    }
  })

  it.each([
    ['spread', (tool: object) => ({ ...tool, execute: async () => 'copy' })],
    [
      'of id and description alone',
      ({ id, description }: { id?: unknown; description?: unknown }) => ({ id, description }),
    ],
  ])('collide with nothing on another request, however made: %s', async (_, copy) => {
    for (const include of [false, true]) {
      const processor = makeProcessor({ includeResolvedTools: include })
      const run = makeRun({ threadId: 't' })
      await (await step(processor, run)).load({ toolName: 'weather' })
      const given = await processor.getLoadedToolsForRequestContext({ requestContext: run.requestContext })
      const again = makeRun({ threadId: 't', tools: { weather: copy(given.weather!) } })
      expect((await step(processor, again)).names).toEqual([...META, 'weather'])
    }
  })

  it('are not mistaken for another tool of that name', async () => {
    const processor = makeProcessor()
    const run = makeRun({ threadId: 't' })
    await (await step(processor, run)).load({ toolName: 'weather' })
    await processor.getLoadedToolsForRequestContext({ requestContext: run.requestContext })
    const another = { weather: makeTool('weather', WEATHER) }
    await expect(step(processor, run, { tools: another })).rejects.toThrow(ToolNameCollisionError)
  })

  it('collide with nothing on another request of the thread either', async () => {
    const processor = makeProcessor()
    const run = makeRun({ threadId: 't' })
    await (await step(processor, run)).load({ toolName: 'weather' })
    const given = await processor.getLoadedToolsForRequestContext({ requestContext: run.requestContext })
    const again = makeRun({ threadId: 't', tools: { weather: copyOf(given.weather!) } })
    expect((await step(processor, again)).names).toEqual([...META, 'weather'])
  })

  it('are gone from a step whose tool is no longer loaded or allowed', async () => {
    let allowed = true
    const tools = makeTools({ 'weather.now': WEATHER })
    const processor = makeProcessor({ tools, filter: () => allowed })
    const run = makeRun({ threadId: 't' })
    await (await step(processor, run)).load({ toolName: 'weather.now' })
    const { requestContext } = run
    const given = await processor.getLoadedToolsForRequestContext({ requestContext, tools: {} })
    // Agents rename keys that providers refuse.
    const input = { weather_now: copyOf(given['weather.now']!) }
    expect((await step(processor, run, { tools: input })).names).toEqual([...META, 'weather.now'])
    allowed = false
    expect((await step(processor, run, { tools: input })).names).toEqual(META)
    allowed = true
    processor.clearState('t')
    expect((await step(processor, run, { tools: input })).names).toEqual(META)
  })

  it('of AI SDK tools are known through tool hooks', async () => {
    const tools = { read: { description: 'Read', inputSchema: {}, execute: async () => 'x' } }
    const processor = makeProcessor({ tools })
    const run = makeRun({ threadId: 't' })
    await (await step(processor, run)).load({ toolName: 'read' })
    await processor.getLoadedToolsForRequestContext({ requestContext: run.requestContext })
    const hooked = { read: { ...tools.read, execute: async () => 'hooked' } }
    expect((await step(processor, run, { tools: hooked })).tools.read).toBe(tools.read)
  })

  it("leave the request's own tool of that name in place", async () => {
    const tools = makeTools({ weather: WEATHER })
    const processor = makeProcessor({ tools })
    const run = makeRun({ threadId: 't' })
    await (await step(processor, run)).load({ toolName: 'weather' })
    const own = { weather: copyOf(tools.weather!) }
    await processor.getLoadedToolsForRequestContext({ requestContext: run.requestContext, tools: own })
    processor.clearState('t')
    expect((await step(processor, run, { tools: own })).tools.weather).toBe(own.weather)
  })
})

describe('state methods of the in-memory store', () => {
  it('count, clear and dispose', async () => {
    const processor = makeProcessor()
    const runs = { a: makeRun({ threadId: 'a' }), b: makeRun({ threadId: 'b' }), none: makeRun() }
    for (const run of Object.values(runs)) await (await step(processor, run)).load({ toolName: 'weather' })
    expect(processor.getStateStats()).toEqual({ threadCount: 3, oldestAccessTime: expect.any(Number) })
    processor.clearState('a')
    processor.clearState()
    expect(processor.getStateStats().threadCount).toBe(1)
    expect((await step(processor, runs.b)).names).toContain('weather')
    expect((await step(processor, runs.a)).names).toEqual(META)
    processor.clearAllState()
    expect(processor.getStateStats()).toEqual({ threadCount: 0, oldestAccessTime: null })
    expect(processor.cleanupNow()).toBe(0)
    processor.dispose()
    processor.dispose()
    expect((await step(processor, runs.b)).names).toEqual(META)
  })
})

describe('warmup', () => {
  it('has the searcher index the static catalog', async () => {
    const searcher = { ...wordSearcher(), warmup: vi.fn(async () => {}) }
    await makeProcessor({}, searcher).warmup()
    expect(searcher.warmup).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ size: 3 }))
  })
})
