#!/usr/bin/env node
import { CliError, Interrupted } from './failure.js'
import { run, wantsJson } from './run.js'
import type { TerminalStreams } from './terminal.js'

const argv = process.argv.slice(2)
const controller = new AbortController()

let interrupted: Interrupted | undefined
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
for (const signal of SIGNALS) {
  process.on(signal, () => {
    // The second time without waiting for what hangs.
    if (interrupted) process.exit(interrupted.exitCode)
    interrupted = new Interrupted(signal)
    controller.abort(interrupted)
  })
}
// Signals are handled here alone: the hooks that libraries install (MCPClient's for one) exit at once, with what is being
// written half written, and started servers running.
process.on('newListener', (event: string, listener: (...args: unknown[]) => void) => {
  if ((SIGNALS as readonly string[]).includes(event)) queueMicrotask(() => process.off(event, listener))
})

// `| head` closes stdout when it has seen enough.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  process.exit()
})
process.stderr.on('error', () => {})

// A promise of a tools module that never settles, with nothing left to wait for: Node would end with code 0.
process.on('beforeExit', () =>
  controller.abort(
    new CliError(
      'SOURCE_FAILED',
      'Nothing is left to wait for, and the tools are not there: a promise that the tools module exports or awaits never settles. Make it resolve with the tools.',
    ),
  ),
)

const exitCode = await run(argv, { ...streams(), env: process.env, abortSignal: controller.signal })

// Not by letting the event loop run dry: a tools module may hold connections open. Not before all is written, either.
process.exitCode = exitCode
process.stdout.write('', () => process.stderr.write('', () => process.exit()))

function streams(): Omit<TerminalStreams, 'env'> {
  const { stdin, stdout, stderr } = process
  if (!wantsJson(argv)) return { stdin, stdout, stderr }
  // What a tools module logs must not get between the JSON: only the terminal's own writes reach stdout.
  const write = stdout.write.bind(stdout)
  const own = Object.create(stdout, { write: { value: write } }) as typeof stdout
  stdout.write = stderr.write.bind(stderr) as typeof stdout.write
  return { stdin, stdout: own, stderr }
}
