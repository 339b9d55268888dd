import { createHash } from 'node:crypto'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { activationOf } from '../../src/meta-tools/activation.js'
import { makeTool, makeTools, messagesWith, namesIn } from '../processor/harness.js'
import { type Driver, type Options, official, ours, outcomeOf, type Scenario, suggestedIn, TOOLS } from './both.js'

// Where the contract departs from @mastra/core 1.71.0. Each test states both behaviours: when a later Mastra no longer
// shows its own, the test fails, and the scenario moves to same.test.ts.

const META = ['search_tools', 'load_tool']
const refused = { threw: true }

async function expectBoth(scenario: Scenario, { theirs, mine }: { theirs: unknown; mine: unknown }) {
  expect(await outcomeOf(scenario, official), 'ToolSearchProcessor of 1.71.0').toEqual(theirs)
  expect(await outcomeOf(scenario, ours), 'SemanticToolSearchProcessor').toEqual(mine)
}

const first = async (driver: Driver, options: Options = {}, tools = {}) =>
  driver.step(driver.create(options), driver.run({ threadId: 't', tools }))

const namesAfter = async (driver: Driver, options: Options, messages: unknown) =>
  (await driver.step(driver.create(options), driver.run({ threadId: 't' }), { messages })).names

const loadMessage = (...loaded: string[]) => messagesWith({ toolName: 'load_tool', result: { success: true, loaded } })

afterEach(() => {
  vi.restoreAllMocks()
})

describe('names', () => {
  it.each(['constructor', 'toString'])('1.71.0 loads the inherited name %s; ours does not find it', async name => {
    const scenario: Scenario = async driver => (await (await first(driver)).load({ toolName: name })).success
    await expectBoth(scenario, { theirs: true, mine: false })
  })

  it('1.71.0 never finds a tool without an id; ours finds it under its record key', async () => {
    const tools = { read_file: { description: 'Read a file', execute: async () => 'x' } }
    const scenario: Scenario = async driver => namesIn(await (await first(driver, { tools })).search('file'))
    await expectBoth(scenario, { theirs: [], mine: ['read_file'] })
  })

  it('1.71.0 shows the filter no name for a tool without an id; ours shows its record key', async () => {
    const tools = { read_file: { description: 'Read a file', execute: async () => 'x' } }
    const scenario: Scenario = async driver => {
      const seen: unknown[] = []
      await (await first(driver, { tools, filter: ({ toolName }) => seen.push(toolName) > 0 })).load({
        toolName: 'read_file',
      })
      return seen
    }
    await expectBoth(scenario, { theirs: [undefined], mine: ['read_file'] })
  })

  it("1.71.0 finds an agent's AI SDK tool under a made-up id; ours under its record key", async () => {
    const description = 'Read a file'
    const id = `tool-${createHash('sha256').update(description).digest('hex').slice(0, 8)}`
    const tools = { read_file: { id, description, parameters: {}, hasSuspendSchema: false, execute: async () => 'x' } }
    const scenario: Scenario = async driver =>
      namesIn(await (await first(driver, { includeResolvedTools: true }, tools)).search('file'))
    await expectBoth(scenario, { theirs: [id], mine: ['read_file'] })
  })

  it('1.71.0 suggests names that phase search refuses; ours does not', async () => {
    const filter: Options['filter'] = ({ toolName, phase }) => phase !== 'search' || toolName !== 'github_issue'
    const scenario: Scenario = async driver =>
      suggestedIn(await (await first(driver, { filter })).load({ toolName: 'github' }))
    await expectBoth(scenario, { theirs: ['github_issue', 'github_merge'], mine: ['github_merge'] })
  })

  it('1.71.0 suggests record keys; ours suggests callable names', async () => {
    const tools = { forecastKey: makeTool('forecast') }
    const scenario: Scenario = async driver =>
      suggestedIn(await (await first(driver, { tools })).load({ toolName: 'cast' }))
    await expectBoth(scenario, { theirs: ['forecastKey'], mine: ['forecast'] })
  })
})

