import type { Activation } from './activation.js'

// Every sentence that the model reads. Tool names in backquotes only where prose surrounds them.

export const SYSTEM_MESSAGE =
  'More tools exist than you can see. Call search_tools with what you want to do to find some, then load_tool with ' +
  'the exact toolName, or with toolNames for several, to add them. A tool can be called from the turn after it was ' +
  'loaded, and not before.'

export const SYSTEM_MESSAGE_AUTO_LOAD =
  'More tools exist than you can see. Call search_tools with what you want to do: the tools that it finds are loaded ' +
  'at once, with no separate step, and can be called from your next turn on.'

/** Heads the list of `injectCatalog`. */
export function catalogMessage(lines: readonly string[], autoLoad: boolean): string {
  const how = autoLoad
    ? 'To use one, call search_tools with its name: what is found is loaded and can be called from your next turn on.'
    : 'To use some, call load_tool with their exact names, without a search; search_tools finds them by meaning.'
  return `These tools exist but are not loaded yet. ${how}\n\nAvailable tools:\n${lines.join('\n')}`
}

export const SEARCH_DESCRIPTION =
  'Finds tools by meaning. Use it when you need something that none of your tools does. Returns the names and ' +
  'descriptions of the best matches; load_tool then makes a match callable.'

export const SEARCH_DESCRIPTION_AUTO_LOAD =
  'Finds tools by meaning and loads them. Use it when you need something that none of your tools does. Returns the ' +
  'best matches, which you can call from your next turn on; there is no separate load step.'

export const QUERY_DESCRIPTION =
  'What the tool should do, in a few words (for example "current weather in a city" or "create github issue")'

export const LOAD_DESCRIPTION =
  'Loads tools that search_tools found, so that you can call them from your next turn on. Pass toolName for one ' +
  'tool, or toolNames for several at once.'

export const TOOL_NAME_DESCRIPTION = 'Exact name of the tool to load, as search_tools gave it'
export const TOOL_NAMES_DESCRIPTION = 'Exact names of several tools to load in one call, as search_tools gave them'

export const noneFound = (query: string) => `No tools found matching "${query}". Try other words for what you need.`

export const searchFailed = (query: string) =>
  `The search for "${query}" failed, so no tools were found. Try again, or load a tool by its exact name if you know it.`

export const searchFailedAutoLoad = (query: string) =>
  `The search for "${query}" failed, so no tools were found or loaded. Try again with other words.`

export const found = (count: number) =>
  `Found ${count} tool(s). Call load_tool with the exact toolName, or toolNames for several, to use them.`

export function foundAndLoaded({ loaded }: Activation, already: number): string {
  const note = already === 0 ? '' : already === loaded.length ? ' All were loaded before.' : ' Some were loaded before.'
  return `Found and loaded ${loaded.length} tool(s): ${loaded.join(', ')}. Call them directly from your next turn on.${note}`
}

export const NOTHING_NAMED = 'Nothing to load: pass toolName (a string) or toolNames (an array of strings).'
export const NO_NAMES = 'Nothing to load: the toolNames array must not be empty. Pass at least one exact tool name.'

export const loadedOne = (name: string) => `Tool "${name}" loaded. You can call it from your next turn on.`
export const alreadyLoadedOne = (name: string) => `Tool "${name}" is already loaded and available.`

export function notFoundOne(name: string, suggestions: readonly string[]): string {
  const next =
    suggestions.length > 0 ? `Did you mean: ${suggestions.join(', ')}?` : 'Call search_tools to find available tools.'
  return `Tool "${name}" not found. ${next}`
}

export function loadedMany(loaded: readonly string[], already: readonly string[], missing: readonly string[]): string {
  const parts: string[] = []
  if (loaded.length > 0) parts.push(`Loaded: ${loaded.join(', ')} (callable from your next turn on)`)
  if (already.length > 0) parts.push(`Already loaded: ${already.join(', ')}`)
  if (missing.length > 0) parts.push(`Not found: ${missing.join(', ')}`)
  return parts.join(' | ')
}
