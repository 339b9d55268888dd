import { setMaxListeners } from 'node:events'

/** The promise's outcome, or the signal's reason when that comes first. */
export function untilAborted<T>(promise: Promise<T>, abortSignal: AbortSignal | undefined): Promise<T> {
  if (!abortSignal) return promise
  if (abortSignal.aborted) {
    promise.catch(() => {})
    return Promise.reject(abortSignal.reason)
  }
  // Any number of searches may share one signal; Node would warn of a leak at eleven.
  setMaxListeners(0, abortSignal)
  return new Promise<T>((resolve, reject) => {
    const onAbort = () => reject(abortSignal.reason)
    abortSignal.addEventListener('abort', onAbort, { once: true })
    const settle = () => abortSignal.removeEventListener('abort', onAbort)
    promise.then(resolve, reject).finally(settle)
  })
}

/** The promise's outcome, or a rejection with `timeoutError()` when it takes longer than `timeoutMs`. */
export function withinTime<T>(promise: Promise<T>, timeoutMs: number, timeoutError: () => Error): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const timer = setTimeout(() => reject(timeoutError()), timeoutMs)
    promise.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}

/** Calls `work` once and shares its outcome; a rejection is not kept, so that the next call tries again. */
export function keepSuccess<T>(work: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined
  return () => {
    if (!running) {
      running = work()
      running.catch(() => {
        running = undefined
      })
    }
    return running
  }
}
