import { resolve } from 'node:path'
import type { Command } from 'commander'
import type { BuildReport } from '../../artifact/tool-index.js'
import { showBuildProgress } from '../build-progress.js'
import { CliError } from '../failure.js'
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
import { byteSize, shown, type Terminal, whole } from '../terminal.js'

interface BuildOptions extends SourceOptions, ModelOptions {
  readonly out: string
  readonly includeDocuments?: boolean
}

export const SOURCES_HELP = `
Sources:
  ./tools.ts            the default export of a JS or TS module, or its only export of tools
  ./tools.ts#allTools   a named export: a record or array of tools, toolsets, or a function that returns these
  ./tools.json          MCP tools/list, OpenAI or Anthropic tools, or { name: { description, inputSchema } }
  github=./tools.json   the same, with names as an agent with the MCP server "github" has them: github_<tool>
  -                     JSON from stdin`

const EXAMPLES = `
Examples:
  $ mastra-semantic-tool-search build ./src/tools.ts#allTools
  $ mastra-semantic-tool-search build ./src/tools.ts github=./github-tools.json --out dist/tool-index
  $ mastra-semantic-tool-search build --mcp "files=npx -y @modelcontextprotocol/server-filesystem ." --out tool-index
  $ mastra-semantic-tool-search build --mcp "docs=https://example.com/mcp" --mcp-header "Authorization: Bearer $KEY"
  $ curl -s https://example.com/tools.json | mastra-semantic-tool-search build -

A second build into the same folder embeds only what is new or changed.`

export function addBuildCommand(program: Command, terminal: Terminal, internals: RunInternals): void {
  const command = program
    .command('build')
    .description('Embed tools and write them as an index, a folder that processors open in milliseconds.')
    .argument('[tools...]', 'where the tools come from, see below')
    .option('-o, --out <folder>', 'folder of the index', 'tool-index')
    .option('--include-documents', 'store the texts of the tools, too, for searches without the tools')
  addSourceOptions(command)
  addModelOptions(command)
  addJsonOption(command)
    .addHelpText('after', SOURCES_HELP + EXAMPLES)
    .action((files: string[], options: BuildOptions) => runBuild(files, options, terminal, internals))
}

async function runBuild(
  files: readonly string[],
  options: BuildOptions,
  terminal: Terminal,
  internals: RunInternals,
): Promise<void> {
  if (files.length === 0 && options.mcp.length === 0) {
    throw new CliError('WRONG_USE', 'Expected tools to build an index of: a module, a JSON file or --mcp, got none.')
  }
  if (options.out === '') throw new CliError('WRONG_USE', 'Expected --out to be a folder, got "". Name one.')
  // Before a tools module runs: it may change the working directory.
  const out = resolve(options.out)
  const embedder = await embedderOf(options, internals)
  const { loadSources } = await import('../sources/load-sources.js')
  const { tools } = await loadSources({ files, ...serversOf(options) }, terminal)
  const { includeDocuments } = options
  const report = await buildShowing(terminal, { tools, out, embedder, includeDocuments })
  terminal.printJson(jsonOf(report))
  printReport(report, terminal)
}

type BuildArguments = Pick<
  import('../../artifact/build.js').BuildToolIndexOptions,
  'tools' | 'out' | 'embedder' | 'includeDocuments'
>

/** Builds an index with its progress on the terminal. */
export async function buildShowing(terminal: Terminal, options: BuildArguments): Promise<BuildReport> {
  const { buildToolIndex } = await import('../../artifact/build.js')
  const { onProgress, end } = showBuildProgress(terminal)
  try {
    return await buildToolIndex({
      ...options,
      onProgress,
      abortSignal: terminal.abortSignal,
      warn: message => terminal.note(terminal.errorColors.yellow(message)),
    })
  } finally {
    end()
  }
}

export function jsonOf({ path, tools, embedded, reused, bytes, written, manifest }: BuildReport) {
  return { path, tools, embedded, reused, bytes, written, model: manifest.model, builtAt: manifest.builtAt }
}

export function printReport(report: BuildReport, { print, colors }: Terminal): void {
  const { tools, embedded, reused, bytes, written, path, manifest } = report
  const row = (name: string, value: string) => print(`  ${colors.gray(name.padEnd(8))}  ${value}`)
  print(colors.bold(written ? 'Built the index' : 'The index is up to date, nothing was written'))
  row('tools', `${whole(tools)} (${whole(embedded)} embedded, ${whole(reused)} reused)`)
  row('model', manifest.model.id)
  row('size', byteSize(bytes))
  row('path', shown(path))
}
