import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createToolSearcher, type ToolSearcherOptions } from '../../src/searcher.js'
import type { SearchOptions, SearchResponse } from '../../src/searcher-types.js'
import { vectorIndexName } from '../../src/vector-index-name.js'
import type { VectorStore, VectorStoreOptions } from '../../src/vector-store/vector-store.js'
import { type WordEmbedder, wordEmbedder } from '../searcher/word-embedder.js'

export interface OpenedStore {
  readonly store: VectorStore
  close(): Promise<void>
}

type Tools = Record<string, { description: string }>

const VERBS = ['send', 'read', 'delete', 'list', 'create', 'archive', 'rename', 'share', 'print', 'translate']
const THINGS = ['mail', 'invoice', 'ticket', 'calendar event', 'file', 'customer record', 'photo', 'song']

/** 80 tools whose texts overlap in words, and queries with some of these. */
export function officeTools(): Tools {
  return Object.fromEntries(
    VERBS.flatMap(verb =>
      THINGS.map(thing => [
        `${verb}_${thing.replace(' ', '_')}`,
        { description: `Lets you ${verb} a ${thing} at work.` },
      ]),
    ),
  )
}

export const officeQueries = VERBS.flatMap(verb => [`please ${verb} that photo`, `${verb} the customer ticket`])

// Searched by its clauses, too.
const LONG_QUERY =
  'Please send the long mail about the new office to all of my colleagues, then print the last invoice of this month and ' +
  'translate the customer record of Anna into French.'

const documentsOf = ({ documentCalls }: WordEmbedder) => documentCalls.flat().length

