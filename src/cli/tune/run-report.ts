import { evaluateQueries } from '../../tuning/evaluate.js'
import { RANKED_DEPTH } from '../../tuning/evaluated-query.js'
import { type TuneReport, tuneReport } from '../../tuning/report.js'
import type { TuneCommandOptions } from '../commands/tune.js'
import { CliError, EXIT_FAILED } from '../failure.js'
import { printText } from '../plain-table.js'
import { reportFile, writeReportFile } from '../report-file.js'
import type { RunInternals } from '../run.js'
import type { Terminal } from '../terminal.js'
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
  const needsTexts =
    options.require.length > 0 ? '--require measures' : options.calibrate ? '--calibrate fits' : undefined
  if (needsTexts !== undefined && !catalog.hasTexts) {
    const cure = 'Give the tools, too (tune tool-index ./src/tools.ts …), or build it with --include-documents.'
    throw new CliError(
      'WRONG_USE',
      `${needsTexts} what agents get, and an index without texts is searched by names' words only. ${cure}`,
    )
  }
  const read = await loadUsableQueries(file, catalog.names, options, terminal)
  if (!read) return
  const { queries, badLines } = read
  rejectUnmeasurable(queries, options, file)

  const calibrated = options.calibrate ? await catalog.calibrate(queries, options.seed) : undefined
  const { searcher, learnt } = await catalog.open()
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
    ...learnt,
  })
  abortSignal.throwIfAborted()
  if (html !== undefined) {
    const { tunePage } = await import('../../report/tune-page.js')
    await writeReportFile(html, await tunePage(report, file))
  }
  if (calibrated && !calibrated.helps) {
    printText(`Not calibrated, the index is as it was. ${calibrated.reason}`, 0, terminal, terminal.colors.yellow)
  }
  printTuneReport(report, file, terminal)
  if (html !== undefined) terminal.print(`\nReport: ${html}`)
  const outcome = calibrated && { calibrated: { helps: calibrated.helps, reason: calibrated.reason } }
  terminal.printJson({ ...report, ...outcome, badLines, html: html ?? null })
  if (isMissed(report) || calibrated?.helps === false) terminal.exitCode = EXIT_FAILED
}

const isMissed = ({ requirements }: TuneReport) => requirements.some(({ isMet }) => !isMet)

function rejectUnmeasurable(
  queries: readonly { readonly relevant: readonly string[] }[],
  { aim }: TuneCommandOptions,
  file: string,
): void {
  if (aim.kind === 'no-answer' && queries.every(({ relevant }) => relevant.length > 0)) {
    throw new CliError(
      'WRONG_USE',
      `--aim no-answer needs queries that nothing fits ("relevant": []), and ${file} has none. Add some.`,
    )
  }
}
