import { hash } from 'node:crypto'
import { BoundedMap } from '../bounded-map.js'
import { nameWords } from '../lexical/tokens.js'
import type { CatalogEntry, ToolLike } from './catalog.js'
import { type JsonSchema, toJsonSchema } from './json-schema.js'
import { hasParameters, type Parameter, parametersOf } from './parameters.js'

/** The three fields of a document, which ranking weighs. */
export interface DocumentFields {
  /** The callable name, split into words. */
  readonly name: string
  readonly description: string
  /** Parameter names (as words), their descriptions and enum values. */
  readonly parameters: string
}

/** The text made from one tool, in its fields, and joined for the embedding model. */
export interface ToolDocument extends DocumentFields {
  /** `name: description parameters`, what the embedding model reads. */
  readonly text: string
  /** sha256 of the fields and the template's version, base64url: documents of one hash share one vector. */
  readonly hash: string
  /** True where the description or the parameters exceed what a document takes of them. */
  readonly truncated: boolean
}

/** Raised whenever the same tool gives another text, so that stored vectors of the old text are not taken for the new. */
export const DOCUMENT_TEMPLATE_VERSION = 1

// Characters, not tokens: a document is made without the model. 256 tokens are about 1,000 characters of English; the
// rest of the window only serves the lexical index. The name and the start of the description come first, so that
// what the model's window cuts is parameters, then the tail of the description.
const MAX_NAME_CHARACTERS = 200
const MAX_DESCRIPTION_CHARACTERS = 2_000
const MAX_PARAMETERS_CHARACTERS = 2_000
const MAX_PARAMETER_DESCRIPTION_CHARACTERS = 300

// What a document holds of parameters may come from this much.
const MAX_HASHED_CHARACTERS = 20_000

// Weak: the documents of a request's tools go when the request's tool objects go.
const documentsByTool = new WeakMap<ToolLike, NamedDocument>()
const parametersBySchema = new WeakMap<object, ParametersText>()

/** The document of a tool under a name; a tool rarely has several. */
interface NamedDocument {
  readonly name: string
  readonly document: ToolDocument
  readonly next: NamedDocument | undefined
}

/** A text, and whether a budget cut it. */
interface Cut {
  readonly text: string
  readonly truncated: boolean
}

/** The text of parameters. */
interface ParametersText extends Cut {
  /** What it was made of; undefined where that is long. */
  readonly source: readonly Parameter[] | undefined
}

const EMPTY: ParametersText = { text: '', truncated: false, source: [] }

// A request's tools come as new objects each time, and mostly say what they said before. By the hash of what they say,
// what was made of it; the oldest go first.
const MAX_KEPT = 50_000
const cutsByParameters = new BoundedMap<string, ParametersText>(MAX_KEPT)
const documentsBySource = new BoundedMap<string, ToolDocument>(MAX_KEPT)

/** The document of a tool; made once for what the tool says. Never throws, whatever the tool holds. */
export function documentOf(entry: CatalogEntry): ToolDocument {
  const { tool, name } = entry
  for (let known = documentsByTool.get(tool); known; known = known.next) {
    if (known.name === name) return known.document
  }
  const description = readDescription(tool)
  const parameters = parametersText(readSchema(tool))
  const make = () => {
    const made = makeDocument(name, description, parameters)
    sources.set(made, { name, description, parameters })
    return made
  }
  // Hashing a huge description would take longer than cutting it.
  const isLong = description.length > 2 * MAX_DESCRIPTION_CHARACTERS
  const document = isLong
    ? make()
    : documentsBySource.getOrMake(
        keyOf(`${parameters.truncated}${sized(name)}${sized(description)}${parameters.text}`),
        make,
      )
  setDocument(entry, document)
  return document
}

/** What a document was made of. */
interface Source {
  readonly name: string
  readonly description: string
  readonly parameters: ParametersText
}

const sources = new WeakMap<ToolDocument, Source>()

/** Whether the entry's document is this one, found out without making it; false where that is not known. */
export function isDocumentOf(document: ToolDocument, { name, tool }: CatalogEntry): boolean {
  const source = sources.get(document)
  return (
    source !== undefined &&
    source.name === name &&
    source.description === readDescription(tool) &&
    isTextOf(source.parameters, readSchema(tool))
  )
}

/** The callable name that a document was made for; undefined for one out of an index. */
export function callableNameOf(document: ToolDocument): string | undefined {
  return sources.get(document)?.name
}

/** With its length in front, so that joined texts are told apart whatever they contain. */
const sized = (text: string) => `${text.length}:${text}`

function keyOf(source: string): string {
  return hash('sha256', source, 'base64')
}

