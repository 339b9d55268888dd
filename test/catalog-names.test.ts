import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { type Catalog, createCatalog, mergeCatalog, type ToolLike } from '../src/catalog/catalog.js'
import { InvalidOptionsError, isToolSearchError, ReservedToolNameError, ToolNameCollisionError } from '../src/errors.js'
import { makeTool } from './processor/harness.js'

const plain = (description: string) => ({ description, execute: async () => description }) as ToolLike
const namesOf = (catalog: Catalog) => [...catalog.entries()].map(({ name }) => name)
/** The shape in which an agent hands a tool to a step. */
const agentCopy = (tool: { id?: unknown; description?: unknown; inputSchema?: unknown }, extra: object = {}) => ({
  type: 'function',
  id: tool.id,
  description: tool.description,
  parameters: { jsonSchema: { type: 'object', properties: { value: { type: 'string' } } } },
  hasSuspendSchema: false,
  execute: async () => 'copy',
  ...extra,
})
const errorOf = (run: () => unknown) => {
  try {
    run()
  } catch (error) {
    return error
  }
  throw new Error('expected an error')
}

describe('createCatalog', () => {
  it('names a tool by its id, and by its record key where it has none', () => {
    const catalog = createCatalog({ a: makeTool('weather'), b: plain('No id'), c: { id: '', description: 'Empty' } })
    expect(namesOf(catalog)).toEqual(['weather', 'b', 'c'])
    expect(catalog.size).toBe(3)
  })

  it('finds a tool by callable name and by record key, and never an inherited name', () => {
    const catalog = createCatalog({ getWeather: makeTool('weather') })
    expect(catalog.byName('weather')?.key).toBe('getWeather')
    expect(catalog.byKey('getWeather')?.name).toBe('weather')
    for (const name of ['constructor', 'toString', '__proto__', 'hasOwnProperty']) {
      expect(catalog.byName(name)).toBeUndefined()
      expect(catalog.byKey(name)).toBeUndefined()
    }
  })

  it('holds a tool that is really called __proto__', () => {
    const record = Object.fromEntries([['__proto__', plain('Odd name')]])
    expect(createCatalog(record).byName('__proto__')?.tool.description).toBe('Odd name')
  })

  it('is a snapshot: later changes to the record have no effect', () => {
    const record: Record<string, ToolLike> = { a: makeTool('a') }
    const catalog = createCatalog(record)
    record.b = makeTool('b')
    delete record.a
    expect(namesOf(catalog)).toEqual(['a'])
    expect(Object.isFrozen(catalog.layers[0]?.entries)).toBe(true)
  })

  it('takes one tool under two keys as one entry of its id', () => {
    const tool = makeTool('weather')
    const catalog = createCatalog({ one: tool, two: tool })
    expect(namesOf(catalog)).toEqual(['weather'])
    expect(catalog.byKey('two')?.tool).toBe(tool)
  })

  it('takes one tool without an id under two keys as two names', () => {
    const tool = plain('Shared')
    expect(namesOf(createCatalog({ one: tool, two: tool }))).toEqual(['one', 'two'])
  })

  it('keeps a Mastra tool id that looks made up', () => {
    const description = 'Read a file'
    const id = `tool-${createHash('sha256').update(description).digest('hex').slice(0, 8)}`
    expect(namesOf(createCatalog({ readFile: makeTool(id, description) }))).toEqual([id])
  })

  it.each([
    ['a key', { search_tools: makeTool('other') }],
    ['an id', { other: makeTool('load_tool') }],
  ])('refuses %s that is a meta-tool name', (_, record) => {
    const error = errorOf(() => createCatalog(record))
    expect(error).toBeInstanceOf(ReservedToolNameError)
    expect(String(error)).toMatch(/search_tools|load_tool/)
  })

  it('refuses two different tools of one callable name, naming both keys', () => {
    const error = errorOf(() => createCatalog({ one: makeTool('same'), two: makeTool('same') }))
    expect(error).toBeInstanceOf(ToolNameCollisionError)
    expect(error).toMatchObject({ code: 'TOOL_NAME_COLLISION', toolName: 'same' })
    expect(String(error)).toContain('tools["one"] and tools["two"]')
  })

  it.each([
    ['before', { weather: makeTool('forecast'), other: makeTool('weather') }],
    ['after', { other: makeTool('weather'), weather: makeTool('forecast') }],
  ])("refuses a key that is another tool's callable name, declared %s it", (_, record) => {
    expect(errorOf(() => createCatalog(record))).toBeInstanceOf(ToolNameCollisionError)
  })

  it.each([[null], [undefined], ['text'], [7], [() => {}], [[]]])('refuses %s as a tool, naming its key', value => {
    const error = errorOf(() => createCatalog({ 'bad key': value as ToolLike }))
    expect(error).toBeInstanceOf(InvalidOptionsError)
    expect(isToolSearchError(error)).toBe(true)
    expect(String(error)).toContain('tools["bad key"]')
  })
})

