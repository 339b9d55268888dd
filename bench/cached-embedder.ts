import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
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
  const file = `${folder}${createHash('sha256').update(embedder.modelId).digest('hex').slice(0, 16)}.json`
  const vectors = new Map<string, Float32Array>()
  if (existsSync(file)) {
    const stored = JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>
    for (const [key, base64] of Object.entries(stored)) {
      vectors.set(key, new Float32Array(Uint8Array.from(Buffer.from(base64, 'base64')).buffer))
    }
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
    ...(inner.readQuery && { readQuery: embedding => inner.readQuery!(embedding) }),
    readableShares: texts => embedder.readableShares(texts),
    embedQueries: texts => embed('embedQueries', texts),
    embedDocuments: texts => embed('embedDocuments', texts),
    save() {
      mkdirSync(folder, { recursive: true })
      const stored = Object.fromEntries(
        Array.from(vectors, ([key, { buffer }]) => [key, Buffer.from(buffer as ArrayBuffer).toString('base64')]),
      )
      // Renamed into place: another process may be reading, or writing its own.
      const written = `${file}.${process.pid}`
      writeFileSync(written, JSON.stringify(stored))
      renameSync(written, file)
    },
  }
}
