import { createHash } from 'node:crypto'
import type { Embedder } from '../../src/embedding/embedder.js'
import { EmbeddingError } from '../../src/errors.js'

/** 16 numbers that depend on the text alone. */
export function hashedVector(text: string): number[] {
  return [...createHash('sha256').update(text).digest().subarray(0, 16)].map(byte => byte - 127.5)
}

/** The least that a user writes: four members, no loading, no shares. */
export function handMadeEmbedder(): Embedder {
  const embed: Embedder['embedQueries'] = async (texts, options) => {
    if (options?.abortSignal?.aborted) throw new EmbeddingError('hand-made', 'aborted')
    return texts.map(text => hashedVector(text))
  }
  return { modelId: 'hand-made', dimensions: 16, embedQueries: embed, embedDocuments: embed }
}
