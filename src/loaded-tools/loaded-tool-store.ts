/**
 * What a store may know of the caller: the thread where there is one, the objects that one run (one agent call)
 * shares between its steps, and the conversation.
 */
export interface RunScope {
  readonly threadId: string | undefined
  readonly requestContext?: object | undefined
  readonly messageList?: object | undefined
  readonly state?: object | undefined
  /** The conversation as the step sees it; `undefined` where the caller has none (some resume paths). */
  readonly messages?: unknown
}

export interface StateStats {
  threadCount: number
  /** `Date.now()` of the longest unused thread, or `null` without threads. */
  oldestAccessTime: number | null
}

/** Remembers which names a conversation has loaded. Names are in the order in which they were loaded. */
export interface LoadedToolStore {
  /** True when a loaded name is evidence only, and must pass the filter's phase `load` again in every step. */
  readonly asksLoadAgain: boolean
  /** The names loaded as of a new step of the run. */
  startStep(scope: RunScope): readonly string[]
  /** The names loaded now, outside of a step. */
  loadedNames(scope: RunScope): readonly string[]
  /** Records names as loaded; a name already there keeps its place. */
  add(names: readonly string[], scope: RunScope): void
  clearState(threadId: string): void
  clearAllState(): void
  getStateStats(): StateStats
  /** Removes the threads unused for longer than the time to live, and returns how many. */
  cleanupNow(): number
  /** Stops timers and drops all state. Safe to call again. */
  dispose(): void
}
