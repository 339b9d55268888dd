import { CsvError, parse } from 'csv-parse/sync'
import { distance } from 'fastest-levenshtein'
import { isRecord } from '../catalog/json-schema.js'
import { show } from '../show.js'
import type { LabelledQuery } from './evaluated-query.js'

/** A line that cannot be used, and why. */
export interface BadLine {
  /** From 1, as editors count. */
  readonly line: number
  readonly reason: string
}

export interface ReadQueries {
  readonly queries: readonly NumberedQuery[]
  readonly badLines: readonly BadLine[]
}

export interface NumberedQuery extends LabelledQuery {
  readonly line: number
}

export type QueriesFormat = 'jsonl' | 'csv' | 'examples'

/** By the file's name, else by its first character. */
export function formatOf(file: string, text: string): QueriesFormat {
  if (/\.csv$/i.test(file)) return 'csv'
  if (examplesIn(text)) return 'examples'
  if (/\.(jsonl|ndjson|json)$/i.test(file)) return 'jsonl'
  return /^\uFEFF?\s*\{/.test(text) ? 'jsonl' : 'csv'
}

/** The queries of a file's text, and every line that is none. */
export function readQueries(text: string, format: QueriesFormat): ReadQueries {
  const readers = { csv: readCsv, jsonl: readJsonl, examples: readExamples }
  return withoutContradictions(readers[format](text))
}

/** The tools of a JSON file by name, as opposed to lines of JSONL; undefined where it is none. */
function examplesIn(text: string): (readonly [name: string, tool: unknown])[] | undefined {
  let value: unknown
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch {
    return undefined
  }
  const list = isRecord(value) && Array.isArray(value.tools) ? value.tools : value
  if (Array.isArray(list)) {
    const named = list.map(tool => [isRecord(tool) ? nameOf(tool) : undefined, tool] as const)
    return list.length > 0 && named.every((one): one is [string, unknown] => one[0] !== undefined) ? named : undefined
  }
  return isRecord(list) && !('query' in list) ? Object.entries(list) : undefined
}

/** In an array of tools, in the forms of MCP, OpenAI and Anthropic. */
function nameOf(tool: Record<string, unknown>): string | undefined {
  const { name, id } = isRecord(tool.function) ? tool.function : tool
  const known = name ?? id
  return typeof known === 'string' ? known : undefined
}

const TOOL_MEMBERS = ['description', 'inputSchema', 'input_schema', 'parameters', 'function']

// "exampleQuery" is three letters from it, "example_queries" two.
const SLIPS = 3

/** A tool as a tools file has it, without queries; a misspelt member would be lost in silence. */
function isToolWithout(value: unknown): boolean {
  if (!isRecord(value) || !TOOL_MEMBERS.some(member => member in value)) return false
  return Object.keys(value).every(member => distance(member.slice(0, 40), EXAMPLES) > SLIPS)
}

const EXAMPLES = 'exampleQueries'

/**
 * Golden queries beside the tools: `{ "<tool>": { "exampleQueries": ["..."] } }`, one query under each tool that serves
 * it. In a file of whole tools (a record of them, an array, or a `tools/list` result) those without are left out. Lines are
 * those where the tool and then the query stand in the file.
 */
function readExamples(text: string): ReadQueries {
  const queries = new Map<string, { relevant: string[]; line: number }>()
  const badLines: BadLine[] = []
  const lineAt = lineCounter(text)
  const tools = examplesIn(text) ?? []
  for (const [tool, value] of tools) {
    const at = Math.max(0, text.indexOf(JSON.stringify(tool)))
    const examples = isRecord(value) ? value[EXAMPLES] : undefined
    if (!Array.isArray(examples)) {
      if (examples === undefined && isToolWithout(value)) continue
      const got = examples === undefined ? value : examples
      const reason = `expected ${show(tool)} to have "${EXAMPLES}", an array of texts, got ${show(got)}`
      badLines.push({ line: lineAt(at), reason })
      continue
    }
    for (const example of examples) {
      const query = typeof example === 'string' ? example.trim() : ''
      const line = lineAt(Math.max(at, text.indexOf(JSON.stringify(example), at)))
      if (query === '')
        badLines.push({ line, reason: `expected an example query of ${show(tool)} to be text, got ${show(example)}` })
      else {
        const known = queries.get(query) ?? { relevant: [], line }
        queries.set(query, { ...known, relevant: namesOf([...known.relevant, tool]) })
      }
    }
  }
  if (queries.size === 0 && badLines.length === 0 && tools.length > 0) {
    badLines.push({ line: 1, reason: `none of ${tools.length} tools has "${EXAMPLES}", an array of texts` })
  }
  return { queries: Array.from(queries, ([query, rest]) => ({ query, ...rest, isDraft: false })), badLines }
}

/** Tells the line, from 1, of a place in the text. */
function lineCounter(text: string): (at: number) => number {
  const ends = Array.from(text.matchAll(/\n/g), ({ index }) => index)
  return at => {
    let [low, high] = [0, ends.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (ends[middle]! < at) low = middle + 1
      else high = middle
    }
    return low + 1
  }
}

function readJsonl(text: string): ReadQueries {
  const queries: NumberedQuery[] = []
  const badLines: BadLine[] = []
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/)
  lines.forEach((content, at) => {
    if (content.trim() === '') return
    const line = at + 1
    const labelled = labelledOf(content)
    if (typeof labelled === 'string') badLines.push({ line, reason: labelled })
    else queries.push({ ...labelled, line })
  })
  return { queries, badLines }
}

