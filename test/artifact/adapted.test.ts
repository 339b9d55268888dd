import { describe, expect, it } from 'vitest'
import { adaptToolIndex } from '../../src/adapt/adapt-index.js'
import { pulled, pullShare } from '../../src/adapt/pull.js'
import { buildToolIndex } from '../../src/artifact/build.js'
import { openToolIndex } from '../../src/artifact/open.js'
import type { ToolIndex } from '../../src/artifact/tool-index.js'
import { verifyToolIndex } from '../../src/artifact/verify.js'
import { createCatalog, mergeCatalog } from '../../src/catalog/catalog.js'
import { checkedEmbedder } from '../../src/embedding/checked.js'
import { seededRandom } from '../../src/random.js'
import { createCatalogSearcher, createToolSearcher } from '../../src/searcher.js'
import { HNSW_MIN_SIZE } from '../../src/vector/hnsw.js'
import { mappedQuery } from '../../src/vector/mapped-query.js'
import { queryFor, toolNamed, turnedEmbedder, turnedTools } from '../adapt/turned-embedder.js'
import { handMadeEmbedder } from '../embedding/hand-made-embedder.js'
import { writeAdapted } from './fixtures/adapted.js'
import { hashesOf, readFolder } from './fixtures/folder-state.js'
import { recallOf } from './fixtures/oracle.js'
import { shortTools } from './fixtures/short-tools.js'
import { newFolders } from './tool-folder.js'

const newFolder = newFolders()
const COUNT = 40
const tools = turnedTools(COUNT)
const embedder = turnedEmbedder()
const queries = Array.from({ length: COUNT * 3 }, (_, at) => ({
  query: queryFor(at % COUNT, Math.floor(at / COUNT)),
  relevant: [toolNamed(at % COUNT)],
}))
const fresh = Array.from({ length: COUNT }, (_, at) => ({ query: queryFor(at, 5), relevant: toolNamed(at) }))
const quiet = { warn: () => {} }

async function hits(index: string | ToolIndex | undefined): Promise<number> {
  const searcher = createToolSearcher({ tools, embedder, strict: true, index, ...quiet })
  let found = 0
  for (const { query, relevant } of fresh) {
    const { results } = await searcher.search(query, { topK: 1, minScore: 0 })
    if (results[0]?.name === relevant) found++
  }
  return found
}

const out = newFolder()
const report = await adaptToolIndex({ tools, queries, out, embedder, ...quiet })

