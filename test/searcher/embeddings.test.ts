import { describe, expect, it, vi } from 'vitest'
import { SearchUnavailableError, ToolSearchError } from '../../src/errors.js'
import { createToolSearcher } from '../../src/searcher.js'
import { wordEmbedder } from './word-embedder.js'

const TOOLS = {
  weather: { description: 'Weather forecast for a city' },
  invoice: { description: 'Write an invoice' },
  lamp: { description: 'Switches the light' },
}

function setUp({
  strict = false,
  members = {},
}: {
  strict?: boolean
  members?: Parameters<typeof wordEmbedder>[0]
} = {}) {
  const embedder = wordEmbedder(members)
  const warn = vi.fn<(message: string) => void>()
  return { embedder, warn, searcher: createToolSearcher({ tools: TOOLS, embedder, strict, warn }) }
}

function gate(): { promise: Promise<void>; open: () => void } {
  let open = () => {}
  const promise = new Promise<void>(resolve => {
    open = resolve
  })
  return { promise, open }
}

describe('embeddings', () => {
  it('are made once for searches that come at once', async () => {
    const { embedder, searcher } = setUp()
    await Promise.all(['weather', 'invoice', 'light', 'weather'].map(query => searcher.search(query)))
    expect(embedder.documentCalls.map(texts => texts.length)).toEqual([3])
    expect(embedder.queryCalls.flat().sort()).toEqual(['invoice', 'light', 'weather'])
  })

  it('of a query are kept for its repeats', async () => {
    const { embedder, searcher } = setUp()
    for (let i = 0; i < 3; i++) await searcher.search('weather')
    expect(embedder.queryCalls).toEqual([['weather']])
  })

  it('are not made when the searcher is created', async () => {
    const { embedder } = setUp()
    await new Promise(resolve => setImmediate(resolve))
    expect([embedder.documentCalls, embedder.queryCalls]).toEqual([[], []])
  })

  it('are made ahead by warmup, which loads the model, too', async () => {
    const load = vi.fn(async () => {})
    const { embedder, searcher } = setUp({ members: { load } })
    await Promise.all([searcher.warmup(), searcher.warmup()])
    expect(load).toHaveBeenCalled()
    expect(embedder.documentCalls).toHaveLength(1)
    await searcher.search('weather')
    expect(embedder.documentCalls).toHaveLength(1)
  })

  it('replace an empty document, which has nothing to embed', async () => {
    const embedder = wordEmbedder()
    await createToolSearcher({ tools: { ___: {} }, embedder, strict: true }).search('weather')
    expect(embedder.documentCalls.flat().every(text => text !== '')).toBe(true)
  })
})

describe('a failing embedder', () => {
  it('leaves lexical results and one warning', async () => {
    const { embedder, warn, searcher } = setUp()
    embedder.failure = new Error('out of memory')
    for (let i = 0; i < 3; i++) {
      const { mode, results } = await searcher.search('weather forecast')
      expect(mode).toBe('lexical')
      expect(results.map(({ name }) => name)).toEqual(['weather'])
      expect(results[0]!.score).toBeLessThanOrEqual(1)
    }
    expect(warn).toHaveBeenCalledTimes(1)
    expect(warn.mock.calls[0]![0]).toContain('out of memory')
  })

  it('that gives another reason each time still leaves one warning', async () => {
    const { embedder, warn, searcher } = setUp()
    for (let i = 0; i < 4; i++) {
      embedder.failure = new Error(`request ${i} timed out`)
      await searcher.search(`weather ${i}`)
    }
    expect(warn).toHaveBeenCalledTimes(1)
  })

  it('is asked again by the next search, which is hybrid when it works', async () => {
    const { embedder, warn, searcher } = setUp()
    embedder.failure = new Error('down')
    expect((await searcher.search('weather')).mode).toBe('lexical')
    embedder.failure = undefined
    expect((await searcher.search('weather')).mode).toBe('hybrid')
    expect((await searcher.search('invoice')).mode).toBe('hybrid')
    expect(warn).toHaveBeenCalledTimes(1)
  })

  it('that fails on a query alone leaves the documents’ vectors in place', async () => {
    const { embedder, searcher } = setUp()
    await searcher.warmup()
    embedder.failure = new Error('down')
    expect((await searcher.search('weather')).mode).toBe('lexical')
    embedder.failure = undefined
    expect((await searcher.search('weather')).mode).toBe('hybrid')
    expect(embedder.documentCalls).toHaveLength(1)
  })

  it('finds exact names, and small talk finds nothing', async () => {
    const { embedder, searcher } = setUp()
    embedder.failure = new Error('down')
    expect((await searcher.search('use the `lamp` tool')).results[0]).toEqual({ name: 'lamp', score: 1 })
    expect((await searcher.search('hello there')).results).toEqual([])
  })

  it.each([
    ['a wrong dimension', async (texts: readonly string[]) => texts.map(() => [1, 2, 3])],
    ['NaN', async (texts: readonly string[]) => texts.map(() => new Array(256).fill(Number.NaN))],
    ['too few vectors', async () => []],
    ['no promise', (() => undefined) as never],
  ])('that returns %s is one', async (_, embedDocuments) => {
    const { warn, searcher } = setUp({ members: { embedDocuments } })
    const { mode, results } = await searcher.search('weather')
    expect([mode, results[0]?.name]).toEqual(['lexical', 'weather'])
    expect(warn).toHaveBeenCalledTimes(1)
    const strict = setUp({ strict: true, members: { embedDocuments } })
    await expect(strict.searcher.search('weather')).rejects.toBeInstanceOf(SearchUnavailableError)
  })

  it('makes the search fail with strict, naming the cause', async () => {
    const { embedder, warn, searcher } = setUp({ strict: true })
    const failure = new Error('out of memory')
    embedder.failure = failure
    const error = await searcher.search('weather').catch(reason => reason)
    expect(error).toBeInstanceOf(SearchUnavailableError)
    expect(error).toMatchObject({ code: 'SEARCH_UNAVAILABLE', name: 'SearchUnavailableError' })
    expect(error.message).toContain('out of memory')
    expect(error.cause).toBeInstanceOf(ToolSearchError)
    expect(error.cause.cause).toBe(failure)
    expect(warn).not.toHaveBeenCalled()
    embedder.failure = undefined
    expect((await searcher.search('weather')).mode).toBe('hybrid')
  })

  it('makes warmup fail, and a later warmup succeed', async () => {
    const { embedder, searcher } = setUp()
    embedder.failure = new Error('down')
    await expect(searcher.warmup()).rejects.toThrow('down')
    embedder.failure = undefined
    await expect(searcher.warmup()).resolves.toBeUndefined()
  })

  it('whose warning cannot be delivered does not break the search', async () => {
    const embedder = wordEmbedder()
    embedder.failure = new Error('down')
    const warn = () => {
      throw new Error('logger')
    }
    const searcher = createToolSearcher({ tools: TOOLS, embedder, warn })
    expect((await searcher.search('weather')).results[0]?.name).toBe('weather')
  })
})

