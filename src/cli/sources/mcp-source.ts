import { parseArgsStringToArgv } from 'string-argv'
import { messageOf, show } from '../../show.js'
import { untilAborted, withinTime } from '../../wait.js'
import { CliError } from '../failure.js'
import { trackChildren } from './child-processes.js'
import { type ErrorLog, openErrorLog } from './error-log.js'
import { importMcp } from './mcp-import.js'
import { isUrl, splitServer } from './source-spec.js'
import type { KeyedTool, LoadedSource } from './tool-source.js'

export interface McpOptions {
  /** Longest wait for the server's list of tools. */
  readonly timeoutMs: number
  /** Sent to a server at a URL. */
  readonly headers: Readonly<Record<string, string>>
  readonly env: Readonly<Record<string, string | undefined>>
  readonly abortSignal: AbortSignal
}

// MCPClient wants a name; without one in the argument, tools keep the names that the server gave them.
const UNNAMED = 'server'

/**
 * The tools of a running MCP server, as Mastra's own MCPClient lists them: of `name=command`, a server started for this
 * and ended again, or of an http(s) URL. With a name, tools are called `<name>_<tool>`, as in `MCPClient.listTools()`.
 *
 * @throws {CliError} where the server does not start, fails, or does not answer in time.
 */
export async function loadMcp(argument: string, options: McpOptions): Promise<LoadedSource> {
  const { server, rest } = splitServer(argument.trim())
  const label = `--mcp ${show(argument)}`
  const target = targetOf(rest, label)
  const { MCPClient, noopLogger } = await importMcp()
  const children = trackChildren(target instanceof URL ? [] : [target.command, ...target.args])
  const errorLog = await openErrorLog()
  const name = server ?? UNNAMED
  const client = new MCPClient({
    id: `mastra-semantic-tool-search ${argument}`,
    timeout: options.timeoutMs,
    servers: {
      [name]:
        target instanceof URL
          ? { url: target, requestInit: { headers: options.headers }, connectTimeout: options.timeoutMs }
          : // The whole environment, as a shell would pass it: servers take their keys from there.
            { ...target, env: definedOf(options.env), stderr: errorLog.target },
    },
  })
  // It logs each failure thrice, with stacks; the one line of the error below says it.
  client.__setLogger(noopLogger)
  try {
    const listing = withinTime(client.listToolsWithErrors(), options.timeoutMs, () => tooLate(label, options.timeoutMs))
    const { tools, errorDetails } = await untilAborted(listing, options.abortSignal)
    const failure = errorDetails[name]
    if (failure) throw await serverFailure(label, rest, failure, errorLog)
    await client.disconnect()
    children.release()
    return { label, tools: keyedTools(tools, name, server !== undefined) }
  } catch (error) {
    // MCPClient does not know a server whose connection is still being made.
    await Promise.all([client.disconnect().catch(() => {}), children.end()])
    throw error
  } finally {
    await errorLog.close()
  }
}

function targetOf(rest: string, label: string): URL | { command: string; args: string[] } {
  if (isUrl(rest)) {
    if (!URL.canParse(rest)) throw new CliError('WRONG_USE', `${label}: ${show(rest)} is no valid URL.`)
    return new URL(rest)
  }
  const [command, ...args] = parseArgsStringToArgv(rest)
  if (command === undefined || command === '') {
    const cure = 'Give the command that starts an MCP server, or its URL, such as --mcp "npx -y some-server".'
    throw new CliError('WRONG_USE', `${label} has no command. ${cure}`)
  }
  return { command, args }
}

const definedOf = (env: McpOptions['env']): Record<string, string> =>
  Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined))

function keyedTools(tools: Record<string, object>, name: string, isNamed: boolean): KeyedTool[] {
  return Object.entries(tools).map(([key, tool]) => {
    if (isNamed) return { key, tool }
    // The id has the made-up server name, so only what a document is made of is taken.
    const { description, inputSchema } = tool as KeyedTool['tool']
    return { key: key.slice(name.length + 1), tool: { description, inputSchema } }
  })
}

function tooLate(label: string, timeoutMs: number): CliError {
  const cure =
    'Is it an MCP server, and does it need longer (--mcp-timeout, in seconds), a key in the environment, or a --mcp-header?'
  return new CliError('MCP_FAILED', `${label} has not listed its tools within ${timeoutMs / 1000} s. ${cure}`)
}

interface ServerFailure {
  readonly message: string
  readonly code?: unknown
}

async function serverFailure(label: string, rest: string, failure: ServerFailure, log: ErrorLog): Promise<CliError> {
  const said = await log.lastLine()
  const tail = said === undefined ? '' : ` It said: ${said}`
  if (failure.code === 'ENOENT') {
    return new CliError('MCP_FAILED', `${label} cannot be started: there is no such command. Is it installed?`)
  }
  if (failure.code === 'CONNECTION_CLOSED') {
    return new CliError(
      'MCP_FAILED',
      `${label} ended before it listed its tools. Try the command by itself: ${rest}.${tail}`,
    )
  }
  // Mastra puts the stack into the message.
  const [message = ''] = messageOf(failure).split(/\n\s+at /)
  return new CliError('MCP_FAILED', `${label} failed: ${message.replace(/^.*?MCP server \S+: (Error: )?/, '')}.${tail}`)
}
