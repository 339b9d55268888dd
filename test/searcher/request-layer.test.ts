import { createTool } from '@mastra/core/tools'
import { jsonSchema } from 'ai'
import { describe, expect, it } from 'vitest'
import { createCatalog, mergeCatalog, type ToolLike } from '../../src/catalog/catalog.js'
import { createCatalogSearcher } from '../../src/searcher.js'
import { wordEmbedder } from './word-embedder.js'

const schema = (words: string) => ({ type: 'object', properties: { value: { type: 'string', description: words } } })

/** New objects each time, as an MCP client makes them. */
const toolsOf = (texts: Record<string, [description: string, parameter: string]>): Record<string, ToolLike> =>
  Object.fromEntries(
    Object.entries(texts).map(([id, [description, parameter]]) => [
      id,
      { id, description, inputSchema: schema(parameter) },
    ]),
  )

const TEXTS = {
  get_weather: ['Forecast for a city', 'name of the place'],
  send_invoice: ['Bill a customer', 'amount in euros'],
  open_door: ['Unlock the entrance', 'which door'],
} satisfies Parameters<typeof toolsOf>[0]

function makeSearcher() {
  const embedder = wordEmbedder()
  const searcher = createCatalogSearcher({ embedder, strict: true, warn: () => {} })
  const empty = createCatalog({})
  return async (texts: Parameters<typeof toolsOf>[0], query: string) => {
    const catalog = mergeCatalog(empty, toolsOf(texts))
    return (await searcher.searchCatalog(catalog, query, { topK: 1, minScore: 0.1 })).results[0]
  }
}

describe('tools that a request brings, known from the one before', () => {
  it('are found the same when they are new objects of the same texts', async () => {
    const best = makeSearcher()
    const first = await best(TEXTS, 'bill a customer')
    expect(first?.name).toBe('send_invoice')
    expect(await best(TEXTS, 'bill a customer')).toEqual(first)
  })

  it.each<[string, Parameters<typeof toolsOf>[0]]>([
    ['description', { ...TEXTS, send_invoice: ['Paint a fence', 'amount in euros'] }],
    ['parameter', { ...TEXTS, send_invoice: ['Bill a customer', 'paint for a fence'] }],
  ])('are found by what they say now when the %s of one in the middle has changed', async (_, changed) => {
    const best = makeSearcher()
    await best(TEXTS, 'bill a customer')
    const expected = await makeSearcher()(changed, 'paint a fence')
    expect(expected?.name).toBe('send_invoice')
    expect(await best(changed, 'paint a fence')).toEqual(expected)
  })

  const euros = { type: 'string', description: 'in euros' }
  const mode = { type: 'string', enum: ['now'] }
  const changes: Record<string, object> = {
    name: { paint: euros, mode },
    description: { amount: { ...euros, description: 'paint' }, mode },
    value: { amount: euros, mode: { ...mode, enum: ['paint'] } },
    'number of values': { amount: euros, mode: { ...mode, enum: ['now', 'paint'] } },
    number: { amount: euros, mode, paint: { type: 'string' } },
  }
  const forms: Record<string, (schema: object) => ToolLike> = {
    'plain JSON Schema': inputSchema => ({ inputSchema }),
    "JSON Schema in Mastra's tool": schema => createTool({ id: 'any', description: '', inputSchema: schema as never }),
    "an AI SDK schema in Mastra's tool": schema =>
      createTool({ id: 'any', description: '', inputSchema: jsonSchema(schema) as never }),
  }
  const cases = Object.keys(forms).flatMap(form => Object.keys(changes).map(what => [what, form] as const))

  it.each(cases)('are found by what they say now when the %s of parameters has changed in %s', async (what, form) => {
    const searcher = createCatalogSearcher({ embedder: wordEmbedder(), strict: true, warn: () => {} })
    const findPaint = async (properties: object) => {
      const { inputSchema } = forms[form]!({ type: 'object', properties })
      const [first, , last] = Object.values(toolsOf(TEXTS))
      const catalog = mergeCatalog(createCatalog({}), {
        first,
        send_invoice: { description: 'Bill a customer', inputSchema },
        last,
      })
      return (await searcher.searchCatalog(catalog, 'paint', { topK: 1, minScore: 0.1 })).results.map(
        ({ name }) => name,
      )
    }
    const before = { amount: euros, mode }
    expect(await findPaint(before)).toEqual([])
    expect(await findPaint(changes[what]!)).toEqual(['send_invoice'])
    expect(await findPaint(structuredClone(before))).toEqual([])
    expect(await findPaint(structuredClone(changes[what]!))).toEqual(['send_invoice'])
  })

  it('are named as they are called now, though their words are the same', async () => {
    const best = makeSearcher()
    await best(TEXTS, 'forecast')
    const { get_weather, ...rest } = TEXTS
    const renamed = { getWeather: get_weather, ...rest }
    expect(await best(renamed, 'call getWeather')).toEqual({ name: 'getWeather', score: 1 })
    // And again, now that both are known.
    expect(await best(TEXTS, 'call get_weather')).toEqual({ name: 'get_weather', score: 1 })
    expect(await best(renamed, 'call getWeather')).toEqual({ name: 'getWeather', score: 1 })
  })
})
