import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { createServer as createHttpServer } from 'node:http'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { MCPClient } from '@mastra/mcp'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createCatalog, type ToolLike } from '../../src/catalog/catalog.js'
import { documentOf } from '../../src/catalog/document.js'
import { loadSources } from '../../src/cli/sources/load-sources.js'
import { createTerminal } from '../../src/cli/terminal.js'
import { cli, jsonOf, workFolder } from './cli-harness.js'

// A real MCP server, from npm.
const SERVER = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/dist/index.js')
const COMMAND = `"${process.execPath}" "${SERVER}" stdio`

const work = workFolder()

function documentsOf(tools: Record<string, ToolLike>): Record<string, string> {
  const entries = [...createCatalog(tools).entries()]
  return Object.fromEntries(entries.map(entry => [entry.name, documentOf(entry).text]).sort())
}

async function load(files: string[], mcp: string[] = []): Promise<Record<string, string>> {
  const { stdin, stdout, stderr, env } = process
  const abortSignal = new AbortController().signal
  const terminal = createTerminal({ stdin, stdout, stderr, env, json: false, abortSignal })
  return documentsOf((await loadSources({ files, mcp, mcpTimeoutMs: 60_000 }, terminal)).tools)
}

/** What the server itself answers to `tools/list`, line by line over stdio, without any client library. */
async function listToolsRaw(): Promise<unknown> {
  const server = spawn(process.execPath, [SERVER, 'stdio'], { stdio: ['pipe', 'pipe', 'ignore'] })
  const send = (message: object) => server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  const clientInfo = { name: 'test', version: '1' }
  send({ id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo } })
  let text = ''
  try {
    for await (const chunk of server.stdout) {
      text += chunk
      const lines = text.split('\n')
      text = lines.pop()!
      for (const line of lines) {
        const message = JSON.parse(line) as { id?: number; method?: string }
        if (message.id === 1 && !message.method) {
          send({ method: 'notifications/initialized' })
          send({ id: 2, method: 'tools/list' })
        }
        if (message.id === 2 && !message.method) return message
      }
    }
  } finally {
    server.kill()
  }
  throw new Error('The server ended')
}

describe('tools of an MCP server', () => {
  let agents: Record<string, string>
  let dump: string

  beforeAll(async () => {
    const client = new MCPClient({
      id: 'cli-test',
      servers: { ev: { command: process.execPath, args: [SERVER, 'stdio'], stderr: 'ignore' } },
    })
    agents = documentsOf(await client.listTools())
    await client.disconnect()
    dump = await work.file('dump.json', await listToolsRaw())
  }, 60_000)

  it('are documents as an agent with MCPClient has them, from --mcp name=…', async () => {
    expect(Object.keys(agents)).toContain('ev_echo')
    expect(Object.keys(agents).length).toBeGreaterThan(5)
    expect(await load([], [`ev=${COMMAND}`])).toEqual(agents)
  })

  it('are the same from a tools/list dump under the same name', async () => {
    expect(await load([`ev=${dump}`])).toEqual(agents)
  })

  it('have the names of the server itself without a name', async () => {
    const unnamed = await load([], [COMMAND])
    expect(Object.keys(unnamed)).toEqual(Object.keys(agents).map(name => name.replace('ev_', '')))
    expect(await load([dump])).toEqual(unnamed)
  })

  it('are built from a server and verified against its dump, with no drift', async () => {
    const out = work.path('index')
    const built = await cli(['build', '--mcp', `ev=${COMMAND}`, '--out', out, '--json'], { env: process.env as never })
    expect(built.code).toBe(0)
    expect(jsonOf(built).tools).toBe(Object.keys(agents).length)
    expect((await cli(['verify', out, `ev=${dump}`])).code).toBe(0)
  })

  it('of two sources that clash are an error that names both', async () => {
    const { code, err } = await cli(['build', dump, '--mcp', COMMAND, '--out', work.path('never')])
    expect(code).toBe(2)
    expect(err).toContain('Two sources have a tool')
    expect(err).toContain(dump)
    expect(err).toContain('--mcp ')
  })
})

describe('an MCP server over HTTP', () => {
  let server: ChildProcess
  let url: string

  beforeAll(async () => {
    const port = await freePort()
    url = `http://127.0.0.1:${port}/mcp`
    const env = { ...process.env, PORT: String(port) }
    server = spawn(process.execPath, [SERVER, 'streamableHttp'], { env, stdio: 'ignore' })
    await listening(url)
  }, 60_000)

  afterAll(() => void server?.kill('SIGKILL'))

  it('gives the same tools', async () => {
    expect(await load([], [`ev=${url}`])).toEqual(await load([], [`ev=${COMMAND}`]))
  })
})

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  await new Promise(resolve => server.close(resolve))
  return port
}

