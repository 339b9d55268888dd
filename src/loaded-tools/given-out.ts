import type { ToolLike } from '../catalog/catalog.js'
import { isSameTool, looksLike, type SameTool } from '../catalog/tool-identity.js'

/**
 * Remembers the tools that an agent got from `getLoadedToolsForRequestContext`, by request.
 *
 * The agent puts its copies of them among the request's own tools, where they would come back as always-available
 * input tools, loaded and allowed or not. Each step takes them out again and decides afresh.
 */
export class GivenOutTools {
  readonly #byRequest = new WeakMap<object, Map<string, ToolLike>>()
  readonly #ever = new WeakSet<object>()

  /** True for one tool in two objects; lenient with what was given out, to this request or another. */
  readonly isSame: SameTool = (candidate, original) =>
    isSameTool(candidate, original) || (this.#ever.has(original) && looksLike(candidate, original))

  /** `own` are the request's tools: what it has under a name already is not ours to take out. */
  note(
    requestContext: object | undefined,
    given: Readonly<Record<string, ToolLike>>,
    own: Readonly<Record<string, unknown>>,
  ): void {
    for (const tool of Object.values(given)) this.#ever.add(tool)
    if (!requestContext) return
    const noted = this.#byRequest.get(requestContext) ?? new Map<string, ToolLike>()
    this.#byRequest.set(requestContext, noted)
    for (const name of noted.keys()) if (Object.hasOwn(own, name)) noted.delete(name)
    for (const [name, tool] of Object.entries(given)) {
      for (const key of new Set([name, agentToolKey(name)])) if (!Object.hasOwn(own, key)) noted.set(key, tool)
    }
  }

  /** The input tools without the agent's copies of what this request was given. */
  takeOut(input: Readonly<Record<string, unknown>>, requestContext: object | undefined): Record<string, unknown> {
    const noted = requestContext && this.#byRequest.get(requestContext)
    if (!noted || noted.size === 0) return input
    const isCopy = (tool: unknown, original: ToolLike | undefined) =>
      original !== undefined && typeof tool === 'object' && tool !== null && this.isSame(tool, original)
    return Object.fromEntries(Object.entries(input).filter(([key, tool]) => !isCopy(tool, noted.get(key))))
  }
}

const MAX_KEY_LENGTH = 63

// Agents rename keys that model providers refuse; a copy comes back under the new one.
function agentToolKey(name: string): string {
  const key = name.replace(/[^a-zA-Z0-9_-]/g, '_')
  return (/^[a-zA-Z_]/.test(key) ? key : `_${key}`).slice(0, MAX_KEY_LENGTH)
}
