import { CommanderError } from 'commander'
import type { Embedder } from '../embedding/embedder.js'
import { EXIT_OK, failureOf } from './failure.js'
import { createProgram } from './program.js'
import { createTerminal, type TerminalStreams } from './terminal.js'

export interface RunStreams extends TerminalStreams {
  readonly abortSignal: AbortSignal
}

/** What tests put in the place of the real thing. */
export interface RunInternals {
  readonly embedder?: Embedder | undefined
}

/** Runs one command line (without `node` and the script) and gives its exit code. Never throws, never exits. */
export async function run(argv: readonly string[], streams: RunStreams, internals: RunInternals = {}): Promise<number> {
  const terminal = createTerminal({ ...streams, json: wantsJson(argv) })
  try {
    await createProgram(terminal, internals).parseAsync(argv, { from: 'user' })
    return terminal.exitCode
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return EXIT_OK
    // Whatever an interrupted work throws, the reason is the interruption.
    const thrown = streams.abortSignal.aborted ? streams.abortSignal.reason : error
    const { exitCode, code, message, stack } = failureOf(thrown, Boolean(streams.env.DEBUG))
    terminal.note(terminal.errorColors.red(message))
    if (stack !== undefined) terminal.note(stack)
    terminal.printJson({ error: { code, message } })
    return exitCode
  }
}

/** Read before the options are parsed: also what is wrong with these is told as JSON. */
export function wantsJson(argv: readonly string[]): boolean {
  const end = argv.indexOf('--')
  return (end === -1 ? argv : argv.slice(0, end)).includes('--json')
}
