import { readdir } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { openToolIndex } from '../../src/artifact/open.js'
import { seededRandom } from '../../src/random.js'
import { queryFor, toolNamed, turnedEmbedder, turnedTools } from '../adapt/turned-embedder.js'
import { hashesOf, readFolder } from '../artifact/fixtures/folder-state.js'
import { type CliOptions, jsonOf, cli as runCli, workFolder } from './cli-harness.js'

const COUNT = 40
const work = workFolder()
const cli = (args: string[], options: CliOptions = {}) => runCli(args, { embedder: turnedEmbedder(), ...options })
const tools = await work.file('tools.json', turnedTools(COUNT))
const lines = (relevant: (at: number) => string[]) =>
  Array.from({ length: COUNT * 3 }, (_, at) =>
    JSON.stringify({ query: queryFor(at % COUNT, Math.floor(at / COUNT)), relevant: relevant(at) }),
  ).join('\n')
const queries = await work.file(
  'queries.jsonl',
  lines(at => [toolNamed(at % COUNT)]),
)
const random = seededRandom(5)
const wrong = await work.file(
  'wrong.jsonl',
  lines(() => [toolNamed(Math.floor(random() * COUNT))]),
)
const index = work.path('index')
const first = await cli(['adapt', tools, '--queries', queries, '--out', index, '--include-documents'])

describe('adapt', { timeout: 60_000 }, () => {
  it('writes an adapted index, and says what it brings', async () => {
    expect(first.code).toBe(0)
    expect(first.out.replace(/\s+/g, ' ')).toMatch(
      /^Adapted to 120 queries of 40 tools: nDCG@10 \+0\.\d+ \(\+0\.\d+ to \+/,
    )
    for (const line of first.out.split('\n').slice(0, 4)) expect(line.length).toBeLessThanOrEqual(80)
    expect((await openToolIndex(index)).manifest.adaptation).toMatchObject({ queries: 120, tools: 40 })
  })

  it('replaces what an index learnt before, and leaves it where nothing is gained', async () => {
    const again = await cli(['adapt', index, tools, '--queries', queries, '--json'])
    expect(jsonOf(again)).toMatchObject({ helps: true, adaptation: { queries: 120 }, build: { written: false } })
    const before = hashesOf(readFolder(index))
    const refused = await cli(['adapt', index, '--queries', wrong])
    expect(refused.code).toBe(1)
    expect(refused.out).toContain('Not adapted, nothing was written.')
    expect(hashesOf(readFolder(index))).toEqual(before)
    const json = jsonOf(await cli(['adapt', index, '--queries', wrong, '--json']))
    expect(json).toMatchObject({ helps: false, build: null, reason: expect.any(String) })
  })

  it('reads example queries that are beside the tools, as tune does', async () => {
    const examples = Object.fromEntries(
      Array.from({ length: COUNT }, (_, at) => [
        toolNamed(at),
        { exampleQueries: [0, 1, 2].map(variant => queryFor(at, variant)) },
      ]),
    )
    const file = await work.file('examples.json', examples)
    const out = work.path('from-examples')
    expect((await cli(['adapt', tools, '--queries', file, '--out', out])).code).toBe(0)
    const learnt = (await openToolIndex(out)).manifest
    expect(learnt.adaptation).toMatchObject({ queries: 120, tools: 40 })
    const report = jsonOf(await cli(['tune', index, '--queries', file, '--json']))
    expect(report).toMatchObject({ queries: { total: 120, answerable: 120 } })
  })

  it('refuses bad lines before anything is embedded', async () => {
    const bad = await work.file('bad.json', {
      [toolNamed(1)]: { exampleQueries: ['x', 5] },
      nobody: { exampleQueries: ['y'] },
      odd: [],
    })
    const embedder = turnedEmbedder()
    embedder.embedDocuments = async () => {
      throw new Error('embedded')
    }
    const { code, err } = await cli(['adapt', tools, '--queries', bad, '--out', work.path('never')], { embedder })
    expect(code).toBe(2)
    expect(err).toContain('expected an example query of "taaab" to be text, got 5')
    expect(err).toContain('there is no tool "nobody"')
    expect(err).toContain('expected "odd" to have "exampleQueries"')
    const unanswerable = await work.file('none.jsonl', JSON.stringify({ query: 'hello', relevant: [] }))
    const none = await cli(['adapt', tools, '--queries', unanswerable, '--out', work.path('never')], { embedder })
    expect(none.code).toBe(2)
    expect(none.err).toContain('only queries that nothing fits (1)')
    expect((await cli(['adapt', tools])).code).toBe(2)
    expect((await cli(['adapt', '--queries', queries])).code).toBe(2)
    expect((await cli(['adapt', tools, '--queries', queries, '--seed', 'x'])).code).toBe(2)
  })

  it('leaves nothing half-written when it is interrupted', async () => {
    const controller = new AbortController()
    const embedder = turnedEmbedder()
    const { embedQueries } = embedder
    embedder.embedQueries = (...args) => {
      controller.abort(new Error('enough'))
      return embedQueries(...args)
    }
    const args = ['adapt', tools, '--queries', queries, '--out', work.path('interrupted')]
    const { code } = await cli(args, { embedder, abortSignal: controller.signal })
    expect(code).toBe(1)
    expect(await readdir(work.root)).not.toContain('interrupted')
  })

  it('--help has examples and fits 80 columns', async () => {
    const { code, out } = await cli(['adapt', '--help'])
    expect(code).toBe(0)
    expect(out).toMatch(/\nExamples:\n( {2}\$ .*\n)+/)
    for (const option of ['--queries', '--out', '--no-keep-others', '--seed', '--json']) expect(out).toContain(option)
    expect(await cli(['help', 'adapt'])).toEqual({ code, out, err: '' })
  })
})

describe('an adapted index', { timeout: 60_000 }, () => {
  it('is named as one by search --explain, inspect and tune', async () => {
    const text = /Adapted to 120 queries of 40 tools: nDCG@10 \+/
    const search = await cli(['search', index, queryFor(3, 5), '--explain'], { columns: 120 })
    expect(search.out).toMatch(text)
    expect((await cli(['search', index, queryFor(3, 5)], { columns: 120 })).out).not.toMatch(text)
    expect((await cli(['inspect', index], { columns: 120 })).out).toMatch(text)
    const tuned = await cli(['tune', index, '--queries', queries], { columns: 120 })
    expect(tuned.out).toMatch(text)
    expect(tuned.out).toContain('On these very queries the figures flatter')
    const withTools = jsonOf(await cli(['tune', tools, '--index', index, '--queries', queries, '--json']))
    expect(withTools).toMatchObject({ adaptation: { queries: 120 } })
  })

  it('stays one when it is fixed', async () => {
    const more = await work.file('more.json', { ...turnedTools(COUNT), other: { description: 'taaja' } })
    const { code } = await cli(['verify', index, more, '--fix'])
    expect(code).toBe(0)
    expect((await openToolIndex(index)).manifest.adaptation).toMatchObject({ queries: 120 })
  })
})
