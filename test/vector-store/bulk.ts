import type { PgVector } from '@mastra/pg'

const HNSW = { type: 'hnsw', hnsw: { m: 16, efConstruction: 64 } } as const

/**
 * An index of PgVector whose rows are written by `fill`, and linked by pgvector at once: as people do who load many. The
 * statistics are those that the server's autovacuum makes within a minute or two.
 */
export async function bulkIndex(
  store: PgVector,
  index: { name: string; dimension: number },
  fill: () => Promise<unknown>,
) {
  const { name: indexName, dimension } = index
  await store.createIndex({
    indexName,
    dimension,
    buildIndex: false,
    indexConfig: HNSW,
    metadataIndexes: ['documentHash'],
  })
  await fill()
  await store.buildIndex({ indexName, metric: 'cosine', indexConfig: HNSW })
  const { schema } = store as unknown as { schema?: string }
  await store.pool.query(`ANALYZE ${schema === undefined ? '' : `"${schema}".`}"${indexName}"`)
}
