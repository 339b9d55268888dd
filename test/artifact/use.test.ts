import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { buildToolIndex } from '../../src/artifact/build.js'
import { openToolIndex } from '../../src/artifact/open.js'
import type { OnStale } from '../../src/options.js'
import { SemanticToolSearchProcessor } from '../../src/processor.js'
import { createToolSearcher } from '../../src/searcher.js'
import { makeRun, namesIn, step } from '../processor/harness.js'
import { wordEmbedder } from '../searcher/word-embedder.js'
import { sealed } from './fixtures/folder-state.js'
import { newFolders } from './tool-folder.js'

const TOOLS = {
  weather: { description: 'Weather forecast for a city' },
  invoice: { description: 'Write an invoice' },
  lamp: { description: 'Switches the light' },
}
const CHANGED = {
  ...TOOLS,
  lamp: { description: 'Switches the illumination' },
  ticket: { description: 'Opens a ticket' },
}

const newFolder = newFolders()

/** Reviver of the members that a manifest leaves out of its tools. */
function withUsualMembers(key: string, value: unknown) {
  if (!/^\d+$/.test(key)) return value
  return {
    readableShare: 1,
    tokens: null,
    invisibleCharacters: 0,
    givesOrders: false,
    truncated: false,
    queries: 0,
    ...(value as object),
  }
}

async function built(tools: Record<string, object> = TOOLS) {
  const index = newFolder()
  await buildToolIndex({ tools, out: index, embedder: wordEmbedder() })
  return index
}

function searcherWith(
  index: string,
  { tools = TOOLS, ...options }: { tools?: Record<string, object>; onStale?: OnStale; strict?: boolean } = {},
) {
  const embedder = wordEmbedder()
  const warn = vi.fn<(message: string) => void>()
  return { embedder, warn, searcher: createToolSearcher({ tools, index, embedder, warn, ...options }) }
}

const namesOf = ({ results }: { results: { name: string }[] }) => results.map(({ name }) => name)

describe('a searcher with an index of its tools', () => {
  it('embeds no document, and finds what one without finds, with the same scores', async () => {
    const { searcher, embedder, warn } = searcherWith(await built())
    const without = createToolSearcher({ tools: TOOLS, embedder: wordEmbedder() })
    for (const query of ['weather', 'write', 'the light', 'city invoice']) {
      expect(await searcher.search(query)).toEqual(await without.search(query))
    }
    expect(embedder.documentCalls).toEqual([])
    expect(warn).not.toHaveBeenCalled()
  })

  it('takes an opened index as well as a path, and one folder twice', async () => {
    const index = await built()
    const opened = await openToolIndex(index)
    const embedder = wordEmbedder()
    const searchers = [opened, opened, index].map(each => createToolSearcher({ tools: TOOLS, index: each, embedder }))
    for (const searcher of searchers) expect(namesOf(await searcher.search('weather'))[0]).toBe('weather')
    expect(embedder.documentCalls).toEqual([])
  })

  it('does not mind the order of the tools', async () => {
    const { searcher, embedder } = searcherWith(await built(), {
      tools: Object.fromEntries(Object.entries(TOOLS).reverse()),
    })
    expect(namesOf(await searcher.search('invoice'))[0]).toBe('invoice')
    expect(embedder.documentCalls).toEqual([])
  })

  it('goes on with the index that it has read when the folder goes', async () => {
    const index = await built()
    const { searcher, embedder } = searcherWith(index)
    await searcher.warmup()
    writeFileSync(join(index, 'manifest.json'), '{}')
    expect(namesOf(await searcher.search('invoice'))[0]).toBe('invoice')
    expect(embedder.documentCalls).toEqual([])
  })

  it('opens the newer index that replaced the one whose manifest it read', async () => {
    const index = await built()
    const { searcher, embedder, warn } = searcherWith(index, { tools: CHANGED })
    await buildToolIndex({ tools: CHANGED, out: index, embedder: wordEmbedder() })
    expect(namesOf(await searcher.search('illumination'))[0]).toBe('lamp')
    expect([embedder.documentCalls, warn.mock.calls]).toEqual([[], []])
  })
})

