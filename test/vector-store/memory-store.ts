import type { QueryResult } from '@mastra/core/vector'
import type { VectorStore } from '../../src/vector-store/vector-store.js'

type Metadata = Record<string, unknown>
type Filter = Record<string, unknown>

/** A store in memory that compares all vectors, and does what a test wants of it. */
export interface MemoryStore extends VectorStore {
  readonly indexes: Map<string, { dimension: number; rows: Map<string, { vector: number[]; metadata: Metadata }> }>
  /** The names of methods called, in order. */
  readonly calls: string[]
  /** While set, calls reject with it. */
  failure: Error | undefined
  /** While set, calls wait for it. */
  gate: Promise<void> | undefined
  /** What the store makes of a cosine similarity. */
  scoreOf: (cosineSimilarity: number) => number
  /** Most results of one query. */
  maxTopK: number
}

export function memoryStore(): MemoryStore {
  const indexes: MemoryStore['indexes'] = new Map()
  const calls: string[] = []
  const called = async (name: string) => {
    calls.push(name)
    if (store.gate) await store.gate
    if (store.failure) throw store.failure
  }
  const rowsOf = (indexName: string) => {
    const index = indexes.get(indexName)
    if (!index) throw new Error(`no index ${indexName}`)
    return index.rows
  }
  const store: MemoryStore = {
    indexes,
    calls,
    failure: undefined,
    gate: undefined,
    scoreOf: similarity => similarity,
    maxTopK: Number.POSITIVE_INFINITY,
    async listIndexes() {
      await called('listIndexes')
      return [...indexes.keys()]
    },
    async createIndex({ indexName, dimension }) {
      await called('createIndex')
      if (!indexes.has(indexName)) indexes.set(indexName, { dimension, rows: new Map() })
    },
    async describeIndex({ indexName }) {
      await called('describeIndex')
      return { dimension: indexes.get(indexName)!.dimension, count: rowsOf(indexName).size, metric: 'cosine' }
    },
    async query({ indexName, queryVector, topK = 10, filter, includeVector = false }) {
      await called('query')
      const found: QueryResult[] = []
      for (const [id, { vector, metadata }] of rowsOf(indexName)) {
        if (filter && !matches(metadata, filter as Filter)) continue
        const score = store.scoreOf(cosine(queryVector!, vector))
        found.push({ id, score, metadata, ...(includeVector && { vector }) })
      }
      found.sort((a, b) => b.score - a.score)
      return found.slice(0, Math.min(topK, store.maxTopK))
    },
    async upsert({ indexName, ids, vectors, metadata }) {
      await called('upsert')
      const rows = rowsOf(indexName)
      ids!.forEach((id, i) => {
        rows.set(id, { vector: vectors[i]!, metadata: metadata![i]! })
      })
      return ids!
    },
    async updateVector({ indexName, id, update }) {
      await called('updateVector')
      const row = rowsOf(indexName).get(id!)
      if (row) row.metadata = update.metadata!
    },
    async deleteVectors({ indexName, ids }) {
      await called('deleteVectors')
      for (const id of ids!) rowsOf(indexName).delete(id)
    },
  }
  return store
}

/** The documented part of Mastra's filters that is used: equality, ranges, `$or`. */
function matches(metadata: Metadata, filter: Filter): boolean {
  return Object.entries(filter).every(([key, condition]) => {
    if (key === '$or') return (condition as Filter[]).some(each => matches(metadata, each))
    if (typeof condition !== 'object' || condition === null) return metadata[key] === condition
    const { $gte = Number.NEGATIVE_INFINITY, $lt = Number.POSITIVE_INFINITY } = condition as Record<string, number>
    const value = metadata[key] as number
    return value >= $gte && value < $lt
  })
}

function cosine(a: readonly number[], b: readonly number[]): number {
  let product = 0
  let [squaresA, squaresB] = [0, 0]
  for (let i = 0; i < a.length; i++) {
    product += a[i]! * b[i]!
    squaresA += a[i]! ** 2
    squaresB += b[i]! ** 2
  }
  return product / Math.sqrt(squaresA * squaresB)
}