/** Gives a tool object the document that stands for it: of an index, the texts are known and the tool is not. */
export function setDocument({ tool, name }: CatalogEntry, document: ToolDocument): void {
  documentsByTool.set(tool, { name, document, next: documentsByTool.get(tool) })
}

/** The document of its three fields. */
export function documentOfFields({ name, description, parameters }: DocumentFields, truncated = false): ToolDocument {
  // The colon is worth 0.02 nDCG@10 on MetaTool with all-MiniLM-L6-v2, against a space or a full stop.
  const text = [name && (description || parameters) ? `${name}:` : name, description, parameters]
    .filter(Boolean)
    .join(' ')
  return { text, hash: hashOf({ name, description, parameters }), truncated, name, description, parameters }
}

/** The hash of a document's fields, as `ToolDocument.hash` has it. */
export function hashOf({ name, description, parameters }: DocumentFields): string {
  // Line feeds cannot occur within a field (`clean` folds white space), so they mark the fields' ends.
  const fields = `${DOCUMENT_TEMPLATE_VERSION}\n${name}\n${description}\n${parameters}`
  return hash('sha256', fields, 'base64url')
}

function makeDocument(callableName: string, fullDescription: string, parameters: Cut): ToolDocument {
  const name = nameWords(callableName.slice(0, MAX_NAME_CHARACTERS)).join(' ')
  const description = clean(fullDescription, MAX_DESCRIPTION_CHARACTERS)
  const fields = { name, description: description.text, parameters: parameters.text }
  return documentOfFields(fields, description.truncated || parameters.truncated)
}

function parametersText(schema: unknown): ParametersText {
  if (!canBeSchema(schema)) return EMPTY
  let text = parametersBySchema.get(schema)
  if (text === undefined) {
    try {
      const json = toJsonSchema(schema)
      text = json ? describeParameters(json) : EMPTY
      if (json) parametersBySchema.set(json, text)
    } catch {
      // A getter or proxy within the schema threw: the tool is found by its name and description.
      text = EMPTY
    }
    parametersBySchema.set(schema, text)
  }
  return text
}

/** Whether the schema's text is this one. Comparing what it is made of takes half the time of making it. */
function isTextOf(text: ParametersText, schema: unknown): boolean {
  if (!canBeSchema(schema)) return text === EMPTY
  const known = parametersBySchema.get(schema)
  if (known || !text.source) return text === (known ?? parametersText(schema))
  const json = toJsonSchema(schema)
  // Mastra wraps a schema anew for each tool object; what is in the wrapper is known.
  if (json && parametersBySchema.get(json) === text) return true
  const isSame = json ? hasParameters(json, text.source) : text.source.length === 0
  if (isSame) parametersBySchema.set(schema, text)
  return isSame
}

function canBeSchema(schema: unknown): schema is object {
  return (typeof schema === 'object' && schema !== null) || typeof schema === 'function'
}

function describeParameters(schema: JsonSchema): ParametersText {
  const parameters = parametersOf(schema)
  if (parameters.length === 0) return EMPTY
  let source = ''
  for (const { name, description, values } of parameters) {
    source += `${sized(name)}${sized(description)}${values.length}`
    for (const value of values) source += sized(value)
  }
  if (source.length > MAX_HASHED_CHARACTERS) return { ...joinParameters(parameters), source: undefined }
  return cutsByParameters.getOrMake(keyOf(source), () => ({ ...joinParameters(parameters), source: parameters }))
}

function joinParameters(parameters: readonly Parameter[]): Cut {
  let text = ''
  for (const parameter of parameters) {
    const part = describeParameter(parameter)
    if (text.length + part.length > MAX_PARAMETERS_CHARACTERS) return { text, truncated: true }
    text += text ? ` ${part}` : part
  }
  return { text, truncated: false }
}

function describeParameter({ name, description, values }: Parameter): string {
  const words = nameWords(name.slice(0, MAX_NAME_CHARACTERS)).join(' ')
  let text = description ? `${words}: ${clean(description, MAX_PARAMETER_DESCRIPTION_CHARACTERS).text}` : words
  if (values.length > 0) text += ` (${clean(values.join(', '), MAX_PARAMETER_DESCRIPTION_CHARACTERS).text})`
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
function clean(text: string, maxCharacters: number): Cut {
  // Twice the budget leaves room for folded white space, and keeps the cost of a huge text bounded.
  const folded = text
    .trimStart()
    .slice(0, maxCharacters * 2)
    .replace(/\s+/g, ' ')
    .trim()
  const truncated = folded.length > maxCharacters
  return { text: (truncated ? folded.slice(0, maxCharacters) : folded).toWellFormed(), truncated }
}
