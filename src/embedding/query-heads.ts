import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ModelLoadError } from '../errors.js'
import { messageOf } from '../show.js'
import { mappedQuery } from '../vector/mapped-query.js'
import type { ReadQuery } from './embedder.js'

/** Files in a model's folder, beside its weights; models/training/heads makes them. */
export const QUERY_HEAD_FILES = { map: 'query_map.f32', smallTalk: 'small_talk.f32' } as const

/**
 * The query heads in a model's folder. A head is a small function learned over the model's query vectors, which leaves the
 * model as it is: a `dimensions` × `dimensions` matrix that turns a query towards the tools it asks for, and a logistic
 * regression, over the turned query, that tells small talk. Takes a query of unit length, and gives one. Undefined where there
 * is neither head; throws `ModelLoadError` where one does not fit.
 */
export function readQueryHeads(folder: string, dimensions: number): ((query: Float32Array) => ReadQuery) | undefined {
  const map = readFloats(join(folder, QUERY_HEAD_FILES.map), dimensions * dimensions)
  const smallTalk = readFloats(join(folder, QUERY_HEAD_FILES.smallTalk), dimensions + 1)
  if (!map && !smallTalk) return undefined
  return query => {
    const embedding = map ? mappedQuery(map, query) : query
    return { embedding, smallTalk: smallTalk ? logistic(smallTalk, embedding) : 0 }
  }
}

/** `weights` has one number a dimension, and last the bias. */
function logistic(weights: Float32Array, embedding: Float32Array): number {
  let sum = weights[embedding.length]!
  for (let at = 0; at < embedding.length; at++) sum += weights[at]! * embedding[at]!
  return 1 / (1 + Math.exp(-sum))
}

/** Little-endian 32-bit floats; undefined where there is no such file. */
function readFloats(path: string, count: number): Float32Array | undefined {
  const bytes = readIfThere(path)
  if (!bytes) return undefined
  const floats = new Float32Array(count)
  const wrong = (what: string) =>
    new ModelLoadError(path, `Expected ${path} to hold ${count} finite 32-bit floats, got ${what}. Install it anew.`)
  if (bytes.length !== count * 4) throw wrong(`${bytes.length} bytes`)
  for (let at = 0; at < count; at++) {
    floats[at] = bytes.readFloatLE(at * 4)
    if (!Number.isFinite(floats[at])) throw wrong(`${floats[at]} at ${at}`)
  }
  return floats
}

/** Identifies the map of a model's folder: its hash, in hex; undefined where there is none. */
export function queryMapId(folder: string): string | undefined {
  const bytes = readIfThere(join(folder, QUERY_HEAD_FILES.map))
  return bytes && hash('sha256', bytes, 'hex')
}

function readIfThere(path: string): Buffer | undefined {
  try {
    return readFileSync(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new ModelLoadError(path, `${path} cannot be read: ${messageOf(error)}`, { cause: error })
  }
}
