import { queriesFromTraces, type TracedQueries } from '../../tuning/traces.js'
import type { TuneCommandOptions } from '../commands/tune.js'
import { CliError } from '../failure.js'
import type { RunInternals } from '../run.js'
import { type Terminal, whole } from '../terminal.js'
import { noteBadLines, readText } from './queries-input.js'
import { queriesOutput, writeQueries } from './queries-output.js'
import { tuneCatalog } from './tune-catalog.js'

/** Writes the queries that logged conversations tell; with a catalog given, of its tools only. */
export async function runFromTraces(
  items: readonly string[],
  options: TuneCommandOptions,
  file: string,
  terminal: Terminal,
  internals: RunInternals,
): Promise<void> {
  const output = await queriesOutput(options.queries, options.force)
  const hasCatalog = items.length > 0 || options.index !== undefined || options.mcp.length > 0
  const names = hasCatalog ? (await tuneCatalog(items, options, terminal, internals)).names : undefined
  const traced = queriesFromTraces(await readText(file, '--from-traces', terminal), names)
  noteBadLines(file, traced.badLines, terminal)
  if (traced.queries.length === 0) {
    const searches =
      traced.unanswered === 0 ? 'no search_tools call' : 'no search_tools call that another call followed'
    throw new CliError(
      'SOURCE_INVALID',
      `${file} has ${searches}. Expected one Mastra message, or one {"toolName", "args"}, a line.`,
    )
  }
  await writeQueries(output, traced.queries, terminal)
  noteCounts(traced, output.file, terminal)
  terminal.printJson({ file: output.file ?? null, ...traced })
}

const COUNT_CELLS = 6

function noteCounts(traced: TracedQueries, file: string | undefined, { note }: Terminal): void {
  const { queries, unanswered, onlyLoaded, repeated, unknownCalls } = traced
  note(`${whole(queries.length).padStart(COUNT_CELLS)}  queries${file ? `: ${file}` : ''}`)
  const counts: [number, string][] = [
    [onlyLoaded, 'of them with a tool that was loaded, but not called'],
    [repeated, 'searches of a text that was searched before, joined'],
    [unanswered, 'searches without a call, left out: does nothing fit them ("relevant": [])?'],
    [unknownCalls, 'calls of tools that the catalog does not have, left out'],
  ]
  for (const [count, what] of counts) if (count > 0) note(`${whole(count).padStart(COUNT_CELLS)}  ${what}`)
  note('What was called is not always what was right: look them through.')
}