/** The query of a line, or what is wrong with it. */
function labelledOf(content: string): LabelledQuery | string {
  let value: unknown
  try {
    value = JSON.parse(content)
  } catch {
    return `no valid JSON: ${show(content)}`
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return `expected {"query": "...", "relevant": ["name"]}, got ${show(value)}`
  }
  const { query, relevant, draft = false } = value as Record<string, unknown>
  if (typeof query !== 'string') return `expected "query" to be text, got ${show(query)}`
  if (query.trim() === '') return 'the query is empty'
  if (!Array.isArray(relevant)) {
    return `expected "relevant" to be an array of tool names ([] where nothing fits), got ${show(relevant)}`
  }
  const wrong = relevant.find(name => typeof name !== 'string' || name.trim() === '')
  if (wrong !== undefined) return `expected "relevant" to hold names, got ${show(wrong)}`
  if (typeof draft !== 'boolean') return `expected "draft" to be true or false, got ${show(draft)}`
  return { query: query.trim(), relevant: namesOf(relevant as string[]), isDraft: draft }
}

interface CsvRecord {
  readonly record: string[]
  readonly info: { readonly lines: number }
}

function readCsv(text: string): ReadQueries {
  const badLines: BadLine[] = []
  const records = parse(text, {
    bom: true,
    delimiter: delimiterOf(text),
    info: true,
    relax_column_count: true,
    skip_empty_lines: true,
    skip_records_with_error: true,
    on_skip(error) {
      if (error instanceof CsvError) badLines.push({ line: Number(error.lines ?? 1), reason: csvReason(error) })
      return undefined
    },
  }) as unknown as CsvRecord[]
  const head = (records.shift()?.record ?? []).map(cell => cell.trim().toLowerCase())
  const [queryAt, relevantAt, draftAt] = ['query', 'relevant', 'draft'].map(name => head.indexOf(name)) as number[]
  if (queryAt === -1 || relevantAt === -1) {
    const got = head.length === 0 ? 'nothing' : show(head.join(','))
    return { queries: [], badLines: [{ line: 1, reason: `expected a header with query and relevant, got ${got}` }] }
  }
  const queries: NumberedQuery[] = []
  for (const { record, info } of records) {
    const { lines: line } = info
    if (record.every(cell => cell.trim() === '')) continue
    if (record.length !== head.length) {
      const cure =
        record.length > head.length ? 'put a query with commas in quotes' : 'leave a cell empty where nothing fits'
      badLines.push({ line, reason: `expected ${head.length} cells, got ${record.length}: ${cure}` })
      continue
    }
    const query = record[queryAt!]!.trim()
    if (query === '') badLines.push({ line, reason: 'the query is empty' })
    else {
      const isDraft = draftAt !== -1 && /^(true|1|yes)$/i.test(record[draftAt!]!.trim())
      queries.push({ query, relevant: namesOf(record[relevantAt!]!.split(/[;|]/)), isDraft, line })
    }
  }
  return { queries, badLines: badLines.sort((a, b) => a.line - b.line) }
}

// A comma where the header has one; spreadsheets of other languages write semicolons (then names need "|").
function delimiterOf(text: string): string {
  const [head = ''] = text.split(/\r?\n/, 1)
  return [',', ';', '\t'].find(delimiter => head.includes(delimiter)) ?? ','
}

function csvReason({ message }: CsvError): string {
  return `no valid CSV: ${message.replace(/ at line \d+.*$/, '').replace(/\s+/g, ' ')}`
}

const namesOf = (names: readonly string[]): string[] => [
  ...new Set(names.map(name => name.trim()).filter(name => name !== '')),
]

/** One query cannot both fit a tool and fit none: of such lines the later one is bad. */
function withoutContradictions({ queries, badLines }: ReadQueries): ReadQueries {
  const first = new Map<string, NumberedQuery>()
  const contradicting: BadLine[] = []
  const kept = queries.filter(labelled => {
    const known = first.get(labelled.query)
    if (!known) {
      first.set(labelled.query, labelled)
      return true
    }
    if ((known.relevant.length === 0) === (labelled.relevant.length === 0)) return true
    const has = (one: NumberedQuery) => (one.relevant.length === 0 ? 'nothing fits' : 'something fits')
    const reason = `line ${known.line} has this query, too, and there ${has(known)}: keep one of them`
    contradicting.push({ line: labelled.line, reason })
    return false
  })
  return { queries: kept, badLines: [...badLines, ...contradicting].sort((a, b) => a.line - b.line) }
}
