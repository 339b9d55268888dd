import { type Command, InvalidArgumentError, Option } from 'commander'
import { type Aim, aimText, DEFAULT_AIM, parseAim } from '../../tuning/aim.js'
import { METRICS, parseRequirement, type Requirement } from '../../tuning/requirements.js'
import { CliError } from '../failure.js'
import type { RunInternals } from '../run.js'
import {
  addJsonOption,
  addModelOptions,
  addSourceOptions,
  type ModelOptions,
  type SourceOptions,
  score,
  wholeNumber,
} from '../shared-options.js'
import type { Terminal } from '../terminal.js'
import { SOURCES_HELP } from './build.js'

export interface TuneCommandOptions extends SourceOptions, ModelOptions {
  readonly queries?: string
  readonly index?: string
  readonly aim: Aim
  readonly topK?: number
  readonly minScore?: number
  readonly require: readonly Requirement[]
  readonly draft?: number
  readonly fromTraces?: string
  readonly force?: boolean
  readonly skipBadLines?: boolean
  readonly html?: string
  readonly calibrate?: boolean
  readonly seed: number
}

const EXAMPLES = `

Queries are JSONL, {"query": "will it rain", "relevant": ["get_weather"]} a line,
with "relevant": [] where nothing fits; or CSV (cells separated by ",", ";" or
tabs) with the columns query and relevant (names separated by ";" or "|"); or
golden queries beside the tools, as JSON, where tools without any are left out:
{ "get_weather": { "exampleQueries": ["will it rain"] } }.

Examples:
  $ mastra-semantic-tool-search tune tool-index ./src/tools.ts --draft 200 --queries queries.jsonl
  $ mastra-semantic-tool-search tune tool-index ./src/tools.ts --from-traces messages.jsonl --queries queries.jsonl
  $ mastra-semantic-tool-search tune tool-index ./src/tools.ts --queries queries.jsonl --html report.html
  $ mastra-semantic-tool-search tune ./src/tools.ts --queries queries.csv --aim no-answer=0.8
  $ mastra-semantic-tool-search tune tool-index ./src/tools.ts --queries queries.jsonl --calibrate
  $ mastra-semantic-tool-search tune tool-index ./src/tools.ts --queries queries.jsonl --top-k 5 --min-score 0.1 \\
      --require "recall@5>=0.95" --require "no-answer>=0.5"

Aims: recall=<share> keeps this share of the recall without a minScore;
precision=<share>, no-answer=<share> (nothing returned when nothing fits), f1.
Requirements: recall@k, hit@k, ndcg@k, mrr, precision, f1, no-answer; >= or >.
They are measured at --top-k and --min-score; what is not given is recommended.

Exit codes: 0 ok, 1 a requirement is missed, --calibrate does not help or the
work failed, 2 wrong use or a bad queries file.`

export function addTuneCommand(program: Command, terminal: Terminal, internals: RunInternals): void {
  const command = program
    .command('tune')
    .description('Measure the search on your own queries, and choose topK and minScore with evidence.')
    .argument('[index-or-tools...]', 'folder of an index, or tools')
    .option(
      '--queries <file>',
      'queries with the tools that serve them: JSONL, CSV or exampleQueries; where --draft writes to',
    )
    .option('--index <folder>', 'index of the tools')
    .addOption(
      new Option('--aim <aim>', 'what minScore is to reach').argParser(aim).default(DEFAULT_AIM, aimText(DEFAULT_AIM)),
    )
    .option('-k, --top-k <count>', 'most results (default: recommended)', wholeNumber)
    .option('--min-score <score>', 'results score above it, 0 to 1 (default: recommended)', score)
    .addOption(
      new Option('--require <figure>', 'exit with 1 when it is missed, such as "recall@5>=0.95"; repeatable')
        .argParser(requirement)
        .default([], 'none'),
    )
    .option('--html <file>', 'write a report as one HTML file')
    .option('--calibrate', 'fit the score to the queries first, and store that in the index')
    .option('--draft <count>', 'write so many queries to start from, made of the tools themselves', wholeNumber)
    .option('--from-traces <file>', 'write the queries of logged search_tools and tool calls (JSONL)')
    .option('--force', 'let --draft and --from-traces replace the file')
    .option('--skip-bad-lines', 'go on without lines that cannot be used')
    .option('--seed <number>', 'seed of drafts, folds and samples', wholeNumber, 1)
  addSourceOptions(command)
  addModelOptions(command)
  addJsonOption(command)
    .addHelpText('after', SOURCES_HELP + EXAMPLES)
    .action((items: string[], options: TuneCommandOptions) => runTune(items, options, terminal, internals))
}

function aim(value: string): Aim {
  const parsed = parseAim(value)
  if (parsed) return parsed
  throw new InvalidArgumentError('Expected recall=0.98, precision=0.5, no-answer=0.8 (above 0, up to 1) or f1.')
}

function requirement(value: string, earlier: readonly Requirement[]): Requirement[] {
  const parsed = parseRequirement(value)
  if (parsed) return [...earlier, parsed]
  throw new InvalidArgumentError(
    `Expected a figure such as "recall@5>=0.95", of ${METRICS.join(', ')} and up to 1; @k with recall, hit and ndcg.`,
  )
}

async function runTune(
  items: readonly string[],
  options: TuneCommandOptions,
  terminal: Terminal,
  internals: RunInternals,
): Promise<void> {
  const { draft, fromTraces, queries } = options
  rejectContradictions(options)
  if (draft !== undefined) {
    const { runDraft } = await import('../tune/run-draft.js')
    return runDraft(items, options, draft, terminal, internals)
  }
  if (fromTraces !== undefined) {
    const { runFromTraces } = await import('../tune/run-from-traces.js')
    return runFromTraces(items, options, fromTraces, terminal, internals)
  }
  if (queries === undefined) {
    throw new CliError(
      'WRONG_USE',
      'Expected --queries <file>. None yet? --draft 200 --queries queries.jsonl writes some to start from, and --from-traces reads them from logs.',
    )
  }
  const { runReport } = await import('../tune/run-report.js')
  return runReport(items, options, queries, terminal, internals)
}

function rejectContradictions({ draft, fromTraces, html, require, calibrate }: TuneCommandOptions): void {
  if (draft !== undefined && fromTraces !== undefined) {
    throw new CliError('WRONG_USE', '--draft and --from-traces exclude each other: both write a queries file.')
  }
  const writes = draft === undefined ? '--from-traces' : '--draft'
  const measures = html !== undefined || require.length > 0 || calibrate
  if ((draft !== undefined || fromTraces !== undefined) && measures) {
    const cure = 'Leave out --html, --require and --calibrate, and tune with the file afterwards.'
    throw new CliError('WRONG_USE', `${writes} writes queries and measures nothing. ${cure}`)
  }
}
