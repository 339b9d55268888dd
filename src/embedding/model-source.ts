import { readFileSync, type Stats, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { InvalidOptionsError } from '../errors.js'
import { show } from '../show.js'
import { findModelCard, lastPathPart, type ModelCard } from './model-cards.js'
import { fingerprintModel } from './model-fingerprint.js'
import { findPackageRoot } from './package-root.js'

/** The model inside this package. */
export const BUNDLED_MODEL = 'all-MiniLM-L6-v2'

/** Weights' file inside a model folder, in the layout of transformers.js. */
export const WEIGHTS_FILES = { int8: 'onnx/model_quantized.onnx', fp32: 'onnx/model.onnx' } as const

export type Dtype = keyof typeof WEIGHTS_FILES

// Longest input of a model without card. Longer windows exist, but the cost grows with the square of the length and a
// tool's document seldom has 512 tokens.
const DEFAULT_MAX_TOKENS = 512

/** Where a model's files are and what it must be fed; everything that is known before it is loaded. */
export interface ModelSource extends ModelCard {
  /** Identifies model, revision and the settings that change document vectors. */
  modelId: string
  /** Absolute path of the folder; for a hub model the folder that it is (or will be) downloaded to. */
  folder: string
  weightsFile: string
  /** Set for a hub model. */
  hub: { id: string; revision: string } | undefined
  /** False if a folder's files could not be read at construction, so that `modelId` names no revision. */
  identified: boolean
}

export type ModelSourceOptions = { [K in keyof ModelCard]?: ModelCard[K] | undefined } & {
  model?: string | undefined
  dtype?: Dtype | undefined
  cacheDir?: string | undefined
  revision?: string | undefined
}

/**
 * The source of a model by bundled id, folder or hub id (`owner/name`). Loads nothing; reads a few small files.
 *
 * `modelId` is `<name>@<fingerprint of weights, tokenizer and settings>` for a folder and `<owner>/<name>@<revision>`
 * with dtype and a hash of the settings for a hub model, whose files may not be there yet: pin `revision` to a commit
 * where vectors are stored. Throws `InvalidOptionsError` where `model` is neither or its dimensions are unknown.
 */
export function resolveModelSource(options: ModelSourceOptions = {}): ModelSource {
  const model = options.model ?? BUNDLED_MODEL
  if (model === BUNDLED_MODEL) return folderSource(bundledFolder(), options)
  if (isFolder(model)) return folderSource(resolve(model), options)
  if (/^[\w.-]+\/[\w.-]+$/.test(model) && !/^\.\.?\//.test(model)) return hubSource(model, options)
  throw new InvalidOptionsError(
    `Expected model to be "${BUNDLED_MODEL}", an existing folder or a hub id such as "Xenova/bge-small-en-v1.5", ` +
      `got ${show(model)}${isAbsolute(model) || model.startsWith('.') ? ' (no such folder)' : ''}.`,
  )
}

// A branch or a commit.
const REVISION = /^(main|[0-9a-f]{7,40})$/

function folderSource(folder: string, options: ModelSourceOptions): ModelSource {
  const name = lastPathPart(folder)
  const config = readConfig(folder)
  // A download lies in `owner/name/revision`.
  const known = findModelCard(REVISION.test(name) ? dirname(folder) : folder)
  const positions = positionLimit(config)
  if (options.maxTokens !== undefined && positions !== undefined && options.maxTokens > positions) {
    throw new InvalidOptionsError(
      `Expected maxTokens to be at most ${positions} (the positions in config.json of "${folder}"), got ${options.maxTokens}.`,
    )
  }
  const card = completeCard(folder, options, known, {
    ...(isCount(config.hidden_size) && { dimensions: config.hidden_size }),
    maxTokens: Math.min(positions ?? DEFAULT_MAX_TOKENS, DEFAULT_MAX_TOKENS),
  })
  const dtype = options.dtype ?? (exists(join(folder, WEIGHTS_FILES.int8)) ? 'int8' : 'fp32')
  const weightsFile =
    dtype === 'fp32' && !exists(join(folder, WEIGHTS_FILES.fp32)) && !options.dtype
      ? WEIGHTS_FILES.int8 // Neither is there: name the usual one in the error that loading will give.
      : WEIGHTS_FILES[dtype]
  const fingerprint = fingerprintModel(
    [join(folder, weightsFile), join(folder, 'tokenizer.json')],
    documentSettings(card),
  )
  return {
    ...card,
    modelId: `${name}@${fingerprint ?? 'unavailable'}`,
    folder,
    weightsFile,
    hub: undefined,
    identified: fingerprint !== undefined,
  }
}

function hubSource(id: string, options: ModelSourceOptions): ModelSource {
  const card = completeCard(id, options, findModelCard(id), { maxTokens: DEFAULT_MAX_TOKENS })
  const revision = options.revision ?? 'main'
  const dtype = options.dtype ?? 'int8'
  const cacheDir = options.cacheDir ?? join(homedir(), '.cache', 'mastra-semantic-tool-search')
  return {
    ...card,
    modelId: `${id}@${revision}:${dtype}:${fingerprintModel([], documentSettings(card))}`,
    folder: join(resolve(cacheDir), ...id.split('/'), encodeURIComponent(revision)),
    weightsFile: WEIGHTS_FILES[dtype],
    hub: { id, revision },
    identified: true,
  }
}

/** Options first, then the card of a known model, then what the model's config.json says, then mean pooling. */
function completeCard(
  model: string,
  options: ModelSourceOptions,
  known: ModelCard | undefined,
  fromConfig: Partial<ModelCard>,
): ModelCard {
  const dimensions = options.dimensions ?? known?.dimensions ?? fromConfig.dimensions
  if (dimensions === undefined) {
    throw new InvalidOptionsError(
      `Expected dimensions for the model "${model}", which has no card here and no config.json with a hidden_size; ` +
        'got none. Pass { dimensions } as its model card states it.',
    )
  }
  return {
    dimensions,
    maxTokens: options.maxTokens ?? known?.maxTokens ?? fromConfig.maxTokens ?? DEFAULT_MAX_TOKENS,
    pooling: options.pooling ?? known?.pooling ?? 'mean',
    queryPrefix: options.queryPrefix ?? known?.queryPrefix ?? '',
    documentPrefix: options.documentPrefix ?? known?.documentPrefix ?? '',
    scripts: options.scripts ?? known?.scripts ?? 'any',
  }
}

/** The revision that a model's id names. */
export function revisionOf({ hub, modelId }: ModelSource): string {
  return hub?.revision ?? modelId.slice(modelId.lastIndexOf('@') + 1)
}

// Only what changes a document's vector: document vectors are what is stored and compared under the id.
function documentSettings({ pooling, documentPrefix, maxTokens }: ModelCard): object {
  return { pooling, documentPrefix, maxTokens }
}

function bundledFolder(): string {
  // Where the package cannot be found (bundled away), the path below does not exist, and loading says so.
  return join(findPackageRoot() ?? process.cwd(), 'models', BUNDLED_MODEL)
}

interface ModelConfig {
  hidden_size?: unknown
  max_position_embeddings?: unknown
  model_type?: unknown
}

function readConfig(folder: string): ModelConfig {
  // Missing or broken, or JSON but no object (null): known models need none, and `completeCard` asks for the rest.
  try {
    const config: unknown = JSON.parse(readFileSync(join(folder, 'config.json'), 'utf8'))
    return typeof config === 'object' && config !== null ? config : {}
  } catch {
    return {}
  }
}

function isCount(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 1
}

function positionLimit(config: ModelConfig): number | undefined {
  if (!isCount(config.max_position_embeddings)) return undefined
  // These families count positions from the padding id, so that two of them are never used.
  const reserved = /roberta|mpnet|camembert/.test(show(config.model_type)) ? 2 : 0
  return config.max_position_embeddings - reserved
}

function isFolder(path: string): boolean {
  return statsOf(path)?.isDirectory() ?? false
}

function exists(path: string): boolean {
  return statsOf(path) !== undefined
}

function statsOf(path: string): Stats | undefined {
  try {
    return statSync(path)
  } catch {
    return undefined // Whatever the reason (no such file, a file as folder, a name with \0 or too long), none is there.
  }
}