describe('an abort', () => {
  it('before the search rejects with its reason and embeds nothing', async () => {
    const { embedder, searcher } = setUp()
    const reason = new Error('stopped')
    await expect(searcher.search('weather', { abortSignal: AbortSignal.abort(reason) })).rejects.toBe(reason)
    expect([embedder.documentCalls, embedder.queryCalls]).toEqual([[], []])
  })

  it.each([false, true])(
    'while embedding rejects with its reason (strict: %s), and disturbs no one else',
    async strict => {
      const { embedder, warn, searcher } = setUp({ strict })
      const { promise, open } = gate()
      embedder.gate = promise
      const controller = new AbortController()
      const stopped = searcher.search('weather', { abortSignal: controller.signal }).catch(reason => reason)
      const waiting = searcher.search('weather')
      await new Promise(resolve => setTimeout(resolve, 5))
      const reason = new Error('stopped')
      controller.abort(reason)
      expect(await stopped).toBe(reason)
      open()
      expect((await waiting).results[0]?.name).toBe('weather')
      expect(warn).not.toHaveBeenCalled()
      expect(embedder.documentCalls).toHaveLength(1)
      expect(embedder.queryCalls).toHaveLength(1)
    },
  )

  it('while the documents are embedded leaves the work to the next search', async () => {
    const { embedder, searcher } = setUp()
    const { promise, open } = gate()
    const embedDocuments = embedder.embedDocuments
    embedder.embedDocuments = async texts => {
      const vectors = await embedDocuments(texts)
      await promise
      return vectors
    }
    const controller = new AbortController()
    const stopped = searcher.search('weather', { abortSignal: controller.signal }).catch(reason => reason)
    await new Promise(resolve => setTimeout(resolve, 5))
    expect(embedder.documentCalls).toHaveLength(1)
    controller.abort()
    expect((await stopped).name).toBe('AbortError')
    open()
    expect((await searcher.search('weather')).mode).toBe('hybrid')
    expect(embedder.documentCalls).toHaveLength(1)
  })

  it('of an embedder that fails later leaves no unhandled rejection', async () => {
    const { embedder, searcher } = setUp()
    const { promise, open } = gate()
    embedder.gate = promise
    embedder.failure = new Error('late')
    const controller = new AbortController()
    const stopped = searcher.search('weather', { abortSignal: controller.signal }).catch(reason => reason)
    await new Promise(resolve => setTimeout(resolve, 5))
    controller.abort()
    expect((await stopped).name).toBe('AbortError')
    open()
    // vitest fails the run on an unhandled rejection.
    await new Promise(resolve => setTimeout(resolve, 5))
  })

  it('while the filter is asked stops asking', async () => {
    const { searcher } = setUp()
    const controller = new AbortController()
    let asked = 0
    const search = searcher.search('weather', {
      minScore: 0,
      abortSignal: controller.signal,
      accept: () => {
        asked++
        controller.abort()
        return false
      },
    })
    await expect(search).rejects.toMatchObject({ name: 'AbortError' })
    expect(asked).toBe(1)
  })
})
