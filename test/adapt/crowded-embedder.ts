import type { Embedder } from '../../src/embedding/embedder.js'
import { pick, seededRandom } from '../../src/random.js'
import { wordEmbedder } from '../searcher/word-embedder.js'

/** As E5 models do: a share that all texts have in common lifts all similarities to between 0.8 and 1. */
export function crowdedEmbedder(modelId = 'crowded'): Embedder {
  const words = wordEmbedder()
  const crowd = (vectors: readonly ArrayLike<number>[]) =>
    vectors.map(vector => {
      const length = Math.hypot(...Array.from(vector))
      return [...Array.from(vector, value => value / length), 2]
    })
  return {
    modelId,
    dimensions: 257,
    embedDocuments: async texts => crowd((await words.embedDocuments(texts)) as Float32Array[]),
    embedQueries: async texts => crowd((await words.embedQueries(texts)) as Float32Array[]),
  }
}

const VERBS = 'send read move copy list find sort join split merge'.split(' ')
const NOUNS = 'mail file photo song page note task event order invoice'.split(' ')

/** A hundred tools, each of a verb and a noun. */
export const verbAndNounTools = () =>
  Object.fromEntries(
    VERBS.flatMap(verb => NOUNS.map(noun => [`${verb}_${noun}`, { description: `${verb} the ${noun} of someone` }])),
  )

const FILLERS = 'please now quickly today again kindly maybe soon'.split(' ')

/** Queries: a verb and a noun with some filling words, sometimes the noun alone, sometimes nothing that fits. */
export function verbAndNounQueries(count: number, seed: number) {
  const random = seededRandom(seed)
  return Array.from({ length: count }, () => {
    const [verb, noun] = [pick(VERBS, random), pick(NOUNS, random)]
    const filling = Array.from({ length: Math.floor(random() * 4) }, () => pick(FILLERS, random)).join(' ')
    const kind = random()
    if (kind < 0.2) return { query: `${filling} unrelated ${pick(FILLERS, random)} matter`, relevant: [] }
    if (kind < 0.5) return { query: `the ${noun} ${filling}`, relevant: [`${verb}_${noun}`] }
    return { query: `${verb} my ${noun} ${filling}`, relevant: [`${verb}_${noun}`] }
  })
}
