import { cpSync, mkdirSync, mkdtempSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Embedder } from '../src/embedding/embedder.js'
import { transformersEmbedder } from '../src/embedding/transformers-js.js'

const MODEL = fileURLToPath(new URL('../models/all-MiniLM-L6-v2/', import.meta.url))

/** The bundled model's tokenizer with the fp32 weights in `file`, which scripts/model/export.py --fp32 writes. */
export function fp32Embedder(file: string): Embedder {
  return transformersEmbedder({ model: modelFolder(file, 'model.onnx'), dtype: 'fp32' })
}

/** A folder in transformers.js layout: the bundled model's small files, and other weights under `name`. */
export function modelFolder(weights: string, name: 'model.onnx' | 'model_quantized.onnx'): string {
  const folder = join(mkdtempSync(join(tmpdir(), 'bench-model-')), 'all-MiniLM-L6-v2')
  cpSync(MODEL, folder, { recursive: true, filter: path => !path.endsWith('.onnx') })
  mkdirSync(join(folder, 'onnx'), { recursive: true })
  symlinkSync(resolve(weights), join(folder, 'onnx', name))
  return folder
}
