import { createHash } from 'node:crypto'
import type { ToolLike } from './catalog.js'

/** Names that the processor's own tools bear; no other tool may. */
export const META_TOOL_NAMES: ReadonlySet<string> = new Set(['search_tools', 'load_tool'])

// Mastra marks its tools with this registered symbol, so that they are known across copies of the package.
const MASTRA_TOOL = Symbol.for('mastra.core.tool.Tool')

/** True for a tool made by Mastra's `createTool` (also by another installed copy of it). */
export function isMastraTool(tool: object): boolean {
  return MASTRA_TOOL in tool
}

/** True for the plain object that an agent builds of each of its tools before a step. */
export function isAgentBuilt(tool: object): boolean {
  return !isMastraTool(tool) && Object.hasOwn(tool, 'hasSuspendSchema') && Object.hasOwn(tool, 'parameters')
}

const HASHED_ID = /^tool-[0-9a-f]{8}$/
const RANDOM_ID = /^tool-[0-9a-z]{1,7}$/

/**
 * True for an id that nobody chose: an agent gives AI SDK tools, which have none, `tool-` and a hash of the
 * description, or random letters where there is no description.
 */
export function hasMadeUpId(tool: ToolLike): boolean {
  const { id } = tool
  if (typeof id !== 'string' || !id.startsWith('tool-') || isMastraTool(tool)) return false
  const { description } = tool
  if (typeof description === 'string' && description !== '') {
    return HASHED_ID.test(id) && id.slice(5) === createHash('sha256').update(description).digest('hex').slice(0, 8)
  }
  return RANDOM_ID.test(id) && isAgentBuilt(tool)
}

/** The name under which the model calls a tool: its id, else (no id, or a made-up one) its record key. */
export function callableName(key: string, tool: ToolLike): string {
  try {
    const { id } = tool
    return typeof id === 'string' && id !== '' && !hasMadeUpId(tool) ? id : key
  } catch {
    // A getter threw: the key is as good a name.
    return key
  }
}