describe('tools that differ from the index', () => {
  it('are embedded in one call and found with the rest, with one line that counts them', async () => {
    const index = await built({ ...TOOLS, gone: { description: 'Sends a fax' } })
    const { searcher, embedder, warn } = searcherWith(index, { tools: CHANGED })
    for (const [query, name] of [
      ['illumination', 'lamp'],
      ['ticket', 'ticket'],
      ['city', 'weather'],
    ] as const) {
      expect(namesOf(await searcher.search(query))[0]).toBe(name)
    }
    expect(embedder.documentCalls.map(texts => texts.length)).toEqual([2])
    expect(warn).toHaveBeenCalledTimes(1)
    expect(warn.mock.calls[0]![0]).toContain('1 new, 1 changed, 1 gone')
  })

  it('never bring back a tool that is gone', async () => {
    const { searcher } = searcherWith(await built({ ...TOOLS, gone: { description: 'Sends a fax' } }))
    const { results, candidates } = await searcher.search('send a fax gone', { minScore: 0, topK: 10, explain: true })
    expect([...results, ...candidates!].map(({ name }) => name)).not.toContain('gone')
  })

  it('are left to their words with onStale: warn', async () => {
    const { searcher, embedder, warn } = searcherWith(await built(), { tools: CHANGED, onStale: 'warn' })
    expect(namesOf(await searcher.search('illumination'))).toEqual(['lamp'])
    expect(namesOf(await searcher.search('forecast'))[0]).toBe('weather')
    expect(embedder.documentCalls).toEqual([])
    expect(warn.mock.calls.map(([message]) => message)).toEqual([expect.stringContaining('1 new, 1 changed, 0 gone')])
  })

  it('stop the start with onStale: error, which names them', async () => {
    const index = await built({ ...TOOLS, gone: { description: 'Sends a fax' } })
    const start = () => searcherWith(index, { tools: CHANGED, onStale: 'error' })
    expect(start).toThrow(
      expect.objectContaining({ code: 'INDEX_STALE', added: ['ticket'], changed: ['lamp'], removed: ['gone'] }),
    )
    expect(start).toThrow(/npx mastra-semantic-tool-search build/)
    const same = searcherWith(await built(), { onStale: 'error' })
    expect(namesOf(await same.searcher.search('invoice'))[0]).toBe('invoice')
  })

  it('cost no embedding when only the name differs and the text is the same', async () => {
    const { searcher, embedder } = searcherWith(await built({ get_weather: TOOLS.weather }), {
      tools: { getWeather: TOOLS.weather, get_weather: TOOLS.weather },
    })
    expect(namesOf(await searcher.search('forecast city'))).toEqual(['getWeather', 'get_weather'])
    expect(embedder.documentCalls).toEqual([['get Weather: Weather forecast for a city']])
  })
})

