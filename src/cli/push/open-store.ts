import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { VectorStore } from '../../vector-store/vector-store.js'
import { CliError } from '../failure.js'
import { importPeer } from '../optional-peer.js'

export interface OpenedStore {
  readonly store: VectorStore
  close(): Promise<void>
}

const SCHEMES = 'postgresql://… (PostgreSQL with pgvector), file:… or libsql://… (LibSQL)'

/**
 * The store at a URL, by its scheme. Its package is imported only now.
 * @throws {CliError} for a URL of no known store, and where the package is not installed.
 */
export async function openStore(url: string, schema: string | undefined): Promise<OpenedStore> {
  const scheme = /^[a-z][a-z0-9+.-]*(?=:)/i.exec(url)?.[0].toLowerCase()
  if (scheme === 'postgresql' || scheme === 'postgres') return openPostgres(url, schema)
  if (schema !== undefined) throw new CliError('WRONG_USE', '--schema is for PostgreSQL only.')
  if (scheme === 'file' || scheme === 'libsql') return openLibSql(url)
  const got = scheme === undefined ? 'no scheme' : `"${scheme}:"`
  const cure = "Other stores are filled by a processor's warmup()."
  throw new CliError('WRONG_USE', `Expected --url to be ${SCHEMES}, got ${got}. ${cure}`)
}

// What a store logs is told by its error, too, and would get between the lines here.
async function quiet(store: unknown): Promise<void> {
  const { noopLogger } = await import('@mastra/core/logger')
  ;(store as { __setLogger(logger: unknown): void }).__setLogger(noopLogger)
}

async function openPostgres(url: string, schemaName: string | undefined): Promise<OpenedStore> {
  const { PgVector } = await importPeer({
    name: '@mastra/pg',
    load: () => import('@mastra/pg'),
    neededBy: 'A postgresql: URL',
    code: 'STORE_UNAVAILABLE',
  })
  let store: InstanceType<typeof PgVector>
  try {
    store = new PgVector({ id: 'push', connectionString: url, ...(schemaName !== undefined && { schemaName }) })
  } catch (error) {
    throw notAnAddress(error)
  }
  await quiet(store)
  return { store, close: () => store.disconnect() }
}

async function openLibSql(url: string): Promise<OpenedStore> {
  const { LibSQLVector } = await importPeer({
    name: '@mastra/libsql',
    load: () => import('@mastra/libsql'),
    neededBy: 'A file: or libsql: URL',
    code: 'STORE_UNAVAILABLE',
  })
  // Before a tools module runs: it may change the working directory.
  const address = /^file:(?!\/)/.test(url) ? pathToFileURL(resolve(url.slice('file:'.length))).href : url
  let store: InstanceType<typeof LibSQLVector>
  try {
    store = new LibSQLVector({ id: 'push', url: address })
  } catch (error) {
    throw notAnAddress(error)
  }
  await quiet(store)
  return { store, close: () => store.close() }
}

function notAnAddress(error: unknown): CliError {
  return new CliError('WRONG_USE', `--url is no address that the store can be opened at.`, { cause: error })
}
