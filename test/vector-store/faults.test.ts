import { describe, expect, it, vi } from 'vitest'
import { SemanticToolSearchProcessor } from '../../src/processor.js'
import { createToolSearcher, type ToolSearcherOptions } from '../../src/searcher.js'
import type { VectorStoreOptions } from '../../src/vector-store/vector-store.js'
import { wordEmbedder } from '../searcher/word-embedder.js'
import { memoryStore } from './memory-store.js'
import { officeQueries, officeTools } from './store-contract.js'

function searcherOver(vectorStore: VectorStoreOptions, options: Partial<ToolSearcherOptions> = {}) {
  const warn = vi.fn()
  const embedder = wordEmbedder()
  return { ...createToolSearcher({ tools: officeTools(), embedder, warn, vectorStore, ...options }), warn, embedder }
}

/** A searcher whose store holds its tools. */
async function readySearcher(
  vectorStore: Partial<VectorStoreOptions> = {},
  options: Partial<ToolSearcherOptions> = {},
) {
  const store = memoryStore()
  const searcher = searcherOver({ store, indexName: 'tools', timeoutMs: 50, ...vectorStore }, options)
  await searcher.warmup()
  return { store, ...searcher }
}

const forever = () => new Promise<void>(() => {})

describe('a store that fails', () => {
  it('leaves searches to the words, with one warning, and serves again by itself', async () => {
    const { store, search, warn } = await readySearcher()
    store.failure = new Error('connection refused')
    for (const query of ['send the mail', 'read the song', 'print the file']) {
      const { mode, results } = await search(query)
      expect(mode).toBe('lexical')
      expect(results[0]!.name).toBe(query.replace('the ', '').replace(' ', '_'))
    }
    expect(warn).toHaveBeenCalledTimes(1)
    expect(warn.mock.calls[0]![0]).toMatch(/words alone.*connection refused/)
    store.failure = undefined
    await vi.waitFor(async () => expect((await search('send the mail')).mode).toBe('hybrid'))
    expect(warn).toHaveBeenCalledTimes(1)
  })

  it('is waited for no longer than timeoutMs, then not at all, and serves again when it answers', async () => {
    const { store, search, warn } = await readySearcher()
    store.gate = forever()
    store.calls.length = 0
    // Never settles but by the time limit; the second is refused at once, so the store is asked once.
    expect((await search('send the mail')).mode).toBe('lexical')
    expect((await search('send the mail')).mode).toBe('lexical')
    expect(store.calls).toEqual(['query'])
    expect(warn).toHaveBeenCalledTimes(1)
    expect(warn.mock.calls[0]![0]).toMatch(/no answer within 50 ms/)
    store.gate = undefined
    await vi.waitFor(async () => expect((await search('send the mail')).mode).toBe('hybrid'))
  })

  it('serves again at once when a late answer comes', async () => {
    const { store, search } = await readySearcher({ timeoutMs: 20 })
    let open = () => {}
    store.gate = new Promise(resolve => {
      open = resolve
    })
    expect((await search('send the mail')).mode).toBe('lexical')
    store.gate = undefined
    open()
    await new Promise(resolve => setImmediate(resolve))
    expect((await search('send the mail')).mode).toBe('hybrid')
  })

  it('does not stop a start, and is synchronised when it is there', async () => {
    const store = memoryStore()
    store.failure = new Error('the database system is starting up')
    const { search, warn, embedder } = searcherOver({ store, indexName: 'tools', timeoutMs: 50 })
    expect((await search('send the mail')).results[0]!.name).toBe('send_mail')
    expect((await search('send the mail')).mode).toBe('lexical')
    expect(embedder.documentCalls).toEqual([])
    store.failure = undefined
    await vi.waitFor(async () => expect((await search('send the mail')).mode).toBe('hybrid'), { timeout: 30_000 })
    expect(store.indexes.get('tools')!.rows.size).toBe(80)
    expect(warn).toHaveBeenCalledTimes(1)
  })

  it('is an error with strict, of a stable code, with the cause', async () => {
    const { store, search } = await readySearcher({}, { strict: true })
    store.failure = new Error('connection refused')
    const error = await search('send the mail').catch(error => error)
    expect(error).toMatchObject({ code: 'SEARCH_UNAVAILABLE', cause: { code: 'VECTOR_STORE_FAILED' } })
    expect(error.message).toContain('connection refused')
  })

  it('rejects warmup, which can be called again', async () => {
    const store = memoryStore()
    const { warmup, search } = searcherOver({ store, indexName: 'tools' })
    store.failure = new Error('no route to host')
    await expect(warmup()).rejects.toMatchObject({ code: 'VECTOR_STORE_FAILED', message: /no route to host/ })
    store.failure = undefined
    await warmup()
    expect((await search('send the mail')).mode).toBe('hybrid')
  })

  it('is asked by one try at a time, however often warmup was called', async () => {
    vi.useFakeTimers()
    try {
      const store = memoryStore()
      const { warmup } = searcherOver({ store, indexName: 'tools' })
      store.failure = new Error('no route to host')
      for (let at = 0; at < 20; at++) await expect(warmup()).rejects.toThrow(/no route/)
      store.calls.length = 0
      await vi.advanceTimersByTimeAsync(60_000)
      // Every fifteen seconds.
      expect(store.calls.length).toBeGreaterThanOrEqual(3)
      expect(store.calls.length).toBeLessThanOrEqual(5)
    } finally {
      vi.useRealTimers()
    }
  })

  it.each([
    ['an index of another model', wordEmbedder({ modelId: 'another-bag' })],
    [
      'an index of another dimension',
      wordEmbedder({ dimensions: 2, embedDocuments: async t => t.map(() => new Float32Array([1, 0])) }),
    ],
  ])('has %s: once that is deleted, it serves without a restart', async (_, embedder) => {
    vi.useFakeTimers()
    try {
      const store = memoryStore()
      await searcherOver({ store, indexName: 'tools' }, { embedder }).warmup()
      const { search, warn } = searcherOver({ store, indexName: 'tools' })
      expect((await search('send the mail')).mode).toBe('lexical')
      await vi.advanceTimersByTimeAsync(300_000)
      expect((await search('send the mail')).mode).toBe('lexical')
      store.indexes.clear()
      await vi.advanceTimersByTimeAsync(61_000)
      expect((await search('send the mail')).mode).toBe('hybrid')
      expect(warn.mock.calls).toEqual([[expect.stringMatching(/words alone.*another|words alone.*dimensions/)]])
    } finally {
      vi.useRealTimers()
    }
  })

  it('tells why where Node names several addresses and no message', async () => {
    const store = memoryStore()
    const { warmup } = searcherOver({ store, indexName: 'tools' })
    store.failure = new AggregateError([new Error('connect ECONNREFUSED ::1:5432'), new Error('other')])
    await expect(warmup()).rejects.toThrow('connect ECONNREFUSED ::1:5432')
  })
})

