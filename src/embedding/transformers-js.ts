import { join } from 'node:path'
import { EmbedderMismatchError, EmbeddingError, isToolSearchError } from '../errors.js'
import { messageOf } from '../show.js'
import { orAbort, throwIfAborted, yieldOrAbort } from './abort.js'
import { batchesByLength, MAX_BATCH_TEXTS } from './batches.js'
import { aBoolean, aString, checkOptions, oneOf, type Rules, wholeNumberFrom } from './check-options.js'
import { READ_AS_THEY_ARE } from './checked.js'
import type { Embedder, EmbedOptions } from './embedder.js'
import { type LoadedModel, loadModel } from './loaded-model.js'
import type { Pooling } from './model-cards.js'
import { sha256OfFile } from './model-fingerprint.js'
import { type Dtype, type ModelSource, resolveModelSource, revisionOf } from './model-source.js'
import { normalizeInPlace, poolTokens } from './pooling.js'
import { queryMapId, readQueryHeads } from './query-heads.js'
import { createReadability } from './readability.js'
import { countTokens, createEncoder } from './tokenize.js'
import type { TransformersRuntime } from './transformers-runtime.js'

export interface TransformersEmbedderOptions {
  /**
   * `all-MiniLM-L6-v2` (default, inside this package), a folder in transformers.js layout, or a hub id (`owner/name`).
   * The last path part finds the model card (bge, e5, gte and MiniLM families), whose figures the options below replace.
   */
  model?: string | undefined
  /** Length of an embedding; needed only for a hub id without card. */
  dimensions?: number | undefined
  /** How token vectors become one. Default: the card's, else `mean`. */
  pooling?: Pooling | undefined
  /** Scales embeddings to unit length. Default true. */
  normalize?: boolean | undefined
  /** Put in front of queries. Default: the card's, else none. */
  queryPrefix?: string | undefined
  /** Put in front of documents. Default: the card's, else none. */
  documentPrefix?: string | undefined
  /** Longest input in tokens, ≥ 3; the rest of a text is cut. Default: the card's, else config.json's up to 512. */
  maxTokens?: number | undefined
  /** Scripts that the model reads. Default: the card's, else `any`. */
  scripts?: 'latin' | 'any' | undefined
  /** Weights: `int8` is onnx/model_quantized.onnx, `fp32` onnx/model.onnx. Default: int8 where it is there. */
  dtype?: Dtype | undefined
  /** Lets a hub model be downloaded, once. Default false: without it, no code path here reaches the network. */
  allowDownload?: boolean | undefined
  /** Folder for downloaded models. Default `~/.cache/mastra-semantic-tool-search`. */
  cacheDir?: string | undefined
  /** Branch, tag or commit of a hub model. Default `main`. */
  revision?: string | undefined
}

// Texts tokenized and sorted together: bounds memory, and a larger window sorts no better.
const WINDOW_TEXTS = 1024

// Texts tokenized before other work may run; about 5 ms.
const TOKENIZE_SLICE = 32

const RULES: Rules<TransformersEmbedderOptions> = {
  model: aString,
  dimensions: wholeNumberFrom(1),
  pooling: oneOf('mean', 'cls'),
  normalize: aBoolean,
  queryPrefix: aString,
  documentPrefix: aString,
  maxTokens: wholeNumberFrom(3), // a first and a last special token, and one of the text
  scripts: oneOf('latin', 'any'),
  dtype: oneOf('int8', 'fp32'),
  allowDownload: aBoolean,
  cacheDir: aString,
  revision: aString,
}

/**
 * An `Embedder` that runs an ONNX model in this process: by default the bundled all-MiniLM-L6-v2 (384 dimensions, 256
 * tokens, English), offline.
 *
 * Creating it reads a few small files. The model loads on first use or with `load()`, once a process for all embedders
 * of one model; a failed load can be tried again. Between batches other work runs and `abortSignal` is honoured.
 *
 * @throws {ToolSearchError} at once with the code `INVALID_OPTIONS`; its methods reject with `MODEL_LOAD_FAILED` (missing or
 * broken files or runtime) and `EMBEDDING_FAILED` (a failed run, an abort).
 */
export function transformersEmbedder(options: TransformersEmbedderOptions = {}): Embedder {
  // The native package by itself first, though only `transformers-runtime.ts` uses it. When a CommonJS module throws
  // while it loads (no binary for this machine, a second worker thread), Node 20 rejects the `import()` of the ES module
  // that imports it, and a second promise that nobody can reach: an unhandled rejection, which ends the process.
  // Imported directly, the same failure rejects this one promise only.
  return createTransformersEmbedder(options, () =>
    import('onnxruntime-node').then(() => import('./transformers-runtime.js')),
  )
}

