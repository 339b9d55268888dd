// The only file that uses transformers.js (its tokenizers) and onnxruntime-node. Both load native or heavy code
// when imported, so `transformers-js.ts` imports this file dynamically, on first use. Named imports instead of whole
// modules let the build drop the rest of transformers.js.
import { AutoTokenizer } from '@xenova/transformers'
import onnxruntime from 'onnxruntime-node'

/** A tokenizer of transformers.js, as far as it is used here. */
export interface Tokenizer {
  (text: string, options: { add_special_tokens: boolean; return_tensor: false }): { input_ids: number[] }
  /** `vocab[id]` is the token's text. */
  model: { vocab: readonly (string | undefined)[] }
  all_special_ids: readonly number[]
  pad_token_id?: number | undefined
  unk_token_id?: number | undefined
}

/** A tensor as onnxruntime returns it. */
export interface OutputTensor {
  data: unknown
  dims: readonly number[]
}

/** An onnxruntime session, as far as it is used here. */
export interface Session {
  readonly inputNames: readonly string[]
  readonly outputNames: readonly string[]
  /** `inputs`: int64 matrices of one shape, rows × columns. Resolves to the output of that name. */
  run(
    inputs: Record<string, BigInt64Array>,
    shape: [rows: number, columns: number],
    outputName: string,
  ): Promise<OutputTensor>
}

/** The tokenizer that a model's `tokenizer.json` and `tokenizer_config.json` describe. */
export function createTokenizer(
  tokenizerJson: TokenizerJson,
  tokenizerConfig: { tokenizer_class?: string },
): Tokenizer {
  // `AutoTokenizer.from_pretrained` would find the files through the mutable global `env`, which other users of
  // transformers.js share and which allows downloads by default; so the files are read here and only its classes used.
  const name = tokenizerConfig.tokenizer_class?.replace(/Fast$/, '') ?? 'PreTrainedTokenizer'
  const classes: Record<string, new (json: object, config: object) => unknown> = AutoTokenizer.TOKENIZER_CLASS_MAPPING
  const TokenizerClass = classes[name] ?? classes.PreTrainedTokenizer!
  const { pre_tokenizer, decoder } = tokenizerJson
  const json = { ...tokenizerJson, pre_tokenizer: withPrefixSpace(pre_tokenizer), decoder: withPrefixSpace(decoder) }
  return new TokenizerClass(json, tokenizerConfig) as Tokenizer
}

/** A `tokenizer.json`, as far as it is changed here. */
export interface TokenizerJson {
  readonly pre_tokenizer?: TokenizerPart | null
  readonly decoder?: TokenizerPart | null
}

interface TokenizerPart {
  readonly type?: unknown
  readonly prepend_scheme?: unknown
  readonly add_prefix_space?: unknown
  readonly pretokenizers?: readonly TokenizerPart[]
  readonly decoders?: readonly TokenizerPart[]
}

/**
 * Since tokenizers 0.19, Metaspace has `prepend_scheme` alone, and transformers.js 2.17 asks for `add_prefix_space`, which
 * that replaced: without it, the first word of each text would get the ids of the end of a word.
 */
function withPrefixSpace(part: TokenizerPart | null | undefined): TokenizerPart | null | undefined {
  if (!part) return part
  const { pretokenizers, decoders } = part
  return {
    ...part,
    ...(pretokenizers && { pretokenizers: pretokenizers.map(each => withPrefixSpace(each)!) }),
    ...(decoders && { decoders: decoders.map(each => withPrefixSpace(each)!) }),
    ...(part.type === 'Metaspace' &&
      part.add_prefix_space === undefined && { add_prefix_space: part.prepend_scheme !== 'never' }),
  }
}

/** A session over the weights file at `path`. Rejects with onnxruntime's own error where the file is broken. */
export async function createSession(path: string): Promise<Session> {
  // 3: errors only; onnxruntime otherwise prints warnings about the graph to the terminal.
  const session = await onnxruntime.InferenceSession.create(path, { logSeverityLevel: 3 })
  return {
    inputNames: session.inputNames,
    outputNames: session.outputNames,
    async run(inputs, shape, outputName) {
      const feeds: Record<string, onnxruntime.Tensor> = {}
      for (const [name, ids] of Object.entries(inputs)) feeds[name] = new onnxruntime.Tensor('int64', ids, shape)
      const outputs = await session.run(feeds, [outputName])
      return outputs[outputName]!
    },
  }
}

/** What `transformers-js.ts` needs of this file; unit tests hand in another. */
export interface TransformersRuntime {
  createTokenizer: typeof createTokenizer
  createSession: typeof createSession
}
