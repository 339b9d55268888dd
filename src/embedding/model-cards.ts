/** How token vectors become one vector: their mean, or the vector of the first token (`cls`). */
export type Pooling = 'mean' | 'cls'

/** What a model must be fed, as its model card and its sentence-transformers configuration state it. */
export interface ModelCard {
  /** Length of an embedding (`hidden_size` of its config.json). */
  dimensions: number
  /** Longest input that the model was tuned for, in tokens, special tokens included. */
  maxTokens: number
  pooling: Pooling
  /** Put in front of a query, with its trailing space. */
  queryPrefix: string
  /** Put in front of a document, with its trailing space. */
  documentPrefix: string
  /**
   * What the model was trained to read: `latin` for English models, whose vocabulary holds some CJK, Cyrillic and
   * Arabic characters that carry no meaning for them; `any` for multilingual ones.
   */
  scripts: 'latin' | 'any'
}

const BGE_QUERY_PREFIX = 'Represent this sentence for searching relevant passages: '

// Sources: "Model List" and "Usage" of the card BAAI/bge-small-en-v1.5 (also for base and large): cls pooling, 512
// tokens, an instruction for short queries against passages, none for passages.
const bge = (dimensions: number): ModelCard => ({
  dimensions,
  maxTokens: 512,
  pooling: 'cls',
  queryPrefix: BGE_QUERY_PREFIX,
  documentPrefix: '',
  scripts: 'latin',
})

// Sources: cards intfloat/e5-small-v2, e5-base-v2, e5-large-v2 and intfloat/multilingual-e5-*: average pooling, "each
// input text should start with "query: " or "passage: "", "long texts will be truncated to at most 512 tokens".
const e5 = (dimensions: number, scripts: ModelCard['scripts']): ModelCard => ({
  dimensions,
  maxTokens: 512,
  pooling: 'mean',
  queryPrefix: 'query: ',
  documentPrefix: 'passage: ',
  scripts,
})

// Source: cards thenlper/gte-small, gte-base, gte-large: average pooling, 512 tokens, English only, no prefix.
const gte = (dimensions: number): ModelCard => ({
  dimensions,
  maxTokens: 512,
  pooling: 'mean',
  queryPrefix: '',
  documentPrefix: '',
  scripts: 'latin',
})

// Source: `max_seq_length` in sentence_bert_config.json of each sentence-transformers/* repository; mean pooling and
// 384 dimensions from their cards. (The card of all-MiniLM-L12-v2 says 256, its configuration 128, which is what runs.)
const miniLm = (maxTokens: number, scripts: ModelCard['scripts']): ModelCard => ({
  dimensions: 384,
  maxTokens,
  pooling: 'mean',
  queryPrefix: '',
  documentPrefix: '',
  scripts,
})

const CARDS: ReadonlyMap<string, ModelCard> = new Map([
  ['all-minilm-l6-v2', miniLm(256, 'latin')],
  ['all-minilm-l12-v2', miniLm(128, 'latin')],
  ['paraphrase-multilingual-minilm-l12-v2', miniLm(128, 'any')],
  ['multi-qa-minilm-l6-cos-v1', miniLm(512, 'latin')],
  ['bge-small-en-v1.5', bge(384)],
  ['bge-base-en-v1.5', bge(768)],
  ['bge-large-en-v1.5', bge(1024)],
  ['e5-small-v2', e5(384, 'latin')],
  ['e5-base-v2', e5(768, 'latin')],
  ['e5-large-v2', e5(1024, 'latin')],
  ['multilingual-e5-small', e5(384, 'any')],
  ['multilingual-e5-base', e5(768, 'any')],
  ['multilingual-e5-large', e5(1024, 'any')],
  ['gte-small', gte(384)],
  ['gte-base', gte(768)],
  ['gte-large', gte(1024)],
])

/**
 * The card of a known model, or undefined. `model` is a name, a hub id of any owner (`Xenova/bge-small-en-v1.5`) or a
 * folder; only its last path part counts, in any case.
 */
export function findModelCard(model: string): ModelCard | undefined {
  return CARDS.get(lastPathPart(model).toLowerCase())
}

/** `c` of `a/b/c`, `a\b\c` and `a/b/c/`. */
export function lastPathPart(path: string): string {
  return path.split(/[\\/]/).filter(Boolean).at(-1) ?? ''
}
