#!/usr/bin/env node
import { writeSync } from 'node:fs'
import { messageOf } from '../show.js'
import { CliError, EXIT_FAILED, Interrupted } from './failure.js'
import { run, wantsJson } from './run.js'
import type { TerminalStreams } from './terminal.js'

const argv = process.argv.slice(2)
const controller = new AbortController()

// True once the process may end: whatever ends it before is a tools module, and no success.
let isDone = false

let interrupted: Interrupted | undefined
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
for (const signal of SIGNALS) {
  process.on(signal, () => {
    // The second time without waiting for what hangs.
    if (interrupted) end(interrupted.exitCode)
    interrupted = new Interrupted(signal)
    controller.abort(interrupted)
  })
}
// Signals are handled here alone: the hooks that libraries install (MCPClient's for one) exit at once, with what is being
// written half written, and started servers running.
process.on('newListener', (event: string, listener: (...args: unknown[]) => void) => {
  if ((SIGNALS as readonly string[]).includes(event)) queueMicrotask(() => process.off(event, listener))
})

// `| head` closes stdout when it has seen enough; other errors are told at the end.
let unwritable: Error | undefined
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') end()
  unwritable ??= error
})
process.stderr.on('error', () => {})

// What a tools module does in its timers and promises is caught by nobody.
for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
  process.on(event, (error: unknown) => {
    const message = `An error was thrown where nothing catches it, most likely in a tools module: ${messageOf(error)}`
    controller.abort(new CliError('SOURCE_FAILED', message, { cause: error }))
  })
}

// A promise of a tools module that never settles, with nothing left to wait for: Node would end with code 0.
process.on('beforeExit', () =>
  controller.abort(
    new CliError(
      'SOURCE_FAILED',
      'Nothing is left to wait for, and the tools are not there: a promise that the tools module exports or awaits never settles. Make it resolve with the tools.',
    ),
  ),
)

process.on('exit', () => {
  if (isDone) return
  const message = 'A tools module ended the process (process.exit) before the work was done. Take that out of it.'
  process.exitCode = EXIT_FAILED
  writeSync(process.stderr.fd, `${message}\n`)
  if (wantsJson(argv))
    writeSync(process.stdout.fd, `${JSON.stringify({ error: { code: 'SOURCE_FAILED', message } })}\n`)
})

const { streams, flush } = openStreams()
const exitCode = await run(argv, { ...streams, env: process.env, abortSignal: controller.signal })

// Not by letting the event loop run dry: a tools module may hold connections open. Not before all is written, either.
await flush()
if (unwritable) process.stderr.write(`The output could not be written: ${unwritable.message}\n`)
process.stderr.write('', () => end(unwritable ? EXIT_FAILED : exitCode))

function end(code?: number): never {
  isDone = true
  return process.exit(code)
}

function openStreams(): { streams: Omit<TerminalStreams, 'env'>; flush: () => Promise<void> } {
  const { stdin, stdout, stderr } = process
  const write = stdout.write.bind(stdout)
  const flush = () => new Promise<void>(resolve => write('', () => resolve()))
  if (!wantsJson(argv)) return { streams: { stdin, stdout, stderr }, flush }
  // What a tools module logs must not get between the JSON: only the terminal's own writes reach stdout.
  const own = Object.create(stdout, { write: { value: write } }) as typeof stdout
  stdout.write = stderr.write.bind(stderr) as typeof stdout.write
  return { streams: { stdin, stdout: own, stderr }, flush }
}
