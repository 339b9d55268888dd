import { MASTRA_THREAD_ID_KEY, RequestContext } from '@mastra/core/request-context'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { makeTool, makeTools, messagesWith } from '../processor/harness.js'
import {
  catalogLines,
  type Options,
  official,
  ours,
  outcomeOf,
  type Scenario,
  suggestedIn,
  systemTexts,
  TOOLS,
} from './both.js'

// Every scenario runs on Mastra's ToolSearchProcessor and on ours; results must be equal but for wording, scores, order.

const own = { own_b: makeTool('own_b'), own_a: makeTool('own_a') }
const resolved = { fetch_page: makeTool('fetch_page', 'Download a web page'), whoami: makeTool('whoami', 'Caller') }
const keyed = { getWeather: makeTool('weather', 'Current forecast'), other: makeTool('other') }
const plain = { read_file: { description: 'Read a file', execute: async () => 'x' } }
const loadMessage = (result: object, state?: string) =>
  messagesWith({ toolName: 'load_tool', result, ...(state !== undefined && { state }) })

/** Steps once, does something with the meta-tools, and tells the tools of the next step. */
const thenNames =
  (options: Options, act: (meta: Awaited<ReturnType<typeof ours.step>>) => Promise<unknown>, tools = {}): Scenario =>
  async driver => {
    const processor = driver.create(options)
    const run = driver.run({ threadId: 't', tools })
    const result = await act(await driver.step(processor, run))
    return { result, names: (await driver.step(processor, run)).names }
  }

/** One step, then one call. */
const once =
  (options: Options, act: (meta: Awaited<ReturnType<typeof ours.step>>) => unknown, tools = {}): Scenario =>
  async driver =>
    act(await driver.step(driver.create(options), driver.run({ threadId: 't', tools })))

/** The names of a first step over the given messages with the context store. */
const fromMessages =
  (messages: unknown, options: Options = {}): Scenario =>
  async driver => {
    const processor = driver.create({ storage: 'context', ...options })
    return (await driver.step(processor, driver.run({ threadId: 't' }), { messages })).names
  }

const listing =
  (options: Options, tools = {}): Scenario =>
  async driver => {
    const run = driver.run({ tools })
    await driver.step(driver.create(options), run)
    return { count: systemTexts(run).length, lines: catalogLines(run) }
  }

