import { META_TOOL_NAMES } from '../catalog/callable-name.js'
import type { SameTool } from '../catalog/tool-identity.js'
import { ReservedToolNameError, ToolNameCollisionError } from '../errors.js'

/** The tools that an agent hands to a step. */
export type InputTools = Readonly<Record<string, unknown>>

/** @throws {ReservedToolNameError} when the step already has a tool under a meta-tool's name. */
export function rejectMetaTools(input: InputTools): void {
  for (const name of META_TOOL_NAMES) {
    if (!Object.hasOwn(input, name)) continue
    throw new ReservedToolNameError(
      name,
      `The step already has a tool named "${name}", which is the name of one of this processor's own tools. Rename it, and use one tool-search processor per agent.`,
    )
  }
}

export function withoutMetaTools(input: InputTools): InputTools {
  if (![...META_TOOL_NAMES].some(name => Object.hasOwn(input, name))) return input
  return Object.fromEntries(Object.entries(input).filter(([name]) => !META_TOOL_NAMES.has(name)))
}

/**
 * The step's own instance of a loaded tool, where it always has that tool anyway; else the loaded one.
 *
 * @throws {ToolNameCollisionError} when the step always has a different tool under that name.
 */
export function instanceFor(name: string, loaded: object, input: InputTools, isSame: SameTool): unknown {
  if (!Object.hasOwn(input, name)) return loaded
  const available = input[name]
  if (typeof available === 'object' && available !== null && isSame(available, loaded)) return available
  throw new ToolNameCollisionError(
    name,
    `The loaded tool "${name}" collides with a different tool that this step always has. Rename one of them, or drop one.`,
  )
}
