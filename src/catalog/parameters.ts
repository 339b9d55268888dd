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
const MAX_VALUE_CHARACTERS = 200
const MAX_NODES = 2_000

/**
 * The parameters of a JSON Schema in breadth-first order (so that a budget cuts nested ones first), at most 128.
 * Follows properties, items, alternatives and local `$ref`s to a depth of 6; cycles end there. Where reading the schema
 * throws, those read so far.
 */
export function parametersOf(schema: JsonSchema): Parameter[] {
  const parameters: Parameter[] = []
  visitParameters(schema, parameter => {
    parameters.push(parameter)
    return true
  })
  return parameters
}

/** Whether `parametersOf(schema)` would equal `expected`; ends at the first that differs. */
export function hasParameters(schema: JsonSchema, expected: readonly Parameter[]): boolean {
  let met = 0
  let same = true
  visitParameters(schema, parameter => {
    same = met < expected.length && isSameParameter(parameter, expected[met]!)
    met++
    return same
  })
  return same && met === expected.length
}

function isSameParameter(a: Parameter, b: Parameter): boolean {
  if (a.name !== b.name || a.description !== b.description || a.values.length !== b.values.length) return false
  return a.values.length === 0 || a.values.every((value, at) => value === b.values[at])
}

/** Calls `visit` with each parameter, in order, until it returns false. */
function visitParameters(schema: JsonSchema, visit: (parameter: Parameter) => boolean): void {
  const walk: Walk = { root: schema, nodesLeft: MAX_NODES }
  let left = MAX_PARAMETERS
  let level: JsonSchema[] = [schema]
  try {
    for (let depth = 0; depth < MAX_DEPTH && level.length > 0; depth++) {
      const next: JsonSchema[] = []
      for (const node of level) {
        for (const part of partsOf(node, walk, NESTING)) {
          if (!isRecord(part.properties)) continue
          for (const name in part.properties) {
            if (left-- === 0) return
            const property = part.properties[name]
            const isSchema = isRecord(property)
            if (!visit(isSchema ? describe(name, property, walk) : { name, description: '', values: NO_VALUES })) return
            if (isSchema) next.push(property)
          }
        }
      }
      level = next
    }
  } catch {
    // A getter or proxy within the schema: what was read before it counts.
  }
}

interface Walk {
  readonly root: JsonSchema
  nodesLeft: number
}

// What describes the same value, and what lies within it.
const ALTERNATIVES = ['anyOf', 'oneOf', 'allOf'] as const
const NESTING = [...ALTERNATIVES, 'items', 'prefixItems', 'additionalProperties'] as const

/** A node with what hangs on it by the given keywords and by local references, each once. */
function partsOf(node: JsonSchema, walk: Walk, keywords: typeof ALTERNATIVES | typeof NESTING): readonly JsonSchema[] {
  if (walk.nodesLeft > 0 && !hasParts(node, keywords)) {
    walk.nodesLeft--
    return [node]
  }
  const parts = new Set<JsonSchema>()
  const queue: unknown[] = [node]
  for (let at = 0; at < queue.length && walk.nodesLeft > 0; at++) {
    const part = queue[at]
    if (!isRecord(part) || parts.has(part)) continue
    walk.nodesLeft--
    parts.add(part)
    if (typeof part.$ref === 'string') queue.push(resolveReference(part.$ref, walk.root))
    for (const keyword of keywords) {
      const value = part[keyword]
      if (Array.isArray(value)) queue.push(...value.slice(0, MAX_VALUES))
      else if (isRecord(value)) queue.push(value)
    }
  }
  return [...parts]
}

// Most nodes have nothing on them, and a step may bring tens of thousands: read by name, which V8 does fastest.
function hasParts(node: JsonSchema, keywords: typeof ALTERNATIVES | typeof NESTING): boolean {
  if (typeof node.$ref === 'string' || isObject(node.anyOf) || isObject(node.oneOf) || isObject(node.allOf)) return true
  if (keywords === ALTERNATIVES) return false
  return isObject(node.items) || isObject(node.prefixItems) || isObject(node.additionalProperties)
}

/** Optional and nullable parameters, and references, have description and values in an alternative. */
function describe(name: string, property: JsonSchema, walk: Walk): Parameter {
  const parts = partsOf(property, walk, ALTERNATIVES)
  if (parts.length === 1) return { name, description: text(parts[0]!.description), values: valuesOf(parts[0]!) }
  const description = parts.map(part => text(part.description)).find(Boolean) ?? ''
  return { name, description, values: [...new Set(parts.flatMap(valuesOf))] }
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

function valuesOf(property: JsonSchema): readonly string[] {
  const items = isRecord(property.items) ? property.items.enum : undefined
  if (property.enum === undefined && items === undefined) return NO_VALUES
  const values: string[] = []
  for (const list of [property.enum, items]) {
    if (!Array.isArray(list)) continue
    for (const value of list.slice(0, MAX_VALUES))
      if (typeof value === 'string') values.push(value.slice(0, MAX_VALUE_CHARACTERS))
  }
  return [...new Set(values)]
}

const NO_VALUES: readonly string[] = []

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
