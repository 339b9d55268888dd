import { constants } from 'node:os'
import { CommanderError } from 'commander'
import { isToolSearchError, type ToolSearchErrorCode } from '../errors.js'
import { messageOf } from '../show.js'
import { printable } from './terminal.js'

export const EXIT_OK = 0
/** A check failed, or the work did. */
export const EXIT_FAILED = 1
/** The command line, or what it names, is wrong. */
export const EXIT_WRONG_USE = 2

/** Stable codes of what only the command line can fail of; `ToolSearchErrorCode` has the rest. */
export type CliErrorCode =
  | 'WRONG_USE'
  | 'SOURCE_NOT_FOUND'
  | 'SOURCE_INVALID'
  | 'SOURCE_FAILED'
  | 'MCP_UNAVAILABLE'
  | 'MCP_FAILED'
  | 'STORE_UNAVAILABLE'
  | 'STORE_FAILED'

const EXIT_CODES: Record<CliErrorCode, number> = {
  WRONG_USE: EXIT_WRONG_USE,
  SOURCE_NOT_FOUND: EXIT_WRONG_USE,
  SOURCE_INVALID: EXIT_WRONG_USE,
  SOURCE_FAILED: EXIT_FAILED,
  MCP_UNAVAILABLE: EXIT_FAILED,
  MCP_FAILED: EXIT_FAILED,
  STORE_UNAVAILABLE: EXIT_FAILED,
  STORE_FAILED: EXIT_FAILED,
}

const WRONG_USE_CODES: ReadonlySet<ToolSearchErrorCode> = new Set([
  'INVALID_OPTIONS',
  'TOOL_NAME_COLLISION',
  'RESERVED_TOOL_NAME',
])

/** What the command line refuses or could not do; the message is a sentence or two with the cure. */
export class CliError extends Error {
  readonly code: CliErrorCode

  constructor(code: CliErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.name = 'CliError'
    this.code = code
  }
}

export type InterruptSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP'

/** The reason of the run's abort signal when the user or the system ended it. */
export class Interrupted extends Error {
  readonly signal: InterruptSignal

  constructor(signal: InterruptSignal) {
    super(`Interrupted by ${signal}.`)
    this.name = 'Interrupted'
    this.signal = signal
  }

  /** 128 and the signal's number, as shells have it. */
  get exitCode(): number {
    return 128 + constants.signals[this.signal]
  }
}

/** What is told of an error, and what the process exits with. */
export interface Failure {
  readonly exitCode: number
  readonly code: string
  /** One line. */
  readonly message: string
  /** Set where nobody foresaw the error, or DEBUG asks for it. */
  readonly stack: string | undefined
}

/** What to tell of anything that was thrown. */
export function failureOf(thrown: unknown, debug: boolean): Failure {
  const foreseen = foreseenFailure(thrown)
  const stack = thrown instanceof Error ? withoutPasswords(stackOf(thrown)) : undefined
  if (foreseen) return { ...foreseen, message: told(foreseen.message), stack: debug ? stack : undefined }
  const message = `An error that should not occur, please report it: ${messageOf(thrown)}`
  return { exitCode: EXIT_FAILED, code: 'UNFORESEEN', message: told(message), stack }
}

// A URL may stand where no URL belongs, such as in a misspelt option, and an error names it.
const URL_PASSWORD = /(\b[a-z][a-z0-9+.-]*:\/\/[^\s/:@]*:)[^\s"']*@/gi

const withoutPasswords = (text: string) => text.replace(URL_PASSWORD, '$1***@')

const told = (message: string) => printable(withoutPasswords(message))

function foreseenFailure(thrown: unknown): Omit<Failure, 'stack'> | undefined {
  if (thrown instanceof Interrupted) return { exitCode: thrown.exitCode, code: thrown.signal, message: thrown.message }
  if (thrown instanceof CliError) {
    return { exitCode: EXIT_CODES[thrown.code], code: thrown.code, message: withCause(thrown) }
  }
  if (thrown instanceof CommanderError) {
    if (thrown.code === 'commander.help') {
      return { exitCode: EXIT_WRONG_USE, code: 'WRONG_USE', message: 'No command given; see the help above.' }
    }
    const what = capitalized(thrown.message.replace(/^error: /, '').replace(/\.$/, ''))
    const message = `${what}. --help shows what there is.`
    return { exitCode: EXIT_WRONG_USE, code: 'WRONG_USE', message }
  }
  if (isToolSearchError(thrown)) {
    const exitCode = WRONG_USE_CODES.has(thrown.code) ? EXIT_WRONG_USE : EXIT_FAILED
    return { exitCode, code: thrown.code, message: withCause(thrown) }
  }
  if (isSystemError(thrown)) return { exitCode: EXIT_FAILED, code: thrown.code, message: systemMessage(thrown) }
  return undefined
}

/** The message, and that of the cause where the first does not have it already. */
function withCause(error: Error): string {
  if (error.cause === undefined) return error.message
  const cause = messageOf(error.cause)
  // A schema's list of issues is no sentence.
  const isData = /^\s*[[{]/.test(cause)
  return isData || error.message.includes(cause) ? error.message : `${error.message} (${cause})`
}

/** The stack with those of the causes. */
export function stackOf(error: Error): string {
  const stack = error.stack ?? String(error)
  return error.cause instanceof Error ? `${stack}\nCaused by: ${stackOf(error.cause)}` : stack
}

type SystemError = Error & { code: string; syscall: string; path?: string }

/** True for what the file system refuses: a full disk, a folder without permission. */
function isSystemError(thrown: unknown): thrown is SystemError {
  return thrown instanceof Error && 'syscall' in thrown && 'code' in thrown && typeof thrown.code === 'string'
}

const SYSTEM_CURES: Readonly<Record<string, string>> = {
  EACCES: 'Permission denied; choose a folder that you may write to',
  EPERM: 'Permission denied; choose a folder that you may write to',
  EROFS: 'The file system is read-only; choose another folder',
  ENOSPC: 'The disk is full; make room and try again',
  ENOTDIR: 'A part of the path is a file, not a folder; choose another path',
  EEXIST: 'A file of that name is there; choose another path or remove it',
}

function systemMessage(error: SystemError): string {
  const cure = SYSTEM_CURES[error.code]
  return cure === undefined ? error.message : `${cure} (${error.message})`
}

const capitalized = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
