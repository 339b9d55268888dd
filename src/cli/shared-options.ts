import { type Command, InvalidArgumentError, Option } from 'commander'
import type { Embedder } from '../embedding/embedder.js'
import { isToolSearchError } from '../errors.js'
import { show } from '../show.js'
import { CliError } from './failure.js'
import type { RunInternals } from './run.js'
import type { McpHeader } from './sources/load-sources.js'

export interface SourceOptions {
  readonly mcp: readonly string[]
  /** Seconds. */
  readonly mcpTimeout: number
  readonly mcpHeader: readonly McpHeader[]
}

/** The options of servers in the form of `loadServers`. */
export function serversOf({ mcp, mcpTimeout, mcpHeader }: SourceOptions) {
  return { mcp, mcpTimeoutMs: mcpTimeout * 1000, mcpHeaders: mcpHeader }
}

export interface ModelOptions {
  readonly model?: string
  readonly allowDownload?: boolean
}

// As long as MCPClient itself waits.
const DEFAULT_MCP_TIMEOUT_SECONDS = 60

// What a timer can hold: about 24 days. Beyond, Node would fire at once.
const MAX_TIMER_SECONDS = 2_147_483

/** `--mcp`, `--mcp-header` and `--mcp-timeout`. */
export function addSourceOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--mcp <[name=]command|url>', 'tools of a running MCP server, named as MCPClient does; repeatable')
        .argParser((value: string, earlier: readonly string[]) => [...earlier, value])
        .default([], 'none'),
    )
    .addOption(
      new Option(
        '--mcp-header <[server=]name: value>',
        'header, such as a key, for the MCP server at a URL; of several, for the named one; repeatable',
      )
        .argParser((value: string, earlier: readonly McpHeader[]) => [...earlier, header(value)])
        .default([], 'none'),
    )
    .option(
      '--mcp-timeout <seconds>',
      'longest wait for an MCP server',
      numberBetween(0, MAX_TIMER_SECONDS),
      DEFAULT_MCP_TIMEOUT_SECONDS,
    )
}

/** `--model` and `--allow-download`. */
export function addModelOptions(command: Command): Command {
  return command
    .option('--model <id|folder>', 'embedding model: the bundled one, a folder, or a hub id (default: bundled)')
    .option('--allow-download', 'download a hub model that is not there yet')
}

/** `--json`; read by `run` before all others. */
export function addJsonOption(command: Command): Command {
  return command.option('--json', 'write one JSON document to stdout, and nothing else')
}

/** What the options say; undefined for the bundled model. */
export async function embedderOf(
  { model, allowDownload }: ModelOptions,
  internals: RunInternals,
): Promise<Embedder | undefined> {
  if (internals.embedder) return internals.embedder
  if (model === undefined) return undefined
  const { transformersEmbedder } = await import('../embedding/transformers-js.js')
  try {
    return transformersEmbedder({ model, allowDownload })
  } catch (error) {
    if (!isToolSearchError(error) || !error.message.includes('dimensions')) throw error
    const cure =
      'Give the folder of a model (config.json, tokenizer.json, onnx/), or a hub id of the bge, e5, gte or MiniLM'
    const download = 'families, which --allow-download fetches once'
    throw new CliError(
      'WRONG_USE',
      `--model ${show(model)} is no folder here and has no model card. ${cure} ${download}.`,
    )
  }
}

function header(value: string): McpHeader {
  const [, server, name, text] = /^(?:([\w-]+)=)?([!#$%&'*+.^`|~\w-]+)\s*:\s*([^\r\n\0]+)$/.exec(value) ?? []
  if (name === undefined || text === undefined) {
    throw new InvalidArgumentError(
      'Expected a header such as "Authorization: Bearer $TOKEN", or "docs=Authorization: Bearer $TOKEN" for the server "docs".',
    )
  }
  return { server, name, value: text }
}

/** A parser of numbers above `least` and up to `most`. */
export function numberBetween(least: number, most: number): (value: string) => number {
  return value => {
    const number = parseNumber(value)
    if (number > least && number <= most) return number
    throw new InvalidArgumentError(`Expected a number above ${least} and up to ${most}.`)
  }
}

/** A parser of whole numbers from 1. */
export function wholeNumber(value: string): number {
  const number = parseNumber(value)
  if (Number.isSafeInteger(number) && number >= 1) return number
  throw new InvalidArgumentError('Expected a whole number of 1 or more.')
}

/** A parser of scores. */
export function score(value: string): number {
  const number = parseNumber(value)
  if (number >= 0 && number <= 1) return number
  throw new InvalidArgumentError('Expected a number from 0 to 1.')
}

// `Number` reads "" as 0.
const parseNumber = (value: string) => (value.trim() === '' ? Number.NaN : Number(value))
