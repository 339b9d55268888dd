import { checkedEmbedder } from '../src/embedding/checked.js'
import type { Embedder } from '../src/embedding/embedder.js'
import { rowProducts } from '../src/vector/row-products.js'
import type { Corpus } from './corpora.js'
import { embedTools } from './corpus-index.js'

// A tool is of a request's topic when its document is that near to a relevant tool's, by the base model.
const TOPIC_COSINE = 0.5

/** For relevant tools: them, and every tool whose document has a cosine similarity ≥ 0.5 to one of theirs. */
export async function topicsOf(
  { tools }: Corpus,
  inner: Embedder,
): Promise<(relevant: readonly string[]) => Set<string>> {
  const embedder = checkedEmbedder(inner)
  const names = Object.keys(tools)
  const { dimensions } = embedder
  const { vectors } = await embedTools(tools, embedder)
  const positions = new Map(names.map((name, at) => [name, at]))
  const near = new Map<string, string[]>()
  const nearTo = (name: string) => {
    let topic = near.get(name)
    if (!topic) {
      const at = positions.get(name)!
      const vector = vectors.subarray(at * dimensions, (at + 1) * dimensions)
      const similarities = rowProducts(vector, vectors).all()
      topic = names.filter((_, row) => similarities[row]! >= TOPIC_COSINE)
      near.set(name, topic)
    }
    return topic
  }
  return relevant => new Set(relevant.flatMap(name => [name, ...nearTo(name)]))
}
