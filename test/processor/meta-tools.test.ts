import { describe, expect, it, vi } from 'vitest'
import { EmbeddingError, SearchUnavailableError } from '../../src/errors.js'
import { ACTIVATION_TYPE } from '../../src/meta-tools/activation.js'
import type { CatalogSearcher } from '../../src/searcher-types.js'
import {
  INVOICE,
  ISSUE,
  makeProcessor,
  makeRun,
  makeTool,
  makeTools,
  namesIn,
  type Options,
  step,
  WEATHER,
  wordSearcher,
} from './harness.js'

const firstStep = (options: Options = {}, searcher?: CatalogSearcher) =>
  step(makeProcessor(options, searcher), makeRun({ threadId: 't' }))

describe('search_tools', () => {
  it('returns name, description and a score of two decimals, best first', async () => {
    const { search } = await firstStep()
    expect(await search('weather in a big city')).toEqual({
      results: [
        { name: 'weather', description: WEATHER, score: 0.6 },
        { name: 'github_issue', description: ISSUE, score: 0.4 },
        { name: 'create_invoice', description: INVOICE, score: 0.2 },
      ],
      message: expect.stringContaining('3 tool(s)'),
    })
    const { results } = await search('weather tomorrow maybe')
    expect(results).toEqual([{ name: 'weather', description: WEATHER, score: 0.33 }])
  })

  it('says so when nothing matches, and repeats the query', async () => {
    const { search } = await firstStep()
    expect(await search('zebra')).toEqual({ results: [], message: expect.stringContaining('"zebra"') })
  })

  it.each(['', '   ', '\n\t', '?!', '...', '—«»', '"\'', '+-*/=', '\u200b'])(
    'finds nothing for %j without asking the searcher',
    async query => {
      const searcher = wordSearcher()
      const { search } = await firstStep({}, searcher)
      expect(await search(query)).toEqual({ results: [], message: expect.stringContaining(`"${query}"`) })
      expect(searcher.queries).toEqual([])
    },
  )

  it('lets the next best take the place of what the filter refuses, until topK are found', async () => {
    const { search } = await firstStep({
      search: { topK: 1 },
      filter: ({ toolName }) => toolName !== 'weather',
    })
    expect(namesIn(await search('weather github issue'))).toEqual(['github_issue'])
  })

  it('passes topK, minScore and the abort signal on', async () => {
    const searchCatalog = vi.fn<CatalogSearcher['searchCatalog']>(async () => ({ results: [], mode: 'lexical' }))
    const { tools } = await firstStep({ search: { topK: 7, minScore: 0.25 } }, { searchCatalog, async warmup() {} })
    const { signal } = new AbortController()
    const searchTool = tools.search_tools as { execute(input: object, context: object): Promise<unknown> }
    await searchTool.execute({ query: 'weather' }, { abortSignal: signal })
    expect(searchCatalog.mock.calls[0]?.[2]).toMatchObject({ topK: 7, minScore: 0.25, abortSignal: signal })
  })

  it('cuts a description to 150 characters, and shows one of exactly 150 whole', async () => {
    const tools = makeTools({ long: `weather ${'x'.repeat(200)}`, exact: `weather ${'y'.repeat(142)}` })
    const { search } = await firstStep({ tools })
    const { results } = (await search('weather')) as { results: { name: string; description: string }[] }
    const [long, exact] = ['long', 'exact'].map(name => results.find(result => result.name === name)?.description)
    expect(long).toBe(`weather ${'x'.repeat(139)}...`)
    expect(long).toHaveLength(150)
    expect(exact).toBe(`weather ${'y'.repeat(142)}`)
  })

  it('never splits a surrogate pair', async () => {
    const { search } = await firstStep({ tools: makeTools({ emoji: `weather ${'x'.repeat(138)}😀${'x'.repeat(50)}` }) })
    const { results } = (await search('weather')) as { results: { description: string }[] }
    expect(results[0]?.description).toBe(`weather ${'x'.repeat(138)}...`)
    expect(results[0]?.description.isWellFormed()).toBe(true)
  })

  it('shows no description where a tool has none, or one that is no text', async () => {
    const tools = { none: { id: 'weather_a' }, odd: { id: 'weather_b', description: { not: 'text' } } }
    const { search } = await firstStep({ tools })
    const { results } = (await search('weather')) as { results: { description: string }[] }
    expect(results.map(({ description }) => description)).toEqual(['', ''])
  })

  it('finds tools without an id under their record key', async () => {
    const tools = { read_file: { description: 'Read a file', execute: async () => 'x' } }
    const run = makeRun({ threadId: 't' })
    const processor = makeProcessor({ tools })
    const { search, load } = await step(processor, run)
    expect(namesIn(await search('read file'))).toEqual(['read_file'])
    await load({ toolName: 'read_file' })
    expect((await step(processor, run)).tools.read_file).toBe(tools.read_file)
  })

  it('loads nothing by itself', async () => {
    const processor = makeProcessor()
    const run = makeRun({ threadId: 't' })
    await (await step(processor, run)).search('weather')
    expect((await step(processor, run)).names).toEqual(['search_tools', 'load_tool'])
  })

  const broken = (error: unknown): CatalogSearcher => ({
    async warmup() {},
    searchCatalog: () => Promise.reject(error),
  })

  it('answers with an empty result and one warning when searching fails', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    const { search } = await firstStep({}, broken(new EmbeddingError('m', 'out of order')))
    for (let time = 0; time < 3; time++) {
      expect(await search('weather')).toEqual({ results: [], message: expect.stringMatching(/"weather" failed/) })
    }
    expect(warn).toHaveBeenCalledTimes(1)
    expect(warn.mock.calls[0]?.[0]).toContain('out of order')
    warn.mockRestore()
  })

  it("warns through Mastra's logger where there is one", async () => {
    const logger = { warn: vi.fn() }
    const processor = makeProcessor({}, broken('plain text'))
    processor.__registerMastra({ getLogger: () => logger })
    await (await step(processor, makeRun())).search('weather')
    expect(logger.warn).toHaveBeenCalledExactlyOnceWith(expect.stringContaining('plain text'))
  })

  it('is an error in strict mode', async () => {
    const { search } = await firstStep({ strict: true }, broken(new SearchUnavailableError('no embeddings')))
    await expect(search('weather')).rejects.toThrow('no embeddings')
  })
})

