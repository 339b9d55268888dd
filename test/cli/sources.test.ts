import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { cli, jsonOf, workFolder } from './cli-harness.js'

const work = workFolder()
let count = 0

/** The callable names that an index of these sources has. */
async function namesOf(sources: string[], stdin = ''): Promise<string[]> {
  const out = work.path(`index-${count++}`)
  const built = await cli(['build', ...sources, '--out', out], { stdin })
  expect(built).toMatchObject({ code: 0, err: '' })
  const drift = await cli(['verify', out, await work.file('other.json', { other: { description: 'x' } }), '--json'])
  return (jsonOf(drift).drift as { removed: string[] }).removed
}

const A = "{ description: 'first', inputSchema: { type: 'object', properties: {} } }"
const B = "{ description: 'second' }"

describe('a module', () => {
  const modules: Record<string, { source: string; file?: string; exportName?: string; names?: string[] }> = {
    'a named export': { source: `export const tools = { a: ${A}, b: ${B} }; export const n = 1`, exportName: 'tools' },
    'the default export': { source: `export default { a: ${A}, b: ${B} }; export const other = { c: ${A} }` },
    'the only export of tools': { source: `export const tools = { a: ${A}, b: ${B} }; export const n = 1` },
    'exports that are a tool each': { source: `export const a = ${A}; export const b = ${B}; export const n = 1` },
    'a function': { source: `export default () => ({ a: ${A}, b: ${B} })` },
    'an async function': { source: `export const make = async () => ({ a: ${A}, b: ${B} })`, exportName: 'make' },
    'a promise': { source: `export default Promise.resolve({ a: ${A}, b: ${B} })` },
    'a top-level await': { source: `const tools = await Promise.resolve({ a: ${A}, b: ${B} }); export default tools` },
    'an array of tools with ids': {
      source: `export default [{ id: 'a', description: 'x' }, { id: 'b', description: 'y' }]`,
    },
    toolsets: { source: `export default { one: { a: ${A} }, two: { b: ${B} } }` },
    'toolsets with one key and ids': {
      source: `export default { one: { x: { id: 'a', description: 'x' } }, two: { x: { id: 'b', description: 'y' } } }`,
    },
    'ids instead of keys': {
      source: `export default { k: { id: 'a', description: 'x' }, l: { id: 'b', description: 'y' } }`,
    },
    'CommonJS exports': { source: `module.exports = { a: ${A}, b: ${B} }`, file: 'cjs.cjs' },
    'a CommonJS array': {
      source: `module.exports = [{ id: 'a', description: 'x' }, { id: 'b', description: 'y' }]`,
      file: 'arr.cjs',
    },
    'a .mjs file': { source: `export default { a: ${A}, b: ${B} }`, file: 'm.mjs' },
    'a .mts file': {
      source: `interface X { a: string }\nexport default { a: ${A}, b: ${B} } as unknown as X`,
      file: 'm.mts',
    },
    'a .js file with import': {
      source: `import { join } from 'node:path'; export const a = ${A}, b = ${B}; join('')`,
      file: 'm.js',
    },
    'a name with a hash sign': { source: `export default { a: ${A}, b: ${B} }`, file: 'c#tools.ts' },
  }
  it.each(Object.entries(modules))('gives the tools of %s', async (_what, { source, file, exportName }) => {
    const path = await work.file(`modules/${count}-${file ?? 'tools.ts'}`, source)
    expect(await namesOf([exportName ? `${path}#${exportName}` : path])).toEqual(['a', 'b'])
  })

  it('gives tools made with createTool under their ids', async () => {
    const path = fileURLToPath(new URL('fixtures/mastra-tools.ts', import.meta.url))
    expect(await namesOf([`${path}#allTools`])).toEqual(['get_weather', 'send_email'])
  })

  it('imports other TypeScript files', async () => {
    await work.file('split/one.ts', `export const a = ${A}`)
    expect(await namesOf([await work.file('split/all.ts', `import { a } from './one'; export default { a }`)])).toEqual(
      ['a'],
    )
  })
})

