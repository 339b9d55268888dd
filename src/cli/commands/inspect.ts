import { type Command, Option } from 'commander'
import type { ToolIndex } from '../../artifact/tool-index.js'
import { isAtLeast, RULES, SEVERITIES, type Severity } from '../../inspect/finding.js'
import type { Inspection } from '../../inspect/inspect.js'
import type { BreadthProbes } from '../../inspect/lint-breadth.js'
import type { CatalogNeighbors } from '../../inspect/neighbors.js'
import { messageOf } from '../../show.js'
import { EXIT_FAILED } from '../failure.js'
import { reportFile, writeReportFile } from '../report-file.js'
import { addJsonOption } from '../shared-options.js'
import { printable, shown, type Terminal } from '../terminal.js'
import { printInspection } from './inspect-output.js'

interface InspectCommandOptions {
  readonly html?: string
  readonly failOn?: Severity
}

const EXAMPLES = `
Examples:
  $ mastra-semantic-tool-search inspect tool-index
  $ mastra-semantic-tool-search inspect tool-index --html report.html
  $ mastra-semantic-tool-search inspect tool-index --fail-on error
  $ mastra-semantic-tool-search inspect tool-index --json | jq '.findings'

The report is one file that needs no network: a map of the catalog, findings, and all tools in a table.
An index built with --include-documents has more in it: texts in the map, and the orders to the model are quoted.

Exit codes: 0 ok, 1 findings of --fail-on or the work failed, 2 wrong use.`

export function addInspectCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command('inspect')
    .description('Show what an index holds, and what is wrong with its tools: near-duplicates, poisoned texts, ...')
    .argument('<tool-index>', 'folder of the index')
    .option('--html <file>', 'write a report as one HTML file')
    .addOption(
      new Option(
        '--fail-on <severity>',
        'exit with 1 on findings of this severity or a graver one (default: never)',
      ).choices(SEVERITIES),
    )
  addJsonOption(command)
    .addHelpText('after', EXAMPLES)
    .action((path: string, options: InspectCommandOptions) => runInspect(path, options, terminal))
}

async function runInspect(path: string, { html, failOn }: InspectCommandOptions, terminal: Terminal): Promise<void> {
  const { abortSignal } = terminal
  const file = html === undefined ? undefined : await reportFile(html)
  const { openToolIndex } = await import('../../artifact/open.js')
  const { inspectIndex } = await import('../../inspect/inspect.js')
  const index = await openToolIndex(path, { abortSignal })
  const probes = await probesOf(index, terminal)
  const { inspection, neighbors } = await withProgress(terminal, 'Comparing tools', onProgress =>
    inspectIndex(index, { probes, onProgress, abortSignal }),
  )
  if (file !== undefined) await writeReport(file, index, inspection, neighbors, terminal)
  printInspection(inspection, terminal)
  if (file !== undefined) terminal.print(`\nReport: ${shown(file)}`)
  terminal.printJson({ ...inspection, rules: RULES, html: file ?? null })
  if (failOn && inspection.findings.some(({ severity }) => isAtLeast(severity, failOn))) terminal.exitCode = EXIT_FAILED
}

/** The model is needed for this one check; without it the others go on. */
async function probesOf(index: ToolIndex, { note, abortSignal }: Terminal): Promise<BreadthProbes | undefined> {
  const { breadthProbes } = await import('../../inspect/lint-breadth.js')
  try {
    return await breadthProbes(index, abortSignal)
  } catch (error) {
    abortSignal.throwIfAborted()
    note(`Texts that claim to fit everything are not looked for by meaning: ${printable(messageOf(error))}`)
    return undefined
  }
}

async function writeReport(
  file: string,
  index: ToolIndex,
  inspection: Inspection,
  neighbors: CatalogNeighbors,
  terminal: Terminal,
): Promise<void> {
  const { projectCatalog } = await import('../../inspect/projection.js')
  const { inspectPage } = await import('../../report/inspect-page.js')
  const { documentVectors: vectors, manifest } = index
  const { abortSignal } = terminal
  const projection = await withProgress(terminal, 'Drawing the map', onProgress =>
    projectCatalog({ vectors, dimensions: manifest.model.dimensions, neighbors, onProgress, abortSignal }),
  )
  const page = await inspectPage(index, inspection, projection)
  abortSignal.throwIfAborted()
  await writeReportFile(file, page)
}

async function withProgress<Result>(
  terminal: Terminal,
  label: string,
  work: (onProgress: (done: number, total: number) => void) => Promise<Result>,
): Promise<Result> {
  const progress = terminal.progress(label)
  try {
    return await work((done, total) => progress.update(done, total))
  } finally {
    progress.end()
  }
}