describe('search_tools with autoLoad', () => {
  const autoLoad = { search: { autoLoad: true } }

  it('is the only meta-tool', async () => {
    expect((await firstStep(autoLoad)).names).toEqual(['search_tools'])
  })

  it('loads what it finds, and gives a receipt', async () => {
    const processor = makeProcessor(autoLoad)
    const run = makeRun({ threadId: 't' })
    const { search } = await step(processor, run)
    expect(await search('github issue')).toEqual({
      results: [{ name: 'github_issue', description: ISSUE, score: 1 }],
      message: expect.stringContaining('github_issue'),
      activation: { type: ACTIVATION_TYPE, version: 1, loaded: ['github_issue'] },
    })
    expect((await step(processor, run)).names).toEqual(['search_tools', 'github_issue'])
  })

  it('names every result in the receipt, those loaded before included', async () => {
    const { search } = await firstStep(autoLoad)
    await search('github')
    const { activation, message } = await search('github weather')
    expect(activation).toMatchObject({ loaded: expect.arrayContaining(['github_issue', 'weather']) })
    expect(message).toContain('Some were loaded before')
    expect((await search('weather')).message).toContain('All were loaded before')
  })

  it('gives no receipt and loads nothing when it finds nothing', async () => {
    const processor = makeProcessor(autoLoad)
    const run = makeRun({ threadId: 't' })
    const { search } = await step(processor, run)
    for (const query of ['zebra', '', ' ', '?!']) expect(await search(query)).not.toHaveProperty('activation')
    expect((await step(processor, run)).names).toEqual(['search_tools'])
  })

  it('returns only what passes phase load too, and fills up with the next best', async () => {
    const { search } = await firstStep({
      search: { autoLoad: true, topK: 1 },
      filter: ({ toolName, phase }) => !(toolName === 'weather' && phase === 'load'),
    })
    expect(await search('weather github')).toMatchObject({
      results: [{ name: 'github_issue' }],
      activation: { loaded: ['github_issue'] },
    })
  })
})

