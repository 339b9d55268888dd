import type { LoadedToolStore, RunScope, StateStats } from './loaded-tool-store.js'

/** The entry that all callers without a thread id share. */
export const DEFAULT_THREAD_ID = 'default'

// Half the time to live, so that an entry outlives it by at most half, but not more often than once a minute.
const MIN_SWEEP_MS = 60_000
// Node runs a longer interval at once, again and again.
const MAX_TIMER_MS = 2 ** 31 - 1

interface ThreadState {
  readonly names: Set<string>
  lastAccess: number
}

/**
 * Loaded names in a map by thread id: needs no memory, is lost on restart. Threads unused for longer than `ttlMs`
 * are swept (0 = never); one that was not swept yet is revived by its next step.
 */
export class InMemoryLoadedToolStore implements LoadedToolStore {
  readonly asksLoadAgain = false
  readonly #threads = new Map<string, ThreadState>()
  readonly #ttlMs: number
  #timer: NodeJS.Timeout | undefined

  constructor({ ttlMs }: { ttlMs: number }) {
    this.#ttlMs = ttlMs
    if (ttlMs <= 0) return
    // The timer must keep neither the process nor a forgotten processor alive.
    const self = new WeakRef(this)
    const timer = setInterval(
      () => {
        const store = self.deref()
        if (store) store.cleanupNow()
        else clearInterval(timer)
      },
      Math.min(Math.max(ttlMs / 2, MIN_SWEEP_MS), MAX_TIMER_MS),
    )
    timer.unref()
    this.#timer = timer
  }

  startStep(scope: RunScope): readonly string[] {
    return this.loadedNames(scope)
  }

  loadedNames({ threadId }: RunScope): readonly string[] {
    return [...this.#touch(threadId).names]
  }

  add(names: readonly string[], { threadId }: RunScope): void {
    if (names.length === 0) return
    const thread = this.#touch(threadId)
    for (const name of names) thread.names.add(name)
  }

  clearState(threadId: string): void {
    this.#threads.delete(threadId)
  }

  clearAllState(): void {
    this.#threads.clear()
  }

  getStateStats(): StateStats {
    let oldestAccessTime: number | null = null
    for (const { lastAccess } of this.#threads.values()) {
      if (oldestAccessTime === null || lastAccess < oldestAccessTime) oldestAccessTime = lastAccess
    }
    return { threadCount: this.#threads.size, oldestAccessTime }
  }

  cleanupNow(): number {
    if (this.#ttlMs <= 0) return 0
    const now = Date.now()
    let removed = 0
    for (const [threadId, { lastAccess }] of this.#threads) {
      if (now - lastAccess <= this.#ttlMs) continue
      this.#threads.delete(threadId)
      removed++
    }
    return removed
  }

  dispose(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
    this.#threads.clear()
  }

  #touch(threadId: string = DEFAULT_THREAD_ID): ThreadState {
    const thread = this.#threads.get(threadId) ?? { names: new Set(), lastAccess: 0 }
    this.#threads.set(threadId, thread)
    thread.lastAccess = Date.now()
    return thread
  }
}
