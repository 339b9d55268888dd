import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LibSQLVector } from '@mastra/libsql'
import { PgVector } from '@mastra/pg'
import { memoryStore } from './memory-store.js'
import { startPostgres } from './postgres.js'
import { describeStore } from './store-contract.js'

describeStore('a store in memory', async () => ({ store: memoryStore(), close: async () => {} }))

describeStore('LibSQLVector over a file', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tool-search-libsql-'))
  const store = new LibSQLVector({ id: 'tools', url: `file:${join(folder, 'tools.db')}` })
  return {
    store,
    async close() {
      await store.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
})

describeStore('PgVector over PostgreSQL', async () => {
  const server = await startPostgres()
  if (!server) return undefined
  const store = new PgVector({ id: 'tools', connectionString: server.url })
  return {
    store,
    async close() {
      await store.disconnect()
      await server.remove()
    },
  }
})