describe('adaptToolIndex', { timeout: 60_000 }, () => {
  it('finds more on queries that it did not learn from, and says how much', async () => {
    expect(report).toMatchObject({ helps: true, reason: null, build: { written: true, path: out } })
    expect(report.adaptation).toMatchObject({ queries: 120, tools: COUNT })
    expect(report.adaptation!.gain.low).toBeGreaterThan(0)
    expect(await hits(out)).toBeGreaterThan((await hits(undefined)) + 5)
  })

  it('keeps what the model made, and stores what it learnt beside it', async () => {
    const plain = newFolder()
    await buildToolIndex({ tools, out: plain, embedder, ...quiet })
    const [before, after] = [await openToolIndex(plain), await openToolIndex(out)]
    expect(after.documentVectors).toEqual(before.vectors)
    expect(before.documentVectors).toBe(before.vectors)
    const { adaptation, manifest } = after
    expect(manifest.adaptation).toEqual(report.adaptation)
    manifest.tools.forEach(({ name, queries: count }, row) => {
      const own = before.vectors.subarray(row * 16, row * 16 + 16)
      const mean = adaptation!.means.get(name)
      const expected = mean ? pulled(own, mean, pullShare(manifest.adaptation!.pull, count)) : own
      expect(after.vectors.subarray(row * 16, row * 16 + 16)).toEqual(expected)
    })
    const query = Float32Array.from({ length: 16 }, (_, i) => (i === 3 ? 1 : 0))
    expect(adaptation!.mapQuery(query)).toEqual(adaptation!.map ? mappedQuery(adaptation!.map, query) : query)
  })

  it('writes the same bytes each time, of tools and of an index, whatever was adapted before', async () => {
    const epoch = process.env.SOURCE_DATE_EPOCH
    process.env.SOURCE_DATE_EPOCH = '1700000000'
    try {
      const [first, second, third] = [newFolder(), newFolder(), newFolder()]
      await adaptToolIndex({ tools, queries, out: first, embedder, ...quiet })
      await adaptToolIndex({ tools, queries, index: out, out: second, embedder, ...quiet })
      await adaptToolIndex({ queries, index: out, out: third, embedder, ...quiet })
      // The third has the words of names alone to measure with; what is learnt is the same.
      expect(hashesOf(readFolder(second))).toEqual(hashesOf(readFolder(first)))
      expect((await openToolIndex(third)).manifest.files.vectors).toEqual(
        (await openToolIndex(first)).manifest.files.vectors,
      )
      await buildToolIndex({ tools, out: first, embedder, ...quiet })
      expect(hashesOf(readFolder(first))).toEqual(hashesOf(readFolder(second)))
    } finally {
      if (epoch === undefined) delete process.env.SOURCE_DATE_EPOCH
      else process.env.SOURCE_DATE_EPOCH = epoch
    }
  })

  it('refuses labels drawn at random, and writes nothing', async () => {
    const folder = newFolder()
    const random = seededRandom(5)
    const wrong = queries.map(({ query }) => ({ query, relevant: [toolNamed(Math.floor(random() * COUNT))] }))
    const refused = await adaptToolIndex({ tools, queries: wrong, out: folder, embedder, ...quiet })
    expect(refused).toMatchObject({ helps: false, build: null })
    expect(refused.reason).toMatch(/not beyond noise|Nothing that can be learnt/)
    expect(() => readFolder(folder)).toThrow('ENOENT')
  })

  it('refuses too few queries, and leaves those that nothing fits out', async () => {
    const few = [
      ...queries.slice(0, 9),
      ...Array.from({ length: 50 }, (_, at) => ({ query: `hello ${at}`, relevant: [] })),
    ]
    const refused = await adaptToolIndex({ tools, queries: few, out: newFolder(), embedder, ...quiet })
    expect(refused).toMatchObject({ helps: false, adaptation: null, reason: expect.stringContaining('queries (9)') })
    const more = [...queries, ...few.slice(9)]
    const again = await adaptToolIndex({ tools, queries: more, out: newFolder(), embedder, ...quiet })
    expect(again.adaptation).toEqual(report.adaptation)
  })

  it('refuses names that are not there, and options that are none', async () => {
    const wrong = [{ query: 'x', relevant: ['taaab'.replace('b', 'bb')] }]
    await expect(adaptToolIndex({ tools, queries: wrong, out: newFolder(), embedder })).rejects.toMatchObject({
      code: 'INVALID_OPTIONS',
      message: expect.stringMatching(/not there/),
    })
    await expect(adaptToolIndex({ tools, queries: 5 as never, out: 'x' })).rejects.toMatchObject({
      code: 'INVALID_OPTIONS',
    })
    await expect(adaptToolIndex({ queries, out: 'x' })).rejects.toMatchObject({ code: 'INVALID_OPTIONS' })
  })

  it('refuses an index that other weights made, and learns nothing from queries that the model cannot read', async () => {
    const weights = (sha256: string) => ({
      ...embedder,
      provenance: async () => ({ revision: 'r', weightsSha256: sha256 }),
    })
    const folder = newFolder()
    await buildToolIndex({ tools, out: folder, embedder: weights('a'.repeat(64)), ...quiet })
    const work = adaptToolIndex({ index: folder, queries, embedder: weights('b'.repeat(64)), ...quiet })
    await expect(work).rejects.toMatchObject({ code: 'INDEX_MISMATCH' })
    const blind = { ...embedder, readableShares: async (texts: readonly string[]) => texts.map(() => 0) }
    const refused = await adaptToolIndex({ tools, queries, out: newFolder(), embedder: blind, ...quiet })
    expect(refused).toMatchObject({ helps: false, reason: expect.stringContaining('queries (0)') })
  })

  it('leaves the folder as it was when it is aborted', async () => {
    const before = hashesOf(readFolder(out))
    const controller = new AbortController()
    const reason = new Error('enough')
    const work = adaptToolIndex({
      tools,
      queries,
      out,
      embedder,
      abortSignal: controller.signal,
      onProgress: ({ phase, done }) => phase === 'learn' && done === 3 && controller.abort(reason),
      ...quiet,
    })
    await expect(work).rejects.toBe(reason)
    expect(hashesOf(readFolder(out))).toEqual(before)
  })
})