const SCENARIOS: Record<string, Record<string, Scenario>> = {
  'the tools of a step': {
    'are the two meta-tools at first': once({}, ({ names }) => names),
    'are search_tools alone with auto-load': once({ search: { autoLoad: true } }, ({ names }) => names),
    'have the always-available tools after the meta-tools, in their order': once({}, ({ names }) => names, own),
    'have loaded tools last, in the order of loading': thenNames(
      {},
      async ({ load }) => load({ toolNames: ['github_issue', 'weather'] }),
      own,
    ),
    'need no tools argument': async driver => {
      const run = driver.run()
      const args = { ...run.args(), tools: undefined } as never
      return Object.keys(((await driver.create().processInputStep(args)) as { tools: object }).tools)
    },
    'are there with an empty catalog': once({ tools: {} }, ({ names }) => names),
    'hold the given tool object itself': async driver => {
      const processor = driver.create()
      const run = driver.run({ threadId: 't' })
      await (await driver.step(processor, run)).load({ toolName: 'weather' })
      return (await driver.step(processor, run)).tools.weather === TOOLS.weather
    },
    'hold a tool once that is both always available and loaded': thenNames(
      {},
      async ({ load }) => load({ toolNames: ['weather'] }),
      { weather: TOOLS.weather },
    ),
    'do not have a tool loaded in the same step': once({}, async ({ load, tools }) => {
      await load({ toolNames: ['weather'] })
      return Object.keys(tools)
    }),
  },

  'system messages': {
    'are one by default': listing({}),
    'are one with auto-load': listing({ search: { autoLoad: true } }),
    'are two with injectCatalog, and list every tool': listing({ injectCatalog: true }),
    'list every tool with auto-load, too': listing({ injectCatalog: true, search: { autoLoad: true } }),
    'have no list over an empty catalog': listing({ injectCatalog: true, tools: {} }),
    'have no list when the filter refuses all': listing({ injectCatalog: true, filter: () => false }),
    'list what phase search allows': listing({
      injectCatalog: true,
      filter: ({ toolName, phase }) => phase !== 'search' || toolName.startsWith('github'),
    }),
    'list callable names, not record keys': listing({ injectCatalog: true, tools: keyed }),
    'list long descriptions cut, and tools without one bare': listing({
      injectCatalog: true,
      tools: { ...makeTools({ long: 'x'.repeat(151), exact: 'y'.repeat(150) }), bare: makeTool('bare', '') },
    }),
    'list resolved tools with includeResolvedTools': listing(
      { injectCatalog: true, includeResolvedTools: true },
      resolved,
    ),
    'do not list resolved tools otherwise': listing({ injectCatalog: true }, resolved),
  },

  search_tools: {
    'finds a tool by a word of its description': once({}, ({ search }) => search('forecast')),
    'finds a tool by a word of its name': once({}, ({ search }) => search('invoice')),
    'finds several tools': once({}, ({ search }) => search('github')),
    'finds nothing for a foreign word': once({}, ({ search }) => search('zebra')),
    'finds nothing in an empty catalog': once({ tools: {} }, ({ search }) => search('weather')),
    'finds nothing for an empty query': once({}, ({ search }) => search('')),
    'finds nothing for blanks': once({}, ({ search }) => search('  \n ')),
    'finds nothing for punctuation': once({}, ({ search }) => search('?! ... ,;')),
    'cuts a description of more than 150 characters': once(
      { tools: makeTools({ long: `word ${'x'.repeat(200)}`, exact: `word ${'y'.repeat(145)}` }) },
      ({ search }) => search('word'),
    ),
    'returns callable names, not record keys': once({ tools: keyed }, ({ search }) => search('forecast')),
    'returns topK results at most': once({ search: { topK: 1 } }, async ({ search }) => {
      return ((await search('github')).results as unknown[]).length
    }),
    'returns five results by default': once(
      { tools: makeTools(Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`tool${i}`, 'Same words here']))) },
      async ({ search }) => ((await search('words')).results as unknown[]).length,
    ),
    'loads nothing': thenNames({}, ({ search }) => search('weather')),
    'leaves out what phase search refuses': once(
      { filter: ({ toolName, phase }) => phase !== 'search' || toolName !== 'github_issue' },
      ({ search }) => search('github'),
    ),
    'finds what only phase load refuses': once({ filter: ({ phase }) => phase !== 'load' }, ({ search }) =>
      search('github'),
    ),
    'fills up with the next best when the filter refuses some': once(
      { search: { topK: 1 }, filter: ({ toolName }) => toolName === 'github_merge' },
      ({ search }) => search('github'),
    ),
    'finds nothing when the filter throws': once(
      {
        filter: () => {
          throw new Error('policy')
        },
      },
      ({ search }) => search('weather'),
    ),
    'finds nothing when the filter rejects': once({ filter: () => Promise.reject(new Error('policy')) }, ({ search }) =>
      search('weather'),
    ),
    'waits for an asynchronous filter': once({ filter: async ({ toolName }) => toolName === 'weather' }, ({ search }) =>
      search('forecast github'),
    ),
    'takes a truthy answer of the filter for a yes': once({ filter: () => 1 as unknown as boolean }, ({ search }) =>
      search('weather'),
    ),
    'refuses a query that is no text': once({}, async ({ search }) => {
      return 'results' in (await search(7 as unknown as string))
    }),
  },

  'search_tools with auto-load': {
    'loads what it finds': thenNames({ search: { autoLoad: true } }, async ({ search }) => {
      const { results } = await search('weather')
      return { results }
    }),
    'loads several in one go': async driver => {
      const processor = driver.create({ search: { autoLoad: true } })
      const run = driver.run({ threadId: 't' })
      await (await driver.step(processor, run)).search('github')
      return (await driver.step(processor, run)).names.sort()
    },
    'loads nothing when it finds nothing': thenNames({ search: { autoLoad: true } }, ({ search }) => search('zebra')),
    'loads nothing for punctuation': thenNames({ search: { autoLoad: true } }, ({ search }) => search('!?')),
    'finds a loaded tool again': thenNames({ search: { autoLoad: true } }, async ({ search }) => {
      await search('weather')
      return { results: (await search('weather')).results }
    }),
    'loads resolved tools, too': thenNames(
      { search: { autoLoad: true }, includeResolvedTools: true },
      async ({ search }) => ({ results: (await search('download')).results }),
      resolved,
    ),
  },

  load_tool: {
    'loads one tool': thenNames({}, async ({ load }) => {
      const { success, toolName } = await load({ toolName: 'weather' })
      return { success, toolName }
    }),
    'loads many tools': thenNames({}, ({ load }) => load({ toolNames: ['weather', 'github_merge'] })),
    'loads one tool of an array in the array form': thenNames({}, ({ load }) => load({ toolNames: ['weather'] })),
    'takes a repeated name once': thenNames({}, ({ load }) => load({ toolNames: ['weather', 'weather'] })),
    'merges toolName into toolNames, behind them': thenNames({}, ({ load }) =>
      load({ toolNames: ['weather'], toolName: 'github_issue' }),
    ),
    'takes toolName once when toolNames has it': thenNames({}, ({ load }) =>
      load({ toolNames: ['weather'], toolName: 'weather' }),
    ),
    'loads what it can when names are missing': thenNames({}, ({ load }) => load({ toolNames: ['nope', 'weather'] })),
    'fails when all names are missing': thenNames({}, ({ load }) => load({ toolNames: ['nope', 'nada'] })),
    'tells what was loaded before': thenNames({}, async ({ load }) => {
      await load({ toolName: 'weather' })
      return load({ toolNames: ['weather', 'github_issue'] })
    }),
    'succeeds when all was loaded before': thenNames({}, async ({ load }) => {
      await load({ toolNames: ['weather'] })
      return load({ toolNames: ['weather'] })
    }),
    'succeeds on one that was loaded before': thenNames({}, async ({ load }) => {
      await load({ toolName: 'weather' })
      const { success, toolName } = await load({ toolName: 'weather' })
      return { success, toolName }
    }),
    'answers an empty array with a toolName in the array form': thenNames({}, ({ load }) =>
      load({ toolNames: [], toolName: 'weather' }),
    ),
    'loads nothing from an empty array': thenNames({}, ({ load }) => load({ toolNames: [] })),
    'loads nothing from nothing': thenNames({}, ({ load }) => load({})),
    'loads nothing from an empty name': thenNames({}, ({ load }) => load({ toolName: '' })),
    'does not find an unknown name': thenNames({}, ({ load }) => load({ toolName: 'zebra' })),
    'does not find what phase load refuses': thenNames({ filter: ({ phase }) => phase !== 'load' }, ({ load }) =>
      load({ toolName: 'weather' }),
    ),
    'does not find in an array what phase load refuses': thenNames(
      { filter: ({ toolName }) => toolName !== 'weather' },
      ({ load }) => load({ toolNames: ['weather', 'github_issue'] }),
    ),
    'loads what phase search refuses': thenNames({ filter: ({ phase }) => phase !== 'search' }, async ({ load }) => {
      return (await load({ toolName: 'weather' })).success
    }),
    'takes a callable name that is not the record key': thenNames({ tools: keyed }, ({ load }) =>
      load({ toolNames: ['weather'] }),
    ),
    'takes a record key and loads the tool under it': thenNames({ tools: keyed }, ({ load }) =>
      load({ toolNames: ['getWeather'] }),
    ),
    'takes key and callable name of one tool as two': thenNames({ tools: keyed }, ({ load }) =>
      load({ toolNames: ['getWeather', 'weather'] }),
    ),
    'loads a tool without an id by its record key': thenNames({ tools: plain }, ({ load }) =>
      load({ toolNames: ['read_file'] }),
    ),
    'suggests names that contain the unknown one': once({}, async ({ load }) =>
      suggestedIn(await load({ toolName: 'github' })),
    ),
    'suggests names that the unknown one contains': once({}, async ({ load }) =>
      suggestedIn(await load({ toolName: 'get_weather_now' })),
    ),
    'suggests three names at most': once(
      { tools: makeTools({ job_a: '', job_b: '', job_c: '', job_d: '' }) },
      async ({ load }) => suggestedIn(await load({ toolName: 'job' })),
    ),
    'suggests no name that phase load refuses': once(
      { filter: ({ toolName, phase }) => phase !== 'load' || toolName !== 'github_issue' },
      async ({ load }) => suggestedIn(await load({ toolName: 'github' })),
    ),
    'suggests nothing where nothing resembles': once({}, async ({ load }) =>
      suggestedIn(await load({ toolName: 'zebra' })),
    ),
    'refuses names that are no text': once(
      {},
      async ({ load }) => 'loadedCount' in (await load({ toolNames: [7] as never })),
    ),
  },

  includeResolvedTools: {
    "withholds the step's own tools": once({ includeResolvedTools: true }, ({ names }) => names, resolved),
    'leaves them alone when off': once({}, ({ names }) => names, resolved),
    'finds them': once({ includeResolvedTools: true }, ({ search }) => search('download'), resolved),
    'does not find them when off': once({}, ({ search }) => search('download'), resolved),
    'shows them once loaded': thenNames(
      { includeResolvedTools: true },
      ({ load }) => load({ toolNames: ['whoami', 'weather'] }),
      resolved,
    ),
    'works without static tools': thenNames(
      { includeResolvedTools: true, tools: {} },
      ({ load }) => load({ toolNames: ['whoami'] }),
      resolved,
    ),
    'gives each request its own instance': async driver => {
      const processor = driver.create({ includeResolvedTools: true })
      const [forA, forB] = [makeTool('me'), makeTool('me')]
      const first = await driver.step(processor, driver.run({ threadId: 't', tools: { me: forA } }))
      await first.load({ toolName: 'me' })
      return (await driver.step(processor, driver.run({ threadId: 't', tools: { me: forB } }))).tools.me === forB
    },
    'shows nothing of a loaded name that this request does not have': async driver => {
      const processor = driver.create({ includeResolvedTools: true })
      const first = await driver.step(processor, driver.run({ threadId: 't', tools: resolved }))
      await first.load({ toolName: 'whoami' })
      return (await driver.step(processor, driver.run({ threadId: 't' }))).names
    },
    'takes a static tool that the step has, too, once': thenNames(
      { includeResolvedTools: true },
      ({ load }) => load({ toolNames: ['weather'] }),
      { weather: TOOLS.weather },
    ),
  },

  'threads and the in-memory store': {
    'keep threads apart': async driver => {
      const processor = driver.create()
      const [one, two] = [driver.run({ threadId: 'one' }), driver.run({ threadId: 'two' })]
      await (await driver.step(processor, one)).load({ toolName: 'weather' })
      await (await driver.step(processor, two)).load({ toolName: 'github_issue' })
      return [(await driver.step(processor, one)).names, (await driver.step(processor, two)).names]
    },
    'share one entry between anonymous callers': async driver => {
      const processor = driver.create()
      await (await driver.step(processor, driver.run())).load({ toolName: 'weather' })
      return (await driver.step(processor, driver.run())).names
    },
    'keep processors apart': async driver => {
      await (await driver.step(driver.create(), driver.run({ threadId: 't' }))).load({ toolName: 'weather' })
      return (await driver.step(driver.create(), driver.run({ threadId: 't' }))).names
    },
    'take the thread from the memory context': async driver => {
      const processor = driver.create()
      await (await driver.step(processor, driver.run({ threadId: 't' }))).load({ toolName: 'weather' })
      const requestContext = new RequestContext()
      requestContext.set('MastraMemory', { thread: { id: 't' } })
      return (await driver.step(processor, driver.run({ requestContext }))).names
    },
    'prefer the reserved key to the memory context': async driver => {
      const processor = driver.create()
      const requestContext = new RequestContext()
      requestContext.set('MastraMemory', { thread: { id: 'memory' } })
      requestContext.set(MASTRA_THREAD_ID_KEY, 'reserved')
      await (await driver.step(processor, driver.run({ requestContext }))).load({ toolName: 'weather' })
      return (await driver.step(processor, driver.run({ threadId: 'reserved' }))).names
    },
    'fall back to the memory context for an empty reserved key': async driver => {
      const processor = driver.create()
      const requestContext = new RequestContext()
      requestContext.set('MastraMemory', { thread: { id: 'memory' } })
      requestContext.set(MASTRA_THREAD_ID_KEY, '')
      await (await driver.step(processor, driver.run({ requestContext }))).load({ toolName: 'weather' })
      return (await driver.step(processor, driver.run({ threadId: 'memory' }))).names
    },
    'refuse a malformed memory context': async driver => {
      const requestContext = new RequestContext()
      requestContext.set('MastraMemory', 'broken')
      return (await driver.step(driver.create(), driver.run({ requestContext }))).names
    },
    'clear one thread': async driver => {
      const processor = driver.create()
      const runs = [driver.run({ threadId: 'a' }), driver.run({ threadId: 'b' }), driver.run()]
      for (const run of runs) await (await driver.step(processor, run)).load({ toolName: 'weather' })
      processor.clearState('a')
      const afterOne = await Promise.all(runs.map(async run => (await driver.step(processor, run)).names.length))
      processor.clearState()
      const afterDefault = await Promise.all(runs.map(async run => (await driver.step(processor, run)).names.length))
      processor.clearAllState()
      return { afterOne, afterDefault, stats: processor.getStateStats() }
    },
    'count threads that only looked': async driver => {
      const processor = driver.create()
      await driver.step(processor, driver.run({ threadId: 'a' }))
      await driver.step(processor, driver.run({ threadId: 'b' }))
      vi.setSystemTime(Date.now() + 5_000)
      await driver.step(processor, driver.run({ threadId: 'a' }))
      const { threadCount, oldestAccessTime } = processor.getStateStats()
      return { threadCount, age: Date.now() - Number(oldestAccessTime) }
    },
    'keep an entry exactly ttl old, and sweep an older one': async driver => {
      const processor = driver.create({ ttl: 1_000 })
      await driver.step(processor, driver.run({ threadId: 'a' }))
      vi.setSystemTime(Date.now() + 1_000)
      const exactly = processor.cleanupNow()
      vi.setSystemTime(Date.now() + 1)
      return { exactly, older: processor.cleanupNow(), again: processor.cleanupNow() }
    },
    'never sweep with ttl 0': async driver => {
      const processor = driver.create({ ttl: 0 })
      await driver.step(processor, driver.run({ threadId: 'a' }))
      vi.setSystemTime(Date.now() + 10 ** 10)
      return processor.cleanupNow()
    },
    'sweep after an hour by default': async driver => {
      const processor = driver.create()
      await driver.step(processor, driver.run({ threadId: 'a' }))
      vi.setSystemTime(Date.now() + 3_600_001)
      return processor.cleanupNow()
    },
    'sweep on a timer': async driver => {
      const processor = driver.create({ ttl: 600_000 })
      await driver.step(processor, driver.run({ threadId: 'a' }))
      vi.advanceTimersByTime(600_000)
      const early = processor.getStateStats().threadCount
      vi.advanceTimersByTime(300_000)
      return { early, late: processor.getStateStats().threadCount }
    },
    'revive an expired entry that was not swept yet': async driver => {
      const processor = driver.create({ ttl: 1_000 })
      const run = driver.run({ threadId: 'a' })
      await (await driver.step(processor, run)).load({ toolName: 'weather' })
      vi.setSystemTime(Date.now() + 5_000)
      const { names } = await driver.step(processor, run)
      return { names, removed: processor.cleanupNow() }
    },
    'hide a loaded tool that phase active refuses': thenNames(
      { filter: ({ phase }) => phase !== 'active' },
      ({ load }) => load({ toolNames: ['weather'] }),
    ),
    'do not ask phase load for a loaded tool again': async driver => {
      const phases: string[] = []
      const processor = driver.create({ filter: ({ phase }) => phases.push(phase) > 0 })
      const run = driver.run({ threadId: 't' })
      await (await driver.step(processor, run)).load({ toolName: 'weather' })
      phases.length = 0
      await driver.step(processor, run)
      return phases
    },
    'ignore what messages claim': async driver => {
      const messages = loadMessage({ success: true, loaded: ['weather'] })
      return (await driver.step(driver.create(), driver.run({ threadId: 't' }), { messages })).names
    },
  },

  'the context store': {
    'reads loaded of a load_tool result': fromMessages(loadMessage({ success: true, loaded: ['weather'] })),
    'reads toolName of a successful load_tool result': fromMessages(
      loadMessage({ success: true, toolName: 'weather' }),
    ),
    'reads loaded of a partial success': fromMessages(
      loadMessage({ success: false, loaded: ['weather'], notFound: ['x'] }),
    ),
    'reads nothing of a failed load': fromMessages(loadMessage({ success: false, toolName: 'weather' })),
    'reads nothing of alreadyLoaded': fromMessages(loadMessage({ success: true, alreadyLoaded: ['weather'] })),
    'reads nothing of a call without a result': fromMessages(
      loadMessage({ success: true, loaded: ['weather'] }, 'call'),
    ),
    'reads nothing of other tools': fromMessages(
      messagesWith({ toolName: 'other', result: { success: true, loaded: ['weather'] } }),
    ),
    'reads nothing of a text': fromMessages(loadMessage('weather' as never)),
    'leaves out unknown names': fromMessages(loadMessage({ success: true, loaded: ['gone', 'weather'] })),
    'keeps the order of the conversation': fromMessages([
      ...loadMessage({ success: true, loaded: ['github_merge', 'weather'] }),
      ...loadMessage({ success: true, loaded: ['github_issue'] }),
    ]),
    'asks phase active': fromMessages(loadMessage({ success: true, loaded: ['weather'] }), {
      filter: ({ phase }) => phase !== 'active',
    }),
    'takes messages that are no list for none': fromMessages('broken'),
    'unloads a tool whose message is gone': async driver => {
      const processor = driver.create({ storage: 'context' })
      const run = driver.run({ threadId: 't' })
      const result = await (await driver.step(processor, run)).load({ toolNames: ['weather'] })
      const with_ = (await driver.step(processor, run, { messages: loadMessage(result) })).names
      return { with: with_, without: (await driver.step(processor, run)).names }
    },
    'keeps a name for the step that follows, on a thread': thenNames({ storage: 'context' }, ({ load }) =>
      load({ toolNames: ['weather'] }),
    ),
    'keeps threads apart': async driver => {
      const processor = driver.create({ storage: 'context' })
      await (await driver.step(processor, driver.run({ threadId: 'a' }))).load({ toolName: 'weather' })
      return (await driver.step(processor, driver.run({ threadId: 'b' }))).names
    },
    'does not share between anonymous callers': async driver => {
      const processor = driver.create({ storage: 'context' })
      await (await driver.step(processor, driver.run())).load({ toolName: 'weather' })
      return (await driver.step(processor, driver.run())).names
    },
    'has no state to clear or count': async driver => {
      const processor = driver.create({ storage: 'context', ttl: 1 })
      const run = driver.run({ threadId: 't' })
      await (await driver.step(processor, run)).load({ toolName: 'weather' })
      processor.clearState('t')
      processor.clearAllState()
      vi.setSystemTime(Date.now() + 10_000)
      const swept = processor.cleanupNow()
      return { swept, stats: processor.getStateStats(), names: (await driver.step(processor, run)).names }
    },
  },

  getLoadedToolsForRequestContext: {
    'returns the loaded tools of a thread': async driver => {
      const processor = driver.create()
      await (await driver.step(processor, driver.run({ threadId: 't' }))).load({
        toolNames: ['weather', 'github_issue'],
      })
      const { requestContext } = driver.run({ threadId: 't' })
      return Object.keys(await processor.getLoadedToolsForRequestContext({ requestContext }))
    },
    'returns nothing for another thread': async driver => {
      const processor = driver.create()
      await (await driver.step(processor, driver.run({ threadId: 't' }))).load({ toolName: 'weather' })
      const { requestContext } = driver.run({ threadId: 'u' })
      return processor.getLoadedToolsForRequestContext({ requestContext })
    },
    'serves anonymous callers without arguments': async driver => {
      const processor = driver.create()
      await (await driver.step(processor, driver.run())).load({ toolName: 'weather' })
      return Object.keys(await processor.getLoadedToolsForRequestContext())
    },
    'returns the tool objects themselves': async driver => {
      const processor = driver.create()
      await (await driver.step(processor, driver.run())).load({ toolName: 'weather' })
      return (await processor.getLoadedToolsForRequestContext()).weather === TOOLS.weather
    },
    'asks phase active': async driver => {
      const processor = driver.create({ filter: ({ phase }) => phase !== 'active' })
      await (await driver.step(processor, driver.run())).load({ toolName: 'weather' })
      return processor.getLoadedToolsForRequestContext()
    },
    'finds resolved tools among the given ones only': async driver => {
      const processor = driver.create({ includeResolvedTools: true })
      const { requestContext, args } = driver.run({ threadId: 't', tools: resolved })
      await (await driver.step(processor, { requestContext, args } as never)).load({ toolName: 'whoami' })
      const given = await processor.getLoadedToolsForRequestContext({ requestContext, tools: resolved })
      return { given: Object.keys(given), none: await processor.getLoadedToolsForRequestContext({ requestContext }) }
    },
    'reads the messages of step arguments with the context store': async driver => {
      const processor = driver.create({ storage: 'context' })
      const stepArgs = driver.run().args({ messages: loadMessage({ success: true, loaded: ['weather'] }) })
      return Object.keys(await processor.getLoadedToolsForRequestContext({ stepArgs }))
    },
    'knows nothing of a new request with the context store and no messages': async driver => {
      const processor = driver.create({ storage: 'context' })
      await driver.step(processor, driver.run({ threadId: 't' }), {
        messages: loadMessage({ success: true, loaded: ['weather'] }),
      })
      const { requestContext } = driver.run({ threadId: 't' })
      return processor.getLoadedToolsForRequestContext({ requestContext })
    },
  },
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'], now: 1_700_000_000_000 })
})
afterEach(() => {
  vi.useRealTimers()
})

describe.each(Object.entries(SCENARIOS))('like ToolSearchProcessor: %s', (_, scenarios) => {
  it.each(Object.entries(scenarios))('%s', async (name, scenario) => {
    const expected = await outcomeOf(scenario, official)
    // Two errors are equal, too: only the scenarios that are about one may throw.
    expect(expected).not.toEqual(name.startsWith('refuse a malformed') ? undefined : { threw: true })
    expect(await outcomeOf(scenario, ours)).toEqual(expected)
  })
})

it('compares at least sixty scenarios', () => {
  const count = Object.values(SCENARIOS).reduce((sum, scenarios) => sum + Object.keys(scenarios).length, 0)
  expect(count).toBeGreaterThanOrEqual(60)
})