describe('load_tool', () => {
  it('loads one tool', async () => {
    const { load } = await firstStep()
    expect(await load({ toolName: 'weather' })).toEqual({
      success: true,
      message: expect.stringContaining('"weather"'),
      toolName: 'weather',
      loaded: ['weather'],
    })
  })

  it('lists the name also when the tool was loaded before', async () => {
    const { load } = await firstStep()
    await load({ toolName: 'weather' })
    expect(await load({ toolName: 'weather' })).toEqual({
      success: true,
      message: expect.stringContaining('already loaded'),
      toolName: 'weather',
      loaded: ['weather'],
    })
  })

  it('loads what it can of many, and tells the rest', async () => {
    const { load } = await firstStep()
    await load({ toolName: 'weather' })
    expect(await load({ toolNames: ['github_issue', 'nope', 'weather', 'github_issue'] })).toEqual({
      success: false,
      message: expect.stringContaining('nope'),
      loadedCount: 1,
      loaded: ['github_issue'],
      notFound: ['nope'],
      alreadyLoaded: ['weather'],
    })
  })

  it('merges toolName into toolNames', async () => {
    const { load } = await firstStep()
    expect(await load({ toolNames: ['weather'], toolName: 'github_issue' })).toMatchObject({
      success: true,
      loadedCount: 2,
      loaded: ['weather', 'github_issue'],
    })
  })

  it('answers in the array form for an empty array with a toolName', async () => {
    const { load } = await firstStep()
    expect(await load({ toolNames: [], toolName: 'weather' })).toEqual({
      success: true,
      message: expect.any(String),
      loadedCount: 1,
      loaded: ['weather'],
    })
  })

  it.each([
    [{}, /toolName \(a string\) or toolNames/],
    [{ toolName: '' }, /toolName \(a string\) or toolNames/],
    [{ toolNames: [] }, /must not be empty/],
    [{ toolNames: [], toolName: '' }, /must not be empty/],
  ])('says what to pass when given %j', async (input, message) => {
    const { load } = await firstStep()
    expect(await load(input)).toEqual({ success: false, message: expect.stringMatching(message) })
  })

  it('takes a record key, and loads the tool under it', async () => {
    const weather = makeTool('weather')
    const processor = makeProcessor({ tools: { getWeather: weather } })
    const run = makeRun({ threadId: 't' })
    const { load } = await step(processor, run)
    expect(await load({ toolName: 'getWeather' })).toMatchObject({ success: true, loaded: ['getWeather'] })
    expect((await step(processor, run)).tools.getWeather).toBe(weather)
  })

  it.each(['constructor', 'toString', '__proto__', 'hasOwnProperty', 'valueOf'])(
    'does not find the inherited name %s',
    async name => {
      const { load } = await firstStep()
      expect(await load({ toolName: name })).toMatchObject({ success: false, toolName: name })
      expect(await load({ toolNames: [name] })).toMatchObject({ success: false, loadedCount: 0, notFound: [name] })
    },
  )

  it('suggests up to three names that resemble an unknown one', async () => {
    const tools = makeTools({ issue_list: 'a', issue_open: 'b', issue_close: 'c', issue_edit: 'd', weather: 'e' })
    const { load } = await firstStep({ tools })
    const { message } = await load({ toolName: 'Issue' })
    expect(message).toContain('Did you mean: issue_list, issue_open, issue_close?')
    expect((await load({ toolName: 'weatherForecast' })).message).toContain('Did you mean: weather?')
    expect((await load({ toolName: 'zebra' })).message).toContain('search_tools')
    expect((await load({ toolName: '???' })).message).not.toContain('Did you mean')
  })

  it('makes a refused name look like an unknown one', async () => {
    const tools = makeTools({ secret_report: 'x', report: 'y' })
    const filter: Options['filter'] = ({ toolName, phase }) => !(toolName === 'secret_report' && phase === 'load')
    const refused = await (await firstStep({ tools, filter })).load({ toolName: 'secret_report' })
    const unknown = await (await firstStep({ tools: { report: tools.report! } })).load({ toolName: 'secret_report' })
    expect(refused).toEqual(unknown)
    expect(refused).not.toHaveProperty('loaded')
  })

  it.each(['search', 'load'] as const)('suggests no name that phase %s refuses', async phase => {
    const { load } = await firstStep({
      tools: makeTools({ issue_list: 'a', issue_secret: 'b' }),
      filter: args => !(args.toolName === 'issue_secret' && args.phase === phase),
    })
    const { message } = await load({ toolName: 'issue' })
    expect(message).toContain('issue_list')
    expect(message).not.toContain('issue_secret')
  })

  it('takes parallel calls of one step', async () => {
    const processor = makeProcessor({ storage: 'context' })
    const run = makeRun()
    const { load } = await step(processor, run)
    await Promise.all([load({ toolName: 'github_issue' }), load({ toolName: 'weather' })])
    expect((await step(processor, run)).names).toEqual(['search_tools', 'load_tool', 'github_issue', 'weather'])
  })
})
