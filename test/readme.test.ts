import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { withFigures } from '../bench/readme.js'
import { resolveOptions } from '../src/options.js'
import { DEFAULT_WEIGHTS } from '../src/ranking/score.js'
import { memoryStore } from './vector-store/memory-store.js'

const root = fileURLToPath(new URL('..', import.meta.url))
const readme = await readFile(`${root}README.md`, 'utf8')
const run = promisify(execFile)

/** The cells of the table rows under a heading whose first cell is code. */
function rowsUnder(heading: string): string[][] {
  const section = readme.split(`\n## ${heading}\n`)[1]!.split('\n## ')[0]!
  return [...section.matchAll(/^\| (`.*) \|$/gm)].map(([, row]) =>
    row!.split(/(?<!\\) \| /).map(cell => cell.trim().replace(/^`|`$/g, '')),
  )
}

describe('the README', () => {
  it('names every option with its default', () => {
    const { topK, minScore, autoLoad, ttlMs, tools: _, ...rest } = resolveOptions({ tools: {} })
    const store = { store: memoryStore(), indexName: 'tools' }
    const {
      store: _store,
      indexName: _name,
      ...ofStore
    } = resolveOptions({ tools: {}, vectorStore: store }).vectorStore!
    const expected = {
      ...rest,
      'search.topK': topK,
      'search.minScore': minScore,
      'search.autoLoad': autoLoad,
      ttl: ttlMs,
      ...Object.fromEntries(Object.entries(ofStore).map(([name, value]) => [`vectorStore.${name}`, value])),
    }
    const documented = Object.fromEntries(rowsUnder('Options').map(([name, , value]) => [name!, value!]))
    for (const name of ['tools', 'vectorStore.store', 'vectorStore.indexName']) {
      expect(documented[name]).toBe('required')
      delete documented[name]
    }
    const shown = (name: string, value: unknown) =>
      value === undefined
        ? name === 'embedder'
          ? 'bundled model'
          : 'none'
        : typeof value === 'string'
          ? `'${value}'`
          : String(value)
    expect(documented).toEqual(
      Object.fromEntries(Object.entries(expected).map(([name, value]) => [name, shown(name, value)])),
    )
  })

  it('states the formula of the score', () => {
    const { cosine, lexicalShare, bias } = DEFAULT_WEIGHTS
    const formula = `${cosine} × similarity + ${lexicalShare} × share − ${-bias}`
    expect(readme.replace(/\s+/g, ' ')).toContain(formula)
  })

  it('names every error code', async () => {
    const errors = await readFile(`${root}src/errors.ts`, 'utf8')
    const codes = [...errors.matchAll(/^ {2}\| '([A-Z_]+)'/gm)].map(([, code]) => code!)
    expect(codes.length).toBeGreaterThan(5)
    expect(rowsUnder('When something goes wrong').map(([code]) => code)).toEqual(codes)
  })

  it('shows the figures of bench/results/', () => {
    expect(withFigures(readme)).toBe(readme)
  })

  it('links to files that are there, and says which of them are not in the npm package', async () => {
    const { files } = JSON.parse(await readFile(`${root}package.json`, 'utf8')) as { files: string[] }
    const elsewhere = [...readme.matchAll(/Links to ([^;]*);/g)].flatMap(([, list]) =>
      [...list!.matchAll(/`([\w/-]+\/)`/g)].map(([, folder]) => folder!),
    )
    const links = [...readme.matchAll(/\]\(([^)#\s]+)\)/g)]
      .map(([, link]) => link!)
      .filter(link => !/^https?:/.test(link))
    expect(links.length).toBeGreaterThan(5)
    for (const link of links) {
      expect(existsSync(root + link), link).toBe(true)
      const isPacked = files.some(file => link === file || link.startsWith(`${file}/`))
      if (!isPacked)
        expect(
          elsewhere.filter(folder => link.startsWith(folder)),
          link,
        ).toHaveLength(1)
    }
  })

  it('has an anchor for every link into itself', () => {
    const anchors = [...readme.matchAll(/^##+ (.*)$/gm)].map(([, heading]) =>
      heading!
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    )
    for (const [, anchor] of readme.matchAll(/\]\(#([^)]+)\)/g)) expect(anchors).toContain(anchor)
  })

  it('names only npm scripts that exist', async () => {
    const { scripts } = JSON.parse(await readFile(`${root}package.json`, 'utf8')) as { scripts: Record<string, string> }
    const docs = [
      readme,
      ...(await Promise.all(['CONTRIBUTING.md', 'bench/README.md'].map(file => readFile(root + file, 'utf8')))),
    ]
    for (const [, name] of docs.join('\n').matchAll(/npm run ([\w:-]+)/g)) expect(Object.keys(scripts)).toContain(name)
  })

  it('has examples that compile', { timeout: 120_000 }, async () => {
    const examples = [...readme.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code]) => code!)
    expect(examples.length).toBeGreaterThan(2)
    const folder = `${root}.cache/readme-examples`
    await mkdir(folder, { recursive: true })
    try {
      await writeFile(
        `${folder}/given.d.ts`,
        `declare const allTools: Record<string, import('mastra-semantic-tool-search').SemanticToolSearchOptions['tools'][string]>
         declare const toolsOf: (tenant: string) => typeof allTools
         declare const mastra: import('@mastra/core').Mastra
         declare const toolSearch: import('mastra-semantic-tool-search').SemanticToolSearchProcessor
         declare const openai: { embedding(id: string): Parameters<typeof import('mastra-semantic-tool-search').aiSdkEmbedder>[0]['model'] }`,
      )
      await Promise.all(
        examples.map((code, i) => {
          const imports =
            /\bSemanticToolSearchProcessor\(/.test(code) && !/import .*SemanticToolSearchProcessor/.test(code)
          const preamble = imports ? "import { SemanticToolSearchProcessor } from 'mastra-semantic-tool-search'\n" : ''
          return writeFile(`${folder}/example-${i}.ts`, `${preamble}${code}\nexport {}\n`)
        }),
      )
      await writeFile(
        `${folder}/tsconfig.json`,
        JSON.stringify({
          extends: '../../tsconfig.json',
          compilerOptions: { paths: { 'mastra-semantic-tool-search': ['../../src/index.ts'] } },
          include: ['*.ts'],
        }),
      )
      const { stdout } = await run(process.execPath, [
        `${root}node_modules/typescript/bin/tsc`,
        '--noEmit',
        '-p',
        folder,
      ])
      expect(stdout).toBe('')
    } catch (error) {
      throw new Error(`The README's examples do not compile:\n${(error as { stdout?: string }).stdout ?? error}`)
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })
})