describe('mergeCatalog', () => {
  const weather = makeTool('weather')
  const base = createCatalog({ weather })

  it('adds the resolved tools as a second layer and keeps the static layer object', () => {
    const merged = mergeCatalog(base, { fetch: makeTool('fetch') })
    expect(namesOf(merged)).toEqual(['weather', 'fetch'])
    expect(merged.layers[0]).toBe(base.layers[0])
    expect(merged.size).toBe(2)
  })

  it('returns the static catalog itself when nothing is resolved', () => {
    expect(mergeCatalog(base, {})).toBe(base)
    expect(mergeCatalog(base, { gone: undefined, nothing: null, text: 'x' })).toBe(base)
  })

  it('takes the same tool again as one entry', () => {
    expect(namesOf(mergeCatalog(base, { weather }))).toEqual(['weather'])
  })

  it("takes an agent's copy of a static tool as one entry, and looks up the copy", () => {
    const copy = agentCopy(weather)
    const merged = mergeCatalog(base, { weather: copy })
    expect(namesOf(merged)).toEqual(['weather'])
    expect(merged.byName('weather')?.tool).toBe(copy)
    expect([...merged.entries()][0]?.tool).toBe(copy)
    expect(merged.layers).toEqual(base.layers)
  })

  it.each([
    ['another Mastra tool', makeTool('weather', weather.description)],
    ['an agent copy with another description', agentCopy({ id: 'weather', description: 'Something else' })],
    ['an agent copy without one of the parameters', agentCopy(weather, { parameters: { jsonSchema: {} } })],
    ['an agent copy from another MCP server', agentCopy(weather, { mcp: { annotations: {} } })],
    ['a plain tool', plain('Other')],
  ])('refuses %s under the name of a static tool', (_, tool) => {
    const error = errorOf(() => mergeCatalog(base, { weather: tool }))
    expect(error).toBeInstanceOf(ToolNameCollisionError)
    expect(error).toMatchObject({ toolName: 'weather' })
  })

  it('refuses a resolved tool whose key or name is the key or name of a different static tool', () => {
    const keyed = createCatalog({ getWeather: weather })
    expect(errorOf(() => mergeCatalog(keyed, { getWeather: makeTool('other') }))).toBeInstanceOf(ToolNameCollisionError)
    expect(errorOf(() => mergeCatalog(keyed, { x: makeTool('getWeather') }))).toBeInstanceOf(ToolNameCollisionError)
    expect(errorOf(() => mergeCatalog(keyed, { weather: makeTool('y') }))).toBeInstanceOf(ToolNameCollisionError)
  })

  it('refuses two different resolved tools of one callable name', () => {
    const run = () => mergeCatalog(base, { a: makeTool('same'), b: makeTool('same') })
    expect(errorOf(run)).toBeInstanceOf(ToolNameCollisionError)
  })

  it("takes two of an agent's copies of one tool under two keys as one", () => {
    const copy = agentCopy(makeTool('fetch'))
    const wrapped = { ...copy, execute: async () => 'hooked' }
    expect(namesOf(mergeCatalog(base, { getFetch: copy, fetch: wrapped }))).toEqual(['weather', 'fetch'])
  })

  it('refuses a resolved tool whose id is a meta-tool name', () => {
    expect(errorOf(() => mergeCatalog(base, { x: makeTool('load_tool') }))).toBeInstanceOf(ReservedToolNameError)
  })

  it('prefers the record key to an id that an agent made up for an AI SDK tool', () => {
    const description = 'Read a file from disk'
    const hashed = `tool-${createHash('sha256').update(description).digest('hex').slice(0, 8)}`
    const merged = mergeCatalog(base, {
      readFile: agentCopy({ id: hashed, description }),
      noText: agentCopy({ id: 'tool-k3x9qz1', description: undefined }),
      chosen: agentCopy({ id: 'tool-1a2b3c4d', description: 'An id that its author chose' }),
    })
    expect(namesOf(merged)).toEqual(['weather', 'readFile', 'noText', 'tool-1a2b3c4d'])
  })

  it('never serves one request with the tool of another', () => {
    const forA = makeTool('whoami')
    const forB = makeTool('whoami')
    expect(mergeCatalog(base, { whoami: forA }).byName('whoami')?.tool).toBe(forA)
    expect(mergeCatalog(base, { whoami: forB }).byName('whoami')?.tool).toBe(forB)
  })

  it('merges 4,000 resolved tools without reading their texts', () => {
    let reads = 0
    const resolved = Object.fromEntries(
      Array.from({ length: 4_000 }, (_, index) => {
        const tool = { id: `t${index}`, parameters: {} }
        Object.defineProperty(tool, 'description', { get: () => `${reads++}`, enumerable: true })
        return [`t${index}`, tool]
      }),
    )
    mergeCatalog(base, resolved)
    const started = performance.now()
    expect(mergeCatalog(base, resolved).size).toBe(4_001)
    // Some 2 ms on a quiet machine; the bound only catches an accidental quadratic.
    expect(performance.now() - started).toBeLessThan(100)
    expect(reads).toBe(0)
  })
})
