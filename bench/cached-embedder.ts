import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { checkedEmbedder } from '../src/embedding/checked.js'
import type { Embedder } from '../src/embedding/embedder.js'

/**
 * An embedder that keeps its vectors in `.cache/` by model and text, so that a benchmark can be run again in seconds
 * while ranking is worked on. `save()` writes them.
 */
export function cachedEmbedder(inner: Embedder): Embedder & { save(): void } {
  const embedder = checkedEmbedder(inner)
  const folder = fileURLToPath(new URL('../.cache/', import.meta.url))
  const file = `${folder}${createHash('sha256').update(embedder.modelId).digest('hex').slice(0, 16)}`
  const vectors = new Map<string, Float32Array>()
  if (existsSync(`${file}.keys.json`)) {
    const keys = JSON.parse(readFileSync(`${file}.keys.json`, 'utf8')) as string[]
    const data = readFileSync(`${file}.f32`)
    const all = new Float32Array(data.buffer, data.byteOffset, data.byteLength / 4)
    keys.forEach((key, i) => {
      vectors.set(key, all.slice(i * embedder.dimensions, (i + 1) * embedder.dimensions))
    })
  }
  const embed = async (method: 'embedQueries' | 'embedDocuments', texts: readonly string[]) => {
    const keys = texts.map(text => createHash('sha256').update(`${method}\0${text}`).digest('base64url'))
    const missing = [...new Set(keys.flatMap((key, i) => (vectors.has(key) ? [] : [i])))]
    const made = await embedder[method](missing.map(i => texts[i]!))
    missing.forEach((i, at) => {
      vectors.set(keys[i]!, made[at]!)
    })
    return keys.map(key => vectors.get(key)!)
  }
  return {
    modelId: embedder.modelId,
    dimensions: embedder.dimensions,
    maxTokens: embedder.maxTokens,
    load: () => embedder.load(),
    readableShares: texts => embedder.readableShares(texts),
    embedQueries: texts => embed('embedQueries', texts),
    embedDocuments: texts => embed('embedDocuments', texts),
    save() {
      mkdirSync(folder, { recursive: true })
      const all = new Float32Array(vectors.size * embedder.dimensions)
      ;[...vectors.values()].forEach((vector, i) => {
        all.set(vector, i * embedder.dimensions)
      })
      writeFileSync(`${file}.f32`, Buffer.from(all.buffer))
      writeFileSync(`${file}.keys.json`, JSON.stringify([...vectors.keys()]))
    },
  }
}
