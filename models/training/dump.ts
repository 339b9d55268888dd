import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { cachedEmbedder } from '../../bench/cached-embedder.js'
import { type CorpusQuery, type CorpusTool, FITTING_CORPORA, splitOf } from '../../bench/corpora.js'
import { documentOf, type ToolDocument } from '../../src/catalog/document.js'
import { defaultEmbedder } from '../../src/embedding/default-embedder.js'
import { nameWords } from '../../src/lexical/tokens.js'

/** What pairs.py reads of a corpus; tools are named by their position. */
export interface CorpusDump {
  readonly id: string
  readonly documents: readonly {
    readonly name: string
    readonly description: string
    readonly parameters: string
    /** The parameters' names alone, as words. */
    readonly parameterNames: string
    /** Empty where the source names none. */
    readonly server: string
    /** What the embedding model reads. */
    readonly text: string
  }[]
  readonly queries: readonly {
    readonly query: string
    readonly relevant: readonly number[]
    readonly split: 'dev' | 'test'
  }[]
}

/** Beside those with labelled queries: definitions only, of which requests are made. */
const DEFINITIONS_ONLY = ['mcp-catalog', 'apizoo'] as const

/** The corpora that training draws from. */
export const TRAINING_CORPORA = [...FITTING_CORPORA, ...DEFINITIONS_ONLY] as const

type CorpusId = (typeof TRAINING_CORPORA)[number]

/** The file of a corpus: those that only training reads lie beside it. */
export function corpusFile(id: CorpusId): URL {
  return new URL(id === 'apizoo' ? './data/apizoo.json' : `../../bench/data/${id}.json`, import.meta.url)
}

/** The documents as the package makes them, and all queries with the side that `splitOf` gives them. */
export function dumpOf(id: CorpusId): { dump: CorpusDump; documents: ToolDocument[] } {
  const { tools, queries = [] } = JSON.parse(readFileSync(corpusFile(id), 'utf8')) as {
    tools: CorpusTool[]
    queries?: CorpusQuery[]
  }
  const documents = tools.map(tool => documentOf({ name: tool.id, key: tool.id, tool }))
  const positions = new Map(tools.map((tool, at) => [tool.id, at]))
  return {
    documents,
    dump: {
      id,
      documents: documents.map(({ name, description, parameters, text }, at) => ({
        name,
        description,
        parameters,
        parameterNames: parameterNames(tools[at]!).join(', '),
        server: tools[at]!.server ?? '',
        text,
      })),
      queries: queries.map(({ query, relevant }) => ({
        query,
        relevant: relevant.flatMap(name => positions.get(name) ?? []),
        split: splitOf(query),
      })),
    },
  }
}

function parameterNames({ inputSchema }: CorpusTool): string[] {
  const { properties = {} } = (inputSchema ?? {}) as { properties?: Record<string, unknown> }
  return Object.keys(properties).map(name => nameWords(name).join(' '))
}

/** Little-endian 32-bit numbers, row after row. */
export function writeRows(file: string, rows: readonly ArrayLike<number>[]): void {
  writeFileSync(file, Buffer.concat(rows.map(row => Buffer.from(Float32Array.from(row).buffer))))
}

/**
 * Writes `<corpus>.json` and `<corpus>.documents.f32` (the base model's vectors, one row of 384 a document) into a folder:
 *
 *     npx tsx models/training/dump.ts <folder>
 */
async function main(folder: string) {
  mkdirSync(folder, { recursive: true })
  const embedder = cachedEmbedder(defaultEmbedder())
  for (const id of TRAINING_CORPORA) {
    const { dump, documents } = dumpOf(id)
    writeFileSync(join(folder, `${id}.json`), JSON.stringify(dump))
    const vectors = await embedder.embedDocuments(documents.map(({ text }) => text))
    writeRows(join(folder, `${id}.documents.f32`), vectors)
    console.log(`${id}: ${documents.length} documents, ${dump.queries.length} queries`)
  }
  embedder.save()
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [folder] = process.argv.slice(2)
  if (!folder) throw new Error('Expected a folder to write into: npx tsx models/training/dump.ts <folder>')
  await main(folder)
}
