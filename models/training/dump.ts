import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { cachedEmbedder } from '../../bench/cached-embedder.js'
import { type CorpusQuery, type CorpusTool, FITTING_CORPORA, sample, splitOf } from '../../bench/corpora.js'
import { documentOf, type ToolDocument } from '../../src/catalog/document.js'
import { defaultEmbedder } from '../../src/embedding/default-embedder.js'
import type { Embedder } from '../../src/embedding/embedder.js'
import { buildLexicalLayer } from '../../src/layer-index.js'
import { lexicalSharesOf, weightQuery } from '../../src/lexical/bm25.js'
import { nameWords } from '../../src/lexical/tokens.js'
import { evidenceOf } from '../../src/ranking/score.js'

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

// A side of a corpus' queries that the linear map is learned and measured on has at most as many.
const MOST_OF_A_SIDE = 300

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

/** For linear_map.py: of a sample of queries their positions, vectors, and lexical shares of each document. */
async function writeQueries(folder: string, dump: CorpusDump, documents: ToolDocument[], embedder: Embedder) {
  const positions = dump.queries.map((_, at) => at)
  const side = (split: 'dev' | 'test') =>
    sample(
      positions.filter(at => dump.queries[at]!.split === split),
      MOST_OF_A_SIDE,
    )
  const drawn = [...side('dev'), ...side('test')]
  const { lexical } = await buildLexicalLayer(documents)
  const shares = drawn.map(at => lexicalSharesOf(lexical, weightQuery(dump.queries[at]!.query, [lexical])))
  writeRows(join(folder, `${dump.id}.shares.f32`), shares)
  const vectors = await embedder.embedQueries(drawn.map(at => dump.queries[at]!.query))
  writeRows(join(folder, `${dump.id}.queries.f32`), vectors)
  writeFileSync(join(folder, `${dump.id}.drawn.json`), JSON.stringify(drawn))
}

/** Little-endian 32-bit numbers, row after row. */
function writeRows(file: string, rows: readonly ArrayLike<number>[]): void {
  writeFileSync(file, Buffer.concat(rows.map(row => Buffer.from(Float32Array.from(row).buffer))))
}

/** What the shipped ranking weighs a lexical share by, where a cosine similarity weighs 1. */
function shippedLexicalWeight(): number {
  const none = evidenceOf(0, 0, 1)
  return (evidenceOf(0, 1, 1) - none) / (evidenceOf(1, 0, 1) - none)
}

/**
 * Writes `<corpus>.json` and `<corpus>.documents.f32` (the base model's vectors, one row of 384 a document) into a folder:
 *
 *     npx tsx models/training/dump.ts <folder> [--queries]
 */
async function main(folder: string, withQueries: boolean) {
  mkdirSync(folder, { recursive: true })
  const embedder = cachedEmbedder(defaultEmbedder())
  for (const id of TRAINING_CORPORA) {
    const { dump, documents } = dumpOf(id)
    writeFileSync(join(folder, `${id}.json`), JSON.stringify(dump))
    const vectors = await embedder.embedDocuments(documents.map(({ text }) => text))
    writeRows(join(folder, `${id}.documents.f32`), vectors)
    if (withQueries && dump.queries.length > 0) await writeQueries(folder, dump, documents, embedder)
    console.log(`${id}: ${documents.length} documents, ${dump.queries.length} queries`)
  }
  embedder.save()
  writeFileSync(join(folder, 'ranking.json'), JSON.stringify({ lexicalWeight: shippedLexicalWeight() }))
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [folder, flag] = process.argv.slice(2)
  if (!folder) throw new Error('Expected a folder to write into: npx tsx models/training/dump.ts <folder> [--queries]')
  await main(folder, flag === '--queries')
}
