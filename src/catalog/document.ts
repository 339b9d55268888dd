import { nameWords } from '../lexical/tokens.js'
import type { CatalogEntry, ToolLike } from './catalog.js'
import { toJsonSchema } from './json-schema.js'
import { type Parameter, parametersOf } from './parameters.js'

/** The text made from one tool, in the three fields that ranking weighs, and joined for the embedding model. */
export interface ToolDocument {
  /** `name: description parameters`, what the embedding model reads. */
  readonly text: string
  /** Identifies the document: equal keys have equal fields, and share one vector. */
  readonly key: string
  /** The callable name, split into words. */
  readonly name: string
  readonly description: string
  /** Parameter names (as words), their descriptions and enum values. */
  readonly parameters: string
}

// Characters, not tokens: a document is made without the model. 256 tokens are about 1,000 characters of English; the
// rest of the window only serves the lexical index. The name and the start of the description come first, so that
// what the model's window cuts is parameters, then the tail of the description.
const MAX_NAME_CHARACTERS = 200
const MAX_DESCRIPTION_CHARACTERS = 2_000
const MAX_PARAMETERS_CHARACTERS = 2_000
const MAX_PARAMETER_DESCRIPTION_CHARACTERS = 300

// Weak: the documents of a request's tools go when the request's tool objects go.
const documentsByTool = new WeakMap<ToolLike, Map<string, ToolDocument>>()
const parametersBySchema = new WeakMap<object, string>()

/** The document of a tool; made once a tool object and schema object. Never throws, whatever the tool holds. */
export function documentOf(entry: CatalogEntry): ToolDocument {
  const { tool, name } = entry
  const known = documentsByTool.get(tool)?.get(name)
  if (known) return known
  const document = makeDocument(name, tool)
  const documents = documentsByTool.get(tool)
  if (documents) documents.set(name, document)
  else documentsByTool.set(tool, new Map([[name, document]]))
  return document
}

function makeDocument(callableName: string, tool: ToolLike): ToolDocument {
  const name = nameWords(callableName.slice(0, MAX_NAME_CHARACTERS)).join(' ')
  const description = clean(readDescription(tool), MAX_DESCRIPTION_CHARACTERS)
  const parameters = parametersText(readSchema(tool))
  // The colon is worth 0.02 nDCG@10 on MetaTool with all-MiniLM-L6-v2, against a space or a full stop.
  const text = [name && (description || parameters) ? `${name}:` : name, description, parameters]
    .filter(Boolean)
    .join(' ')
  // Line feeds cannot occur within a field (`clean` folds white space), so they mark the fields' ends.
  return { text, key: `${name}\n${description}\n${parameters}`, name, description, parameters }
}

function parametersText(schema: unknown): string {
  if ((typeof schema !== 'object' && typeof schema !== 'function') || schema === null) return ''
  let text = parametersBySchema.get(schema)
  if (text === undefined) {
    try {
      text = describeParameters(schema)
    } catch {
      // A getter or proxy within the schema threw: the tool is found by its name and description.
      text = ''
    }
    parametersBySchema.set(schema, text)
  }
  return text
}

function describeParameters(schema: unknown): string {
  const json = toJsonSchema(schema)
  let text = ''
  for (const parameter of json ? parametersOf(json) : []) {
    const part = describeParameter(parameter)
    if (text.length + part.length > MAX_PARAMETERS_CHARACTERS) break
    text += text ? ` ${part}` : part
  }
  return text
}

function describeParameter({ name, description, values }: Parameter): string {
  const words = nameWords(name.slice(0, MAX_NAME_CHARACTERS)).join(' ')
  let text = description ? `${words}: ${clean(description, MAX_PARAMETER_DESCRIPTION_CHARACTERS)}` : words
  if (values.length > 0) text += ` (${clean(values.join(', '), MAX_PARAMETER_DESCRIPTION_CHARACTERS)})`
  return /[.!?。]$/.test(text) ? text : `${text}.`
}

/** A tool's description, empty where it has none or its getter throws. */
export function readDescription(tool: ToolLike): string {
  try {
    return typeof tool.description === 'string' ? tool.description : ''
  } catch {
    return ''
  }
}

function readSchema(tool: ToolLike): unknown {
  try {
    return tool.inputSchema ?? tool.parameters
  } catch {
    return undefined
  }
}

/** One line of at most `maxCharacters`, white space folded, no broken surrogate pair at the cut. */
function clean(text: string, maxCharacters: number): string {
  // Twice the budget leaves room for folded white space, and keeps the cost of a huge text bounded.
  const folded = text
    .trimStart()
    .slice(0, maxCharacters * 2)
    .replace(/\s+/g, ' ')
    .trim()
  return (folded.length > maxCharacters ? folded.slice(0, maxCharacters) : folded).toWellFormed()
}
