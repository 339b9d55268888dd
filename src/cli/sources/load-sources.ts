import { callableName } from '../../catalog/callable-name.js'
import { createCatalog, type ToolLike } from '../../catalog/catalog.js'
import { isToolSearchError, ToolNameCollisionError } from '../../errors.js'
import { messageOf, show } from '../../show.js'
import { CliError } from '../failure.js'
import type { Terminal } from '../terminal.js'
import { loadJson } from './json-source.js'
import { isUrl, parseSource, splitServer } from './source-spec.js'
import type { LoadedSource } from './tool-source.js'

/** A header of `--mcp-header`. */
export interface McpHeader {
  /** The `name=` of the `--mcp` that it is for; undefined where there is only one at a URL. */
  readonly server: string | undefined
  readonly name: string
  readonly value: string
}

export interface SourceArguments {
  /** Positional arguments that name modules and JSON files. */
  readonly files: readonly string[]
  /** Values of `--mcp`. */
  readonly mcp: readonly string[]
  readonly mcpTimeoutMs: number
  /** For servers at URLs. */
  readonly mcpHeaders?: readonly McpHeader[]
}

/** Tools of all sources, by callable name. */
export interface LoadedTools {
  readonly tools: Record<string, ToolLike>
  /** The source of each callable name. */
  readonly origins: ReadonlyMap<string, string>
}

/** The tools of all sources together. One after the other: each may be a large program that is started for it. */
export async function loadSources(
  args: SourceArguments,
  terminal: Terminal,
  options: { isFresh?: boolean } = {},
): Promise<LoadedTools> {
  return mergeSources([...(await loadFiles(args.files, terminal, options)), ...(await loadServers(args, terminal))])
}

export async function loadFiles(
  files: readonly string[],
  terminal: Terminal,
  options: { isFresh?: boolean } = {},
): Promise<LoadedSource[]> {
  const specs = files.map(parseSource)
  if (specs.filter(spec => spec.kind === 'json' && spec.path === undefined).length > 1) {
    throw new CliError('WRONG_USE', 'Expected "-" (stdin) at most once among the sources.')
  }
  const { abortSignal, stdin } = terminal
  const loaded: LoadedSource[] = []
  for (const spec of specs) {
    abortSignal.throwIfAborted()
    if (spec.kind === 'json') loaded.push(await loadJson(spec, { stdin, abortSignal }))
    else {
      const { loadModule } = await import('./module-source.js')
      loaded.push(await loadModule(spec, { abortSignal, ...options }))
    }
  }
  return loaded
}

export async function loadServers(
  { mcp, mcpTimeoutMs, mcpHeaders = [] }: Omit<SourceArguments, 'files'>,
  terminal: Terminal,
): Promise<LoadedSource[]> {
  const { abortSignal, env } = terminal
  const loaded: LoadedSource[] = []
  const headersOf = headersByServer(mcp, mcpHeaders)
  for (const server of mcp) {
    abortSignal.throwIfAborted()
    const { loadMcp } = await import('./mcp-source.js')
    loaded.push(await loadMcp(server, { abortSignal, env, timeoutMs: mcpTimeoutMs, headers: headersOf(server) }))
  }
  return loaded
}

/** A key goes to the server that it is meant for, and to no other. */
function headersByServer(mcp: readonly string[], headers: readonly McpHeader[]) {
  const urls = mcp.map(argument => splitServer(argument.trim())).filter(({ rest }) => isUrl(rest))
  for (const { server, name } of headers) {
    if (server === undefined && urls.length > 1) {
      const cure = `Say which: --mcp-header ${show(`${urls[0]!.server ?? 'docs'}=${name}: ...`)}, with --mcp "name=https://..."`
      throw new CliError(
        'WRONG_USE',
        `The header ${show(name)} could go to any of ${urls.length} MCP servers. ${cure}.`,
      )
    }
    if (server === undefined ? urls.length > 0 : urls.some(url => url.server === server)) continue
    const wanted = server === undefined ? 'an MCP server at a URL' : `an MCP server ${show(server)} at a URL`
    throw new CliError(
      'WRONG_USE',
      `The header ${show(name)} is for ${wanted}, and there is none: give --mcp "name=https://...".`,
    )
  }
  return (argument: string): Record<string, string> => {
    const { server } = splitServer(argument.trim())
    const own = headers.filter(header => header.server === undefined || header.server === server)
    return Object.fromEntries(own.map(({ name, value }) => [name, value]))
  }
}

/**
 * One record of the tools of several sources.
 * @throws {ToolNameCollisionError} naming both sources of a callable name.
 * @throws {CliError} where there is no tool at all.
 */
export function mergeSources(sources: readonly LoadedSource[]): LoadedTools {
  const tools = new Map<string, ToolLike>()
  const origins = new Map<string, string>()
  for (const source of sources) {
    for (const { name, tool } of catalogOf(source)) {
      const other = origins.get(name)
      if (other !== undefined && tools.get(name) !== tool) {
        const cure = 'Leave out one, rename one, or put "name=" in front of a JSON file or --mcp server.'
        const message = `Two sources have a tool ${JSON.stringify(name)}: ${other} and ${source.label}. ${cure}`
        throw new ToolNameCollisionError(name, message)
      }
      tools.set(name, tool)
      origins.set(name, source.label)
    }
  }
  if (tools.size === 0) {
    const where = sources.map(({ label }) => label).join(', ')
    throw new CliError('SOURCE_INVALID', `There are no tools in ${where}. Name a source that has at least one.`)
  }
  return { tools: Object.fromEntries(tools), origins }
}

/** The tools of one source under their callable names, with the checks that the processor makes at start. */
function catalogOf({ label, tools }: LoadedSource) {
  const record = new Map<string, ToolLike>()
  for (const { key, tool } of tools) {
    // Toolsets may use one key twice, for tools whose ids differ.
    const free = record.has(key) && record.get(key) !== tool ? callableName(key, tool) : key
    if (record.has(free) && record.get(free) !== tool) {
      throw new ToolNameCollisionError(free, `${label}: two tools have the key ${JSON.stringify(key)}. Rename one.`)
    }
    record.set(free, tool)
  }
  try {
    return [...createCatalog(Object.fromEntries(record)).entries()]
  } catch (error) {
    if (!isToolSearchError(error)) throw error
    throw new CliError('SOURCE_INVALID', `${label}: ${messageOf(error)}`, { cause: error })
  }
}
