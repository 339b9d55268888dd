import { resolve } from 'node:path'
import { type AdaptReport, adaptToolIndex } from '../../adapt/adapt-index.js'
import type { ManifestAdaptation } from '../../artifact/tool-index.js'
import { signed } from '../../show.js'
import { showBuildProgress } from '../build-progress.js'
import type { AdaptCommandOptions } from '../commands/adapt.js'
import { jsonOf, printReport } from '../commands/build.js'
import { EXIT_FAILED } from '../failure.js'
import { adaptationText } from '../learnt-text.js'
import { printText } from '../plain-table.js'
import type { RunInternals } from '../run.js'
import { embedderOf } from '../shared-options.js'
import type { Terminal } from '../terminal.js'
import { loadUsableQueries } from '../tune/queries-input.js'
import { readCatalog } from '../tune/tune-catalog.js'

/** Adapts an index to the queries of a file. */
export async function runAdapt(
  items: readonly string[],
  options: AdaptCommandOptions,
  file: string,
  terminal: Terminal,
  internals: RunInternals,
): Promise<void> {
  // Before a tools module runs: it may change the working directory.
  const cwd = process.cwd()
  const { index, tools, names } = await readCatalog(items, options, terminal)
  const read = await loadUsableQueries(file, names, options, terminal)
  if (!read) return
  const drafts = read.queries.filter(({ isDraft }) => isDraft).length
  if (drafts > 0) {
    const what = `${drafts} of ${read.queries.length} queries are drafts, made of the tools' own texts: they teach little.`
    terminal.note(terminal.errorColors.yellow(what))
  }
  const { onProgress, end } = showBuildProgress(terminal)
  const report = await adaptToolIndex({
    queries: read.queries,
    tools,
    index: index && resolve(cwd, index),
    out: resolve(cwd, options.out ?? index ?? 'tool-index'),
    embedder: await embedderOf(options, internals),
    includeDocuments: options.includeDocuments,
    keepOthers: options.keepOthers,
    seed: options.seed,
    onProgress,
    abortSignal: terminal.abortSignal,
    warn: message => terminal.note(terminal.errorColors.yellow(message)),
  }).finally(end)
  print(report, terminal)
  const { helps, reason, adaptation, build } = report
  terminal.printJson({ helps, reason, adaptation, build: build && jsonOf(build), badLines: read.badLines })
  if (!helps) terminal.exitCode = EXIT_FAILED
}

function print({ reason, adaptation, build }: AdaptReport, terminal: Terminal): void {
  const { colors } = terminal
  if (build) {
    printText(`${adaptationText(adaptation!)}`, 0, terminal, colors.green)
    printText(learntText(adaptation!), 0, terminal, colors.gray)
    printReport(build, terminal)
    return
  }
  printText(`Not adapted, nothing was written. ${reason}`, 0, terminal, colors.yellow)
}

function learntText({ map, pull, gainOfOthers, before }: ManifestAdaptation): string {
  const parts = [
    ...(map ? [`queries are mapped (weight ${map.weight}, others ${map.others})`] : []),
    ...(pull > 0 ? [`tools are pulled (strength ${pull})`] : []),
  ]
  const others = gainOfOthers ? `; tools without queries ${signed(gainOfOthers.value)}` : ''
  return `Cross-validated, from nDCG@10 ${before.toFixed(3)}${others}. What was learnt: ${parts.join(', ')}.`
}
