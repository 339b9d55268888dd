import type { VectorStore } from './vector-store.js'

interface EventSource {
  on(event: string, listener: (argument: EventSource) => void): unknown
}

const guarded = new WeakSet<object>()

/**
 * Keeps a lost connection of a `PgVector` from ending the process. A connection of node-postgres emits `error` when it
 * breaks, beside rejecting its query; while one is checked out of the pool, nobody listens (PgVector 1.27 does not), and
 * Node ends a process for an `error` event without a listener. Other stores are left alone.
 */
export function surviveLostConnections(store: VectorStore): void {
  const { pool } = store as { pool?: unknown }
  if (!isEventSource(pool)) return
  once(pool, () => pool.on('acquire', client => once(client, () => client.on('error', () => {}))))
}

function isEventSource(value: unknown): value is EventSource {
  return typeof value === 'object' && value !== null && typeof (value as Partial<EventSource>).on === 'function'
}

function once(object: object, work: () => void): void {
  if (guarded.has(object)) return
  guarded.add(object)
  work()
}
