import { type ChildProcess, spawn } from 'node:child_process'
import { cp, mkdir, readdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { workFolder } from './cli-harness.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const work = workFolder()
const tools = await work.file('tools.json', {
  send_email: { description: 'Send a message to somebody' },
  get_weather: { description: 'Weather forecast of a city' },
})

// Thousands of tools: seconds to embed, so that a signal comes in between.
const LARGE = fileURLToPath(new URL('../../bench/data/seal-tools.json', import.meta.url))

interface Ended {
  code: number | null
  out: string
  err: string
}

/** Starts the command line as a process of its own. */
function start(args: string[], onError: (err: string, child: ChildProcess) => void = () => {}) {
  const child = spawn(process.execPath, ['--import', 'tsx', `${root}src/cli/main.ts`, ...args], { cwd: root })
  let out = ''
  let err = ''
  child.stdout.on('data', chunk => {
    out += chunk
  })
  child.stderr.on('data', chunk => {
    err += chunk
    onError(err, child)
  })
  const ended = new Promise<Ended>(resolve => child.once('close', code => resolve({ code, out, err })))
  return { child, ended }
}

describe('a process', () => {
  it('has one JSON document on stdout, whatever a tools module logs, and ends though the module stays busy', async () => {
    const noisy = await work.file(
      'noisy.ts',
      `console.log('hello'); process.stdout.write('raw'); setInterval(() => {}, 1000)
       export default () => { console.info('called'); return { send_email: { description: 'Send a message' } } }`,
    )
    const { code, out, err } = await start(['build', noisy, '--out', work.path('noisy'), '--json']).ended
    expect(code).toBe(0)
    expect(JSON.parse(out)).toMatchObject({ tools: 1, embedded: 1 })
    expect(err).toBe('hello\nrawcalled\n')
  })

  it('has all of a long JSON document on stdout, though its reader is slow', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 700 }, (_, at) => [`send_${'letter_'.repeat(12)}${at}`, { description: 'x' }]),
    )
    const file = await work.file('many.json', many)
    const args = ['search', file, 'send a letter', '--json', '--top-k', '700', '--min-score', '0']
    const { child, ended } = start(args)
    child.stdout.pause()
    setTimeout(() => child.stdout.resume(), 6_000)
    const { code, out } = await ended
    expect(code).toBe(0)
    expect(out.length).toBeGreaterThan(80_000)
    expect(JSON.parse(out).results).toHaveLength(700)
  })

  it.each([
    ['ends the process', 'process.exit(0)', /ended the process/],
    [
      'throws in a timer',
      'setTimeout(() => { throw new Error("late") }, 1); await new Promise(() => {})',
      /nothing catches it.*late/,
    ],
    [
      'rejects where nobody waits',
      'Promise.reject(new Error("lost")); await new Promise(() => setTimeout(() => {}, 9000))',
      /nothing catches it.*lost/,
    ],
  ])('fails with a sentence when a tools module %s', async (_, code, message) => {
    const file = await work.file('bad.mjs', `${code}; export default { a: { description: 'x' } }`)
    const ended = await start(['build', file, '--out', work.path('never'), '--json']).ended
    expect(ended.code).toBe(1)
    expect(JSON.parse(ended.out)).toMatchObject({
      error: { code: 'SOURCE_FAILED', message: expect.stringMatching(message) },
    })
    expect(ended.err.trim().split('\n')).toHaveLength(1)
  })

  it('writes the index where the user was, whatever a tools module makes the working directory', async () => {
    const file = await work.file('chdir.mjs', `process.chdir('/'); export default { a: { description: 'x' } }`)
    const child = spawn(
      process.execPath,
      ['--import', import.meta.resolve('tsx'), `${root}src/cli/main.ts`, 'build', file, '--out', 'here'],
      { cwd: work.path('.') },
    )
    expect(await new Promise(resolve => child.once('close', resolve))).toBe(0)
    expect(await readdir(work.path('here'))).toContain('manifest.json')
  })

  it.skipIf(process.platform !== 'linux')('fails when its output cannot be written', async () => {
    const child = spawn(
      'sh',
      [
        '-c',
        `"${process.execPath}" --import tsx src/cli/main.ts build "${tools}" --out "${work.path('full')}" > /dev/full`,
      ],
      { cwd: root },
    )
    let err = ''
    child.stderr.on('data', chunk => {
      err += chunk
    })
    expect(await new Promise(resolve => child.once('close', resolve))).toBe(1)
    expect(err.trim()).toMatch(/^The output could not be written: .*ENOSPC/)
  })

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('ended by %s while it builds leaves nothing and exits with %i', async (signal, code) => {
    const folder = work.path(`aborted-${signal}`)
    await mkdir(folder)
    let isSent = false
    const { ended } = start(['build', LARGE, '--out', `${folder}/index`], (err, child) => {
      if (!isSent && err.includes('Embedding tools:')) isSent = child.kill(signal)
    })
    const result = await ended
    expect(result.code).toBe(code)
    expect(result.err.trim().split('\n').at(-1)).toBe(`Interrupted by ${signal}.`)
    expect(await readdir(folder)).toEqual([])
  })

  it('ended by Ctrl-C while it rebuilds leaves the old index as it was', async () => {
    const index = work.path('old')
    expect((await start(['build', tools, '--out', index]).ended).code).toBe(0)
    await cp(index, work.path('copy'), { recursive: true })
    let isSent = false
    const { ended } = start(['build', LARGE, '--out', index], (err, child) => {
      if (!isSent && err.includes('Embedding tools:')) isSent = child.kill('SIGINT')
    })
    expect((await ended).code).toBe(130)
    expect(await readdir(index)).toEqual(await readdir(work.path('copy')))
    for (const file of await readdir(index)) {
      expect(await readFile(`${index}/${file}`)).toEqual(await readFile(`${work.path('copy')}/${file}`))
    }
  })

  it('ends at Ctrl-C while a tools module hangs', async () => {
    const hangs = await work.file(
      'hangs.ts',
      `setInterval(() => {}, 1000); console.error('waiting'); await new Promise(() => {}); export default {}`,
    )
    const { ended } = start(['build', hangs], (err, child) => {
      if (err.includes('waiting')) child.kill('SIGINT')
    })
    expect(await ended).toEqual({ code: 130, out: '', err: 'waiting\nInterrupted by SIGINT.\n' })
  })

  it('fails where a promise of a tools module never settles and nothing else is left to wait for', async () => {
    const never = await work.file('never.ts', 'export default new Promise(() => {})')
    const { code, err } = await start(['build', never]).ended
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('never settles') })
  })

  it('ends a hanging MCP server at Ctrl-C, and exits with 130', async () => {
    const pids = work.path('pids')
    const server = await work.file(
      'server.mjs',
      `import { appendFileSync } from 'node:fs'
       for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => {})
       appendFileSync(${JSON.stringify(pids)}, process.pid + '\\n')
       setInterval(() => {}, 1000)`,
    )
    const { child, ended } = start(['build', '--mcp', `"${process.execPath}" "${server}"`])
    const started = () => readFile(pids, 'utf8').catch(() => '')
    await expect.poll(started, { timeout: 30_000 }).not.toBe('')
    child.kill('SIGINT')
    expect((await ended).code).toBe(130)
    for (const pid of (await started()).trim().split('\n')) {
      await expect.poll(() => isAlive(Number(pid)), { timeout: 10_000 }).toBe(false)
    }
  })

  it('takes a closed stdout for the end of interest, not for a crash', async () => {
    const { child, ended } = start(['search', '--help'])
    child.stdout.destroy()
    expect(await ended).toMatchObject({ code: 0, err: '' })
  })

  it('searches the lines of a pipe with the bundled model', async () => {
    const { child, ended } = start(['search', tools])
    child.stdin.end('mail a letter\nwill it rain tomorrow\n')
    const { code, out } = await ended
    expect(code).toBe(0)
    expect([...out.matchAll(/^ +1 +(\S+)/gm)].map(([, name]) => name)).toEqual(['send_email', 'get_weather'])
  })
})

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
