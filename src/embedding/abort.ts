import { setImmediate as nextTurn } from 'node:timers/promises'
import { EmbeddingError } from '../errors.js'
import { untilAborted } from '../wait.js'

/** Throws an `EmbeddingError` whose `cause` is the signal's reason, if the signal has fired. */
export function throwIfAborted(modelId: string, abortSignal: AbortSignal | undefined): void {
  if (abortSignal?.aborted) throw abortError(modelId, abortSignal)
}

/** Lets timers, I/O and other searches run, then checks the signal as `throwIfAborted` does. */
export async function yieldOrAbort(modelId: string, abortSignal: AbortSignal | undefined): Promise<void> {
  await nextTurn()
  throwIfAborted(modelId, abortSignal)
}

/**
 * The promise's outcome, or an `EmbeddingError` as soon as the signal fires. The work behind the promise goes on: it
 * may be shared with other callers (a model that is loading).
 */
export async function orAbort<T>(modelId: string, work: Promise<T>, abortSignal: AbortSignal | undefined): Promise<T> {
  try {
    return await untilAborted(work, abortSignal)
  } catch (error) {
    if (abortSignal?.aborted && error === abortSignal.reason) throw abortError(modelId, abortSignal)
    throw error
  }
}

function abortError(modelId: string, abortSignal: AbortSignal): EmbeddingError {
  return new EmbeddingError(modelId, `Embedding with "${modelId}" was aborted by its caller.`, {
    cause: abortSignal.reason,
  })
}