describe('results', () => {
  it('1.71.0 has no `loaded` in the answer to one name; ours has, also when it was loaded before', async () => {
    const scenario: Scenario = async driver => {
      const { load } = await first(driver)
      return [(await load({ toolName: 'weather' })).loaded, (await load({ toolName: 'weather' })).loaded]
    }
    await expectBoth(scenario, { theirs: [undefined, undefined], mine: [['weather'], ['weather']] })
  })

  it('1.71.0 gives no activation receipt; ours names every result in one', async () => {
    const scenario: Scenario = async driver => {
      const { search } = await first(driver, { search: { autoLoad: true } })
      return [(await search('forecast')).activation, (await search('zebra')).activation]
    }
    await expectBoth(scenario, { theirs: [undefined, undefined], mine: [activationOf(['weather']), undefined] })
  })

  it('1.71.0 splits a surrogate pair when it cuts a description; ours does not', async () => {
    const tools = makeTools({ emoji: `word ${'x'.repeat(141)}😀${'x'.repeat(50)}` })
    const scenario: Scenario = async driver => {
      const { results } = (await (await first(driver, { tools })).search('word')) as {
        results: { description: string }[]
      }
      return results[0]?.description.isWellFormed()
    }
    await expectBoth(scenario, { theirs: false, mine: true })
  })

  it('1.71.0 auto-loads what phase load refuses; ours neither returns nor loads it', async () => {
    const filter: Options['filter'] = ({ phase }) => phase !== 'load'
    const scenario: Scenario = async driver => {
      const processor = driver.create({ search: { autoLoad: true }, filter })
      const run = driver.run({ threadId: 't' })
      const found = namesIn(await (await driver.step(processor, run)).search('forecast'))
      return { found, names: (await driver.step(processor, run)).names }
    }
    await expectBoth(scenario, {
      theirs: { found: ['weather'], names: ['search_tools', 'weather'] },
      mine: { found: [], names: ['search_tools'] },
    })
  })

  it('1.71.0 dies of a description that is no text; ours shows none', async () => {
    const tools = { weather: { id: 'weather', description: { text: 'x'.repeat(200) } } }
    const scenario: Scenario = async driver => {
      const { results } = (await (await first(driver, { tools })).search('weather')) as {
        results: { description: unknown }[]
      }
      return results[0]?.description
    }
    await expectBoth(scenario, { theirs: refused, mine: '' })
  })
})

describe('the context store', () => {
  it('1.71.0 takes a plain search result for loading (mastra #19145); ours does not', async () => {
    const result = { results: [{ name: 'weather', description: '', score: 1 }], message: '' }
    const scenario: Scenario = driver =>
      namesAfter(driver, { storage: 'context' }, messagesWith({ toolName: 'search_tools', result }))
    await expectBoth(scenario, { theirs: [...META, 'weather'], mine: META })
  })

  it('1.71.0 knows no receipts but the results beside them; ours reads the receipt', async () => {
    const result = { results: [], message: '', activation: activationOf(['weather']) }
    const scenario: Scenario = driver =>
      namesAfter(driver, { storage: 'context' }, messagesWith({ toolName: 'search_tools', result }))
    await expectBoth(scenario, { theirs: META, mine: [...META, 'weather'] })
  })

  it('1.71.0 keeps a name for ever whose result never reaches the messages; ours for one step', async () => {
    const scenario: Scenario = async driver => {
      const processor = driver.create({ storage: 'context' })
      const run = driver.run({ threadId: 't' })
      await (await driver.step(processor, run)).load({ toolName: 'weather' })
      const steps = []
      for (let count = 0; count < 3; count++) steps.push((await driver.step(processor, run)).names.length)
      return steps
    }
    await expectBoth(scenario, { theirs: [3, 3, 3], mine: [3, 2, 2] })
  })

  it('1.71.0 carries such a name over to other runs of the thread; ours does not', async () => {
    const scenario: Scenario = async driver => {
      const processor = driver.create({ storage: 'context' })
      await (await driver.step(processor, driver.run({ threadId: 't' }))).load({ toolName: 'weather' })
      return (await driver.step(processor, driver.run({ threadId: 't' }))).names
    }
    await expectBoth(scenario, { theirs: [...META, 'weather'], mine: META })
  })

  it('1.71.0 drops a name that an anonymous run just loaded; ours keeps it for the step that follows', async () => {
    const scenario: Scenario = async driver => {
      const processor = driver.create({ storage: 'context' })
      const run = driver.run()
      await (await driver.step(processor, run)).load({ toolName: 'weather' })
      return (await driver.step(processor, run)).names
    }
    await expectBoth(scenario, { theirs: META, mine: [...META, 'weather'] })
  })

  it('1.71.0 takes what messages claim for permission; ours asks phase load again', async () => {
    const filter: Options['filter'] = ({ phase }) => phase !== 'load'
    const scenario: Scenario = driver => namesAfter(driver, { storage: 'context', filter }, loadMessage('weather'))
    await expectBoth(scenario, { theirs: [...META, 'weather'], mine: META })
  })

  it('1.71.0 believes tool results in user messages; ours does not', async () => {
    const messages = loadMessage('weather').map(message => ({ ...(message as object), role: 'user' }))
    const scenario: Scenario = driver => namesAfter(driver, { storage: 'context' }, messages)
    await expectBoth(scenario, { theirs: [...META, 'weather'], mine: META })
  })

  it('1.71.0 dies of a malformed message; ours skips it', async () => {
    const scenario: Scenario = driver => namesAfter(driver, { storage: 'context' }, [null, ...loadMessage('weather')])
    await expectBoth(scenario, { theirs: refused, mine: [...META, 'weather'] })
  })

  it('1.71.0 forgets what a suspended run had loaded; ours answers the same request context', async () => {
    const scenario: Scenario = async driver => {
      const processor = driver.create({ storage: 'context' })
      const run = driver.run({ threadId: 't' })
      await driver.step(processor, run, { messages: loadMessage('weather') })
      const { requestContext } = run
      return Object.keys(await processor.getLoadedToolsForRequestContext({ requestContext }))
    }
    await expectBoth(scenario, { theirs: [], mine: ['weather'] })
  })

  it('1.71.0 takes no messages on resume; ours reads them', async () => {
    const scenario: Scenario = async driver => {
      const messages = loadMessage('weather')
      const processor = driver.create({ storage: 'context' })
      return Object.keys(await processor.getLoadedToolsForRequestContext({ messages } as object))
    }
    await expectBoth(scenario, { theirs: [], mine: ['weather'] })
  })
})