/** What holds with every store of Mastra's. `open` gives undefined where this machine cannot have one. */
export function describeStore(name: string, open: () => Promise<OpenedStore | undefined>): void {
  describe(name, () => {
    let opened: OpenedStore | undefined
    let indexes = 0
    beforeAll(async () => {
      opened = await open()
    }, 600_000)
    afterAll(() => opened?.close())

    const test = (title: string, work: (store: VectorStore, indexName: string) => Promise<void>) =>
      it(title, async context => {
        if (!opened) return context.skip('no such store on this machine')
        await work(opened.store, `tools_${indexes++}`)
      })

    function searcherOver(
      tools: Tools,
      vectorStore: VectorStoreOptions,
      { embedder = wordEmbedder(), ...options }: Partial<ToolSearcherOptions> = {},
    ) {
      const warn = vi.fn()
      const searcher = createToolSearcher({
        tools,
        embedder,
        warn,
        vectorStore: { timeoutMs: 30_000, ...vectorStore },
        ...options,
      })
      return { ...searcher, embedder: embedder as WordEmbedder, warn }
    }

    /** One synchronisation, and the number of rows after it. */
    async function synchronise(tools: Tools, vectorStore: VectorStoreOptions, embedder = wordEmbedder()) {
      await searcherOver(tools, vectorStore, { embedder }).warmup()
      const { store, indexName, namespace } = vectorStore
      const { count } = await store.describeIndex({ indexName: vectorIndexName({ store, indexName, namespace }) })
      return { embedded: documentsOf(embedder), count }
    }

    const rankedBy = async (searcher: ReturnType<typeof createToolSearcher>, query: string, options?: SearchOptions) =>
      (await searcher.search(query, { minScore: 0, ...options })).results.map(result => result.name)

    test('returns what the local index returns, with the same scores', async (store, indexName) => {
      const tools = officeTools()
      const remote = searcherOver(tools, { store, indexName })
      const local = createToolSearcher({ tools, embedder: wordEmbedder() })
      await remote.warmup()
      for (const query of [...officeQueries, LONG_QUERY]) {
        const [here, there] = [await local.search(query), await remote.search(query)]
        expect(there.mode).toBe('hybrid')
        expect(there.results.map(result => result.name)).toEqual(here.results.map(result => result.name))
        for (const [at, { score }] of there.results.entries()) expect(score).toBeCloseTo(here.results[at]!.score, 4)
      }
      expect(remote.warn).not.toHaveBeenCalled()
    })

    test('embeds each document once, however many processes start', async (store, indexName) => {
      expect(await synchronise(officeTools(), { store, indexName })).toEqual({ embedded: 80, count: 80 })
      expect(await synchronise(officeTools(), { store, indexName })).toEqual({ embedded: 0, count: 80 })
    })

    test('embeds only what is new or changed, and deletes what is gone', async (store, indexName) => {
      await synchronise(officeTools(), { store, indexName })
      const { send_mail, read_file, ...kept } = officeTools()
      const changed = { ...kept, send_mail: { description: 'Sends a letter.' }, pay: { description: 'Pays a bill.' } }
      const { embedded, count } = await synchronise(changed, { store, indexName, removeAfterMs: 0 })
      expect(embedded).toBe(2)
      expect(count).toBe(80 - 2 + 2)
    })

    test('keeps what is gone for as long as an older version may run, then deletes it', async (store, indexName) => {
      const { send_mail, ...fewer } = officeTools()
      await synchronise(officeTools(), { store, indexName })
      expect((await synchronise(fewer, { store, indexName })).count).toBe(80)
      // The older version starts once more: its row does not leave any longer.
      expect(await synchronise(officeTools(), { store, indexName })).toEqual({ embedded: 0, count: 80 })
      expect((await synchronise(fewer, { store, indexName, removeAfterMs: 1 })).count).toBe(80)
      await new Promise(resolve => setTimeout(resolve, 5))
      expect((await synchronise(fewer, { store, indexName, removeAfterMs: 1 })).count).toBe(79)
    })

    test('never returns a name that only the store knows', async (store, indexName) => {
      await synchronise(officeTools(), { store, indexName })
      const mine = { read_photo: officeTools().read_photo!, my_own: { description: 'Does something of mine.' } }
      const searcher = searcherOver(mine, { store, indexName })
      await searcher.warmup()
      for (const query of officeQueries) {
        for (const found of await rankedBy(searcher, query, { topK: 50 })) expect(Object.keys(mine)).toContain(found)
      }
      expect(await rankedBy(searcher, 'have a look at the photo')).toContain('read_photo')
    })

    test('is not confused by two processes that start at once', async (store, indexName) => {
      const embedders = [wordEmbedder(), wordEmbedder()]
      const both = embedders.map(embedder => searcherOver(officeTools(), { store, indexName }, { embedder }))
      await Promise.all(both.map(searcher => searcher.warmup()))
      expect((await store.describeIndex({ indexName })).count).toBe(80)
      const names = await Promise.all(both.map(searcher => rankedBy(searcher, 'archive the invoice')))
      expect(names[0]).toEqual(names[1])
      expect(names[0]![0]).toBe('archive_invoice')
    })

    test('goes on where an interrupted synchronisation ended', async (store, indexName) => {
      // 240 documents: two batches.
      const tools = Object.fromEntries(
        Object.entries(officeTools()).flatMap(([key, { description }]) =>
          ['', '_twice', '_thrice'].map(suffix => [key + suffix, { description: `${description} ${suffix}` }]),
        ),
      )
      const breaking = wordEmbedder()
      const embed = breaking.embedDocuments
      breaking.embedDocuments = async texts => {
        if (breaking.documentCalls.length > 0) throw new Error('the model broke')
        return embed(texts)
      }
      await expect(searcherOver(tools, { store, indexName }, { embedder: breaking }).warmup()).rejects.toThrow(
        /model broke/,
      )
      // What was being written when it broke off arrives.
      await vi.waitFor(async () => expect((await store.describeIndex({ indexName })).count).toBe(128), {
        timeout: 30_000,
      })
      expect(await synchronise(tools, { store, indexName })).toEqual({ embedded: 240 - 128, count: 240 })
    })

    test('keeps namespaces apart', async (store, indexName) => {
      const tenants = ['acme', 'Acme', 'umbrella corp. (日本)']
      for (const [at, namespace] of tenants.entries()) {
        const tools = Object.fromEntries(Object.entries(officeTools()).slice(at * 20, at * 20 + 20))
        const { count } = await synchronise(tools, { store, indexName, namespace })
        expect(count).toBe(20)
        const searcher = searcherOver(tools, { store, indexName, namespace, sync: false })
        expect(await rankedBy(searcher, 'mail invoice ticket', { topK: 80 })).toHaveLength(20)
      }
    })

    test('takes the shortest and the longest name, also with the longest namespace', async (store, indexName) => {
      for (const name of ['_', `${indexName}_${'X'.repeat(32)}`.slice(0, 32)]) {
        for (const namespace of [undefined, 'n'.repeat(200)]) {
          expect((await synchronise(officeTools(), { store, indexName: name, namespace })).count).toBe(80)
        }
      }
    })

    test('takes tools of whatever names and texts', async (store, indexName) => {
      const odd = ['a\0b', 'half \ud800', `"'; DROP TABLE ${indexName}; --`, '日本', 'long'.repeat(10_000), '__proto__']
      const tools = Object.fromEntries(odd.map((name, at) => [name, { description: `Number ${at}: ${name}` }]))
      expect((await synchronise({ ...officeTools(), ...tools }, { store, indexName })).count).toBe(80 + odd.length)
      const searcher = searcherOver({ ...officeTools(), ...tools }, { store, indexName, sync: false })
      expect((await searcher.search('number 3')).results[0]!.name).toBe('日本')
      expect((await searcher.search('send the mail')).mode).toBe('hybrid')
    })

    test('asks for more until enough are allowed', async (store, indexName) => {
      const tools = officeTools()
      const remote = searcherOver(tools, { store, indexName })
      await remote.warmup()
      const allowed = ['translate_song', 'print_file', 'share_photo', 'list_calendar_event']
      const asked: string[] = []
      const { results } = await remote.search('send the mail', {
        minScore: 0,
        topK: 3,
        accept: entry => {
          asked.push(entry.name)
          return allowed.includes(entry.name)
        },
      })
      expect(results).toHaveLength(3)
      for (const { name } of results) expect(allowed).toContain(name)
      expect(new Set(asked).size).toBe(asked.length)
    })

    test('explains its candidates', async (store, indexName) => {
      const remote = searcherOver(officeTools(), { store, indexName })
      const local = createToolSearcher({ tools: officeTools(), embedder: wordEmbedder() })
      await remote.warmup()
      const [here, there] = await Promise.all(
        [local, remote].map(searcher => searcher.search('read the song', { explain: true })),
      )
      const rounded = ({ candidates }: SearchResponse) =>
        candidates!.map(each => ({
          ...each,
          score: each.score.toFixed(4),
          dense: each.dense?.cosineSimilarity.toFixed(4),
        }))
      expect(rounded(there!).slice(0, 10)).toEqual(rounded(here!).slice(0, 10))
    })

    test('writes nothing with sync: false, and finds what was pushed later', async (store, indexName) => {
      const reader = searcherOver(officeTools(), { store, indexName, sync: false, timeoutMs: 2_000 })
      expect((await reader.search('send the mail')).mode).toBe('lexical')
      expect(await store.listIndexes()).not.toContain(indexName)
      await expect(reader.warmup()).rejects.toMatchObject({ code: 'VECTOR_STORE_FAILED' })
      await synchronise(officeTools(), { store, indexName })
      await vi.waitFor(async () => expect((await reader.search('send the mail')).mode).toBe('hybrid'), {
        timeout: 30_000,
      })
      expect(documentsOf(reader.embedder)).toBe(0)
      expect(reader.warn).toHaveBeenCalledTimes(1)
    })

    test('refuses an index of another model, naming both', async (store, indexName) => {
      await synchronise(officeTools(), { store, indexName })
      const embedder = wordEmbedder({ modelId: 'another-bag' })
      const other = searcherOver(officeTools(), { store, indexName }, { embedder })
      const error = await other.warmup().catch(error => error)
      expect(error).toMatchObject({ code: 'VECTOR_STORE_MISMATCH', property: 'model' })
      expect(error.message).toMatch(/bag-of-words.*another-bag/)
      expect((await other.search('send the mail')).mode).toBe('lexical')
      expect((await store.describeIndex({ indexName })).count).toBe(80)
    })

    test('refuses an index of another dimension, and rows of other writers', async (store, indexName) => {
      await store.createIndex({ indexName, dimension: 3, metric: 'cosine' })
      const vectorStore = { store, indexName }
      await expect(searcherOver(officeTools(), vectorStore).warmup()).rejects.toMatchObject({
        code: 'VECTOR_STORE_MISMATCH',
        message: expect.stringMatching(/dimensions 3.*256/),
      })
      const documents = `${indexName}_rag`
      await store.createIndex({ indexName: documents, dimension: 256, metric: 'cosine' })
      const vectors = [Array.from({ length: 256 }, () => 0.1)]
      await store.upsert({ indexName: documents, ids: ['chunk'], vectors, metadata: [{ text: 'A chunk.' }] })
      await expect(searcherOver(officeTools(), { store, indexName: documents }).warmup()).rejects.toMatchObject({
        code: 'VECTOR_STORE_MISMATCH',
        property: 'row',
      })
      expect((await store.describeIndex({ indexName: documents })).count).toBe(1)
    })
  })
}
