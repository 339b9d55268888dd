import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { ToolLike } from '../src/catalog/catalog.js'

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

/** Reads a corpus; `maxQueries` takes a seeded sample of its queries, the same in every run. */
export function loadCorpus(id: string, maxQueries = Number.POSITIVE_INFINITY): Corpus {
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
    queries: sample(queries, maxQueries),
  }
}

export const SEED = 20_261_202

/** At most `count` items, drawn by a seeded generator (mulberry32). */
export function sample<T>(items: readonly T[], count: number): T[] {
  const random = seededRandom(SEED)
  const drawn = [...items]
  for (let i = drawn.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1))
    ;[drawn[i], drawn[j]] = [drawn[j]!, drawn[i]!]
  }
  return drawn.slice(0, count)
}

export function seededRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
}
