import { cachedEmbedder } from '../../bench/cached-embedder.js'
import { loadCorpus, sample, seededRandom } from '../../bench/corpora.js'
import { createCatalog } from '../../src/catalog/catalog.js'
import { documentOf } from '../../src/catalog/document.js'
import { defaultEmbedder } from '../../src/embedding/default-embedder.js'

const QUERIES = 200

/**
 * Length of the noise added to a copy's unit vector: its cosine similarity to the original is 1 / √(1 + 0.5²) ≈ 0.89,
 * that of two tools of one family ("list issues", "list pull requests").
 */
export const NOISE_LENGTH = 0.5
const NOISE_SEED = 7

/** Vectors for recall measurements: documents of seal-tools, and 200 of its requests. */
export interface SealVectors {
  readonly documents: readonly Float32Array[]
  readonly queries: readonly Float32Array[]
  readonly dimensions: number
}

/** Embeds seal-tools with the bundled model (1–2 minutes), or reads what an earlier run left in `.cache/`. */
export async function sealVectors(): Promise<SealVectors> {
  const corpus = loadCorpus('seal-tools')
  const embedder = cachedEmbedder(defaultEmbedder())
  const texts = createCatalog(corpus.tools).layers[0]!.entries.map(entry => documentOf(entry).text)
  const documents = await embedder.embedDocuments(texts)
  const queries = await embedder.embedQueries(sample(corpus.queries, QUERIES).map(({ query }) => query))
  embedder.save()
  return { documents: documents as Float32Array[], queries: queries as Float32Array[], dimensions: embedder.dimensions }
}

/** The first `size` vectors of: the documents, then copies of them with seeded Gaussian noise, of unit length. */
export function grown(documents: readonly Float32Array[], size: number, noiseLength = NOISE_LENGTH): Float32Array {
  const dimensions = documents[0]!.length
  const deviation = noiseLength / Math.sqrt(dimensions)
  const gaussian = gaussianNumbers(NOISE_SEED)
  const all = new Float32Array(size * dimensions)
  for (let id = 0; id < size; id++) {
    const original = documents[id % documents.length]!
    if (id < documents.length) {
      all.set(original, id * dimensions)
      continue
    }
    const copy = original.map(value => value + deviation * gaussian())
    const length = Math.hypot(...copy)
    all.set(
      copy.map(value => value / length),
      id * dimensions,
    )
  }
  return all
}

/** Standard normal numbers (Box–Muller) from a seeded generator. */
function gaussianNumbers(seed: number): () => number {
  const random = seededRandom(seed)
  return () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
}