/** Waits until something answers, with whatever status. */
async function listening(url: string): Promise<void> {
  for (;;) {
    const isThere = await fetch(url).then(
      () => true,
      () => false,
    )
    if (isThere) return
    await new Promise(resolve => setTimeout(resolve, 50))
  }
}

describe('a server that', () => {
  const node = `"${process.execPath}"`

  it('does not exist is an error that says so', async () => {
    const { code, err } = await cli(['build', '--mcp', 'no-such-command-here --x'])
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('there is no such command') })
  })

  it('ends at once is an error with what it wrote', async () => {
    const script = await work.file('dies.mjs', 'console.error("Error: MY_TOKEN is not set"); process.exit(3)')
    const { code, err } = await cli(['build', '--mcp', `x=${node} "${script}"`])
    expect(code).toBe(1)
    expect(err).toContain('ended before it listed its tools')
    expect(err).toContain('It said: Error: MY_TOKEN is not set')
    expect(err.trim().split('\n')).toHaveLength(1)
  })

  it('refuses connections is an error', async () => {
    const { code, err } = await cli(['build', '--mcp', `http://127.0.0.1:${await freePort()}/mcp`])
    expect(code).toBe(1)
    expect(err.trim().split('\n')).toHaveLength(1)
  })

  it('is at a URL is sent the headers of --mcp-header', async () => {
    const seen: (string | undefined)[] = []
    const server = createHttpServer((request, response) => {
      seen.push(request.headers.authorization)
      response.writeHead(401).end()
    })
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as { port: number }
    const url = `http://127.0.0.1:${port}/mcp`
    const { code } = await cli([
      'build',
      '--mcp',
      url,
      '--mcp-header',
      'Authorization: Bearer a-key',
      '--mcp-timeout',
      '20',
    ])
    server.closeAllConnections()
    await new Promise(resolve => server.close(resolve))
    expect(code).toBe(1)
    expect(new Set(seen)).toEqual(new Set(['Bearer a-key']))
  })

  it.each([
    [
      ['--mcp', 'a=http://127.0.0.1:9/mcp', '--mcp', 'b=http://127.0.0.1:9/mcp', '--mcp-header', 'X-Key: s'],
      /any of 2 MCP/,
    ],
    [
      ['--mcp', 'a=http://127.0.0.1:9/mcp', '--mcp-header', 'b=X-Key: s'],
      /an MCP server "b" at a URL, and there is none/,
    ],
    [['--mcp', 'a=node server.js', '--mcp-header', 'X-Key: s'], /an MCP server at a URL, and there is none/],
  ])('is not asked where a header could go to another server or to none: %j', async (args, message) => {
    const { code, err } = await cli(['build', ...args])
    expect([code, err.replaceAll(/\s+/g, ' ')]).toEqual([2, expect.stringMatching(message)])
  })

  it.each(['Authorization', 'a b: c', 'x: a\nb: c'])('is not asked with the header %j', async header => {
    expect((await cli(['build', '--mcp', 'http://127.0.0.1:9/mcp', '--mcp-header', header])).code).toBe(2)
  })

  it('never answers and ignores signals is an error after the time-out, and is ended', async () => {
    const pids = work.path('pids')
    const script = await work.file(
      'hangs.mjs',
      `import { appendFileSync } from 'node:fs'
       process.on('SIGTERM', () => {})
       process.on('SIGINT', () => {})
       appendFileSync(process.argv[2], process.pid + '\\n')
       setInterval(() => {}, 1000)`,
    )
    const args = ['build', '--mcp', `${node} "${script}" "${pids}"`, '--mcp-timeout', '1']
    const { code, err } = await cli(args)
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('has not listed its tools within 1 s') })
    const started = (await readFile(pids, 'utf8').catch(() => '')).split('\n').filter(Boolean).map(Number)
    for (const pid of started) await expect.poll(() => isAlive(pid), { timeout: 10_000 }).toBe(false)
  })

  it('gets the environment of the command line, and its quoted arguments', async () => {
    const script = await work.file(
      'tells.mjs',
      'console.error([process.env.MY_KEY, ...process.argv.slice(2)].join("|"))',
    )
    const { err } = await cli(['build', '--mcp', `${node} "${script}" 'a b' --c="d e"`], { env: { MY_KEY: 'secret' } })
    expect(err).toContain('It said: secret|a b|--c=d e')
  })
})

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return !isZombie(pid)
  } catch {
    return false
  }
}

const isZombie = (pid: number) =>
  process.platform !== 'win32' &&
  execFileSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' }).startsWith('Z')