describe('collisions', () => {
  it.each([
    ['a meta-tool name as a key', { search_tools: makeTool('x') }],
    ['a meta-tool name as an id', { x: makeTool('load_tool') }],
    ['two different tools of one name', { a: makeTool('same'), b: makeTool('same') }],
    ["a key that is another tool's name", { weather: makeTool('x'), y: makeTool('weather') }],
  ])('1.71.0 takes %s; our constructor refuses it', async (_, tools) => {
    await expectBoth(driver => typeof driver.create({ tools }), { theirs: 'object', mine: refused })
  })

  it.each([false, true])(
    '1.71.0 lets an input tool replace a meta-tool; ours refuses it (auto-load: %s)',
    async autoLoad => {
      const tools = { load_tool: TOOLS.weather }
      const scenario: Scenario = async driver =>
        (await first(driver, { search: { autoLoad } }, tools)).tools.load_tool === TOOLS.weather
      await expectBoth(scenario, { theirs: true, mine: refused })
    },
  )

  it('1.71.0 lets a resolved tool replace a different static one; ours refuses it', async () => {
    const scenario: Scenario = async driver =>
      (await first(driver, { includeResolvedTools: true }, { weather: makeTool('weather') })).names
    await expectBoth(scenario, { theirs: META, mine: refused })
  })

  it('1.71.0 lets a loaded tool replace a different always-available one; ours refuses it', async () => {
    const scenario: Scenario = async driver => {
      const processor = driver.create()
      const run = driver.run({ threadId: 't', tools: { weather: makeTool('weather') } })
      await (await driver.step(processor, run)).load({ toolName: 'weather' })
      return (await driver.step(processor, run)).tools.weather === TOOLS.weather
    }
    await expectBoth(scenario, { theirs: true, mine: refused })
  })
})

describe('options', () => {
  it.each([
    ['topK 0', { search: { topK: 0 } }],
    ['minScore 2', { search: { minScore: 2 } }],
    ['a negative ttl', { ttl: -1 }],
    ['an unknown storage', { storage: 'redis' }],
    ['an unknown name', { serch: {} }],
    ['a filter that is no function', { filter: 'all' }],
  ])('1.71.0 takes %s; our constructor refuses it', async (_, options) => {
    await expectBoth(driver => typeof driver.create(options as Options), { theirs: 'object', mine: refused })
  })
})