const SCHEMA = { type: 'object', properties: { to: { type: 'string' } } }
const MCP = [
  { name: 'a', description: 'first', inputSchema: SCHEMA },
  { name: 'b', inputSchema: SCHEMA },
]

describe('a JSON file', () => {
  const documents: Record<string, unknown> = {
    'an MCP tools/list result': { tools: MCP, nextCursor: null },
    'a whole JSON-RPC response': { jsonrpc: '2.0', id: 1, result: { tools: MCP } },
    'a bare array of MCP tools': MCP,
    'OpenAI chat tools': MCP.map(({ inputSchema, ...tool }) => ({
      type: 'function',
      function: { ...tool, parameters: inputSchema },
    })),
    'OpenAI responses tools': MCP.map(({ inputSchema, ...tool }) => ({
      type: 'function',
      strict: true,
      ...tool,
      parameters: inputSchema,
    })),
    'Anthropic tools': MCP.map(({ inputSchema, ...tool }) => ({ ...tool, input_schema: inputSchema })),
    'a record': { a: { description: 'x', inputSchema: SCHEMA }, b: { description: null } },
    'a record within tools': { tools: { a: { description: 'x' }, b: { description: 'y' } } },
    'tools with ids': {
      name: 'some corpus',
      tools: [
        { id: 'a', description: 'x' },
        { id: 'b', description: 'y' },
      ],
    },
  }
  it.each(Object.entries(documents))('gives the tools of %s', async (_what, document) => {
    expect(await namesOf([await work.file(`json/${count}.json`, document)])).toEqual(['a', 'b'])
  })

  it('is read from stdin', async () => {
    expect(await namesOf(['-'], JSON.stringify(MCP))).toEqual(['a', 'b'])
    expect(await namesOf(['s=-'], JSON.stringify(MCP))).toEqual(['s_a', 's_b'])
  })

  it('may begin with a byte order mark, or be UTF-16 as PowerShell writes it', async () => {
    const text = JSON.stringify(MCP)
    expect(await namesOf([await work.file('bom.json', `\uFEFF${text}`)])).toEqual(['a', 'b'])
    const utf16 = Buffer.from(`\uFEFF${text}`, 'utf16le')
    expect(await namesOf([await work.file('utf16.json', utf16)])).toEqual(['a', 'b'])
  })

  it.each(['result', undefined])('is refused where it is only a page of a list (%s)', async wrapper => {
    const page = { tools: [{ name: 'a', description: 'x', inputSchema: {} }], nextCursor: '2' }
    const file = await work.file('page.json', wrapper ? { jsonrpc: '2.0', id: 1, result: page } : page)
    const { code, err } = await cli(['build', file])
    expect([code, err]).toEqual([2, expect.stringContaining('only one page')])
  })

  it('gets the name of an MCP server in front of its tools', async () => {
    expect(await namesOf([`git-hub=${await work.file('named.json', MCP)}`])).toEqual(['git-hub_a', 'git-hub_b'])
  })

  it('keeps a tool that is called as a member of all objects', async () => {
    const path = await work.file('proto.json', '[{"name":"__proto__","description":"x"},{"name":"constructor"}]')
    expect(await namesOf([path])).toEqual(['__proto__', 'constructor'])
  })
})

describe('several sources', () => {
  it('are merged', async () => {
    const json = await work.file('merge.json', MCP)
    expect(await namesOf([await work.file('merge.ts', `export default { c: ${A} }`), json, `x=${json}`])).toEqual([
      ...['a', 'b', 'c', 'x_a', 'x_b'],
    ])
  })

  it('that bring one callable name are an error that names both', async () => {
    const one = await work.file('dup-1.json', { a: { description: 'x' } })
    const two = await work.file('dup-2.ts', `export default { k: { id: 'a', description: 'y' } }`)
    const { code, err } = await cli(['build', one, two, '--out', work.path('never')])
    expect(code).toBe(2)
    expect(err).toContain(`Two sources have a tool "a": ${one} and ${two}.`)
  })
})
