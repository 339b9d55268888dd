import { evaluateQueries } from '../../tuning/evaluate.js'
import { RANKED_DEPTH } from '../../tuning/evaluated-query.js'
import { type TuneReport, tuneReport } from '../../tuning/report.js'
import type { TuneCommandOptions } from '../commands/tune.js'
import { CliError, EXIT_FAILED } from '../failure.js'
import { reportFile, writeReportFile } from '../report-file.js'
import type { RunInternals } from '../run.js'
import { type Terminal, whole } from '../terminal.js'
import { loadUsableQueries } from './queries-input.js'
import { tuneCatalog } from './tune-catalog.js'
import { printTuneReport } from './tune-output.js'

/** Measures the search on the queries of a file. */
export async function runReport(
  items: readonly string[],
  options: TuneCommandOptions,
  file: string,
  terminal: Terminal,
  internals: RunInternals,
): Promise<void> {
  const html = options.html === undefined ? undefined : await reportFile(options.html)
  const catalog = await tuneCatalog(items, options, terminal, internals)
  if (options.require.length > 0 && !catalog.hasTexts) {
    const cure = 'Give the tools, too (tune tool-index ./src/tools.ts …), or build it with --include-documents.'
    throw new CliError(
      'WRONG_USE',
      `--require measures what agents get, and an index without texts is searched by names' words only. ${cure}`,
    )
  }
  const read = await loadUsableQueries(file, catalog.names, options, terminal)
  if (!read) return
  const { queries, badLines } = read
  rejectUnmeasurable(queries, options)

  const { searcher, adaptation } = await catalog.open()
  const { abortSignal } = terminal
  const progress = terminal.progress('Searching')
  const evaluated = await evaluateQueries(queries, searcher, {
    depth: Math.max(RANKED_DEPTH, options.topK ?? 0),
    onProgress: progress.update,
    abortSignal,
  }).finally(() => progress.end())
  const report = tuneReport(evaluated, {
    aim: options.aim,
    given: { topK: options.topK, minScore: options.minScore },
    requirements: options.require,
    seed: options.seed,
    tools: catalog.names.size,
    texts: catalog.texts,
    hasTexts: catalog.hasTexts,
    adaptation,
  })
  abortSignal.throwIfAborted()
  if (html !== undefined) {
    const { tunePage } = await import('../../report/tune-page.js')
    await writeReportFile(html, await tunePage(report, file))
  }
  printTuneReport(report, file, terminal)
  if (html !== undefined) terminal.print(`\nReport: ${html}`)
  terminal.printJson({ ...report, badLines, html: html ?? null })
  if (isMissed(report)) terminal.exitCode = EXIT_FAILED
}

const isMissed = ({ requirements }: TuneReport) => requirements.some(({ isMet }) => !isMet)

function rejectUnmeasurable(
  queries: readonly { readonly relevant: readonly string[] }[],
  { aim, queries: file }: TuneCommandOptions,
): void {
  const answerable = queries.filter(({ relevant }) => relevant.length > 0).length
  if (answerable === 0) {
    const got = queries.length === 0 ? 'no queries' : `only queries that nothing fits (${whole(queries.length)})`
    throw new CliError('SOURCE_INVALID', `${file} has ${got}. At least one must name a relevant tool.`)
  }
  if (aim.kind === 'no-answer' && answerable === queries.length) {
    throw new CliError(
      'WRONG_USE',
      `--aim no-answer needs queries that nothing fits ("relevant": []), and ${file} has none. Add some.`,
    )
  }
}
