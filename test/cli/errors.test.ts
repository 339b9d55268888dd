import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { wordEmbedder } from '../searcher/word-embedder.js'
import { cli, jsonOf, workFolder } from './cli-harness.js'

const work = workFolder()
const tools = await work.file('tools.json', { send_email: { description: 'Send a message' } })
const out = work.path('never')

describe('wrong use exits with 2 and says', () => {
  const cases: [string, string[], string][] = [
    ['an unknown option', ['build', '--frob'], "Unknown option '--frob'. --help shows what there is."],
    ['an unknown command', ['biuld'], "Unknown command 'biuld' (Did you mean build?)"],
    ['no tools', ['build'], 'Expected tools to build an index of'],
    ['a missing index', ['verify'], "Missing required argument 'tool-index'."],
    ['--fix without tools', ['verify', 'x', '--fix'], '--fix needs the tools'],
    ['nothing to search in', ['search'], 'Expected what to search in'],
    ['a missing file', ['build', './nope.ts'], 'There is no file or folder "./nope.ts".'],
    [
      'an index that is not there',
      ['adapt', 'tool-index', tools, '--queries', 'q.jsonl'],
      '"-" for stdin. An index is made by: mastra-semantic-tool-search build <tools...> --out "tool-index"',
    ],
    ['a missing file beside an index', ['tune', './nope.ts', '--queries', 'q'], 'a JSON file or "-" for stdin.\n'],
    ['a folder as tools', ['build', work.root], 'Expected tools, got the folder'],
    ['--watch without a query', ['search', tools, '--watch'], '--watch needs a query'],
    ['--watch with --json', ['search', tools, '-q', 'x', '--watch', '--json'], '--watch and --json exclude each other'],
    ['stdin for tools and queries', ['search', '-'], 'stdin ("-") holds the tools'],
    ['stdin twice', ['build', '-', 'a=-'], 'Expected "-" (stdin) at most once'],
    ['two indexes', ['search', work.root, '--index', work.root, 'x'], 'Expected one index to search in'],
    ['an empty --mcp', ['build', '--mcp', ''], '--mcp "" has no command.'],
    ['a wrong URL', ['build', '--mcp', 'http://['], '"http://[" is no valid URL.'],
    ['an unknown model', ['build', tools, '--model', 'nope'], 'Expected model to be "all-MiniLM-L6-v2"'],
    ...['0', '-1', '1.5', '1e400', 'NaN', 'ten', ''].map((value): [string, string[], string] => [
      `--top-k ${value}`,
      ['search', tools, 'x', `--top-k=${value}`],
      'Expected a whole number of 1 or more.',
    ]),
    ...['-0.1', '1.1', 'Infinity', ' '].map((value): [string, string[], string] => [
      `--min-score ${value}`,
      ['search', tools, 'x', `--min-score=${value}`],
      'Expected a number from 0 to 1.',
    ]),
    ...['0', '1e12'].map((value): [string, string[], string] => [
      `--mcp-timeout ${value}`,
      ['build', tools, `--mcp-timeout=${value}`],
      'Expected a number above 0',
    ]),
  ]
  it.each(cases)('%s', async (what, args, message) => {
    const embedder = what === 'an unknown model' ? null : wordEmbedder()
    const { code, err, out } = await cli(args, { embedder })
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(message) })
    expect(err.trim().split('\n')).toHaveLength(1)
    if (!args.includes('--json')) expect(out).toBe('')
  })

  it('that no command was given, below the help', async () => {
    const { code, err } = await cli([])
    expect(code).toBe(2)
    expect(err).toContain('Usage: mastra-semantic-tool-search')
    expect(err.trim().split('\n').at(-1)).toBe('No command given; see the help above.')
  })
})

