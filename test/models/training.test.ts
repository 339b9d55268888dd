import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { splitOf } from '../../bench/corpora.js'
import { type CorpusDump, corpusFile, dumpOf, TRAINING_CORPORA } from '../../models/training/dump.js'

const training = (path: string) => fileURLToPath(new URL(`../../models/training/${path}`, import.meta.url))
const hasPython = spawnSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 10))']).status === 0

interface Pair {
  corpus: string
  query: string
  tool: number
  relevant: number[]
  document: string
}

describe('the data of the training recipe', () => {
  it.each(TRAINING_CORPORA)('%s says its source, commit and licence, and names tools that it has', id => {
    const { source, commit, license, tools, queries } = JSON.parse(readFileSync(corpusFile(id), 'utf8'))
    expect(source).toMatch(/^[\w-]+\/[\w-]+$/)
    expect(commit).toMatch(/^[0-9a-f]{40}$/)
    expect(['MIT', 'Apache-2.0']).toContain(license)
    const names = new Set(tools.map(({ id }: { id: string }) => id))
    for (const { relevant } of queries ?? []) expect([...names]).toEqual(expect.arrayContaining(relevant))
  })

  it('has the licence text of what only training reads', () => {
    expect(readFileSync(training('data/LICENSE-apizoo.txt'), 'utf8')).toContain('Apache License')
  })

  const textLines = (path: string): string[] => readFileSync(training(path), 'utf8').trim().split('\n')
  const jsonLines = (path: string): string[] => JSON.parse(readFileSync(training(path), 'utf8')).lines
  it.each([
    ['data/small-talk.txt', textLines],
    ['heads/small-talk.json', jsonLines],
  ])('has no line of small talk that the benchmark of small talk asks: %s', (path, read) => {
    const asked = readFileSync(new URL('../fixtures/small-talk.json', import.meta.url), 'utf8').toLowerCase()
    const lines = read(path)
    expect(lines.length).toBeGreaterThan(50)
    expect(lines.filter(line => asked.includes(`"${line.toLowerCase()}"`))).toEqual([])
  })

  it('dumps documents as the package makes them, and the side of each query', () => {
    const { dump } = dumpOf('toolalpaca')
    expect(dump.documents[0]!.text.startsWith(`${dump.documents[0]!.name}: `)).toBe(true)
    expect(dump.queries).toHaveLength(209)
    for (const { query, relevant, split } of dump.queries) {
      expect(split).toBe(splitOf(query))
      expect(relevant.every(at => dump.documents[at] !== undefined)).toBe(true)
    }
  })
})

describe.skipIf(!hasPython)('the pairs of the training recipe', () => {
  const folder = mkdtempSync(join(tmpdir(), 'training-pairs-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  const tools = ['get weather', 'send email', 'book flight'].map(name => ({
    name,
    description: `Lets you ${name} at once.`,
    parameters: 'place: Where.',
    parameterNames: 'place',
    server: '',
    text: `${name}: Lets you ${name} at once. place: Where.`,
  }))
  const query = (text: string, tool: number, split: 'dev' | 'test') => ({ query: text, relevant: [tool], split })
  const write = (id: string, queries: CorpusDump['queries']) =>
    writeFileSync(join(folder, `${id}.json`), JSON.stringify({ id, documents: tools, queries }))
  write('metatool', [
    query('will I need an umbrella in Lisbon tomorrow morning', 0, 'dev'),
    query('tell Anna by mail that I am late', 1, 'dev'),
    query('Which seats are free from Oslo to Rome on Monday?', 2, 'test'),
    query('which seats are free, from Oslo to ROME, on monday', 2, 'dev'),
  ])
  write('nestful', [
    query('how hot will it get in Cairo', 0, 'dev'),
    query('Will I need an umbrella in Lisbon tomorrow morning?', 0, 'dev'),
  ])

  const draw = (...options: string[]): Pair[] =>
    execFileSync('python3', [training('pairs.py'), '--data', folder, ...options], { encoding: 'utf8' })
      .split('\n')
      .filter(Boolean)
      .map(line => JSON.parse(line) as Pair)
  const countsOf = (pairs: Pair[]) =>
    Object.fromEntries(['metatool', 'nestful'].map(id => [id, pairs.filter(({ corpus }) => corpus === id).length]))

  it('are of dev queries alone, and of none that is but for case and punctuation a test query', () => {
    expect(countsOf(draw())).toEqual({ metatool: 2, nestful: 2 })
  })

  it('have nothing of a corpus left out, nor a request that it asks, too', () => {
    expect(countsOf(draw('--leave-out', 'metatool'))).toEqual({ metatool: 0, nestful: 1 })
    expect(countsOf(draw('--leave-out', 'metatool,nestful'))).toEqual({ metatool: 0, nestful: 0 })
  })

  it('pair a request with a tool that serves it', () => {
    for (const { tool, relevant, document } of draw()) {
      expect(relevant).toContain(tool)
      expect(document).toMatch(new RegExp(tools[tool]!.name))
    }
  })

  it('are the same for the same seed', () => {
    expect(draw('--seed', '7')).toEqual(draw('--seed', '7'))
  })

  it('refuse to leave out what is no corpus', () => {
    const { status, stderr } = spawnSync(
      'python3',
      [training('pairs.py'), '--data', folder, '--leave-out', 'metatol'],
      {
        encoding: 'utf8',
      },
    )
    expect(status).toBe(1)
    expect(stderr).toContain('got metatol')
  })
})

it('ships none of the recipe', () => {
  const { files } = JSON.parse(readFileSync(training('../../package.json'), 'utf8')) as { files: string[] }
  expect(files.filter(path => path.startsWith('models'))).toEqual(['models/all-MiniLM-L6-v2'])
  expect(existsSync(training('README.md'))).toBe(true)
})
