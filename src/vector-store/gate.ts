import { isToolSearchError, VectorStoreError } from '../errors.js'
import { messageOf } from '../show.js'
import { withinTime } from '../wait.js'

/** The time that one search may still wait for the store, over all of its calls. */
export interface Budget {
  /** The promise's outcome, or a rejection with `error()` when the time is used up. */
  spend<T>(promise: Promise<T>, error: () => Error): Promise<T>
}

export function createBudget(timeoutMs: number): Budget {
  let leftMs = timeoutMs
  let waits = 0
  let sinceMs = 0
  // Time in which several calls are waited for counts once.
  const spendUntil = (nowMs: number) => {
    if (waits > 0) leftMs -= nowMs - sinceMs
    sinceMs = nowMs
  }
  return {
    async spend(promise, error) {
      spendUntil(performance.now())
      waits++
      try {
        return await withinTime(promise, Math.max(0, leftMs), error)
      } finally {
        spendUntil(performance.now())
        waits--
      }
    },
  }
}

/**
 * Lets calls through to a store while it answers: a circuit breaker. Closed (calls pass) until one fails; then open (all are
 * refused) for `timeoutMs`; then half-open: one call is let through, and closes it again or opens it anew.
 */
export interface Gate {
  /**
   * The outcome of `call` within the budget; rejects with `VectorStoreError`. After a failure all others are refused at
   * once for as long as a search may wait, and then until one has tried again: a store that is down costs each search
   * no time.
   */
  pass<T>(what: string, call: () => Promise<T>, budget: Budget): Promise<T>
}

export interface GateOptions {
  readonly index: string
  readonly timeoutMs: number
  /**
   * Called where the one call that tried again got an error, not a time-out: something refuses, such as a store whose index
   * was deleted meanwhile.
   */
  readonly onRefusal: () => void
}

export function createGate({ index, timeoutMs, onRefusal }: GateOptions): Gate {
  let failure: { error: VectorStoreError; atMs: number; isTried: boolean } | undefined
  return {
    async pass(what, call, budget) {
      const before = failure
      if (before && (before.isTried || performance.now() < before.atMs + timeoutMs)) throw before.error
      if (before) before.isTried = true
      let isLate = false
      const answer = (async () => call())()
      try {
        const value = await budget.spend(answer, () => {
          isLate = true
          return new Error(`no answer within ${timeoutMs} ms`)
        })
        failure = undefined
        return value
      } catch (thrown) {
        const error = storeError(index, what, thrown) as VectorStoreError
        const failed = { error, atMs: performance.now(), isTried: false }
        failure = failed
        const clear = () => {
          if (failure === failed) failure = undefined
        }
        // An answer that comes late still shows that the store is there.
        if (isLate) answer.then(clear, () => {})
        else if (before) onRefusal()
        throw error
      }
    },
  }
}

/** What a store threw, as an error of ours. */
export function storeError(index: string, what: string, thrown: unknown): Error {
  if (isToolSearchError(thrown)) return thrown
  const message = `The vector store failed at ${what} (index "${index}"): ${reasonOf(thrown)}`
  return new VectorStoreError(index, message, { cause: thrown })
}

// A store's message may hold the whole statement, vectors and all.
const MAX_REASON = 1_000

/** A message also of what Node says of several addresses at once, which has none. */
function reasonOf(thrown: unknown, depth = 0): string {
  const message = messageOf(thrown)
  if (message !== '') return message.length > MAX_REASON ? `${message.slice(0, MAX_REASON)}…` : message
  const { errors, cause, code } = thrown as { errors?: unknown; cause?: unknown; code?: unknown }
  const inner = Array.isArray(errors) && errors.length > 0 ? errors[0] : cause
  // An error may be its own cause.
  if (inner !== undefined && depth < 4) return reasonOf(inner, depth + 1)
  return typeof code === 'string' ? code : 'no reason given'
}
