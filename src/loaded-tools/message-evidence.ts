import { LOAD_TOOL, readActivation, SEARCH_TOOLS } from '../meta-tools/activation.js'

/**
 * The names that the conversation shows as loaded, in its order: those in `loaded` of a completed `load_tool` result
 * (or `toolName` of one by `@mastra/core` 1.71.0, which has no `loaded`), and those of an auto-load `search_tools`
 * receipt. Anything else, a plain search result too, shows nothing.
 *
 * Messages come from storage and from clients: whatever is malformed in them is skipped, never thrown.
 */
export function namesInMessages(messages: unknown): Set<string> {
  const names = new Set<string>()
  if (!Array.isArray(messages)) return names
  try {
    for (const message of messages) readGuarded(message, names)
  } catch {
    // The list itself is a hostile proxy: what was read before counts.
  }
  return names
}

function readGuarded(message: unknown, names: Set<string>): void {
  try {
    readMessage(message, names)
  } catch {
    // A hostile getter or proxy: no evidence.
  }
}

function readMessage(message: unknown, names: Set<string>): void {
  if (!isObject(message) || !mayCarryResults(message.role) || !isObject(message.content)) return
  const { parts } = message.content
  if (!Array.isArray(parts)) return
  for (const part of parts) {
    if (!isObject(part) || part.type !== 'tool-invocation' || !isObject(part.toolInvocation)) continue
    const { toolName, state, result } = part.toolInvocation
    if (state !== 'result' || !isObject(result)) continue
    if (toolName === LOAD_TOOL) readLoadResult(result, names)
    else if (toolName === SEARCH_TOOLS) addNames(readActivation(result), names)
  }
}

// Results are the assistant's; tool-shaped content that a user or system message carries is not one.
function mayCarryResults(role: unknown): boolean {
  return role === 'assistant' || role === 'tool' || role === undefined
}

function readLoadResult(result: Record<string, unknown>, names: Set<string>): void {
  if (Array.isArray(result.loaded)) addNames(result.loaded, names)
  else if (result.success === true) addNames([result.toolName], names)
}

function addNames(candidates: readonly unknown[], names: Set<string>): void {
  for (const name of candidates) if (typeof name === 'string' && name !== '') names.add(name)
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
