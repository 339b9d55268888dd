import { createTool } from '@mastra/core/tools'
import { checkedEmbedder } from '../src/embedding/checked.js'
import type { Embedder } from '../src/embedding/embedder.js'
import { normalizeInPlace } from '../src/embedding/pooling.js'
import { type CorpusTool, LABELLED_CORPORA, SEED, seededRandom, toolsOf } from './corpora.js'

// Not at the end: parameters follow the description.
const VARIANT = / Variant (\d+)\./

/**
 * `count` tools, of the corpora's as far as there are (some 8,600), then variants of them. Made by Mastra's `createTool`
 * of JSON schemas, as an MCP client makes them: new objects at each call, the schemas too unless `sameSchemas`.
 */
export function manyTools(
  count: number,
  { sameSchemas = false }: { sameSchemas?: boolean } = {},
): Record<string, ReturnType<typeof createTool>> {
  const base = baseTools()
  return Object.fromEntries(
    Array.from({ length: count }, (_, at) => {
      const { id, description, inputSchema } = base[at % base.length]!
      const variant = Math.floor(at / base.length)
      const name = variant === 0 ? id : `${id}_${variant}`
      const options = {
        id: name,
        description: variant === 0 ? description : `${description} Variant ${variant}.`,
        inputSchema: sameSchemas ? inputSchema : structuredClone(inputSchema),
        execute: async () => name,
      }
      return [name, createTool(options as Parameters<typeof createTool>[0])]
    }),
  )
}

let tools: CorpusTool[] | undefined

function baseTools(): CorpusTool[] {
  tools ??= [...toolsOf(LABELLED_CORPORA).values()]
  return tools
}

// Keeps a variant within its tool's neighbourhood: a cosine similarity of some 0.9.
const NOISE = 0.025

/**
 * An embedder whose documents cost nothing to embed again: those of variants are their tool's, moved a little. Queries
 * are embedded by the model. For times only.
 */
export function variantEmbedder(inner: Embedder): Embedder {
  const embedder = checkedEmbedder(inner)
  return {
    ...inner,
    async embedDocuments(texts) {
      const vectors = await embedder.embedDocuments(texts.map(baseText))
      return vectors.map((vector, at) => moved(vector, texts[at]!))
    },
  }
}

/** The text of the tool that a variant is of: without the number in the description, and in the name. */
function baseText(text: string): string {
  const [, variant] = VARIANT.exec(text) ?? []
  return variant === undefined ? text : text.replace(VARIANT, '').replace(` ${variant}:`, ':')
}

function moved(vector: Float32Array, text: string): Float32Array {
  const [, variant] = VARIANT.exec(text) ?? []
  if (variant === undefined) return vector
  const random = seededRandom(SEED + Number(variant))
  const copy = vector.map(value => value + (random() - 0.5) * 2 * NOISE)
  normalizeInPlace(copy)
  return copy
}