describe('a store that is empty or slow to fill', () => {
  it('leaves searches to the words until it has the catalog', async () => {
    const store = memoryStore()
    const { search, embedder, warn } = searcherOver({ store, indexName: 'tools', timeoutMs: 20 })
    let open = () => {}
    embedder.gate = new Promise(resolve => {
      open = resolve
    })
    // The query's embedding waits at the same gate, so its own is let through.
    const embedQueries = wordEmbedder().embedQueries
    embedder.embedQueries = embedQueries
    const { mode, results } = await search('send the mail')
    expect(mode).toBe('lexical')
    expect(results[0]!.name).toBe('send_mail')
    open()
    await vi.waitFor(async () => expect((await search('send the mail')).mode).toBe('hybrid'))
    expect(warn).toHaveBeenCalledTimes(1)
    expect(warn.mock.calls[0]![0]).toContain('0 of the catalog')
  })

  it('is written again after someone emptied it', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    try {
      const { store, search } = await readySearcher()
      store.indexes.get('tools')!.rows.clear()
      vi.advanceTimersByTime(3_600_000)
      expect((await search('send the mail')).mode).toBe('lexical')
      await vi.waitFor(() => expect(store.indexes.get('tools')!.rows.size).toBe(80))
    } finally {
      vi.useRealTimers()
    }
  })

  const otherTools = Object.fromEntries(
    Array.from({ length: 300 }, (_, at) => [`other_${at}`, { description: `Lets you send or read a photo ${at}.` }]),
  )

  it('is written again after another catalog took its place', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    try {
      const { store, search } = await readySearcher()
      const own = new Set(store.indexes.get('tools')!.rows.keys())
      const ownRows = () => [...store.indexes.get('tools')!.rows.keys()].filter(id => own.has(id)).length
      await searcherOver({ store, indexName: 'tools', removeAfterMs: 0 }, { tools: otherTools }).warmup()
      expect(ownRows()).toBe(0)
      vi.advanceTimersByTime(3_600_000)
      // The answer has rows, of the other catalog alone, and no words lead to tools that it lacks.
      expect((await search('xylophone')).mode).toBe('hybrid')
      await vi.waitFor(() => expect(ownRows()).toBe(80))
      const { mode, candidates } = await search('please send that photo', { explain: true })
      expect(mode).toBe('hybrid')
      expect(candidates![0]).toMatchObject({ name: 'send_photo', dense: { cosineSimilarity: expect.any(Number) } })
    } finally {
      vi.useRealTimers()
    }
  })

  it('is not listed again and again where another catalog shares it', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    try {
      const { store, search } = await readySearcher()
      await searcherOver({ store, indexName: 'tools' }, { tools: otherTools }).warmup()
      store.calls.length = 0
      for (const query of officeQueries) {
        vi.advanceTimersByTime(10_000)
        expect((await search(query)).mode).toBe('hybrid')
        await new Promise(resolve => setImmediate(resolve))
      }
      expect(store.calls).not.toContain('describeIndex')
    } finally {
      vi.useRealTimers()
    }
  })

  it('lost its rows: with sync: false, searches go by words', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    try {
      const { store } = await readySearcher()
      const { search, warmup } = searcherOver({ store, indexName: 'tools', sync: false })
      await warmup()
      const { rows } = store.indexes.get('tools')!
      for (const id of [...rows.keys()].slice(0, 40)) rows.delete(id)
      vi.advanceTimersByTime(3_600_000)
      await search('please send that photo')
      await vi.waitFor(async () => expect((await search('please send that photo')).mode).toBe('lexical'))
      expect(rows.size).toBe(40)
    } finally {
      vi.useRealTimers()
    }
  })

  it('has a few of the catalog missing: these are found by their words, the others as ever', async () => {
    const { store, embedder } = await readySearcher()
    const tools = { ...officeTools(), pay_bill: { description: 'Pays a bill.' } }
    const searcher = createToolSearcher({
      tools,
      embedder,
      warn: vi.fn(),
      vectorStore: { store, indexName: 'tools', sync: false },
    })
    await searcher.warmup()
    const { mode, results } = await searcher.search('pays a bill', { explain: true })
    expect(mode).toBe('hybrid')
    expect(results[0]!.name).toBe('pay_bill')
  })
})

