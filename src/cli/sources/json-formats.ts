import { z } from 'zod/v4'
import { show } from '../../show.js'
import { CliError } from '../failure.js'
import { isObject, type KeyedTool } from './tool-source.js'

const NAME = z.string().min(1)
const DESCRIPTION = z.string().nullish()
const JSON_SCHEMA = z.record(z.string(), z.unknown()).nullish()

const keyed = (key: string, description: unknown, inputSchema: unknown): KeyedTool => ({
  key,
  tool: { description: description ?? undefined, inputSchema: inputSchema ?? undefined },
})

/** Chat Completions of OpenAI. */
const OPENAI_NESTED = z
  .object({ function: z.object({ name: NAME, description: DESCRIPTION, parameters: JSON_SCHEMA }) })
  .transform(({ function: { name, description, parameters } }) => keyed(name, description, parameters))

/** OpenAI's Responses form. */
const OPENAI_FLAT = z
  .object({ name: NAME, description: DESCRIPTION, parameters: JSON_SCHEMA })
  .transform(({ name, description, parameters }) => keyed(name, description, parameters))

const ANTHROPIC = z
  .object({ name: NAME, description: DESCRIPTION, input_schema: JSON_SCHEMA })
  .transform(({ name, description, input_schema }) => keyed(name, description, input_schema))

const MCP = z
  .object({ name: NAME, description: DESCRIPTION, inputSchema: JSON_SCHEMA })
  .transform(({ name, description, inputSchema }) => keyed(name, description, inputSchema))

/** Tools as this package's own benchmarks have them. */
const WITH_ID = z
  .object({ id: NAME, description: DESCRIPTION, inputSchema: JSON_SCHEMA })
  .transform(({ id, description, inputSchema }) => keyed(id, description, inputSchema))

function formOf(tool: Record<string, unknown>): z.ZodType<KeyedTool> {
  if ('function' in tool) return OPENAI_NESTED
  if ('input_schema' in tool) return ANTHROPIC
  if ('parameters' in tool) return OPENAI_FLAT
  return 'id' in tool && !('name' in tool) ? WITH_ID : MCP
}

const FORMS =
  'Give an MCP tools/list result ({ "tools": […] }), an array of tools in the form of MCP, OpenAI or Anthropic, ' +
  'or { "name": { "description", "inputSchema" } }.'

/**
 * The tools of a parsed JSON document, in any of the forms that MCP servers, OpenAI and Anthropic have for them.
 * @throws {CliError} naming the document, the position, and what was wrong.
 */
export function toolsInJson(document: unknown, label: string): KeyedTool[] {
  if (isObject(document) && isObject(document.error)) {
    throw new CliError('SOURCE_INVALID', `${label} is the answer to a failed request: ${show(document.error.message)}.`)
  }
  const { value, at } = unwrapped(document)
  rejectPart(document, label)
  if (Array.isArray(value)) return toolsOfArray(value, at, label)
  if (isObject(value)) return toolsOfRecord(value, at, label)
  throw new CliError('SOURCE_INVALID', `${label} is ${show(value)}. ${FORMS}`)
}

/** A page of a list would make an index that lacks the rest. */
function rejectPart(document: unknown, label: string): void {
  const page = isObject(document) && isObject(document.result) ? document.result : document
  if (!isObject(page) || typeof page.nextCursor !== 'string' || !Array.isArray(page.tools)) return
  const cure = 'Put the tools of all pages into one "tools" array, without nextCursor.'
  throw new CliError('SOURCE_INVALID', `${label} is only one page of a tools/list (it has a nextCursor). ${cure}`)
}

/** What holds the tools, and its path: within a response of JSON-RPC, within `tools`, or the document itself. */
function unwrapped(document: unknown): { value: unknown; at: string } {
  if (!isObject(document)) return { value: document, at: '' }
  const { result, tools } = document
  if (isObject(result) && Array.isArray(result.tools)) return { value: result.tools, at: 'result.tools' }
  // One tool of a record may be called "tools".
  const holds = Array.isArray(tools) || (isObject(tools) && !('description' in tools || 'inputSchema' in tools))
  return holds ? { value: tools, at: 'tools' } : { value: document, at: '' }
}

function toolsOfArray(values: readonly unknown[], at: string, label: string): KeyedTool[] {
  const positions = new Map<string, number>()
  return values.map((value, index) => {
    const where = `${at}[${index}]`
    if (!isObject(value)) {
      throw new CliError('SOURCE_INVALID', `${label}: ${where} is ${show(value)}, not a tool. ${FORMS}`)
    }
    if (typeof value.type === 'string' && value.type !== 'function' && !('name' in value)) {
      const cure = 'Leave it out: only tools with a name and a description can be searched.'
      throw new CliError('SOURCE_INVALID', `${label}: ${where} is the hosted tool ${show(value.type)}. ${cure}`)
    }
    const tool = parse(formOf(value), value, label, where)
    const earlier = positions.get(tool.key)
    if (earlier !== undefined) {
      const both = `${at}[${earlier}] and ${where}`
      throw new CliError('SOURCE_INVALID', `${label}: two tools have the name ${show(tool.key)}, ${both}. Rename one.`)
    }
    positions.set(tool.key, index)
    return tool
  })
}

function toolsOfRecord(record: Record<string, unknown>, at: string, label: string): KeyedTool[] {
  return Object.entries(record).map(([name, value]) => {
    const where = `${at}[${JSON.stringify(name)}]`
    if (!isObject(value)) {
      throw new CliError('SOURCE_INVALID', `${label}: ${where} is ${show(value)}, not a tool. ${FORMS}`)
    }
    return parse(formOf({ ...value, name }), { ...value, name }, label, where)
  })
}

function parse(form: z.ZodType<KeyedTool>, value: unknown, label: string, where: string): KeyedTool {
  const { success, data, error } = form.safeParse(value)
  if (success) return data
  const { path, message } = error.issues[0]!
  const position = [where, ...path.map(String)].join('.')
  throw new CliError('SOURCE_INVALID', `${label}: ${position}: ${message}.`)
}
