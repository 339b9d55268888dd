import { createRequire } from 'node:module'
import { toJSONSchema } from 'zod/v4'

/** The parts of JSON Schema that carry words a search can use. */
export interface JsonSchema {
  [keyword: string]: unknown
  description?: unknown
  properties?: unknown
  items?: unknown
  enum?: unknown
}

const TARGET = 'draft-07'

/**
 * JSON Schema of a tool's input, or `undefined` where there is none or it cannot be expressed.
 *
 * Understands zod 3 and 4, Standard Schema with JSON Schema (Mastra's own form), AI SDK `jsonSchema()` and lazy
 * schemas, and plain JSON Schema. Never throws: a schema that cannot be read costs the document its parameters, not
 * the agent its run.
 */
export function toJsonSchema(schema: unknown): JsonSchema | undefined {
  try {
    return convert(schema, 0)
  } catch {
    return undefined
  }
}

function convert(schema: unknown, depth: number): JsonSchema | undefined {
  if (typeof schema === 'function') {
    // AI SDK lazy schemas are functions that return the schema; one level is all they need.
    const isLazy = depth === 0 && schema.length === 0 && !('~standard' in schema)
    return isLazy ? convert(settled(schema()), 1) : fromStandard(schema)
  }
  if (!isRecord(schema)) return undefined
  // Plain JSON Schema first: it is what MCP tools carry, and the check is the cheapest.
  if (isRecord(schema.properties) || typeof schema.$ref === 'string') return schema
  const ownJson = 'jsonSchema' in schema ? settled(schema.jsonSchema) : undefined
  if (isRecord(ownJson)) return ownJson
  // Before Standard Schema, whose converter throws for a type that JSON Schema lacks (dates) instead of leaving it out.
  if ('_zod' in schema) {
    return toJSONSchema(schema as never, { unrepresentable: 'any', io: 'input', target: TARGET }) as JsonSchema
  }
  const standard = fromStandard(schema)
  if (standard) return standard
  if (isRecord(schema._def) && 'typeName' in schema._def) return fromZod3(schema)
  return 'type' in schema || 'anyOf' in schema || 'oneOf' in schema || 'allOf' in schema ? schema : undefined
}

function fromStandard(schema: object): JsonSchema | undefined {
  const standard = (schema as { '~standard'?: unknown })['~standard']
  if (!isRecord(standard) || !isRecord(standard.jsonSchema)) return undefined
  const original = wrappedByMastra(schema, standard.vendor)
  if (original) return original
  const { input } = standard.jsonSchema
  if (typeof input !== 'function') return undefined
  const json = settled(input.call(standard.jsonSchema, { target: TARGET }))
  return isRecord(json) ? json : undefined
}

// Getters of the plain JSON Schema in the wrappers of @mastra/schema-compat (standard-schema/adapters), by their vendor.
const PLAIN_SCHEMA_GETTERS = new Map<unknown, string>([
  ['json-schema', 'getSchema'],
  ['ai-sdk', 'getJsonSchema'],
])

/** What one of Mastra's wrappers is around. Its `jsonSchema.input` copies that each time, which takes ten times as long. */
function wrappedByMastra(schema: object, vendor: unknown): JsonSchema | undefined {
  const getter = PLAIN_SCHEMA_GETTERS.get(vendor)
  const get = getter && (schema as Record<string, unknown>)[getter]
  const json = typeof get === 'function' ? settled(get.call(schema)) : undefined
  return isRecord(json) ? json : undefined
}

/** The value, unless it is a promise: a document is made without waiting, and its rejection is nobody's to handle. */
function settled(value: unknown): unknown {
  if (!isRecord(value) || typeof value.then !== 'function') return value
  Promise.resolve(value).catch(() => {})
  return undefined
}

let zod3Converter: ((schema: never, options: object) => unknown) | undefined

// Loaded on first use: only catalogs with zod 3 schemas need it.
function fromZod3(schema: object): JsonSchema | undefined {
  zod3Converter ??= createRequire(import.meta.url)('zod-to-json-schema').zodToJsonSchema as typeof zod3Converter
  const json = zod3Converter?.(schema as never, { $refStrategy: 'none', target: 'jsonSchema7' })
  return isRecord(json) ? json : undefined
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
