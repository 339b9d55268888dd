import type { ToolLike } from '../../catalog/catalog.js'

/** One tool, and the key under which its source has it: the callable name where the tool has no id. */
export interface KeyedTool {
  readonly key: string
  readonly tool: ToolLike
}

/** What one source brought. */
export interface LoadedSource {
  /** As messages name it, such as `./tools.json`. */
  readonly label: string
  readonly tools: readonly KeyedTool[]
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
