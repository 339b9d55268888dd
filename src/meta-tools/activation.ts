export const SEARCH_TOOLS = 'search_tools'
export const LOAD_TOOL = 'load_tool'

// The wire form of Mastra's own receipts after 1.71.0, so that conversations move between both processors.
export const ACTIVATION_TYPE = 'tool-search-auto-load'
export const ACTIVATION_VERSION = 1

/** Says in a `search_tools` result that its tools were loaded; the `'context'` store reads it from the messages. */
export interface Activation {
  type: typeof ACTIVATION_TYPE
  version: typeof ACTIVATION_VERSION
  loaded: string[]
}

export function activationOf(loaded: readonly string[]): Activation {
  return { type: ACTIVATION_TYPE, version: ACTIVATION_VERSION, loaded: [...loaded] }
}

/** What a `search_tools` result's receipt lists; empty without a receipt of a known form. */
export function readActivation(result: Readonly<Record<string, unknown>>): readonly unknown[] {
  const receipt = result.activation
  if (typeof receipt !== 'object' || receipt === null) return []
  const { type, version, loaded } = receipt as Record<string, unknown>
  return type === ACTIVATION_TYPE && version === ACTIVATION_VERSION && Array.isArray(loaded) ? loaded : []
}
