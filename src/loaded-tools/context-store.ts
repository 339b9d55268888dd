import type { LoadedToolStore, RunScope, StateStats } from './loaded-tool-store.js'
import { namesInMessages } from './message-evidence.js'

/** One agent call. `pending` bridges the gap between `execute` and the messages of the step that follows. */
interface Run {
  readonly threadId: string | undefined
  readonly marks: Marks
  step: number
  /** Name → number of the step in which it was loaded. */
  readonly pending: Map<string, number>
  /** The names of the last step. */
  active: readonly string[]
}

// The objects that a run's steps share, as numbers: a run must not keep a whole conversation alive.
interface Marks {
  readonly state: number | undefined
  readonly messageList: number | undefined
  readonly requestContext: number | undefined
}
const MARK_NAMES = ['state', 'messageList', 'requestContext'] as const

/**
 * Loaded names derived from the conversation itself: survives restarts, needs no memory, and a name whose message
 * is trimmed is unloaded. Keeps nothing but a weak note on each live run.
 */
export class ContextLoadedToolStore implements LoadedToolStore {
  readonly asksLoadAgain = true
  #runs = new WeakMap<object, Run>()
  readonly #marks = new WeakMap<object, number>()
  #lastMark = 0

  startStep(scope: RunScope): readonly string[] {
    const run = this.#findRun(scope) ?? this.#startRun(scope)
    const names = namesInMessages(scope.messages)
    run.step++
    for (const [name, step] of run.pending) {
      // Once the messages have the name it is theirs alone, so that trimming them unloads it. A name that the step
      // after its loading does not find there was trimmed before it was seen: it serves that step, and ends.
      if (names.has(name) || step < run.step - 1) run.pending.delete(name)
      else names.add(name)
    }
    run.active = [...names]
    this.#note(scope, run)
    return run.active
  }

  loadedNames(scope: RunScope): readonly string[] {
    const run = this.#findRun(scope)
    const isStep = scope.state !== undefined || scope.messageList !== undefined
    if (scope.messages === undefined) return [...new Set([...(run?.active ?? []), ...(run?.pending.keys() ?? [])])]
    const names = namesInMessages(scope.messages)
    if (isStep && run) for (const name of run.pending.keys()) names.add(name)
    return [...names]
  }

  add(names: readonly string[], scope: RunScope): void {
    if (names.length === 0) return
    const run = this.#findRun(scope) ?? this.#startRun(scope)
    for (const name of names) run.pending.set(name, run.step)
  }

  // The state lives in the conversation: there is nothing here to clear, to count or to sweep.
  clearState(): void {}
  clearAllState(): void {}
  getStateStats(): StateStats {
    return { threadCount: 0, oldestAccessTime: null }
  }
  cleanupNow(): number {
    return 0
  }
  dispose(): void {
    this.#runs = new WeakMap()
  }

  /** The run whose shared objects agree with the scope's in more cases than they differ, on the same thread. */
  #findRun(scope: RunScope): Run | undefined {
    const marks = this.#marksOf(scope)
    for (const name of MARK_NAMES) {
      const object = scope[name]
      const run = object && this.#runs.get(object)
      if (!run || run.threadId !== scope.threadId) continue
      let agreement = 0
      for (const each of MARK_NAMES) {
        if (marks[each] === undefined || run.marks[each] === undefined) continue
        agreement += marks[each] === run.marks[each] ? 1 : -1
      }
      if (agreement > 0) return run
    }
    return undefined
  }

  #startRun(scope: RunScope): Run {
    const run: Run = {
      threadId: scope.threadId,
      marks: this.#marksOf(scope),
      step: 0,
      pending: new Map(),
      active: [],
    }
    this.#note(scope, run)
    return run
  }

  // The last run noted on a request context answers for it where there is no step (resume and approval).
  #note(scope: RunScope, run: Run): void {
    for (const name of MARK_NAMES) {
      const object = scope[name]
      if (object) this.#runs.set(object, run)
    }
  }

  #marksOf(scope: RunScope): Marks {
    return {
      state: this.#mark(scope.state),
      messageList: this.#mark(scope.messageList),
      requestContext: this.#mark(scope.requestContext),
    }
  }

  #mark(object: object | undefined): number | undefined {
    if (!object) return undefined
    let mark = this.#marks.get(object)
    if (mark === undefined) {
      mark = ++this.#lastMark
      this.#marks.set(object, mark)
    }
    return mark
  }
}
