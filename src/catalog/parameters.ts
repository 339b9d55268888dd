import { isRecord, type JsonSchema } from './json-schema.js'

/** One input parameter: its own name, what the schema says of it, and the values it may take. */
export interface Parameter {
  readonly name: string
  readonly description: string
  readonly values: readonly string[]
}

// Bounds against huge or self-referring schemas: far beyond any real tool, so that ranking never depends on them.
const MAX_PARAMETERS = 128
const MAX_DEPTH = 6
const MAX_VALUES = 32
const MAX_NODES = 2_000

/**
 * The parameters of a JSON Schema in breadth-first order (so that a budget cuts nested ones first), at most 128.
 * Follows properties, items, alternatives and local `$ref`s to a depth of 6; cycles end there.
 */
export function parametersOf(schema: JsonSchema): Parameter[] {
  const parameters: Parameter[] = []
  const visited = new Set<unknown>()
  let level: JsonSchema[] = [schema]
  for (let depth = 0; depth < MAX_DEPTH && level.length > 0; depth++) {
    const next: JsonSchema[] = []
    for (const node of level) {
      for (const part of alternatives(node, schema, visited)) {
        if (!isRecord(part.properties)) continue
        for (const name in part.properties) {
          if (parameters.length >= MAX_PARAMETERS) return parameters
          const property = part.properties[name]
          if (!isRecord(property)) {
            parameters.push({ name, description: '', values: [] })
            continue
          }
          parameters.push({ name, description: text(property.description), values: valuesOf(property) })
          next.push(property)
        }
      }
    }
    level = next
  }
  return parameters
}

const BRANCHES = ['anyOf', 'oneOf', 'allOf', 'items', 'prefixItems', 'additionalProperties'] as const

/** A node with everything that describes the same value: alternatives, array items, and local references. */
function alternatives(node: JsonSchema, root: JsonSchema, visited: Set<unknown>): JsonSchema[] {
  const found: JsonSchema[] = []
  const queue: unknown[] = [node]
  for (let at = 0; at < queue.length && visited.size < MAX_NODES; at++) {
    const part = queue[at]
    if (!isRecord(part) || visited.has(part)) continue
    visited.add(part)
    found.push(part)
    if (typeof part.$ref === 'string') queue.push(resolveReference(part.$ref, root))
    for (const branch of BRANCHES) {
      const value = part[branch]
      if (Array.isArray(value)) queue.push(...value.slice(0, MAX_VALUES))
      else if (isRecord(value)) queue.push(value)
    }
  }
  return found
}

function resolveReference(reference: string, root: JsonSchema): unknown {
  if (!reference.startsWith('#/')) return undefined
  let at: unknown = root
  for (const step of reference.slice(2).split('/')) {
    if (!isRecord(at) && !Array.isArray(at)) return undefined
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~')
    at = Object.hasOwn(at, key) ? (at as Record<string, unknown>)[key] : undefined
  }
  return at
}

function valuesOf(property: JsonSchema): string[] {
  const values: string[] = []
  const items = isRecord(property.items) ? property.items.enum : undefined
  for (const list of [property.enum, items]) {
    if (!Array.isArray(list)) continue
    for (const value of list.slice(0, MAX_VALUES)) if (typeof value === 'string') values.push(value)
  }
  return values
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
