/** Most texts in one model call. */
export const MAX_BATCH_TEXTS = 32

/** Most tokens in one model call, padding included. */
export const MAX_BATCH_TOKENS = 1024

/**
 * Groups of row numbers that fit one model call each; every row is in exactly one group.
 *
 * Rows are sorted by length, because a batch is padded to its longest row and the model works on padding as hard as on
 * text. A row longer than `maxTokens` is a group of its own.
 */
export function batchesByLength(
  lengths: readonly number[],
  maxTexts: number = MAX_BATCH_TEXTS,
  maxTokens: number = MAX_BATCH_TOKENS,
): number[][] {
  const rows = lengths.map((_, row) => row).sort((a, b) => lengths[a]! - lengths[b]! || a - b)
  const batches: number[][] = []
  let batch: number[] = []
  for (const row of rows) {
    // Ascending order: the row to add is the longest, and so the padded length of the batch.
    const full = batch.length >= maxTexts || (batch.length + 1) * lengths[row]! > maxTokens
    if (full && batch.length > 0) {
      batches.push(batch)
      batch = []
    }
    batch.push(row)
  }
  if (batch.length > 0) batches.push(batch)
  return batches
}
