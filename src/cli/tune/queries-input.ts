import { readFile } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import { messageOf, show } from '../../show.js'
import { withKnownNames } from '../../tuning/known-names.js'
import { type BadLine, formatOf, type ReadQueries, readQueries } from '../../tuning/queries-file.js'
import { untilAborted } from '../../wait.js'
import { decodeText } from '../decode-text.js'
import { CliError, EXIT_WRONG_USE } from '../failure.js'
import { printable, type Terminal, whole } from '../terminal.js'

/** The text of a file, or of stdin ("-"). */
export async function readText(file: string, option: string, { stdin, abortSignal }: Terminal): Promise<string> {
  let bytes: Buffer
  try {
    bytes = await untilAborted(file === '-' ? buffer(stdin) : readFile(file), abortSignal)
  } catch (error) {
    abortSignal.throwIfAborted()
    throw new CliError('SOURCE_INVALID', `${option} ${show(file)} cannot be read: ${messageOf(error)}`, {
      cause: error,
    })
  }
  const text = decodeText(bytes)
  if (text !== undefined) return text
  throw new CliError('SOURCE_INVALID', `${option} ${show(file)} is not text in UTF-8. Save it as such.`)
}

/**
 * The queries of a file that can be used, of which at least one names a relevant tool; undefined, and said, where lines are
 * bad and not to be skipped.
 */
export async function loadUsableQueries(
  file: string,
  names: ReadonlySet<string>,
  { skipBadLines }: { readonly skipBadLines?: boolean },
  terminal: Terminal,
): Promise<ReadQueries | undefined> {
  const read = await loadQueries(file, names, terminal)
  noteBadLines(file, read.badLines, terminal)
  if (read.badLines.length > 0 && !skipBadLines) {
    refuse(file, read.badLines, terminal)
    return undefined
  }
  rejectUnanswerable(read.queries, file)
  return read
}

/** Not thrown: JSON is to have all lines. */
function refuse(file: string, badLines: readonly BadLine[], terminal: Terminal): void {
  const count = `${whole(badLines.length)} ${badLines.length === 1 ? 'line' : 'lines'}`
  const message = `${file} has ${count} that cannot be used. Correct them, or leave them out with --skip-bad-lines.`
  terminal.note(terminal.errorColors.red(message))
  terminal.printJson({ error: { code: 'SOURCE_INVALID', message, badLines } })
  terminal.exitCode = EXIT_WRONG_USE
}

/** The labelled queries of a file, and the lines that cannot be used or name tools that are not there. */
export async function loadQueries(file: string, names: ReadonlySet<string>, terminal: Terminal): Promise<ReadQueries> {
  const text = await readText(file, '--queries', terminal)
  return withKnownNames(readQueries(text, formatOf(file, text)), names)
}

// What a reader mends in one go; the count says how many more there are.
const LINES_SHOWN = 50

/** Lists bad lines on stderr. */
export function noteBadLines(file: string, badLines: readonly BadLine[], { note, errorColors }: Terminal): void {
  for (const { line, reason } of badLines.slice(0, LINES_SHOWN)) {
    note(`${errorColors.bold(`${printable(file)}:${line}`)} ${printable(reason)}`)
  }
  const left = badLines.length - LINES_SHOWN
  if (left > 0) note(`... and ${whole(left)} more bad lines`)
}

/** Nothing can be measured or learnt of queries that nothing fits alone. */
function rejectUnanswerable(queries: ReadQueries['queries'], file: string): void {
  if (queries.some(({ relevant }) => relevant.length > 0)) return
  const got = queries.length === 0 ? 'no queries' : `only queries that nothing fits (${whole(queries.length)})`
  throw new CliError('SOURCE_INVALID', `${file} has ${got}. At least one must name a relevant tool.`)
}