describe('a store whose scores are no cosine similarities', () => {
  const scales: [string, (similarity: number) => number][] = [
    ['mapped to 0–1', similarity => (1 + similarity) / 2],
    ['of a scale of its own', similarity => Math.exp(3 * similarity)],
  ]
  it.each(scales)('is read right: %s', async (_, scoreOf) => {
    const store = memoryStore()
    store.scoreOf = scoreOf
    const local = createToolSearcher({ tools: officeTools(), embedder: wordEmbedder() })
    // The one that writes the rows, and one that finds them.
    for (const { warmup, search } of [1, 2].map(() => searcherOver({ store, indexName: 'tools' }))) {
      await warmup()
      for (const query of officeQueries) {
        const [here, there] = [await local.search(query), await search(query)]
        expect(there.results.map(({ name }) => name)).toEqual(here.results.map(({ name }) => name))
        for (const [at, { score }] of there.results.entries()) expect(score).toBeCloseTo(here.results[at]!.score, 4)
      }
    }
  })
})

describe('the processor with a store', () => {
  it('keeps tools that a request brings in this process', async () => {
    const store = memoryStore()
    const embedder = wordEmbedder()
    const processor = new SemanticToolSearchProcessor({
      tools: officeTools(),
      includeResolvedTools: true,
      embedder,
      vectorStore: { store, indexName: 'tools' },
    })
    await processor.warmup()
    const search = async (tools: Record<string, unknown>) => {
      const messageList = { addSystem: () => {} }
      const step = await processor.processInputStep({ messageList, tools, messages: [] } as never)
      const run = step.tools.search_tools.execute as (
        input: object,
        context: object,
      ) => Promise<{ results: { name: string }[] }>
      return (await run({ query: 'water the garden plants' }, {})).results.map(({ name }) => name)
    }
    expect((await search({ water_plants: { description: 'Waters the plants of a garden.' } }))[0]).toBe('water_plants')
    expect(store.indexes.get('tools')!.rows.size).toBe(80)
    expect(await search({})).not.toContain('water_plants')
    processor.dispose()
  })

  it('stops writing when it is disposed of', async () => {
    const store = memoryStore()
    const embedder = wordEmbedder()
    const vectorStore = { store, indexName: 'tools' }
    const processor = new SemanticToolSearchProcessor({ tools: officeTools(), embedder, vectorStore })
    let open = () => {}
    embedder.gate = new Promise(resolve => {
      open = resolve
    })
    const warmed = processor.warmup()
    await vi.waitFor(() => expect(embedder.documentCalls).toHaveLength(1))
    processor.dispose()
    open()
    await expect(warmed).rejects.toThrow(/disposed of/)
    expect(store.indexes.get('tools')!.rows.size).toBe(0)
  })

  it('writes nothing when it is disposed of at once', async () => {
    const store = memoryStore()
    const vectorStore = { store, indexName: 'tools' }
    const processor = new SemanticToolSearchProcessor({ tools: officeTools(), embedder: wordEmbedder(), vectorStore })
    const warmed = processor.warmup()
    processor.dispose()
    await expect(warmed).rejects.toThrow(/disposed of/)
    expect(store.calls).toEqual([])
  })

  it('leaves no timer when it is disposed of while the store hangs', async () => {
    vi.useFakeTimers()
    try {
      const store = memoryStore()
      store.gate = forever()
      const vectorStore = { store, indexName: 'tools' }
      const processor = new SemanticToolSearchProcessor({ tools: officeTools(), embedder: wordEmbedder(), vectorStore })
      const warmed = processor.warmup().catch((error: Error) => error)
      await vi.waitFor(() => expect(store.calls).toEqual(['listIndexes']))
      processor.dispose()
      expect(await warmed).toMatchObject({ message: expect.stringMatching(/disposed of/) })
      expect(vi.getTimerCount()).toBe(0)
    } finally {
      vi.useRealTimers()
    }
  })
})
