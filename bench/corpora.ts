import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { ToolLike } from '../src/catalog/catalog.js'
import { seededRandom, shuffled } from '../src/random.js'

export { seededRandom }

export interface CorpusTool extends ToolLike {
  id: string
  description: string
  server?: string
}

export interface CorpusQuery {
  query: string
  relevant: string[]
}

/** A retrieval corpus of bench/data (see bench/data/README.md for sources and licences). */
export interface Corpus {
  id: string
  name: string
  tools: Record<string, CorpusTool>
  queries: CorpusQuery[]
}

/** The corpora that have queries with relevant tools. */
export const LABELLED_CORPORA = ['metatool', 'seal-tools', 'bfcl', 'stabletoolbench'] as const

/** More of other origin, smaller and all of it for choosing: what `fit-score` fits to, beside the dev split. */
export const FITTING_CORPORA = [
  ...LABELLED_CORPORA,
  'acebench',
  'api-bank',
  'gorilla',
  'nestful',
  'toolalpaca',
] as const

/** Which queries: `dev` to choose by, `test` to report by, or both. */
export type Split = 'dev' | 'test' | 'all'

export const SPLITS: readonly Split[] = ['dev', 'test', 'all']

/** The side of a query, by its text alone: half of them each, and the same text always on the same. */
export function splitOf(query: string): Exclude<Split, 'all'> {
  return createHash('sha256').update(query).digest()[0]! < 128 ? 'dev' : 'test'
}

/** Reads a corpus; `maxQueries` takes a seeded sample of the split's queries, the same in every run. */
export function loadCorpus(id: string, maxQueries = Number.POSITIVE_INFINITY, split: Split = 'all'): Corpus {
  const file = fileURLToPath(new URL(`./data/${id}.json`, import.meta.url))
  const { name, tools, queries } = JSON.parse(readFileSync(file, 'utf8')) as {
    name: string
    tools: CorpusTool[]
    queries: CorpusQuery[]
  }
  return {
    id,
    name,
    tools: Object.fromEntries(tools.map(tool => [tool.id, tool])),
    queries: sample(
      queries.filter(({ query }) => split === 'all' || splitOf(query) === split),
      maxQueries,
    ),
  }
}

/** As much of one of `FITTING_CORPORA` as may be chosen and learned by: of a labelled corpus its dev side. */
export function loadFittingCorpus(id: (typeof FITTING_CORPORA)[number], maxQueries?: number): Corpus {
  return loadCorpus(id, maxQueries, LABELLED_CORPORA.some(labelled => labelled === id) ? 'dev' : 'all')
}

/** The tools of corpora by name; of one name the last corpus'. */
export function toolsOf(ids: readonly string[]): Map<string, CorpusTool> {
  return new Map(ids.flatMap(id => Object.entries(loadCorpus(id, 0).tools)))
}

export const SEED = 20_261_202

/** At most `count` items, drawn by a seeded generator (mulberry32). */
export function sample<T>(items: readonly T[], count: number): T[] {
  return shuffled(items, seededRandom(SEED)).slice(0, count)
}