describe('a source that cannot be used', () => {
  const circular = 'const r: Record<string, unknown> = {}; r.self = r; export default r'
  const cases: [string, string, string | Uint8Array, number, string][] = [
    ['is no JSON', 'a.json', '{ "tools": [', 2, 'is no valid JSON'],
    ['is empty', 'b.json', '', 2, 'is empty'],
    ['is binary', 'c.json', Uint8Array.of(0x80, 0xff, 0x00, 0x1b), 2, 'is not text in UTF-8'],
    ['is a number', 'd.json', '5', 2, 'is 5.'],
    [
      'has a wrong field',
      'e.json',
      '{"tools":[{"name":"a"},{"name":"b","description":5}]}',
      2,
      'tools[1].description: Invalid input: expected string, received number',
    ],
    [
      'has a wrong nested field',
      'f.json',
      '[{"type":"function","function":{"name":1}}]',
      2,
      '[0].function.name: Invalid input',
    ],
    ['has a tool without name', 'g.json', '[{"description":"x"}]', 2, '[0].name: Invalid input'],
    ['has a text for a tool', 'h.json', '{"a":"x"}', 2, '["a"] is "x", not a tool'],
    ['has a hosted tool', 'i.json', '[{"type":"web_search"}]', 2, 'is the hosted tool "web_search"'],
    ['has a name twice', 'j.json', '[{"name":"a"},{"name":"a"}]', 2, 'two tools have the name "a", [0] and [1]'],
    ['has no tools', 'k.json', '{"tools":[]}', 2, 'There are no tools in'],
    [
      'is a failed response',
      'l.json',
      '{"jsonrpc":"2.0","error":{"code":1,"message":"denied"}}',
      2,
      'failed request: "denied"',
    ],
    ['has the name of a meta-tool', 'm.json', '[{"name":"load_tool"}]', 2, "processor's own load_tool"],
    ['throws', 'a.ts', 'throw new Error("no key")', 1, 'a.ts: no key'],
    ['throws no error', 'b.ts', 'throw undefined', 1, 'b.ts: undefined'],
    [
      'has a function that throws',
      'c.ts',
      'export default () => { throw new Error("db down") }',
      1,
      'the export "default" failed: db down',
    ],
    ['rejects', 'd.ts', 'export default Promise.reject(new Error("late"))', 1, 'failed: late'],
    ['has wrong syntax', 'e.ts', 'export const = {', 1, 'Cannot load'],
    ['imports what is not there', 'f.ts', 'import "./nope.js"; export default {}', 1, 'Cannot load'],
    [
      'has two exports of tools',
      'g.ts',
      'export const a = { x: { id: "x" } }, b = { y: { id: "y" } }',
      2,
      'has 2 exports with tools. Say which: "#name", of "a", "b".',
    ],
    ['exports nothing', 'h.ts', 'const a = 1', 2, 'no exports at all'],
    ['exports a circle', 'i.ts', circular, 2, 'is an object, not a tool'],
    [
      'exports one tool',
      'j.ts',
      'export default { id: "a", description: "x" }',
      2,
      'is one tool, not a record of tools',
    ],
    ['exports an array without ids', 'k.ts', 'export default [{ description: "x" }]', 2, '[0] has no id'],
    ['exports an empty record', 'l.ts', 'export default {}', 2, 'There are no tools in'],
    [
      'has getters that throw',
      'm.ts',
      'export default { a: { get description() { throw new Error("no") } } }',
      1,
      ': no',
    ],
    ['is of another kind', 'a.yaml', 'a: b', 2, 'is neither a module'],
  ]
  it.each(cases)('%s', async (_what, name, content, code, message) => {
    const path = await work.file(name, content)
    const result = await cli(['build', path, '--out', out])
    expect(result).toEqual({ code, out: '', err: expect.stringContaining(message) })
    expect(result.err).toContain(name)
    expect(result.err.trim().split('\n')).toHaveLength(1)
  })

  it('lists its exports when the named one is missing', async () => {
    const path = await work.file('named.ts', 'export const one = {}, two = {}')
    const { code, err } = await cli(['build', `${path}#three`, '--out', out])
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining('no such export. It has "one", "two".') })
  })

  it('is a module with a name in front, or JSON with an export', async () => {
    const module = await cli(['build', `a=${await work.file('n.ts', 'export default {}')}`])
    expect(module).toMatchObject({ code: 2, err: expect.stringContaining('Expected a JSON file after "a="') })
    const json = await cli(['build', `${tools}#a`])
    expect(json).toMatchObject({ code: 2, err: expect.stringContaining('a JSON file has no exports') })
  })
})

