import { certain, type Place, type Pool, type RankedPart, type RankedQuery, sorted } from './rank.js'

/**
 * What the best part of a request weighs beside the whole of it. On requests of nine corpora that need several tools and
 * have 25 words or more, all of them are among the ten best in 85 % instead of 80 %, as the mean over corpora; requests
 * for one tool neither gain nor lose. With 1, these lose 0.01 nDCG@10 on two corpora.
 */
const PART_WEIGHT = 0.5

/**
 * Ranks by a whole query together with its parts: a document's evidence is the mean of what the whole says for it and
 * what the part says that fits it best, weighted. Without parts, the whole alone.
 */
export function rankInParts(whole: RankedPart, parts: readonly RankedPart[]): RankedQuery {
  if (parts.length === 0) return whole
  const all = [whole, ...parts]

  /**
   * Candidates of any pool, each with what all queries say for it. Of a store, which must be asked for that, only the
   * `most` that may have the most evidence.
   */
  async function joined(pools: readonly Pool[], most: number): Promise<Pool> {
    const known = pools.map(({ candidates }) => new Map(candidates.map(each => [keyOf(each), each])))
    const places = new Map<string, Place>()
    for (const { candidates } of pools) for (const candidate of candidates) places.set(keyOf(candidate), candidate)
    const atMost = (key: string) => together(known.map((of, at) => of.get(key)?.evidence ?? pools[at]!.bound))
    const keys = [...places.keys()]
    if (keys.length > most) keys.sort((a, b) => atMost(b) - atMost(a))
    const asked = keys.slice(0, most)
    await Promise.all(
      all.map(async (ranked, at) => {
        const missing = asked.filter(key => !known[at]!.has(key)).map(key => places.get(key)!)
        for (const candidate of await ranked.candidatesAt(missing)) known[at]!.set(keyOf(candidate), candidate)
      }),
    )
    const candidates = asked.map(key => {
      const [candidate, ...ofParts] = known.map(of => of.get(key)!)
      const evidences = ofParts.map(({ evidence }) => evidence)
      const index = evidences.indexOf(Math.max(...evidences))
      const evidence = together([candidate!.evidence, ...evidences])
      return { ...candidate!, evidence, part: { index, candidate: ofParts[index]! } }
    })
    const bound = together(pools.map(pool => pool.bound))
    return { candidates, bound: keys.length > most ? Math.max(bound, atMost(keys[most]!)) : bound }
  }

  // A single query is costly where a store is asked.
  const isRemote = whole.isCostly

  async function pool(limit: number, wanted: number): Promise<Pool> {
    const pools = await Promise.all(all.map(ranked => ranked.pool(limit, wanted)))
    return joined(pools, isRemote ? limit : Number.POSITIVE_INFINITY)
  }

  return {
    isCostly: true,
    best: async (limit, wanted = limit) => certain(await pool(limit, wanted), limit),
    async all(limit) {
      if (isRemote && limit !== undefined) return sorted([...(await pool(limit, limit)).candidates])
      const lists = await Promise.all(all.map(ranked => ranked.all()))
      const pools = lists.map(candidates => ({ candidates, bound: Number.NEGATIVE_INFINITY }))
      return sorted([...(await joined(pools, Number.POSITIVE_INFINITY)).candidates])
    },
  }
}

const keyOf = ({ layer, position }: Place) => `${layer} ${position}`

/** The evidence of the whole and of its parts, of which there may be none, as one. */
export function together([whole, ...parts]: readonly number[]): number {
  return parts.length === 0 ? whole! : (whole! + PART_WEIGHT * Math.max(...parts)) / (1 + PART_WEIGHT)
}
