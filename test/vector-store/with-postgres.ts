import { PgVector } from '@mastra/pg'
import { afterAll, beforeAll, it } from 'vitest'
import { type PostgresServer, startPostgres } from './postgres.js'

export interface Postgres {
  readonly server: PostgresServer
  readonly store: PgVector
}

const START_TIMEOUT_MS = 600_000

/** A server for the tests of one file or group, and a way to declare these: skipped where there is no PostgreSQL. */
export function withPostgres() {
  let postgres: Postgres | undefined
  beforeAll(async () => {
    const server = await startPostgres()
    if (server) postgres = { server, store: new PgVector({ id: 'tools', connectionString: server.url }) }
  }, START_TIMEOUT_MS)
  afterAll(async () => {
    await postgres?.store.disconnect().catch(() => {})
    await postgres?.server.remove()
  })
  return {
    test(title: string, work: (postgres: Postgres) => Promise<void>, timeoutMs = 180_000): void {
      it(
        title,
        async context => {
          if (!postgres) return context.skip('no PostgreSQL on this machine')
          await work(postgres)
        },
        timeoutMs,
      )
    },
  }
}
