/** One text's embedding: `dimensions` finite numbers. It need not have unit length: it is scaled to it. */
export type Embedding = Float32Array | readonly number[]

export interface EmbedOptions {
  /** Aborts the call; an embedder that cannot stop may ignore it. */
  abortSignal?: AbortSignal | undefined
  /**
   * Asks for embeddings that do not depend on the other texts of the call. Those of an 8-bit model do, slightly, when
   * texts share a batch; a stored index is made without, so that a rebuild gives the same bytes. Default false.
   */
  independent?: boolean | undefined
}

/** What exactly a model is, beyond its id. */
export interface ModelProvenance {
  readonly revision: string
  /** In hex. */
  readonly weightsSha256: string
}

/** What a query's embedding says for ranking. */
export interface ReadQuery {
  /** What is compared with the documents' embeddings: `dimensions` finite numbers, not all 0; scaled to unit length. */
  readonly embedding: Embedding
  /** How likely (0–1) the query is small talk and no request; lowers the score of whatever is found. */
  readonly smallTalk: number
}

/**
 * Turns texts into vectors whose cosine similarity says how near a query is to a document.
 *
 * A local ONNX model (`transformersEmbedder`), an AI SDK embedding model (`aiSdkEmbedder`), or your own: the first four
 * members are required, the others optional. Results are checked. A wrong count, a wrong dimension, NaN, an infinite number,
 * only zeros, or a changed `modelId` is an error with the code `EMBEDDER_MISMATCH`; what a method throws is the `cause` of
 * one with `EMBEDDING_FAILED`. Searches then go by words alone, unless `strict` makes it an error.
 */
export interface Embedder {
  /** Identifies model and revision; vectors of different ids are never compared. */
  readonly modelId: string
  /** Length of every embedding, ≥ 1. */
  readonly dimensions: number
  /** One embedding for each query, in order. */
  embedQueries(texts: readonly string[], options?: EmbedOptions): Promise<readonly Embedding[]>
  /** One embedding for each document, in order. */
  embedDocuments(texts: readonly string[], options?: EmbedOptions): Promise<readonly Embedding[]>
  /** Loads weights ahead of the first call; safe to call often, and again after a failure. */
  load?(): Promise<void>
  /**
   * For each text, the share (0–1) of its tokens that the model can read. Where a text is not readable, the lexical
   * part decides. Without this method every text counts as readable.
   */
  readableShares?(texts: readonly string[]): Promise<readonly number[]>
  /**
   * Reads one embedding of `embedQueries`, `dimensions` floats at unit length: resolves to `{ embedding, smallTalk }`, what is
   * to be compared instead (of `dimensions` numbers, too) and how likely (0–1) the query is no request. Without this method
   * the embedding is compared as it is, and no query counts as small talk. Errors are those of the other methods.
   */
  readQuery?(embedding: Float32Array): Promise<ReadQuery>
  /**
   * Identifies what `readQuery` turns embeddings into. What an index learnt of your queries is left out where they are read
   * otherwise now; without this method they are taken to be read as ever.
   */
  readQueryId?(): Promise<string>
  /** For each text, its length in tokens before it is cut, as far as it is read. For information. */
  countTokens?(texts: readonly string[]): Promise<readonly number[]>
  /** Revision and hash of the weights, for the manifest of a stored index. */
  provenance?(): Promise<ModelProvenance>
  /** Longest input in tokens, for information: the embedder cuts longer texts itself. */
  readonly maxTokens?: number
}
