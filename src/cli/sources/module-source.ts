import { pathToFileURL } from 'node:url'
import { messageOf, show } from '../../show.js'
import { untilAborted } from '../../wait.js'
import { CliError } from '../failure.js'
import type { ModuleSpec } from './source-spec.js'
import { isObject, type KeyedTool, type LoadedSource } from './tool-source.js'

export interface ModuleOptions {
  readonly abortSignal: AbortSignal
  /** Loads the file and what it imports anew, though they were loaded before. */
  readonly isFresh?: boolean | undefined
}

/**
 * The tools that a JS or TS module exports: a record or array of tools, toolsets, or a function or promise of these.
 * Without an export's name: the default export, else the only export of tools, else all exports that are a tool each.
 *
 * @throws {CliError} naming the file where it cannot be loaded, throws, or exports no tools.
 */
export async function loadModule(spec: ModuleSpec, options: ModuleOptions): Promise<LoadedSource> {
  const { label, exportName } = spec
  const module = await attempt(`Cannot load ${label}`, importModule(spec.path, options), options.abortSignal)
  // Also what reads the exports: a getter or proxy of theirs may throw.
  const read = <T>(make: () => T) => attempt(`Cannot read ${label}`, call(make), options.abortSignal) as Promise<T>
  const { name, value } = await read(() => selectExport(module, exportName, label))
  const what = `${label}: the export "${name}"`
  const isFunction = typeof value === 'function'
  const made = await attempt(`${what} failed`, isFunction ? call(value as () => unknown) : value, options.abortSignal)
  return { label, tools: await read(() => toolsOf(made, isFunction ? `${what} returned` : what)) }
}

async function importModule(path: string, { isFresh = false }: ModuleOptions): Promise<unknown> {
  const { createJiti } = await import('jiti')
  // A cache on the disk would be one more thing to go stale; compiling a tools module takes milliseconds.
  const jiti = createJiti(path, { interopDefault: false, fsCache: false, moduleCache: !isFresh, sourceMaps: true })
  // What Node itself imports, it keeps by its URL.
  const isKept = isFresh && path.endsWith('.mjs')
  return isKept ? import(`${pathToFileURL(path).href}?loaded=${performance.now()}`) : jiti.import(path)
}

// In an async function, so that a synchronous throw is a rejection, too.
const call = async (make: () => unknown) => make()

/** The value, when it comes; what the user's own code throws gets the name of its file. */
async function attempt(failure: string, value: unknown, abortSignal: AbortSignal): Promise<unknown> {
  try {
    return await untilAborted(Promise.resolve(value), abortSignal)
  } catch (error) {
    abortSignal.throwIfAborted()
    if (error instanceof CliError) throw error
    throw new CliError('SOURCE_FAILED', `${failure}: ${messageOf(error)}`, { cause: error })
  }
}

function selectExport(
  module: unknown,
  exportName: string | undefined,
  label: string,
): { name: string; value: unknown } {
  // `module.exports = [...]` or a function: there are no names to choose from.
  if (!isObject(module)) return { name: 'module.exports', value: module }
  const names = Object.keys(module).filter(name => name !== '__esModule')
  if (exportName !== undefined) {
    if (names.includes(exportName)) return { name: exportName, value: module[exportName] }
    throw new CliError('SOURCE_INVALID', `${label} has no such export. It has ${list(names)}.`)
  }
  if (names.includes('default')) return { name: 'default', value: module.default }
  if (names.length === 1) return { name: names[0]!, value: module[names[0]!] }
  const collections = names.filter(name => isCollection(module[name]))
  if (collections.length === 1) return { name: collections[0]!, value: module[collections[0]!] }
  const single = names.filter(name => isTool(module[name]))
  if (collections.length === 0 && single.length > 0) {
    return { name: '*', value: Object.fromEntries(single.map(name => [name, module[name]])) }
  }
  const which =
    collections.length > 1 ? `${collections.length} exports with tools` : 'no default export and none of tools'
  throw new CliError('SOURCE_INVALID', `${label} has ${which}. Say which: "#name", of ${list(names)}.`)
}

const list = (names: readonly string[]) => (names.length === 0 ? 'no exports at all' : names.map(show).join(', '))

/** True for what has a tool's description, id, schema or function. */
function isTool(value: unknown): boolean {
  if (!isObject(value)) return false
  const { id, description, execute, inputSchema, parameters } = value
  const isSchema = (schema: unknown) => typeof schema === 'function' || isObject(schema)
  return (
    typeof id === 'string' ||
    typeof description === 'string' ||
    typeof execute === 'function' ||
    isSchema(inputSchema) ||
    isSchema(parameters)
  )
}

function isCollection(value: unknown): boolean {
  if (isTool(value) || typeof value !== 'object' || value === null) return false
  const members = Object.values(value)
  return members.length > 0 && members.every(member => isTool(member) || (isObject(member) && isCollection(member)))
}

/** The tools of a record or array of tools, or of a record of such records (Mastra's toolsets). */
function toolsOf(value: unknown, what: string): KeyedTool[] {
  if (Array.isArray(value)) return value.map((tool, at) => keyedById(tool, `${what}[${at}]`))
  if (!isObject(value) || isTool(value)) {
    const got = isTool(value) ? 'one tool' : show(value)
    const cure = 'Export { [key]: tool }, an array of tools with ids, or a function that returns one of these.'
    throw new CliError('SOURCE_INVALID', `${what} is ${got}, not a record of tools. ${cure}`)
  }
  return Object.entries(value).flatMap(([key, member]) => {
    if (isTool(member)) return [{ key, tool: member as KeyedTool['tool'] }]
    const inner = isObject(member) ? Object.entries(member) : []
    const wrong = inner.find(([, tool]) => !isTool(tool))
    if (inner.length === 0 || wrong) {
      const where = wrong ? `${JSON.stringify(key)}][${JSON.stringify(wrong[0])}` : JSON.stringify(key)
      const got = show(wrong ? wrong[1] : member)
      throw new CliError('SOURCE_INVALID', `${what}[${where}] is ${got}, not a tool. Make tools with createTool().`)
    }
    return inner.map(([name, tool]) => ({ key: name, tool: tool as KeyedTool['tool'] }))
  })
}

function keyedById(tool: unknown, what: string): KeyedTool {
  if (!isTool(tool)) {
    throw new CliError('SOURCE_INVALID', `${what} is ${show(tool)}, not a tool. Make tools with createTool().`)
  }
  const { id } = tool as KeyedTool['tool']
  if (typeof id === 'string' && id !== '') return { key: id, tool: tool as KeyedTool['tool'] }
  throw new CliError(
    'SOURCE_INVALID',
    `${what} has no id, which names a tool in an array. Give it one, or export a record.`,
  )
}
