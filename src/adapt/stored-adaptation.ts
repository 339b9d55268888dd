import { littleEndian32 } from '../artifact/byte-order.js'
import type { ManifestAdaptation, ManifestTool, ToolIndexManifest } from '../artifact/tool-index.js'
import { dotProduct } from '../vector/dot-product.js'
import { mappedQuery } from '../vector/mapped-query.js'
import { pulled, pullShare } from './pull.js'

/** What was learnt from labelled queries, as an index has it. */
export interface StoredAdaptation {
  /** `dimensions` × `dimensions`, row by row; undefined where queries are left as they are. */
  readonly map: Float32Array | undefined
  /** For each tool with queries, by callable name, their mean; without a pull there are none. */
  readonly means: ReadonlyMap<string, Float32Array>
  /** The query's vector as it is compared with `vectors`: of unit length. */
  mapQuery(query: Float32Array): Float32Array
  /** Document vectors (one row a tool of the manifest) as they are searched: of unit length. */
  adapted(documentVectors: Float32Array): Float32Array
}

type AdaptedManifest = Pick<ToolIndexManifest, 'tools' | 'model' | 'adaptation'>

/** Size of the data file that a manifest with an adaptation must have. */
export function adaptationBytes({ tools, model, adaptation }: AdaptedManifest): number {
  const { dimensions } = model
  return 4 * dimensions * ((adaptation?.map ? dimensions : 0) + pulledTools(tools).length)
}

const pulledTools = (tools: readonly ManifestTool[]) => tools.filter(({ queries }) => queries > 0)

/** What an index is to store: the map's and the means' floats. */
export function encodeAdaptation(map: Float32Array | undefined, means: readonly Float32Array[]): Uint8Array {
  const parts = [...(map ? [map] : []), ...means]
  const floats = new Float32Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    floats.set(part, at)
    at += part.length
  }
  return littleEndian32(new Uint8Array(floats.buffer))
}

// The identity has rows of length 1, and a map that was learnt is near to it.
const MAX_ROW_LENGTH = 16

// A mean of unit vectors is not longer than they are; one of 0 has no direction.
const MIN_MEAN_LENGTH = 1e-6
const MAX_MEAN_LENGTH = 1.001

/** The adaptation in a data file, whose numbers are checked. Throws an `Error` that says what does not fit. */
export function decodeAdaptation(bytes: Uint8Array<ArrayBuffer>, manifest: AdaptedManifest): StoredAdaptation {
  const { dimensions } = manifest.model
  if (bytes.byteLength !== adaptationBytes(manifest))
    throw new Error('its adaptation has another length than it should')
  const { buffer, byteOffset } = littleEndian32(bytes)
  const floats = new Float32Array(buffer, byteOffset, bytes.byteLength / 4)
  const row = (at: number) => floats.subarray(at * dimensions, (at + 1) * dimensions)
  const length = (vector: Float32Array) => Math.sqrt(dotProduct(vector, 0, vector, 0, dimensions))
  const mapRows = manifest.adaptation!.map ? dimensions : 0
  for (let at = 0; at < mapRows; at++) {
    // The negations also catch NaN.
    if (!(length(row(at)) <= MAX_ROW_LENGTH))
      throw new Error(`row ${at} of its map of queries has the length ${length(row(at))}`)
  }
  const named = pulledTools(manifest.tools)
  const means = new Map(named.map(({ name }, at) => [name, row(mapRows + at)]))
  for (const [name, mean] of means) {
    if (!(length(mean) >= MIN_MEAN_LENGTH && length(mean) <= MAX_MEAN_LENGTH)) {
      throw new Error(`the mean of the queries of ${JSON.stringify(name)} has the length ${length(mean)}`)
    }
  }
  return storedAdaptation(mapRows > 0 ? floats.subarray(0, mapRows * dimensions) : undefined, means, manifest)
}

/** The adaptation of a manifest's tools; `means` may know other tools, too. */
export function storedAdaptation(
  map: Float32Array | undefined,
  means: ReadonlyMap<string, Float32Array>,
  {
    tools,
    model,
    adaptation,
  }: { tools: readonly Pick<ManifestTool, 'name' | 'queries'>[] } & {
    model: { readonly dimensions: number }
    adaptation: Pick<ManifestAdaptation, 'pull'> | null
  },
): StoredAdaptation {
  const { dimensions } = model
  // Agents repeat their searches, and the searcher keeps their vectors: each is mapped once.
  const mapped = new WeakMap<Float32Array, Float32Array>()
  return {
    map,
    means,
    mapQuery(query) {
      if (!map) return query
      let known = mapped.get(query)
      if (!known) {
        known = mappedQuery(map, query)
        mapped.set(query, known)
      }
      return known
    },
    adapted(documentVectors) {
      const vectors = documentVectors.slice()
      tools.forEach(({ name, queries }, at) => {
        const mean = means.get(name)
        if (!mean || queries === 0) return
        const own = documentVectors.subarray(at * dimensions, (at + 1) * dimensions)
        vectors.set(pulled(own, mean, pullShare(adaptation!.pull, queries)), at * dimensions)
      })
      return vectors
    },
  }
}
