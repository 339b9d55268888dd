import { statSync } from 'node:fs'
import { extname, resolve } from 'node:path'
import { show } from '../../show.js'
import { CliError } from '../failure.js'

/** Where tools come from, as a positional argument says it. */
export type SourceSpec = ModuleSpec | JsonSpec

export interface ModuleSpec {
  readonly kind: 'module'
  readonly label: string
  /** Absolute. */
  readonly path: string
  readonly exportName: string | undefined
}

export interface JsonSpec {
  readonly kind: 'json'
  readonly label: string
  /** Absolute; undefined for stdin. */
  readonly path: string | undefined
  /** Put in front of every name, with an underscore. */
  readonly server: string | undefined
}

const MODULE_EXTENSIONS: ReadonlySet<string> = new Set(['.ts', '.mts', '.cts', '.js', '.mjs', '.cjs', '.tsx', '.jsx'])

// A server's name, as agents are configured with it. A path or URL has a slash, colon, dot or blank before any "=".
const SERVER_PREFIX = /^([A-Za-z_][\w-]*)=(.+)$/s

/** Whether an `--mcp` is a server's address, and not a command that starts one. */
export const isUrl = (target: string) => /^https?:\/\//i.test(target)

/** Splits `name=rest`; the name is undefined where there is none. */
export function splitServer(argument: string): { server: string | undefined; rest: string } {
  const match = SERVER_PREFIX.exec(argument)
  return match ? { server: match[1]!, rest: match[2]! } : { server: undefined, rest: argument }
}

/**
 * The source that a positional argument names: a module or JSON file, or `-`.
 * @throws {CliError} where there is no such file, or it is of no kind that can be read.
 */
export function parseSource(argument: string): SourceSpec {
  const found = locate(argument)
  if (found) return found
  const cure = 'Give a module (.ts, .js, …, with #export or without), a JSON file or "-" for stdin.'
  if (isFolder(argument))
    throw new CliError('SOURCE_INVALID', `Expected tools, got the folder ${show(argument)}. ${cure}`)
  const isFolderName = extname(argument) === '' && !/[\s#=]/.test(argument)
  const build = isFolderName
    ? ` An index is made by: mastra-semantic-tool-search build <tools...> --out ${show(argument)}`
    : ''
  throw new CliError('SOURCE_NOT_FOUND', `There is no file or folder ${show(argument)}. ${cure}${build}`)
}

/** Whether a positional argument can only be meant as a source or an index: it is there, or looks like a path. */
export function looksLikeSource(argument: string): boolean {
  if (statsOf(argument) || locate(argument)) return true
  if (/\s/.test(argument)) return false
  const [path = ''] = splitServer(argument).rest.split('#')
  const extension = extname(path)
  return MODULE_EXTENSIONS.has(extension) || extension === '.json' || /^\.{0,2}[/\\]/.test(path)
}

export function isFolder(path: string): boolean {
  return statsOf(path)?.isDirectory() ?? false
}

function locate(argument: string): SourceSpec | undefined {
  const label = argument
  // The file itself first: names with "=" or "#" in them are rare, and allowed.
  const isThere = isFile(argument)
  const { server, rest } = isThere ? { server: undefined, rest: argument } : splitServer(argument)
  if (rest === '-') return { kind: 'json', label: server ? label : 'stdin', path: undefined, server }
  const hash = rest.lastIndexOf('#')
  const hasExport = hash > 0 && !isFile(rest)
  const path = hasExport ? rest.slice(0, hash) : rest
  const exportName = hasExport ? rest.slice(hash + 1) : undefined
  if (!isFile(path)) return undefined
  if (extname(path).toLowerCase() === '.json') {
    if (hasExport) throw new CliError('WRONG_USE', `${show(argument)}: a JSON file has no exports; leave out "#…".`)
    return { kind: 'json', label, path: resolve(path), server }
  }
  if (!MODULE_EXTENSIONS.has(extname(path).toLowerCase())) {
    throw new CliError(
      'SOURCE_INVALID',
      `${show(argument)} is neither a module (${[...MODULE_EXTENSIONS].join(', ')}) nor a .json file.`,
    )
  }
  if (server !== undefined) {
    const cure = "A module's tools have their own names; a name in front is for JSON files and --mcp."
    throw new CliError('WRONG_USE', `Expected a JSON file after "${server}=", got the module ${show(rest)}. ${cure}`)
  }
  if (exportName === '') throw new CliError('WRONG_USE', `${show(argument)}: expected the name of an export after "#".`)
  return { kind: 'module', label, path: resolve(path), exportName }
}

function isFile(path: string): boolean {
  const stats = statsOf(path)
  // A named pipe or /dev/stdin can be read once, too.
  return stats !== undefined && !stats.isDirectory()
}

function statsOf(path: string) {
  try {
    return statSync(path)
  } catch {
    return undefined // Missing, a name too long, or one with \0: there is none.
  }
}
