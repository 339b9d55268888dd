import pc from 'picocolors'
import { revealInvisibleCharacters } from '../inspect/invisible-characters.js'
import { type Progress, startProgress } from './progress.js'

export type Colors = ReturnType<typeof pc.createColors>

/** The streams of one run, and what a test sets in their place. */
export interface TerminalStreams {
  readonly stdin: NodeJS.ReadableStream & { isTTY?: boolean }
  readonly stdout: NodeJS.WritableStream & { isTTY?: boolean; columns?: number }
  readonly stderr: NodeJS.WritableStream & { isTTY?: boolean; columns?: number }
  readonly env: Readonly<Record<string, string | undefined>>
}

export interface TerminalOptions extends TerminalStreams {
  /** True where stdout shall hold one JSON document and nothing else. */
  readonly json: boolean
  /** Aborted by Ctrl-C. */
  readonly abortSignal: AbortSignal
}

/** Where a command reads and writes. */
export interface Terminal extends TerminalOptions {
  /** Columns of text that fit, 40 to 120. */
  readonly width: number
  /** Whether stdout is a terminal: to redraw, to ask. */
  readonly isTTY: boolean
  /** Colours for stdout, and for stderr; each leaves texts as they are where its stream is no terminal. */
  readonly colors: Colors
  readonly errorColors: Colors
  /** What the process will exit with: 0, or 1 where a check failed. Errors are thrown instead. */
  exitCode: number
  /** Writes a line to stdout; nothing with `--json`. */
  print(line?: string): void
  /** Writes the one document of `--json` to stdout; nothing without `--json`. */
  printJson(document: unknown): void
  /** Writes a line to stderr: warnings, and what is no result. Waits while a progress bar is shown. */
  note(line: string): void
  /** Shows on stderr how far a long work has come, until `end`. One at a time. */
  progress(label: string): Progress
}

const MIN_WIDTH = 40
const MAX_WIDTH = 120
const DEFAULT_WIDTH = 100

export function createTerminal(options: TerminalOptions): Terminal {
  const { stdout, stderr, env, json } = options
  const colors = pc.createColors(isColored(stdout, env) && !json)
  const errorColors = pc.createColors(isColored(stderr, env))
  // A line written into a progress bar would break both.
  let waiting: string[] | undefined
  const writeNote = (line: string) => stderr.write(`${line}\n`)
  return {
    ...options,
    width: Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, stdout.columns || Number(env.COLUMNS) || DEFAULT_WIDTH)),
    isTTY: stdout.isTTY === true,
    colors,
    errorColors,
    exitCode: 0,
    print(line = '') {
      if (!json) stdout.write(`${line.trimEnd()}\n`)
    },
    printJson(document) {
      if (json) stdout.write(`${JSON.stringify(document, null, 2)}\n`)
    },
    note(line) {
      if (waiting) waiting.push(line)
      else writeNote(line)
    },
    progress(label) {
      waiting ??= []
      const progress = startProgress({ label, stream: stderr, isRedrawn: stderr.isTTY === true && env.TERM !== 'dumb' })
      return {
        update: progress.update,
        end() {
          progress.end()
          for (const line of waiting ?? []) writeNote(line)
          waiting = undefined
        },
      }
    },
  }
}

/** On a terminal only, unless the user says otherwise (no-color.org, force-color.org). */
function isColored(stream: { isTTY?: boolean }, env: TerminalStreams['env']): boolean {
  if (env.NO_COLOR) return false
  if (env.FORCE_COLOR) return env.FORCE_COLOR !== '0' && env.FORCE_COLOR !== 'false'
  return stream.isTTY === true && env.TERM !== 'dumb'
}

// Control, format and bidirectional characters of a tool's text must not steer the terminal that shows it.
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu

/** A text of somebody else's (a name, a description) as one line that is safe to print. */
export const printable = (text: string) => text.replace(/\s+/g, ' ').replace(UNPRINTABLE, '').trim()

/** The same with what cannot be seen written out. */
export const shown = (text: string) => printable(revealInvisibleCharacters(text))

export const whole = (count: number) => count.toLocaleString('en-US')
export const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`

const KIB = 1024

/** Such as "12.3 MiB". */
export function byteSize(bytes: number): string {
  if (bytes < KIB) return `${bytes} bytes`
  if (bytes < KIB ** 2) return `${(bytes / KIB).toFixed(1)} KiB`
  return `${(bytes / KIB ** 2).toFixed(1)} MiB`
}

const BLOCKS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉', '█']

/** A score (0 to 1) as a bar of blocks, to an eighth of a cell, filled up with blanks. */
export function scoreBar(score: number, cells: number): string {
  const eighths = Math.round(Math.min(1, Math.max(0, score)) * cells * 8)
  const bar = '█'.repeat(Math.floor(eighths / 8)) + BLOCKS[eighths % 8]
  return bar.padEnd(cells)
}
