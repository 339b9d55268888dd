import { existsSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { adaptToolIndex } from '../../src/adapt/adapt-index.js'
import { calibrateToolIndex } from '../../src/adapt/calibrate-index.js'
import { buildToolIndex } from '../../src/artifact/build.js'
import { openToolIndex } from '../../src/artifact/open.js'
import type { ToolIndex } from '../../src/artifact/tool-index.js'
import { createCatalog, mergeCatalog } from '../../src/catalog/catalog.js'
import { createCatalogSearcher, createToolSearcher } from '../../src/searcher.js'
import { calibrationError } from '../../src/tuning/calibration-error.js'
import { crowdedEmbedder, verbAndNounQueries, verbAndNounTools } from '../adapt/crowded-embedder.js'
import { queryFor, toolNamed, turnedEmbedder, turnedTools } from '../adapt/turned-embedder.js'
import { forged, hashesOf, partsOf, readFolder, writeFolder } from './fixtures/folder-state.js'
import { newFolders } from './tool-folder.js'

const newFolder = newFolders()
const quiet = { warn: () => {} }

const VERB_AND_NOUN = ['send_mail', 'read_file', 'sort_page', 'split_order']
const queries = verbAndNounQueries(300, 3)
const fresh = verbAndNounQueries(300, 4)
const tools = verbAndNounTools()
const embedder = crowdedEmbedder()
const index = newFolder()
await buildToolIndex({ tools, out: index, embedder, ...quiet })
const before = hashesOf(readFolder(index))
const report = await calibrateToolIndex({ index, tools, queries, embedder, ...quiet })

async function errorOnFresh(source: string | undefined): Promise<number> {
  const searcher = createToolSearcher({ tools, embedder, strict: true, index: source, ...quiet })
  const predictions = []
  for (const { query, relevant } of fresh) {
    const { results } = await searcher.search(query, { minScore: 0 })
    for (const { name, score } of results) predictions.push({ score, relevant: relevant.includes(name) })
  }
  return calibrationError(predictions)
}

describe('calibrateToolIndex', { timeout: 60_000 }, () => {
  it('makes scores mean what they say, on queries that it has not seen', async () => {
    expect(report).toMatchObject({ helps: true, reason: null, build: { written: true, embedded: 0 } })
    expect(await errorOnFresh(undefined)).toBeGreaterThan(0.3)
    expect(await errorOnFresh(index)).toBeLessThan(0.08)
    expect(report.calibration!.before).toBeGreaterThan(0.3)
    expect(report.calibration!.after).toBeLessThan(0.08)
  })

  it('scores by the logistic function of the stored weights, tools of the request’s alike', async () => {
    const { cosine, lexicalShare, bias } = (await openToolIndex(index)).manifest.calibration!
    const names = Object.keys(tools)
    const part = (from: number, to: number) => Object.fromEntries(names.slice(from, to).map(id => [id, tools[id]!]))
    const own = createCatalog(part(0, 60))
    const catalog = mergeCatalog(own, part(60, 100))
    const prebuilt = { index, onStale: 'update', catalog: own, includeResolvedTools: true } as const
    const searcher = createCatalogSearcher({ embedder, strict: true, ...quiet, index: prebuilt })
    const { candidates } = await searcher.searchCatalog(catalog, 'send my mail', { minScore: 0, explain: true })
    expect(candidates).toHaveLength(100)
    for (const { score, dense, lexical } of candidates!) {
      const evidence = cosine * dense!.cosineSimilarity + lexicalShare * (lexical?.share ?? 0) + bias
      expect(score).toBeCloseTo(Math.min(0.99, 1 / (1 + Math.exp(-evidence))), 5)
    }
  })

  it('gives the same bytes each time, and keeps the vectors', async () => {
    const epoch = process.env.SOURCE_DATE_EPOCH
    process.env.SOURCE_DATE_EPOCH = '1700000000'
    try {
      const folders = [newFolder(), newFolder()]
      for (const folder of folders) {
        await buildToolIndex({ tools, out: folder, embedder, includeDocuments: true, ...quiet })
        await calibrateToolIndex({ index: folder, queries, embedder, ...quiet })
      }
      const [first, second] = folders.map(folder => hashesOf(readFolder(folder)))
      expect(second).toEqual(first)
      // Again, from the calibrated one.
      await calibrateToolIndex({ index: folders[0]!, queries, embedder, ...quiet })
      expect(hashesOf(readFolder(folders[0]!))).toEqual(first)
      expect((await openToolIndex(folders[0]!)).manifest.calibration).toEqual(report.calibration)
    } finally {
      if (epoch === undefined) delete process.env.SOURCE_DATE_EPOCH
      else process.env.SOURCE_DATE_EPOCH = epoch
    }
    expect(Object.keys(before)).toEqual(Object.keys(hashesOf(readFolder(index))))
  })

  it('leaves the index as it is where the queries are few or say nothing', async () => {
    const there = hashesOf(readFolder(index))
    const few = await calibrateToolIndex({ index, tools, queries: queries.slice(0, 5), embedder, ...quiet })
    expect(few).toMatchObject({ helps: false, calibration: null, build: null })
    expect(few.reason).toContain('different queries (5) name no tool')
    const none = fresh.map(({ query }) => ({ query, relevant: [] }))
    const empty = await calibrateToolIndex({ index, tools, queries: none, embedder, ...quiet })
    expect(empty).toMatchObject({ helps: false, calibration: null, build: null })
    expect(empty.reason).toContain('check their labels')
    expect(hashesOf(readFolder(index))).toEqual(there)
  })

  it('never builds: tools must be those of the index, and the model its own', async () => {
    const there = hashesOf(readFolder(index))
    const { send_mail: _, ...fewer } = tools
    const changed = { ...tools, send_mail: { description: 'another text' } }
    for (const other of [fewer, changed, { ...tools, more: { description: 'new' } }]) {
      const stale = calibrateToolIndex({ index, tools: other, queries, embedder, ...quiet })
      await expect(stale).rejects.toMatchObject({ code: 'INDEX_STALE', message: expect.stringContaining('build') })
    }
    const foreign = calibrateToolIndex({ index, tools, queries, embedder: crowdedEmbedder('other'), ...quiet })
    await expect(foreign).rejects.toMatchObject({ code: 'INDEX_MISMATCH', message: expect.stringContaining('--model') })
    const nowhere = `${newFolder()}/none`
    const missing = calibrateToolIndex({ index: nowhere, tools, queries, embedder, ...quiet })
    await expect(missing).rejects.toMatchObject({ code: 'INDEX_INVALID' })
    expect(existsSync(nowhere)).toBe(false)
    expect(hashesOf(readFolder(index))).toEqual(there)
  })

  it('refuses what it cannot work with, and says what it needs', async () => {
    const plain = newFolder()
    await buildToolIndex({ tools, out: plain, embedder, ...quiet })
    await expect(calibrateToolIndex({ index: plain, queries, embedder, ...quiet })).rejects.toMatchObject({
      code: 'INVALID_OPTIONS',
      message: expect.stringMatching(/no texts.*Give the tools, too/),
    })
    const unknown = [{ query: 'send', relevant: ['send_mial'] }]
    await expect(calibrateToolIndex({ index: plain, tools, queries: unknown, embedder })).rejects.toMatchObject({
      code: 'INVALID_OPTIONS',
      message: expect.stringContaining('Did you mean "send_mail"'),
    })
    for (const wrong of [
      {},
      { index: plain },
      { queries },
      { index: 5, queries },
      { index: plain, queries, out: 'x' },
    ]) {
      await expect(calibrateToolIndex(wrong as never)).rejects.toMatchObject({ code: 'INVALID_OPTIONS' })
    }
    const missing = calibrateToolIndex({ index: newFolder(), queries, embedder, ...quiet })
    await expect(missing).rejects.toMatchObject({ code: 'INDEX_INVALID' })
    const other = calibrateToolIndex({ index, queries, embedder: crowdedEmbedder('other'), ...quiet })
    await expect(other).rejects.toMatchObject({ code: 'INDEX_MISMATCH' })
  })

  it('is judged against the weights in force: bad ones go, and few queries do not replace good ones', async () => {
    const folder = newFolder()
    await buildToolIndex({ tools, out: folder, embedder, ...quiet })
    const bad = { cosine: 5, lexicalShare: 0, bias: 0, queries: 99, before: 0.1, after: 0.1, seed: 1 }
    const parts = partsOf(readFolder(folder))
    writeFolder(folder, forged({ ...parts, manifest: { ...parts.manifest, calibration: bad } }))
    const mended = await calibrateToolIndex({ index: folder, tools, queries, embedder, ...quiet })
    expect(mended).toMatchObject({ helps: true, calibration: report.calibration })
    const few = await calibrateToolIndex({ index: folder, tools, queries: fresh.slice(0, 12), embedder, ...quiet })
    expect(few).toMatchObject({ helps: false, build: null })
    // The very same again is no failure, and writes nothing.
    const again = await calibrateToolIndex({ index: folder, tools, queries, embedder, ...quiet })
    expect(again).toMatchObject({ helps: true, calibration: report.calibration, build: { written: false } })
  })

  it('leaves out queries that name a tool, and those that no search asks for', async () => {
    const more = [
      ...queries,
      ...VERB_AND_NOUN.map(name => ({ query: `use ${name} for this`, relevant: [name] })),
      ...['', '   ', '?!', '\u0000'].map(query => ({ query: `${query}!`, relevant: [] })),
    ]
    const folder = newFolder()
    await buildToolIndex({ tools, out: folder, embedder, ...quiet })
    const { calibration } = await calibrateToolIndex({ index: folder, tools, queries: more, embedder, ...quiet })
    expect(calibration!.queries).toBe(report.calibration!.queries)
  })

  it('reads a query as a search does: cut, and well-formed', async () => {
    const asked: string[] = []
    const listening = {
      ...embedder,
      embedQueries: async (texts: readonly string[]) => {
        asked.push(...texts)
        return embedder.embedQueries(texts)
      },
    }
    const long = `send mail ${'x'.repeat(9_000)}`
    const odd = [long, 'read \ud800 file'].map(query => ({ query, relevant: [] }))
    await calibrateToolIndex({ index, tools, queries: [...queries, ...odd], embedder: listening, ...quiet })
    expect(asked).toContain(long.slice(0, 4_000))
    expect(asked).toContain('read \ufffd file')
    expect(asked.every(text => text.length <= 4_000 && text.isWellFormed())).toBe(true)
  })

  it('draws 2,000 of more queries before it embeds them', async () => {
    let embedded = 0
    const counting = {
      ...embedder,
      embedQueries: async (texts: readonly string[]) => {
        embedded += texts.length
        return embedder.embedQueries(texts)
      },
    }
    const many = Array.from({ length: 4_000 }, (_, at) => ({ query: `send my mail ${at}`, relevant: ['send_mail'] }))
    const small = { send_mail: tools.send_mail!, read_mail: tools.read_mail! }
    const folder = newFolder()
    await buildToolIndex({ tools: small, out: folder, embedder, ...quiet })
    await calibrateToolIndex({ index: folder, tools: small, queries: many, embedder: counting, ...quiet })
    expect(embedded).toBe(2_000)
  })

  it('is ended by an abort after the last query, too, and names its own option', async () => {
    const there = hashesOf(readFolder(index))
    const controller = new AbortController()
    const reason = new Error('late')
    const work = calibrateToolIndex({
      index,
      tools,
      queries: fresh,
      embedder,
      abortSignal: controller.signal,
      onProgress: ({ phase, done, total }) => {
        if (phase === 'learn' && done === total) setTimeout(() => controller.abort(reason), 1)
      },
      ...quiet,
    })
    await expect(work).rejects.toBe(reason)
    expect(hashesOf(readFolder(index))).toEqual(there)
    const foreign = newFolder()
    writeFolder(foreign, new Map([['notes.txt', Buffer.from('mine')]]))
    await expect(calibrateToolIndex({ index: foreign, queries, embedder })).rejects.toThrow(/Expected index to be/)
  })

  it('ends when it is told to, and leaves the folder as it was', async () => {
    const there = hashesOf(readFolder(index))
    const controller = new AbortController()
    const reason = new Error('enough')
    const work = calibrateToolIndex({
      index,
      tools,
      queries,
      embedder,
      abortSignal: controller.signal,
      onProgress: ({ phase, done }) => phase === 'learn' && done === 20 && controller.abort(reason),
      ...quiet,
    })
    await expect(work).rejects.toBe(reason)
    expect(hashesOf(readFolder(index))).toEqual(there)
  })
})

describe('what a calibrated index becomes', { timeout: 60_000 }, () => {
  const count = 40
  const turned = turnedTools(count)
  const asked = (variants: readonly number[]) =>
    variants.flatMap(variant =>
      Array.from({ length: count }, (_, at) => ({ query: queryFor(at, variant), relevant: [toolNamed(at)] })),
    )

  it('keeps its weights in later builds of the same model, and loses them by another, with a warning', async () => {
    const folder = newFolder()
    await buildToolIndex({ tools, out: folder, embedder, ...quiet })
    const { calibration } = await calibrateToolIndex({ index: folder, tools, queries, embedder, ...quiet })
    const { send_mail: _, ...rest } = tools
    await buildToolIndex({ tools: rest, out: folder, embedder, ...quiet })
    expect((await openToolIndex(folder)).manifest.calibration).toEqual(calibration)
    const warnings: string[] = []
    const warn = (message: string) => warnings.push(message)
    await buildToolIndex({ tools, out: folder, embedder: crowdedEmbedder('other'), warn })
    expect((await openToolIndex(folder)).manifest.calibration).toBeNull()
    expect(warnings).toEqual([expect.stringContaining('calibrate the index anew')])
  })

  it('is adapted with them, and calibrated over what it was adapted to', async () => {
    const model = turnedEmbedder()
    const folder = newFolder()
    const adapted = await adaptToolIndex({
      tools: turned,
      queries: asked([0, 1, 2]),
      out: folder,
      embedder: model,
      ...quiet,
    })
    const options = { index: folder, tools: turned, queries: asked([3, 4]), embedder: model, ...quiet }
    const { helps, calibration } = await calibrateToolIndex(options)
    expect(helps).toBe(true)
    const { manifest, adaptation } = await openToolIndex(folder)
    expect(manifest).toMatchObject({ adaptation: adapted.adaptation, calibration })
    expect(adaptation).toBeDefined()
    // Adapted anew, the weights stay.
    await adaptToolIndex({ tools: turned, queries: asked([0, 1]), out: folder, embedder: model, ...quiet })
    expect((await openToolIndex(folder)).manifest.calibration).toEqual(calibration)
  })

  it('is not taken back by an adaptation that began before it', async () => {
    const [folder, model] = [newFolder(), turnedEmbedder()]
    await buildToolIndex({ tools: turned, out: folder, embedder: model, ...quiet })
    const plain = readFolder(folder)
    // A calibration that ends while the adaptation learns: written by hand, as the other process' would be.
    const { calibration } = (await openToolIndex(index)).manifest
    const parts = partsOf(plain)
    const calibrated = forged({ ...parts, manifest: { ...parts.manifest, calibration } as never })
    let phases = 0
    const adapting = adaptToolIndex({
      index: folder,
      tools: turned,
      queries: asked([0, 1]),
      embedder: model,
      onProgress: ({ phase }) => {
        if (phase === 'learn' && phases++ === 0) writeFolder(folder, calibrated)
      },
      ...quiet,
    })
    await expect(adapting).rejects.toMatchObject({
      code: 'INDEX_STALE',
      message: expect.stringContaining('calibration'),
    })
    expect((await openToolIndex(folder)).manifest).toMatchObject({ calibration, adaptation: null })
    // Run again, it has both.
    await adaptToolIndex({ index: folder, tools: turned, queries: asked([0, 1]), embedder: model, ...quiet })
    expect((await openToolIndex(folder)).manifest).toMatchObject({ calibration, adaptation: expect.anything() })
  })

  it.each([
    ['cosine', 0],
    ['cosine', -3],
    ['cosine', 1e9],
    ['lexicalShare', 2e6],
    ['lexicalShare', -1],
    ['bias', null],
    ['bias', 'x'],
    ['queries', 0],
    ['before', 1.5],
    ['more', 1],
  ])('is refused with %s %s', async (member, value) => {
    const folder = newFolder()
    const parts = partsOf(readFolder(index))
    const manifest = structuredClone(parts.manifest) as { calibration: Record<string, unknown> }
    manifest.calibration[member] = value
    writeFolder(folder, forged({ ...parts, manifest: manifest as never }))
    await expect(openToolIndex(folder)).rejects.toMatchObject({
      code: 'INDEX_INVALID',
      message: expect.stringContaining(`calibration`),
    })
  })

  it('is searched with the default weights where it cannot be opened', async () => {
    const opened: ToolIndex = await openToolIndex(index)
    const plain = { ...opened, manifest: { ...opened.manifest, calibration: null } }
    const scores = async (source: ToolIndex | undefined) => {
      const searcher = createToolSearcher({ tools, embedder, strict: true, index: source, ...quiet })
      return (await searcher.search('send my mail', { minScore: 0 })).results
    }
    expect(await scores(plain)).toEqual(await scores(undefined))
    expect(await scores(opened)).not.toEqual(await scores(undefined))
  })
})