describe('a later build', { timeout: 60_000 }, () => {
  it('keeps what was learnt; tools that are gone lose their part', async () => {
    const folder = newFolder()
    await adaptToolIndex({ tools, queries, out: folder, embedder, ...quiet })
    const { [toolNamed(0)]: _, ...rest } = tools
    const added = { ...rest, other: { id: 'other', description: 'taaja' } }
    await buildToolIndex({ tools: added, out: folder, embedder, ...quiet })
    const index = await openToolIndex(folder)
    expect(index.manifest.adaptation).toEqual(report.adaptation)
    expect([...index.adaptation!.means.keys()]).not.toContain(toolNamed(0))
    expect(index.manifest.tools.find(({ name }) => name === 'other')!.queries).toBe(0)
    expect((await verifyToolIndex(folder, { tools: added, embedder })).ok).toBe(true)
  })

  it('by another model drops it with a warning', async () => {
    const folder = newFolder()
    await adaptToolIndex({ tools, queries, out: folder, embedder, ...quiet })
    const warnings: string[] = []
    const warn = (message: string) => warnings.push(message)
    await buildToolIndex({ tools, out: folder, embedder: turnedEmbedder('another'), warn })
    expect((await openToolIndex(folder)).manifest.adaptation).toBeNull()
    expect(warnings).toEqual([expect.stringContaining('adapt the index anew')])
  })
})

