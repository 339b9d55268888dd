import { hasMadeUpId, isAgentBuilt, isMastraTool } from './callable-name.js'
import type { ToolLike } from './catalog.js'
import { toJsonSchema } from './json-schema.js'

// What an agent's conversion carries over by reference: enough to tell two tools apart, no proof that they are one.
const CARRIED = ['description', 'title', 'strict', 'mcp', 'toModelOutput', 'transform', 'inputExamples'] as const

type Loose = Readonly<Record<string, unknown>>

/** Decides whether two tool objects are one tool. */
export type SameTool = (candidate: object, original: object) => boolean

/**
 * True when `candidate` is `original`, or an agent's converted copy of it.
 *
 * An agent hands its tools to processors as fresh objects around the original's `execute`, so identity alone would
 * call every tool that comes back through an agent a stranger. A copy shares id, description, parameters and the
 * other carried fields. Whoever accepts a copy must use the copy and not the original: were it another instance
 * after all (say, of another credential), it is still the one that this request brought.
 */
export function isSameTool(candidate: object, original: object): boolean {
  if (candidate === original) return true
  try {
    return isCopy(candidate, original)
  } catch {
    // A getter threw: nothing shows that it is a copy.
    return false
  }
}

function isCopy(candidate: object, original: object): boolean {
  if (!isAgentBuilt(candidate)) return false
  const copy = candidate as Loose
  const source = original as Loose
  // An agent's conversion of a conversion (hooks, sub-agents) keeps the very schema object.
  if (isAgentBuilt(original) && copy.parameters !== source.parameters) return false
  if (copy.id !== source.id && !(source.id === undefined && hasMadeUpId(candidate as ToolLike))) return false
  return CARRIED.every(field => copy[field] === source[field]) && hasParametersOf(copy, source)
}

/**
 * A weaker likeness, for originals that an agent is known to have copied: `original` spread into a new object whose
 * `execute` alone may differ (tool hooks), or any plain object of its id and description.
 */
export function looksLike(candidate: object, original: object): boolean {
  const copy = candidate as Loose
  const source = original as Loose
  const keys = Object.keys(source)
  const isSpread =
    keys.length === Object.keys(copy).length && keys.every(key => key === 'execute' || copy[key] === source[key])
  if (isSpread) return true
  return !isMastraTool(candidate) && copy.id === source.id && copy.description === source.description
}

// An agent may add parameters of its own to a copy (resumeData, _background), never take any away.
function hasParametersOf(copy: Loose, source: Loose): boolean {
  const names = parameterNames(copy.parameters)
  for (const name of parameterNames(source.inputSchema ?? source.parameters)) if (!names.has(name)) return false
  return true
}

const NONE: ReadonlySet<string> = new Set()
const namesOfSchema = new WeakMap<object, ReadonlySet<string>>()

// Remembered weakly: without that, a step that only merges records would convert schemas again and again.
function parameterNames(schema: unknown): ReadonlySet<string> {
  if ((typeof schema !== 'object' && typeof schema !== 'function') || schema === null) return NONE
  let names = namesOfSchema.get(schema)
  if (!names) {
    const properties = toJsonSchema(schema)?.properties
    names = typeof properties === 'object' && properties !== null ? new Set(Object.keys(properties)) : NONE
    namesOfSchema.set(schema, names)
  }
  return names
}