describe('failed work', () => {
  it('exits with 1 and the code of the error', async () => {
    const embedder = wordEmbedder()
    embedder.failure = new Error('out of memory')
    const { code, err, ...rest } = await cli(['build', tools, '--out', out, '--json'], { embedder })
    expect(code).toBe(1)
    expect(err).toContain('out of memory')
    expect(jsonOf({ code, err, ...rest })).toEqual({ error: { code: 'EMBEDDING_FAILED', message: err.trim() } })
  })

  it('of a search without embeddings exits with 1 instead of searching words alone', async () => {
    const embedder = wordEmbedder()
    embedder.failure = new Error('no weights')
    const result = await cli(['search', tools, 'message'], { embedder })
    expect(result).toEqual({ code: 1, out: '', err: expect.stringContaining('no weights') })
  })

  it('of a missing model exits with 1', async () => {
    const args = ['build', tools, '--out', out, '--model', 'Xenova/bge-small-en-v1.5', '--json']
    const result = await cli(args, { embedder: null })
    // Known by its card, and not downloaded unless asked.
    expect(result.code).toBe(1)
    expect(jsonOf(result)).toMatchObject({ error: { code: 'MODEL_LOAD_FAILED' } })
  })

  it('of a broken index exits with 1', async () => {
    await work.file('broken/manifest.json', '{}')
    const result = await cli(['search', work.path('broken'), 'x', '--json'])
    expect(result.code).toBe(1)
    expect(jsonOf(result)).toMatchObject({ error: { code: 'INDEX_INVALID' } })
  })

  it('tells a stack only with DEBUG, or where the error is not foreseen', async () => {
    const path = await work.file('stack.ts', 'export default () => { throw new Error("deep") }')
    expect((await cli(['build', path])).err).not.toContain('    at ')
    expect((await cli(['build', path], { env: { DEBUG: '1' } })).err).toContain('Caused by: Error: deep')
    const stdin = new (await import('node:stream')).PassThrough()
    Object.defineProperty(stdin, 'on', {
      value: () => {
        throw new TypeError('odd')
      },
    })
    const odd = await cli(['search', tools], { stdin })
    expect(odd.code).toBe(1)
    expect(odd.err).toMatch(/^An error that should not occur, please report it: odd\nTypeError: odd\n {4}at /)
  })

  it('never lets the text of a source steer the terminal', async () => {
    const path = await work.file('evil.json', '[{"name":"\\u001b[2Ja\\u202e","description":5}]')
    const stripped = await cli(['build', path])
    expect(stripped.err.trim()).not.toMatch(/[\p{Cc}\p{Cf}]/u)
    const named = await work.file('evil-2.json', '[{"name":"\\u001b[2Jevil\\u202e","description":"mail"}]')
    const { out: table } = await cli(['search', named, 'mail'])
    expect(table).toContain('[2Jevil')
    expect(table.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u)
  })
})

describe('--html', () => {
  it('never overwrites what is no page', async () => {
    const queries = await work.file('labelled.jsonl', '{"query": "mail", "relevant": ["send_email"]}\n')
    const { code, err } = await cli(['tune', tools, '--queries', queries, '--html', queries])
    expect(code).toBe(2)
    expect(err.replaceAll(/\s+/g, ' ')).toMatch(/--html would overwrite ".*labelled.jsonl", which is no HTML page/)
    expect(await readFile(queries, 'utf8')).toContain('send_email')
  })
})

it('a folder of other things is not taken for an index because of a number in its manifest.json', async () => {
  const folder = work.path('web-app')
  await mkdir(folder)
  await writeFile(`${folder}/manifest.json`, '{"formatVersion": 1}')
  await writeFile(`${folder}/app.js`, '')
  const { code, err } = await cli(['build', tools, '--out', folder])
  expect([code, err]).toEqual([2, expect.stringContaining('which holds "app.js"')])
})

it('a folder under /proc is an error, and not an endless search for its parent', async () => {
  const { code, err } = await cli(['build', tools, '--out', '/proc/nowhere/index'])
  expect([code, err]).toEqual([1, expect.stringMatching(/ENOENT|EACCES|EPERM|ermission/)])
})

it('a description of a megabyte takes seconds, and a name of thousands of characters is shown shortened', async () => {
  const file = await work.file('long.json', {
    long: { description: 'word '.repeat(200_000) },
    ['z'.repeat(5_000)]: { description: 'evil' },
  })
  expect((await cli(['build', file, '--out', work.path('long')])).code).toBe(0)
  const { code, out } = await cli(['search', file, 'evil'])
  expect(code).toBe(0)
  expect(out).toContain('…')
}, 30_000)
