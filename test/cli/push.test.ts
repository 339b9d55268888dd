import { LibSQLVector } from '@mastra/libsql'
import { PgVector } from '@mastra/pg'
import { describe, expect, it, vi } from 'vitest'
import { buildToolIndex } from '../../src/artifact/build.js'
import { openToolIndex } from '../../src/artifact/open.js'
import { secretsOf } from '../../src/cli/push/secrets.js'
import { createToolSearcher } from '../../src/searcher.js'
import { writeAdapted } from '../artifact/fixtures/adapted.js'
import { wordEmbedder } from '../searcher/word-embedder.js'
import { officeTools } from '../vector-store/store-contract.js'
import { withPostgres } from '../vector-store/with-postgres.js'
import { cli, jsonOf, workFolder } from './cli-harness.js'

const work = workFolder()
const urlOf = (name: string) => `file:${work.path(`${name}.db`)}`

/** A tools file, as `tools/list` of an MCP server gives it. */
const toolsFile = (name: string, tools: Record<string, { description: string }> = officeTools()) =>
  work.file(`${name}.json`, {
    tools: Object.entries(tools).map(([key, { description }]) => ({
      name: key,
      description,
      inputSchema: { type: 'object' },
    })),
  })

async function countRows(url: string, indexName: string): Promise<number> {
  const store = new LibSQLVector({ id: 'check', url })
  try {
    return (await store.describeIndex({ indexName })).count
  } finally {
    await store.close()
  }
}

