import type { Command } from 'commander'
import { CliError } from '../failure.js'
import type { RunInternals } from '../run.js'
import {
  addJsonOption,
  addModelOptions,
  addSourceOptions,
  type ModelOptions,
  type SourceOptions,
  wholeNumber,
} from '../shared-options.js'
import type { Terminal } from '../terminal.js'
import { SOURCES_HELP } from './build.js'

export interface AdaptCommandOptions extends SourceOptions, ModelOptions {
  readonly queries?: string
  readonly index?: string
  readonly out?: string
  readonly keepOthers: boolean
  readonly includeDocuments?: boolean
  readonly skipBadLines?: boolean
  readonly seed: number
}

const EXAMPLES = `

Queries are those of tune: JSONL, {"query": "will it rain", "relevant":
["get_weather"]} a line, or CSV; or golden queries beside the tools, as JSON,
where tools without any are left out:
{ "get_weather": { "exampleQueries": ["will it rain"] } }. At least 10 are
needed, better some hundred.

Examples:
  $ mastra-semantic-tool-search adapt ./src/tools.ts --queries queries.jsonl --out tool-index
  $ mastra-semantic-tool-search adapt tool-index ./src/tools.ts --queries queries.jsonl
  $ mastra-semantic-tool-search adapt tool-index --queries examples.json --out adapted-index

The gain is measured on queries held out in turn. Where it is not beyond noise,
nothing is written. Later builds into the folder keep what was learnt.

Exit codes: 0 written, 1 it does not help or the work failed, 2 wrong use or a
bad queries file.`

export function addAdaptCommand(program: Command, terminal: Terminal, internals: RunInternals): void {
  const command = program
    .command('adapt')
    .description('Teach an index your own queries: which tools they mean. The model stays as it is.')
    .argument('[index-or-tools...]', 'folder of an index, or tools')
    .option('--queries <file>', 'queries with the tools that serve them: JSONL, CSV or exampleQueries')
    .option('--index <folder>', 'index of the tools')
    .option('-o, --out <folder>', 'folder of the adapted index (default: the index, else tool-index)')
    .option('--no-keep-others', 'let tools without queries be found less well')
    .option('--include-documents', 'store the texts of the tools, too (default: as the index)')
    .option('--skip-bad-lines', 'go on without lines that cannot be used')
    .option('--seed <number>', 'seed of the folds', wholeNumber, 1)
  addSourceOptions(command)
  addModelOptions(command)
  addJsonOption(command)
    .addHelpText('after', SOURCES_HELP + EXAMPLES)
    .action(async (items: string[], options: AdaptCommandOptions) => {
      if (options.queries === undefined) {
        throw new CliError('WRONG_USE', 'Expected --queries <file>. None yet? tune --from-traces reads them from logs.')
      }
      const { runAdapt } = await import('../adapt/run-adapt.js')
      return runAdapt(items, options, options.queries, terminal, internals)
    })
}