/** `transformersEmbedder` over a runtime that tests can replace. */
export function createTransformersEmbedder(
  options: TransformersEmbedderOptions,
  importRuntime: () => Promise<TransformersRuntime>,
): Embedder {
  checkOptions('transformersEmbedder', options, RULES)
  const source = resolveModelSource(options)
  const { modelId, dimensions, maxTokens, queryPrefix, documentPrefix } = source
  const normalize = options.normalize ?? true
  let heads: { read: ReturnType<typeof readQueryHeads> } | undefined
  const queryHeads = () => {
    heads ??= { read: readQueryHeads(source.folder, dimensions) }
    return heads.read
  }
  const load = () => loadModel(source, { importRuntime, allowDownload: options.allowDownload ?? false })

  async function embed(
    texts: readonly string[],
    prefix: string,
    { abortSignal, independent = false }: EmbedOptions = {},
  ): Promise<Float32Array[]> {
    throwIfAborted(modelId, abortSignal)
    if (texts.length === 0) return []
    const model = await orAbort(modelId, load(), abortSignal)
    const encode = createEncoder(model.tokenizer, maxTokens)
    const vectors = new Array<Float32Array>(texts.length)
    try {
      for (let start = 0; start < texts.length; start += WINDOW_TEXTS) {
        const ids: number[][] = []
        for (const text of texts.slice(start, start + WINDOW_TEXTS)) {
          if (ids.length % TOKENIZE_SLICE === 0 && ids.length > 0) await yieldOrAbort(modelId, abortSignal)
          ids.push(encode(typeof text === 'string' ? prefix + text : prefix))
        }
        for (const rows of batchesByLength(
          ids.map(row => row.length),
          independent ? 1 : MAX_BATCH_TEXTS,
        )) {
          // Before each batch, the first too: a run blocks the thread until it is done.
          await yieldOrAbort(modelId, abortSignal)
          const batch = await runBatch(
            model,
            source,
            rows.map(row => ids[row]!),
          )
          rows.forEach((row, i) => {
            vectors[start + row] = normalize ? normalizeInPlace(batch[i]!) : batch[i]!
          })
        }
      }
    } catch (error) {
      if (isToolSearchError(error)) throw error
      throw new EmbeddingError(modelId, `The model "${modelId}" failed on ${texts.length} texts: ${messageOf(error)}`, {
        cause: error,
      })
    }
    return vectors
  }

  return {
    modelId,
    dimensions,
    maxTokens,
    embedQueries: (texts, embedOptions?: EmbedOptions) => embed(texts, queryPrefix, embedOptions),
    embedDocuments: (texts, embedOptions?: EmbedOptions) => embed(texts, documentPrefix, embedOptions),
    async load() {
      await load()
      queryHeads()
    },
    async readQuery(embedding) {
      return queryHeads()?.(embedding) ?? { embedding, smallTalk: 0 }
    },
    async readQueryId() {
      return queryMapId(source.folder) ?? READ_AS_THEY_ARE
    },
    async readableShares(texts) {
      if (texts.length === 0) return []
      const { tokenizer } = await load()
      const share = createReadability(tokenizer, source)
      const shares: number[] = []
      for (const text of texts) {
        if (shares.length % TOKENIZE_SLICE === 0 && shares.length > 0) await yieldOrAbort(modelId, undefined)
        shares.push(share(text))
      }
      return shares
    },
    async countTokens(texts) {
      if (texts.length === 0) return []
      const { tokenizer } = await load()
      const counts: number[] = []
      for (const text of texts) {
        if (counts.length % TOKENIZE_SLICE === 0 && counts.length > 0) await yieldOrAbort(modelId, undefined)
        counts.push(countTokens(tokenizer, documentPrefix + text))
      }
      return counts
    },
    async provenance() {
      await load()
      return {
        revision: revisionOf(source),
        weightsSha256: await sha256OfFile(join(source.folder, source.weightsFile)),
      }
    },
  }
}

/** One vector for each row of token ids, in order. */
async function runBatch(model: LoadedModel, source: ModelSource, rows: number[][]): Promise<Float32Array[]> {
  const columns = Math.max(...rows.map(row => row.length))
  const shape: [number, number] = [rows.length, columns]
  const ids = new BigInt64Array(rows.length * columns).fill(BigInt(model.tokenizer.pad_token_id ?? 0))
  const mask = new BigInt64Array(rows.length * columns)
  rows.forEach((row, i) => {
    for (let j = 0; j < row.length; j++) ids[i * columns + j] = BigInt(row[j]!)
    mask.fill(1n, i * columns, i * columns + row.length)
  })
  const inputs: Record<string, BigInt64Array> = { input_ids: ids, attention_mask: mask }
  if (model.session.inputNames.includes('token_type_ids')) inputs.token_type_ids = new BigInt64Array(ids.length)

  const { data, dims } = await model.session.run(inputs, shape, model.outputName)
  const width = dims[2]
  if (!(data instanceof Float32Array) || dims.length !== 3 || width !== source.dimensions) {
    throw new EmbedderMismatchError(
      source.modelId,
      `token vectors of ${source.dimensions} dimensions`,
      `an output of shape [${dims.join(', ')}]`,
      "Pass the model's own dimensions (hidden_size of its config.json).",
    )
  }
  return poolTokens(
    data,
    rows.map(row => row.length),
    columns,
    width,
    source.pooling,
  )
}