describe('push', () => {
  it('writes the vectors of the model, also of an index that is adapted to queries', async () => {
    const url = urlOf('adapted')
    const out = work.path('adapted-index')
    await buildToolIndex({ tools: officeTools(), out, embedder: wordEmbedder() })
    await writeAdapted(await openToolIndex(out))
    const { vectors, documentVectors, manifest } = await openToolIndex(out)
    const pulled = manifest.tools.findIndex(({ queries }) => queries > 0)
    const { dimensions } = manifest.model
    const rowOf = (all: Float32Array) => all.slice(pulled * dimensions, (pulled + 1) * dimensions)
    expect(rowOf(vectors)).not.toEqual(rowOf(documentVectors))

    const pushed = await cli(['push', out, '--url', url], { embedder: wordEmbedder() })
    expect(pushed.code).toBe(0)
    expect(pushed.err).toMatch(/The index has learnt from queries.*searches through it do without/)
    const store = new LibSQLVector({ id: 'check', url })
    const own = rowOf(documentVectors)
    const query = { indexName: 'tools', queryVector: Array.from(own), topK: 80, includeVector: true }
    const found = (await store.query(query)).find(({ metadata }) => metadata?.name === manifest.tools[pulled]!.name)
    await store.close()
    // The store writes numbers as text of some eight digits.
    const furthest = Math.max(...found!.vector!.map((value, i) => Math.abs(value - own[i]!)))
    expect(furthest).toBeLessThan(1e-6)
  })

  it('writes tools, then only what is new, and deletes what is gone with --prune', async () => {
    const url = urlOf('tools')
    const first = await cli(['push', await toolsFile('all'), '--url', url])
    expect(first).toMatchObject({ code: 0, err: '' })
    expect(first.out).toMatch(/Pushed to the store/)
    expect(first.out).toMatch(/80 written, 0 kept, 0 removed/)
    expect(await countRows(url, 'tools')).toBe(80)

    const again = await cli(['push', await toolsFile('all'), '--url', url])
    expect(again.out).toMatch(/up to date/)

    const { send_mail, ...fewer } = officeTools()
    const changed = { ...fewer, pay: { description: 'Pays a bill.' } }
    const embedder = wordEmbedder()
    const kept = await cli(['push', await toolsFile('changed', changed), '--url', url, '--json'], { embedder })
    expect(jsonOf(kept)).toMatchObject({ tools: 80, added: 1, kept: 79, removed: 0, leaving: 1, index: 'tools' })
    expect(embedder.documentCalls).toHaveLength(1)
    expect(embedder.documentCalls[0]).toHaveLength(1)
    const pruned = await cli(['push', await toolsFile('changed', changed), '--url', url, '--prune', '--json'])
    expect(jsonOf(pruned)).toMatchObject({ added: 0, removed: 1, leaving: 0 })
    expect(await countRows(url, 'tools')).toBe(80)
  })

  it('keeps rows of tools that are gone for the hours of --remove-after', async () => {
    const url = urlOf('remove-after')
    const { send_mail, ...fewer } = officeTools()
    const push = async (...args: string[]) => cli(['push', await toolsFile('fewer', fewer), '--url', url, ...args])
    await cli(['push', await toolsFile('all'), '--url', url])
    expect((await push()).out).toMatch(/1 of tools that are gone are deleted by a push or start 24 h or more after/)
    // As if the mark were two days old: more than the default, and less than a week.
    const store = new LibSQLVector({ id: 'check', url })
    const query = { indexName: 'tools', queryVector: new Array(wordEmbedder().dimensions).fill(0.1), topK: 80 }
    const row = (await store.query(query)).find(({ metadata }) => metadata?.removedAt !== undefined)!
    expect(row.metadata!.name).toBe('send_mail')
    const metadata = { ...row.metadata, removedAt: Date.now() - 2 * 86_400_000 }
    await store.updateVector({ indexName: 'tools', id: row.id, update: { metadata } })
    await store.close()

    expect((await push('--remove-after', '168')).out).toMatch(/0 removed\n.*1 of tools that are gone.* 168 h/)
    expect(jsonOf(await push('--json'))).toMatchObject({ removed: 1, leaving: 0 })
  })

  it('takes the vectors of an index, and embeds only what it lacks', async () => {
    const url = urlOf('prebuilt')
    const out = work.path('tool-index')
    await buildToolIndex({ tools: officeTools(), out, embedder: wordEmbedder() })
    const embedder = wordEmbedder()
    const { code } = await cli(['push', out, '--url', url, '--namespace', 'acme', '--json'], { embedder })
    expect(code).toBe(0)
    expect(embedder.documentCalls).toEqual([])
    const more = await toolsFile('more', { ...officeTools(), pay: { description: 'Pays a bill.' } })
    const second = await cli(['push', more, '--index', out, '--url', url, '--namespace', 'acme', '--json'], {
      embedder,
    })
    expect(jsonOf(second)).toMatchObject({ added: 1, kept: 80, namespace: 'acme' })
    expect(embedder.documentCalls.flat()).toHaveLength(1)

    // A processor with this store finds all of it there.
    const store = new LibSQLVector({ id: 'check', url })
    const reader = wordEmbedder()
    const vectorStore = { store, indexName: 'tools', namespace: 'acme', sync: false }
    const searcher = createToolSearcher({ tools: officeTools(), embedder: reader, vectorStore })
    await searcher.warmup()
    expect((await searcher.search('send the mail')).mode).toBe('hybrid')
    expect(reader.documentCalls).toEqual([])
    await store.close()
  })

  it('shows how far it is, and reads the address from the environment', async () => {
    const env = { VECTOR_STORE_URL: urlOf('environment'), TERM: 'xterm' }
    const { code, out } = await cli(['push', await toolsFile('all')], { env })
    expect(code).toBe(0)
    expect(out).toContain(env.VECTOR_STORE_URL)
  })

  it('goes on where Ctrl-C ended it', async () => {
    const url = urlOf('interrupted')
    const tools = Object.fromEntries(
      Object.entries(officeTools()).flatMap(([key, { description }]) =>
        ['', '_b', '_c', '_d'].map(suffix => [key + suffix, { description: `${description}${suffix}` }]),
      ),
    )
    const file = await toolsFile('many', tools)
    const controller = new AbortController()
    const embedder = wordEmbedder()
    const embed = embedder.embedDocuments
    embedder.embedDocuments = async (texts, options) => {
      if (embedder.documentCalls.length > 1) controller.abort(new Error('interrupted'))
      return embed(texts, options)
    }
    const interrupted = await cli(['push', file, '--url', url], { embedder, abortSignal: controller.signal })
    expect(interrupted.code).not.toBe(0)
    await vi.waitFor(async () => expect(await countRows(url, 'tools')).toBeGreaterThanOrEqual(128), { timeout: 30_000 })
    const rest = await cli(['push', file, '--url', url, '--json'])
    const { added, kept } = jsonOf(rest) as { added: number; kept: number }
    expect(added + kept).toBe(320)
    expect(kept).toBeGreaterThanOrEqual(128)
    expect(await countRows(url, 'tools')).toBe(320)
  })

  it.each([
    ['no address', ['tools.json'], /--url or VECTOR_STORE_URL/],
    [
      'a store that is not known',
      ['tools.json', '--url', 'mysql://root:hunter2@db/x'],
      /Expected --url to be .*"mysql:"/,
    ],
    ['no tools', ['--url', 'file:x.db'], /folder of an index, a module/],
    ['a bad name', ['tools.json', '--url', 'file:x.db', '--index-name', 'my tools'], /indexName.*"my tools"/],
    ['a name with a hyphen', ['tools.json', '--url', 'file:x.db', '--index-name', 'my-tools'], /such as "my_tools"/],
    [
      'a time that is none',
      ['tools.json', '--url', 'file:x.db', '--remove-after', '7d'],
      /number above 0 and up to 87600/,
    ],
    ['two times', ['tools.json', '--url', 'file:x.db', '--remove-after', '5', '--prune'], /exclude each other/],
    ['a schema of LibSQL', ['tools.json', '--url', 'file:x.db', '--schema', 'a'], /--schema is for PostgreSQL/],
    [
      'an address among the tools',
      ['postgres://me:hunter2@db/x', '--url', urlOf('nothing')],
      /"postgres:..me:\*\*\*@db/,
    ],
    ['an address in a misspelt option', ['tools.json', '--url:postgres://me:hunter2@db/x'], /Unknown option/],
    ['a file that is not there', ['nowhere.json', '--url', urlOf('nothing')], /no file or folder "nowhere.json"/],
  ])('exits with 2 for %s', async (_, args, message) => {
    const { code, err, out } = await cli(['push', ...args])
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(err).toMatch(message)
    expect(err).not.toContain('hunter2')
  })

  it('exits with 1 for an index of another model, naming both', async () => {
    const url = urlOf('model')
    const file = await toolsFile('all')
    await cli(['push', file, '--url', url])
    const embedder = wordEmbedder({ modelId: 'another-bag' })
    const { code, out } = await cli(['push', file, '--url', url, '--json'], { embedder })
    expect(code).toBe(1)
    expect(JSON.parse(out).error).toMatchObject({
      code: 'VECTOR_STORE_MISMATCH',
      message: expect.stringMatching(/bag-of-words.*another-bag/),
    })
  })
})

