import { access, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ModelLoadError } from '../errors.js'
import { messageOf } from '../show.js'
import { downloadHubModel } from './hub-files.js'
import { BUNDLED_MODEL, type ModelSource } from './model-source.js'
import type { Session, Tokenizer, TransformersRuntime } from './transformers-runtime.js'

/** A tokenizer and a session over the weights, ready to embed. */
export interface LoadedModel {
  tokenizer: Tokenizer
  session: Session
  /** The output with one vector a token. */
  outputName: string
}

export interface LoadModelOptions {
  importRuntime: () => Promise<TransformersRuntime>
  allowDownload: boolean
}

// Registered, so that two copies of this package in one process (or a hot reload of one) share a model of 23 MB and
// more; the version in the name changes whenever `LoadedModel` does.
const MODELS = Symbol.for('mastra-semantic-tool-search.loaded-models.1')

/** Models of this process by id and folder, loading or loaded. */
function loadedModels(): Map<string, Promise<LoadedModel>> {
  const holder = globalThis as { [MODELS]?: Map<string, Promise<LoadedModel>> }
  holder[MODELS] ??= new Map()
  return holder[MODELS]
}

/**
 * The model of `source`, loaded once a process however many callers ask at once. A failed load is forgotten, so that
 * the next call tries again. Rejects with `ModelLoadError`.
 */
export function loadModel(source: ModelSource, options: LoadModelOptions): Promise<LoadedModel> {
  const models = loadedModels()
  // Not by `modelId`: embedders with other pooling or prefixes share the session.
  const key = [join(source.folder, source.weightsFile), source.identified].join('|')
  let model = models.get(key)
  if (!model) {
    model = load(source, options)
    models.set(key, model)
    model.catch(() => models.delete(key))
  }
  return model
}

async function load(source: ModelSource, { importRuntime, allowDownload }: LoadModelOptions): Promise<LoadedModel> {
  if (source.hub && allowDownload) await downloadHubModel({ ...source, hub: source.hub })
  const tokenizerJson = await readJson(source, 'tokenizer.json', true)
  const tokenizerConfig = await readJson(source, 'tokenizer_config.json', false)
  const weights = join(source.folder, source.weightsFile)
  await access(weights).catch(error => Promise.reject(missingFile(source, source.weightsFile, error)))
  if (!source.identified) {
    throw new ModelLoadError(
      source.modelId,
      `The files of the model in "${source.folder}" were not there when the embedder was created, so its modelId names ` +
        'no revision. They are now: create the embedder again.',
    )
  }
  const runtime = await importRuntime().catch(error => Promise.reject(runtimeError(source, error)))
  try {
    const tokenizer = runtime.createTokenizer(tokenizerJson, tokenizerConfig)
    const session = await runtime.createSession(weights)
    const outputName = ['last_hidden_state', 'token_embeddings'].find(name => session.outputNames.includes(name))
    if (outputName === undefined) {
      throw new Error(`expected an output named last_hidden_state or token_embeddings, got ${session.outputNames}`)
    }
    return { tokenizer, session, outputName }
  } catch (error) {
    throw new ModelLoadError(
      source.modelId,
      `The model files in "${source.folder}" cannot be used: ${reasonOf(error)}. ${fileCure(source)}`,
      { cause: error },
    )
  }
}

async function readJson(source: ModelSource, file: string, required: boolean): Promise<Record<string, unknown>> {
  let text: string
  try {
    text = await readFile(join(source.folder, file), 'utf8')
  } catch (error) {
    if (!required && (error as NodeJS.ErrnoException).code === 'ENOENT') return {}
    throw missingFile(source, file, error)
  }
  try {
    return JSON.parse(text) as Record<string, unknown>
  } catch (error) {
    throw new ModelLoadError(
      source.modelId,
      `"${join(source.folder, file)}" is not JSON: ${reasonOf(error)}. ${fileCure(source)}`,
      { cause: error },
    )
  }
}

function missingFile(source: ModelSource, file: string, cause: unknown): ModelLoadError {
  return new ModelLoadError(
    source.modelId,
    `The model file "${join(source.folder, file)}" cannot be read (${reasonOf(cause)}). ${fileCure(source)}`,
    { cause },
  )
}

function fileCure(source: ModelSource): string {
  if (source.hub) {
    return `Pass allowDownload: true to fetch "${source.hub.id}" once, or remove broken files from that folder first.`
  }
  if (source.modelId.startsWith(`${BUNDLED_MODEL}@`)) {
    return (
      'Install mastra-semantic-tool-search again; where a bundler moved its code, keep the package external ' +
      '(in Mastra: bundler.externals) or pass the folder of the model as model.'
    )
  }
  return 'Expected a folder in transformers.js layout: config.json, tokenizer.json, onnx/model_quantized.onnx.'
}

/** The native runtime failed to load: says which of the known causes it was. */
function runtimeError(source: ModelSource, error: unknown): ModelLoadError {
  const message = reasonOf(error)
  let cure = 'onnxruntime-node runs on Windows, macOS and glibc Linux (x64, arm64); elsewhere use aiSdkEmbedder.'
  if (/did not self-register/i.test(message)) {
    cure =
      'Another thread of this process loaded onnxruntime-node first: import it in the main thread before starting ' +
      'worker threads, or use child processes.'
  } else if (/Cannot find (package|module)/i.test(message)) {
    cure = 'Run "npm install onnxruntime-node@1.14.0"; a bundler must leave it external.'
  }
  return new ModelLoadError(source.modelId, `onnxruntime-node could not be loaded: ${message}. ${cure}`, {
    cause: error,
  })
}

/** The message without its full stop, to go on after it. */
function reasonOf(error: unknown): string {
  return messageOf(error).replace(/\.$/, '')
}
