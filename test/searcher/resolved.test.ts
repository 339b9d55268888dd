import { describe, expect, it } from 'vitest'
import { createCatalog, mergeCatalog, type ToolLike } from '../../src/catalog/catalog.js'
import { createCatalogSearcher } from '../../src/searcher.js'
import { wordEmbedder } from './word-embedder.js'

const BASE = createCatalog({ base_one: { description: 'Waters plants' }, base_two: { description: 'Feeds fish' } })

/** New tool objects each time, as a request resolves them. */
function resolvedTools(count: number, from = 0): Record<string, ToolLike> {
  return Object.fromEntries(
    Array.from({ length: count }, (_, at) => [
      `resolved_${from + at}`,
      {
        description: `Paints picture number ${from + at}`,
        inputSchema: { properties: { colour: { type: 'string' } } },
      },
    ]),
  )
}

const catalogOf = (tools: Record<string, ToolLike>) => mergeCatalog(BASE, tools)

function setUp() {
  const embedder = wordEmbedder()
  return { embedder, searcher: createCatalogSearcher({ embedder, strict: true, warn: () => {} }) }
}

describe("a step's own tools", () => {
  it('are embedded in one batch when they are new, and never again', async () => {
    const { embedder, searcher } = setUp()
    await searcher.searchCatalog(BASE, 'plants', {})
    expect(embedder.documentCalls.map(texts => texts.length)).toEqual([2])

    await searcher.searchCatalog(catalogOf(resolvedTools(500)), 'picture', {})
    expect(embedder.documentCalls.map(texts => texts.length)).toEqual([2, 500])

    for (const query of ['picture', 'number 7', 'colour']) {
      await searcher.searchCatalog(catalogOf(resolvedTools(500)), query, {})
    }
    expect(embedder.documentCalls).toHaveLength(2)
    expect(embedder.queryCalls.map(texts => texts.length)).toEqual([1, 1, 1, 1])
  })

  it('are embedded once for steps that come at once', async () => {
    const { embedder, searcher } = setUp()
    await searcher.searchCatalog(BASE, 'plants', {})
    await Promise.all(
      ['picture', 'number 7', 'colour'].map(query => searcher.searchCatalog(catalogOf(resolvedTools(500)), query, {})),
    )
    expect(embedder.documentCalls.map(texts => texts.length)).toEqual([2, 500])
  })

  it('cost only the new texts, in one batch, when the step has others than before', async () => {
    const { embedder, searcher } = setUp()
    await searcher.searchCatalog(catalogOf(resolvedTools(500)), 'picture', {})
    const before = embedder.documentCalls.length
    const tools = Object.fromEntries(Object.entries({ ...resolvedTools(2, 900), ...resolvedTools(400, 100) }).reverse())
    await searcher.searchCatalog(catalogOf(tools), 'picture', {})
    const added = embedder.documentCalls.slice(before)
    expect(added.map(texts => [...texts].sort())).toEqual([
      ['resolved 900: Paints picture number 900 colour.', 'resolved 901: Paints picture number 901 colour.'],
    ])
  })

  it('that have equal texts are embedded once', async () => {
    const { embedder, searcher } = setUp()
    const tools = { get_page: { description: 'Gets it' }, 'get-page': { description: 'Gets it' } }
    const { results } = await searcher.searchCatalog(catalogOf(tools), 'gets the page', {})
    expect(results.map(({ name }) => name)).toEqual(['get_page', 'get-page'])
    expect(embedder.documentCalls.flat().filter(text => text === 'get page: Gets it')).toHaveLength(1)
  })

  it('that repeat a static tool’s text use its vector', async () => {
    const { embedder, searcher } = setUp()
    await searcher.searchCatalog(BASE, 'plants', {})
    await searcher.searchCatalog(catalogOf({ 'base-one': { description: 'Waters plants' } }), 'plants', {})
    expect(embedder.documentCalls).toHaveLength(1)
  })

  it('share their vectors with other searchers over the same embedder', async () => {
    const { embedder, searcher } = setUp()
    await searcher.searchCatalog(catalogOf(resolvedTools(20)), 'picture', {})
    const calls = embedder.documentCalls.length
    const other = createCatalogSearcher({ embedder, strict: true, warn: () => {} })
    await other.searchCatalog(catalogOf(resolvedTools(20)), 'picture', {})
    expect(embedder.documentCalls).toHaveLength(calls)
  })

  it('are what the filter and the results of their own request see, never those of another', async () => {
    const { searcher } = setUp()
    const forUser = (secret: string) => ({ read_mail: { description: 'Reads mail', secret } as ToolLike })
    const [alice, bob] = [forUser('alice'), forUser('bob')]
    const seenBy = async (tools: Record<string, ToolLike>) => {
      const seen: unknown[] = []
      await searcher.searchCatalog(catalogOf(tools), 'reads mail', {
        accept: ({ tool }) => {
          seen.push(tool)
          return true
        },
      })
      return seen[0]
    }
    expect(await seenBy(alice)).toBe(alice.read_mail)
    expect(await seenBy(bob)).toBe(bob.read_mail)
    expect(await Promise.all([seenBy(alice), seenBy(bob), seenBy(alice)])).toEqual([
      alice.read_mail,
      bob.read_mail,
      alice.read_mail,
    ])
  })

  it('keep their own names where another request has the same texts under others', async () => {
    const { searcher } = setUp()
    const named = async (name: string) => {
      const catalog = catalogOf({ [name]: { description: 'Reads mail' } })
      return (await searcher.searchCatalog(catalog, 'reads some mail', {})).results[0]?.name
    }
    expect(await named('read_mail')).toBe('read_mail')
    expect(await named('readMail')).toBe('readMail')
    expect(await named('read.mail')).toBe('read.mail')
    expect(await named('read_mail')).toBe('read_mail')
  })

  it('that are copies of static tools are what the filter sees, also by exact name', async () => {
    const { searcher } = setUp()
    const tool = BASE.byName('base_one')!.tool
    const copy = { ...tool }
    const catalog = mergeCatalog(BASE, { base_one: copy }, () => true)
    for (const query of ['waters plants', 'base_one']) {
      const seen: ToolLike[] = []
      await searcher.searchCatalog(catalog, query, { topK: 1, accept: entry => seen.push(entry.tool) > 0 })
      expect(seen[0]).toBe(catalog.byName('base_one')!.tool)
    }
  })

  it('are ranked together with the static ones', async () => {
    const { searcher } = setUp()
    const catalog = catalogOf({
      feed_cat: { description: 'Feeds the cat and the fish' },
      mow: { description: 'Cuts grass' },
    })
    const { results } = await searcher.searchCatalog(catalog, 'feeds fish', {})
    expect(results.map(({ name }) => name).sort()).toEqual(['base_two', 'feed_cat'])
  })

  it('give place, least recently used first, without being embedded again while their vectors are kept', async () => {
    const { embedder, searcher } = setUp()
    // More different steps than indexes are kept.
    for (let step = 0; step < 80; step++) {
      await searcher.searchCatalog(catalogOf(resolvedTools(3, step)), 'picture', {})
    }
    const calls = embedder.documentCalls.length
    const { results } = await searcher.searchCatalog(catalogOf(resolvedTools(3, 0)), 'picture number 1', {})
    expect(results[0]?.name).toBe('resolved_1')
    expect(embedder.documentCalls).toHaveLength(calls)
  })

  it('cost a step in which nobody searches no reading of their texts', () => {
    let reads = 0
    const tools = Object.fromEntries(
      Array.from({ length: 500 }, (_, at) => [
        `t_${at}`,
        Object.defineProperty({}, 'inputSchema', { enumerable: true, get: () => ++reads }) as ToolLike,
      ]),
    )
    setUp()
    catalogOf(tools)
    expect(reads).toBe(0)
  })
})
