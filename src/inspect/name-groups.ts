import { nameWords } from '../lexical/tokens.js'

/** The group of tools whose names tell none. */
export const OTHER_GROUP = 'other'

// What joins a server's or namespace's name to a tool's: MCP clients, OpenAPI tags, paths, URNs.
const SEPARATOR = /__|[./:]/

// Claude's convention `mcp__<server>__<tool>`: the first part tells nothing.
const UNIVERSAL_PREFIX = /^mcp__(?=.+__)/

// Fewer tools with the same first word are rather chance than a family.
const MIN_TOOLS_OF_A_WORD = 3

/**
 * The server or namespace of each name: what stands before the first separator (`github__create_issue`, `math.sum`,
 * `files/read`, `urn:x`), else the first word where at least three tools share it (`browser_click`), else `other`.
 */
export function groupsOfNames(names: readonly string[]): string[] {
  const words = names.map(firstWord)
  const counts = new Map<string, number>()
  for (const word of words) if (word !== undefined) counts.set(word, (counts.get(word) ?? 0) + 1)
  return names.map((name, at) => {
    const namespace = namespaceOf(name)
    if (namespace !== undefined) return namespace
    const word = words[at]
    return word !== undefined && counts.get(word)! >= MIN_TOOLS_OF_A_WORD ? word : OTHER_GROUP
  })
}

function namespaceOf(name: string): string | undefined {
  const [namespace, rest] = name.replace(UNIVERSAL_PREFIX, '').split(SEPARATOR, 2)
  return namespace && rest !== undefined ? namespace : undefined
}

/** The first of several words; undefined for a name with a namespace, or of a single word. */
function firstWord(name: string): string | undefined {
  if (namespaceOf(name) !== undefined) return undefined
  const words = nameWords(name)
  return words.length > 1 ? words[0]!.toLowerCase() : undefined
}