describe('what an index learnt of queries that are read otherwise now', { timeout: 60_000 }, () => {
  // Both read queries as they are, but say that they do it in another way.
  const reading = (id: string | undefined) => ({
    ...embedder,
    readQuery: async (embedding: Float32Array) => ({ embedding, smallTalk: 0 }),
    ...(id !== undefined && { readQueryId: async () => id }),
  })
  const folder = newFolder()

  it('is known by the id in the manifest', async () => {
    const { adaptation } = await adaptToolIndex({ tools, queries, out: folder, embedder: reading('a'), ...quiet })
    expect(adaptation).toMatchObject({ readQueryId: 'a', gain: report.adaptation!.gain })
    // Of an embedder that compares queries as they are, and of one that does not tell.
    expect(report.adaptation!.readQueryId).toBe('none')
    const untold = { tools, queries, out: newFolder(), embedder: reading(undefined), ...quiet }
    expect((await adaptToolIndex(untold)).adaptation!.readQueryId).toBeNull()
  })

  it.each([
    ['is searched without, with one warning, by embedders of another id', 'b', 1],
    ['is searched with, without a warning, by one that does not tell', undefined, 0],
    ['is searched with, without a warning, by one of the same id', 'a', 0],
  ])('%s', async (_, id, expected) => {
    const warnings: string[] = []
    const warn = (message: string) => warnings.push(message)
    const scoresOf = async (index: string | ToolIndex | undefined) => {
      const searcher = createToolSearcher({ tools, embedder: reading(id), strict: true, index, warn })
      await searcher.warmup()
      const responses = fresh.slice(0, 10).map(({ query }) => searcher.search(query, { minScore: 0, topK: COUNT }))
      return (await Promise.all(responses)).map(({ results }) => results)
    }
    const plain = await scoresOf(undefined)
    for (const index of [folder, await openToolIndex(folder)]) {
      warnings.length = 0
      const found = await scoresOf(index)
      expect(warnings).toEqual(
        Array(expected).fill(expect.stringMatching(/another version of the model's query heads.*adapt ".*" --queries/)),
      )
      if (expected === 1) expect(found).toEqual(plain)
      else expect(found).not.toEqual(plain)
    }
  })

  it('loses its graph with it, which links the pulled vectors', async () => {
    const many = newFolder()
    const model = handMadeEmbedder()
    const catalog = shortTools(HNSW_MIN_SIZE, 'alpha')
    await buildToolIndex({ tools: catalog, out: many, embedder: model, ...quiet })
    await writeAdapted(await openToolIndex(many), 'a')
    const searchers = [many, undefined].map(index =>
      createToolSearcher({ tools: catalog, embedder: model, strict: true, index, ...quiet }),
    )
    for (const query of Object.keys(catalog).slice(0, 20)) {
      const [found, plain] = await Promise.all(searchers.map(searcher => searcher.search(query, { minScore: 0 })))
      expect(found).toEqual(plain)
    }
  })

  it('is dropped by a build, with a warning, and told by verify', async () => {
    const { ok, problems } = await verifyToolIndex(folder, { tools, embedder: reading('b') })
    expect([ok, problems]).toEqual([false, [expect.stringMatching(/another version of the model's query heads/)]])
    expect((await verifyToolIndex(folder, { tools, embedder: reading('a') })).ok).toBe(true)
    const warnings: string[] = []
    const warn = (message: string) => warnings.push(message)
    const built = await buildToolIndex({ tools, out: folder, embedder: reading('b'), warn })
    expect(built).toMatchObject({ embedded: 0, manifest: { adaptation: null } })
    expect(warnings).toEqual([expect.stringContaining('adapt the index anew')])
  })
})

describe('an adapted index in use', { timeout: 60_000 }, () => {
  it('compares the mapped query with the adapted vectors of its own tools and of a request’s alike', async () => {
    const index = await openToolIndex(out)
    const names = Object.keys(tools)
    const part = (from: number, to: number) =>
      Object.fromEntries(names.slice(from, to).map(name => [name, tools[name]!]))
    const own = createCatalog(part(0, 20))
    const catalog = mergeCatalog(own, part(20, COUNT))
    const prebuilt = { index, onStale: 'update', catalog: own, includeResolvedTools: true } as const
    const searcher = createCatalogSearcher({ embedder, strict: true, warn: () => {}, index: prebuilt })
    for (const { query } of [fresh[3]!, fresh[33]!, fresh[3]!]) {
      const { candidates } = await searcher.searchCatalog(catalog, query, { minScore: 0, explain: true })
      expect(candidates).toHaveLength(COUNT)
      const [vector] = await checkedEmbedder(embedder).embedQueries([query])
      const mapped = index.adaptation!.mapQuery(vector!)
      for (const { name, dense } of candidates!) {
        const row = index.rowOfName(name)!
        let cosine = 0
        for (let i = 0; i < 16; i++) cosine += mapped[i]! * index.vectors[row * 16 + i]!
        expect(dense!.cosineSimilarity).toBeCloseTo(cosine, 5)
      }
    }
  })

  it('has a graph over the vectors that are searched', { timeout: 60_000 }, async () => {
    const folder = newFolder()
    await buildToolIndex({
      tools: shortTools(HNSW_MIN_SIZE, 'alpha'),
      out: folder,
      embedder: handMadeEmbedder(),
      ...quiet,
    })
    await writeAdapted(await openToolIndex(folder))
    const index = await openToolIndex(folder)
    expect(index.graph).toBeDefined()
    expect(index.vectors).not.toEqual(index.documentVectors)
    expect(recallOf(index)).toBeGreaterThanOrEqual(0.99)
  })
})