describe('an index that does not fit', () => {
  it.each([
    ['another model', { modelId: 'other-words' }, /"bag-of-words".*"other-words"/],
    ['another dimension', { dimensions: 7 }, /\b7\b/],
  ])('by %s is an error that names both sides and the cure', async (_, members, sides) => {
    const index = await built()
    const embedder = { ...wordEmbedder(), ...members }
    const start = () => createToolSearcher({ tools: TOOLS, index, embedder })
    expect(start).toThrow(expect.objectContaining({ code: 'INDEX_MISMATCH' }))
    expect(start).toThrow(sides)
    expect(start).toThrow(/npx mastra-semantic-tool-search build <tools> --out/)
  })

  it.each([
    ['formatVersion', 2],
    ['documentTemplateVersion', 99],
  ])('by another %s is an error that names both sides', async (member, value) => {
    const index = await built()
    const file = join(index, 'manifest.json')
    writeFileSync(file, sealed({ ...JSON.parse(readFileSync(file, 'utf8')), [member]: value }))
    const start = () => searcherWith(index)
    expect(start).toThrow(
      expect.objectContaining({ code: 'INDEX_MISMATCH', got: String(value), expected: expect.stringContaining('1') }),
    )
  })

  it.each<[string, (manifest: Buffer) => string]>([
    ['with Windows line ends', bytes => bytes.toString().replaceAll('\n', '\r\n')],
    ['by a formatter', bytes => JSON.stringify(JSON.parse(bytes.toString()), undefined, '\t')],
    [
      'with sorted members',
      bytes => JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(bytes.toString())).sort())),
    ],
  ])('is not one whose manifest was written anew %s, unless a value differs', async (_, rewrite) => {
    const index = await built()
    const file = join(index, 'manifest.json')
    const bytes = readFileSync(file)
    writeFileSync(file, rewrite(bytes))
    expect((await openToolIndex(index)).manifest).toEqual(JSON.parse(bytes.toString(), withUsualMembers))
    writeFileSync(file, rewrite(Buffer.from(bytes.toString().replace('"lamp"', '"lama"'))))
    await expect(openToolIndex(index)).rejects.toThrow('altered: its digest')
  })

  it('because it is not there stops the start', () => {
    expect(() => searcherWith(newFolder())).toThrow(expect.objectContaining({ code: 'INDEX_INVALID' }))
    expect(() => createToolSearcher({ tools: TOOLS, index: 7 as never })).toThrow(/index.*7/)
    expect(() => createToolSearcher({ tools: TOOLS, onStale: 'ignore' as never })).toThrow(/onStale.*"ignore"/)
  })

  it('because its data are broken costs one warning and the embedding of all tools', async () => {
    const index = await built()
    const { files } = JSON.parse(readFileSync(join(index, 'manifest.json'), 'utf8'))
    writeFileSync(join(index, files.vectors.name), Buffer.alloc(files.vectors.bytes, 1))
    const { searcher, embedder, warn } = searcherWith(index)
    expect(namesOf(await searcher.search('invoice'))[0]).toBe('invoice')
    expect(embedder.documentCalls.map(texts => texts.length)).toEqual([3])
    expect(warn.mock.calls.map(([message]) => message)).toEqual([expect.stringContaining('was altered')])
    await expect(searcherWith(index).searcher.warmup()).rejects.toMatchObject({ code: 'INDEX_INVALID' })
    await expect(searcherWith(index, { strict: true }).searcher.search('invoice')).rejects.toMatchObject({
      code: 'SEARCH_UNAVAILABLE',
      cause: expect.objectContaining({ code: 'INDEX_INVALID' }),
    })
  })
})

describe('the processor with an index', () => {
  it('embeds no document of a resolved tool that the index has', async () => {
    const resolved = {
      city_weather: { id: 'city_weather', description: 'Weather forecast for a city', execute: async () => '' },
    }
    const index = await built({ ...TOOLS, ...resolved })
    const embedder = wordEmbedder()
    const processor = new SemanticToolSearchProcessor({
      tools: TOOLS,
      includeResolvedTools: true,
      index,
      onStale: 'error',
      embedder,
    })
    const first = await step(processor, makeRun({ tools: resolved }))
    expect(namesIn(await first.search('forecast city'))).toContain('city_weather')
    expect(embedder.documentCalls).toEqual([])
    const other = { ...resolved, fax: { id: 'fax', description: 'Sends a fax', execute: async () => '' } }
    const second = await step(processor, makeRun({ tools: other }))
    expect(namesIn(await second.search('fax'))).toEqual(['fax'])
    expect(embedder.documentCalls).toEqual([['fax: Sends a fax']])
  })

  it('does not give a caller tools that the index alone has', async () => {
    const index = await built({ ...TOOLS, secret_report: { description: 'Reads the secret report' } })
    const processor = new SemanticToolSearchProcessor({
      tools: TOOLS,
      includeResolvedTools: true,
      index,
      embedder: wordEmbedder(),
    })
    const { search, load } = await step(processor, makeRun())
    expect(namesIn(await search('secret report'))).not.toContain('secret_report')
    expect(await load({ toolName: 'secret_report' })).toMatchObject({ success: false })
  })

  it('refuses at once what it cannot use', async () => {
    const index = newFolder()
    expect(() => new SemanticToolSearchProcessor({ tools: TOOLS, index })).toThrow(
      expect.objectContaining({ code: 'INDEX_INVALID' }),
    )
    expect(existsSync(index)).toBe(false)
  })
})
