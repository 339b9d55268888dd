import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { cli } from '../cli/cli-harness.js'
import { withPostgres } from './with-postgres.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const example = `${root}examples/vector-store`
const run = promisify(execFile)

// What an agent's step and its model do.
const SCRIPT = `
  const { toolSearch } = await import('./examples/vector-store/src/tool-search.ts')
  await toolSearch.warmup()
  const { tools } = await toolSearch.processInputStep({ messageList: { addSystem() {} }, tools: {}, messages: [] })
  const { results } = await tools.search_tools.execute({ query: 'will it rain tomorrow' }, {})
  console.log(JSON.stringify(results.map(({ name }) => name)))
  process.exit()`

describe('examples/vector-store', () => {
  const { test } = withPostgres()

  test('finds its tools by meaning, with the vectors that it wrote or that were pushed', async ({ server }) => {
    const env = { ...process.env, DATABASE_URL: server.url }
    const start = async () => {
      const args = ['--import', 'tsx', '--input-type=module', '-e', SCRIPT]
      const { stdout } = await run(process.execPath, args, { cwd: root, env })
      return JSON.parse(stdout.trim().split('\n').at(-1)!) as string[]
    }
    expect((await start())[0]).toBe('get_weather')
    const tools = `${example}/src/tools.ts#allTools`
    const push = ['push', tools, '--url', server.url, '--namespace', 'acme', '--json']
    const { code, out } = await cli(push, { embedder: null })
    expect(code).toBe(0)
    // The command and the processor agree on index, namespace and rows.
    expect(JSON.parse(out)).toMatchObject({ added: 0, kept: 2 })
    expect((await start())[0]).toBe('get_weather')
  })

  test('gives each tenant of an agent its own tools, in an index that can be deleted', async ({ server }) => {
    const child = `${root}test/vector-store/tenants-child.ts`
    const env = { ...process.env, DATABASE_URL: server.url, MASTRA_TELEMETRY_DISABLED: '1' }
    const { stdout } = await run(process.execPath, ['--import', 'tsx', child], { cwd: root, env })
    expect(JSON.parse(stdout.trim().split('\n').at(-1)!)).toEqual({
      acme: ['book_room'],
      globex: [],
      withoutTenant: 'The request has no tenant.',
      indexes: ['tools_acme_822b33ad87c1', 'tools_globex_5bc1a08d28e4'],
      afterDeletion: ['tools_globex_5bc1a08d28e4'],
    })
  })

  it.each(['tool-search', 'tenants'])('is what the README shows (%s)', async name => {
    const readme = await readFile(`${root}README.md`, 'utf8')
    const code = await readFile(`${example}/src/${name}.ts`, 'utf8')
    const shown = code.replace(/^import .* from '\.\/tools\.js'\n/m, '')
    expect(readme).toContain(shown.trim())
  })
})
