import { resolve } from 'node:path'
import type { Command } from 'commander'
import { hasDrift } from '../../artifact/drift.js'
import type { ToolIndexDrift, VerifyReport } from '../../artifact/tool-index.js'
import { CliError, EXIT_FAILED } from '../failure.js'
import type { RunInternals } from '../run.js'
import {
  addJsonOption,
  addModelOptions,
  addSourceOptions,
  embedderOf,
  type ModelOptions,
  type SourceOptions,
  serversOf,
} from '../shared-options.js'
import { printable, shown, type Terminal, whole } from '../terminal.js'
import { buildShowing, jsonOf, printReport, SOURCES_HELP } from './build.js'

interface VerifyOptions extends SourceOptions, ModelOptions {
  readonly fix?: boolean
}

const EXAMPLES = `
Examples:
  $ mastra-semantic-tool-search verify tool-index
  $ mastra-semantic-tool-search verify tool-index ./src/tools.ts#allTools
  $ mastra-semantic-tool-search verify tool-index ./src/tools.ts --fix
  $ mastra-semantic-tool-search verify tool-index --mcp "files=npx -y @modelcontextprotocol/server-filesystem ." --json

Exit codes: 0 intact and up to date (or fixed), 1 not, 2 wrong use.`

export function addVerifyCommand(program: Command, terminal: Terminal, internals: RunInternals): void {
  const command = program
    .command('verify')
    .description('Check that an index is intact, fits the model and, with tools given, is up to date with them.')
    .argument('<tool-index>', 'folder of the index')
    .argument('[tools...]', 'the tools that it should be of, see below')
    .option('--fix', 'rebuild the index of these tools where anything is wrong')
  addSourceOptions(command)
  addModelOptions(command)
  addJsonOption(command)
    .addHelpText('after', SOURCES_HELP + EXAMPLES)
    .action((index: string, files: string[], options: VerifyOptions) =>
      runVerify(index, files, options, terminal, internals),
    )
}

async function runVerify(
  index: string,
  files: readonly string[],
  options: VerifyOptions,
  terminal: Terminal,
  internals: RunInternals,
): Promise<void> {
  const hasTools = files.length > 0 || options.mcp.length > 0
  if (options.fix && !hasTools) {
    throw new CliError('WRONG_USE', '--fix needs the tools to rebuild the index of: a module, a JSON file or --mcp.')
  }
  // Before a tools module runs: it may change the working directory.
  const folder = resolve(index)
  const embedder = await embedderOf(options, internals)
  const { loadSources } = await import('../sources/load-sources.js')
  const { verifyToolIndex } = await import('../../artifact/verify.js')
  const sources = { files, ...serversOf(options) }
  const tools = hasTools ? (await loadSources(sources, terminal)).tools : undefined
  const { abortSignal } = terminal
  const check = () => verifyToolIndex(folder, { ...(tools && { tools }), ...(embedder && { embedder }), abortSignal })

  const found = await check()
  printFindings(found, index, terminal)
  if (found.ok || !options.fix || !tools) {
    terminal.printJson(jsonOfReport(found))
    if (!found.ok) terminal.exitCode = EXIT_FAILED
    return
  }
  const includeDocuments = found.manifest ? found.manifest.files.documents !== null : undefined
  const report = await buildShowing(terminal, { tools, out: folder, embedder, includeDocuments })
  terminal.print()
  printReport(report, terminal)
  const after = await check()
  if (!after.ok) {
    printFindings(after, index, terminal)
    terminal.exitCode = EXIT_FAILED
  }
  terminal.printJson({ ...jsonOfReport(after), fixed: after.ok, found: jsonOfReport(found), build: jsonOf(report) })
}

function jsonOfReport({ ok, problems, drift, manifest }: VerifyReport) {
  return { ok, problems, drift: drift ?? null, tools: manifest?.tools.length ?? null, model: manifest?.model ?? null }
}

function printFindings({ ok, problems, drift, manifest }: VerifyReport, index: string, terminal: Terminal): void {
  const { print, colors } = terminal
  for (const problem of problems) print(`${colors.red('✗')} ${printable(problem)}`)
  if (problems.length === 0 && manifest) {
    print(
      `${colors.green('✓')} ${shown(index)} is intact: ${whole(manifest.tools.length)} tools, model ${manifest.model.id}`,
    )
  }
  if (!drift) return
  if (ok) print(`${colors.green('✓')} It is up to date with the tools.`)
  else if (hasDrift(drift)) printDrift(drift, terminal)
}

/** One line a tool, as a diff has them. */
function printDrift({ added, changed, removed }: ToolIndexDrift, { print, colors }: Terminal): void {
  print(
    `${colors.red('✗')} It is not up to date: ${added.length} added, ${changed.length} changed, ${removed.length} removed`,
  )
  for (const name of added) print(colors.green(`  + ${printable(name)}`))
  for (const name of changed) print(colors.yellow(`  ~ ${printable(name)}`))
  for (const name of removed) print(colors.red(`  - ${printable(name)}`))
}