describe('push to PostgreSQL', () => {
  const { test } = withPostgres()

  test('writes into a schema, and prints no password', async ({ server }) => {
    const url = server.url.replace('postgres@', 'postgres:hunter2@')
    const { code, out } = await cli(['push', await toolsFile('all'), '--url', url, '--schema', 'agents', '--json'])
    expect(code).toBe(0)
    expect(out).not.toContain('hunter2')
    expect(jsonOf({ code, out, err: '' })).toMatchObject({ added: 80, url: url.replace('hunter2', '***') })
    const store = new PgVector({ id: 'check', connectionString: server.url, schemaName: 'agents' })
    expect(await store.describeIndex({ indexName: 'tools' })).toMatchObject({
      count: 80,
      type: 'hnsw',
      metric: 'cosine',
    })
    await store.disconnect()
  })

  it.each([
    'postgresql://me:hunter2@127.0.0.1:1/db',
    'postgresql://me:hunter2@[bad/db',
    'postgres://me:hunter2@',
    'postgresql://me:p@hunter2.invalid/x@127.0.0.1:1/db',
    'postgresql://me:a/hunter2@127.0.0.1:1/db',
    'postgresql://me:a?hunter2@127.0.0.1:1/db',
    'postgresql://me:a#hunter2@127.0.0.1:1/db',
  ])('fails at %s without the password in what it prints, also with DEBUG', async url => {
    const env = { DEBUG: '1' }
    const { code, out, err } = await cli(['push', await toolsFile('all'), '--url', url, '--json'], { env })
    expect(code).toBeGreaterThan(0)
    expect(JSON.parse(out).error.message).not.toBe('')
    expect(out + err).not.toContain('hunter2')
  })
})

describe('what is shown of an address', () => {
  it.each([
    ['postgresql://me:s3cret@host:5432/db', 'postgresql://me:***@host:5432/db'],
    ['postgresql://postgres:postgres@host/postgres', 'postgresql://postgres:***@host/postgres'],
    ['postgresql://me:p%40ss@host/db', 'postgresql://me:***@host/db'],
    ['postgresql://me@host/db?password=s3cret&sslmode=require', 'postgresql://me@host/db?password=***&sslmode=require'],
    ['libsql://db.turso.io?authToken=ey.J.x', 'libsql://db.turso.io?authToken=***'],
    ['file:tools.db', 'file:tools.db'],
    ['postgresql://me:p@s/s?w#x@host/db', 'postgresql://me:***@host/db'],
    ['postgresql://me:$&@host/db', 'postgresql://me:***@host/db'],
    ['postgresql://me:s3cret@host/db?application_name=a@b', 'postgresql://me:***@host/db?application_name=a@b'],
    ['postgresql://host:5432/db?application_name=a@b', 'postgresql://host:5432/db?application_name=a@b'],
  ])('%s', (url, shown) => {
    expect(secretsOf(url).shownUrl).toBe(shown)
  })

  it('is in no text, as written or decoded', () => {
    const { redact } = secretsOf('postgresql://me:p%40ss@host/db')
    expect(redact('password p%40ss and p@ss')).toBe('password *** and ***')
    const unescaped = secretsOf('postgresql://me:p@word/more@host/db')
    expect(unescaped.redact('getaddrinfo ENOTFOUND word')).toBe('getaddrinfo ENOTFOUND ***')
  })
})
