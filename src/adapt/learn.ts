import type { ManifestAdaptation } from '../artifact/tool-index.js'
import type { LexicalLayer } from '../layer-index.js'
import { lexicalSharesOf, weightQuery } from '../lexical/bm25.js'
import { seededRandom, shuffled } from '../random.js'
import { type EvidenceWeights, evidenceOf } from '../ranking/score.js'
import { type Choice, chooseStrength } from './choose.js'
import { groupsOf } from './folds.js'
import type { Evidence } from './held-out.js'
import type { EmbeddedLabel } from './labelled-catalog.js'
import { learnMap } from './learn-map.js'
import { centroidsOf } from './pull.js'

export interface CatalogToLearn {
  readonly dimensions: number
  readonly names: readonly string[]
  /** One row a tool, of unit length, as the model made them. */
  readonly vectors: Float32Array
  readonly readableShares: Float32Array
  readonly lexical: LexicalLayer
  /** Default: those of `ranking/score`. */
  readonly weights?: EvidenceWeights | undefined
}

/** What an index stores of an adaptation. */
export interface Adaptation {
  readonly manifest: ManifestAdaptation
  readonly map: Float32Array | undefined
  /** By callable name: the mean of a tool's queries. */
  readonly means: ReadonlyMap<string, Float32Array>
  /** By callable name: how many queries. */
  readonly counts: ReadonlyMap<string, number>
}

export interface LearnOptions {
  readonly keepOthers: boolean
  /** How the queries' vectors were read; null where the embedder does not tell. */
  readonly readQueryId: string | null
  readonly seed: number
  readonly onProgress?: ((done: number, total: number) => void) | undefined
  readonly abortSignal?: AbortSignal | undefined
}

// Of more, so many are drawn to choose the strength by: the time grows with them. All are learnt from.
const MAX_CHOSEN_BY = 1_000

/** Fewer say nothing: with so few, no fold has more than two to measure on. */
export const MIN_QUERIES = 10

/**
 * Learns from labelled queries what moves them and their tools together, as strongly as cross-validation finds best in
 * the ranking that searches use. Whether it helps is for the caller to see from the gain. The same for the same input.
 */
export async function learnAdaptation(
  catalog: CatalogToLearn,
  queries: readonly EmbeddedLabel[],
  { keepOthers, readQueryId, seed, onProgress, abortSignal }: LearnOptions,
): Promise<Adaptation> {
  const { dimensions, names } = catalog
  const drawn = queries.length > MAX_CHOSEN_BY ? shuffled(queries, seededRandom(seed)).slice(0, MAX_CHOSEN_BY) : queries
  const choice = await chooseStrength(dataOf(catalog, drawn), {
    evidence: evidenceFor(catalog, drawn),
    groups: groupsOf(drawn.map(({ text }) => text)),
    keepOthers,
    seed,
    onPart: onProgress,
    abortSignal,
  })
  const data = dataOf(catalog, queries)
  const all = [...queries.keys()]
  const { map: settings, pull } = choice.strength
  const map = settings
    ? Float32Array.from(await learnMap(data, settings, () => abortSignal?.throwIfAborted()))
    : undefined
  const { tools, counts, means } = centroidsOf(data, all)
  const pulledTools = pull > 0 ? tools : []
  return {
    // In the schema's order, by which two manifests are compared.
    manifest: { queries: queries.length, tools: tools.length, ...figuresOf(choice), readQueryId, seed },
    map,
    means: new Map(pulledTools.map((tool, at) => [names[tool]!, means.slice(at * dimensions, (at + 1) * dimensions)])),
    counts: new Map(pulledTools.map((tool, at) => [names[tool]!, counts[at]!])),
  }
}

function figuresOf({ strength, before, gain, gainOfOthers }: Choice) {
  return { map: strength.map, pull: strength.pull, before, gain, gainOfOthers }
}

function dataOf({ dimensions, vectors }: CatalogToLearn, queries: readonly EmbeddedLabel[]) {
  const packed = new Float32Array(queries.length * dimensions)
  queries.forEach(({ vector }, at) => {
    packed.set(vector, at * dimensions)
  })
  return { dimensions, tools: vectors, queries: packed, relevant: queries.map(({ tools }) => tools) }
}

/** Cosine similarities and words, weighed as in a search. */
function evidenceFor(
  { readableShares, lexical: { lexical }, weights }: CatalogToLearn,
  queries: readonly EmbeddedLabel[],
): Evidence {
  const shares = queries.map(({ text }) => lexicalSharesOf(lexical, weightQuery(text, [lexical])))
  return (query, tool, cosineSimilarity) => {
    const cosine = cosineSimilarity * readableShares[tool]!
    return evidenceOf(cosine, shares[query]![tool]!, queries[query]!.readableShare, 0, weights)
  }
}
