import { describe, expect, it } from 'vitest'
import { evidenceOf, scoreOf } from '../../src/ranking/score.js'
import { createToolSearcher } from '../../src/searcher.js'
import type { SearchOptions } from '../../src/searcher-types.js'
import { wordEmbedder } from './word-embedder.js'

const TOOLS = {
  paint_cat: { description: 'Paints a red cat' },
  paint_dog: { description: 'Paints a red dog' },
  feed_cat: { description: 'Feeds the cat' },
  mow_lawn: { description: 'Cuts grass' },
}

const embedder = wordEmbedder()
const searcher = createToolSearcher({ tools: TOOLS, embedder, strict: true })

async function explained(query: string, options: SearchOptions = {}) {
  const { results, candidates } = await searcher.search(query, { ...options, explain: true })
  return { results, candidates: candidates!, byName: new Map(candidates!.map(each => [each.name, each])) }
}

async function cosine(query: string, document: string): Promise<number> {
  const [a, b] = await wordEmbedder().embedDocuments([query, document])
  const dot = (x: ArrayLike<number>, y: ArrayLike<number>) => {
    let sum = 0
    for (let i = 0; i < x.length; i++) sum += x[i]! * y[i]!
    return sum
  }
  return dot(a!, b!) / Math.sqrt(dot(a!, a!) * dot(b!, b!))
}

describe('explain', () => {
  it('changes no result', async () => {
    for (const options of [{}, { topK: 1 }, { minScore: 0, topK: 9 }, { accept: () => false }]) {
      const { results } = await searcher.search('red cat', options)
      expect((await explained('red cat', options)).results).toEqual(results)
    }
  })

  it('ranks the candidates from 1, by falling score, each once', async () => {
    const { candidates } = await explained('red cat')
    expect(candidates.map(({ rank }) => rank)).toEqual([1, 2, 3, 4])
    expect(new Set(candidates.map(({ name }) => name)).size).toBe(4)
    const scores = candidates.map(({ score }) => score)
    expect(scores).toEqual([...scores].sort((a, b) => b - a))
  })

  it('lists the results first, with the scores they have', async () => {
    const { results, candidates } = await explained('red cat', { topK: 2 })
    expect(candidates.slice(0, 2).map(({ name, score }) => ({ name, score }))).toEqual(results)
    expect(candidates.map(({ cut }) => cut === undefined)).toEqual([true, true, false, false])
  })

  it('gives the cosine similarity of query and document, and its rank', async () => {
    const { candidates, byName } = await explained('red cat')
    const expected = new Map<string, number>()
    for (const [name, text] of [
      ['paint_cat', 'paint cat: Paints a red cat'],
      ['paint_dog', 'paint dog: Paints a red dog'],
      ['feed_cat', 'feed cat: Feeds the cat'],
      ['mow_lawn', 'mow lawn: Cuts grass'],
    ] as const) {
      expected.set(name, await cosine('red cat', text))
      expect(byName.get(name)?.dense?.cosineSimilarity).toBeCloseTo(expected.get(name)!, 5)
    }
    const byCosine = [...expected].sort((a, b) => b[1] - a[1]).map(([name]) => name)
    expect([...candidates].sort((a, b) => a.dense!.rank - b.dense!.rank).map(({ name }) => name)).toEqual(byCosine)
  })

  it('gives the lexical share and its rank, only where a word is shared', async () => {
    const { byName } = await explained('red cat')
    // "red" and "cat" are in 2 of 4 documents each: paint_cat has both, with "cat" in its name.
    expect(byName.get('paint_cat')?.lexical?.rank).toBe(1)
    // Cat in name and text of feed_cat, a shorter text; red in the text of paint_dog alone.
    expect(byName.get('feed_cat')?.lexical?.rank).toBe(2)
    expect(byName.get('paint_dog')?.lexical?.rank).toBe(3)
    expect(byName.get('mow_lawn')?.lexical).toBeUndefined()
    for (const { lexical } of byName.values()) {
      if (!lexical) continue
      expect(lexical.share).toBeGreaterThan(0)
      expect(lexical.share).toBeLessThanOrEqual(1)
    }
  })

  it('names what cut each candidate: the score, topK, the filter', async () => {
    const { candidates } = await explained('red cat', {
      topK: 1,
      accept: ({ name }) => name !== 'paint_cat',
    })
    expect(candidates[0]).toMatchObject({ name: 'paint_cat', cut: 'filter' })
    expect(candidates[1]?.cut).toBeUndefined()
    expect(candidates[2]?.cut).toBe('topK')
    expect(candidates[3]).toMatchObject({ name: 'mow_lawn', cut: 'score' })
  })

  it('says score where a candidate is at minScore exactly', async () => {
    const { candidates } = await explained('red cat', { minScore: 0, topK: 9 })
    const again = await explained('red cat', { minScore: candidates[1]!.score, topK: 9 })
    expect(again.candidates.map(({ cut }) => cut)).toEqual([undefined, 'score', 'score', 'score'])
  })

  it('says score, not filter, of what the filter was never asked', async () => {
    const asked: string[] = []
    const { candidates } = await explained('red cat', {
      accept: ({ name }) => {
        asked.push(name)
        return false
      },
    })
    expect(candidates.filter(({ cut }) => cut === 'filter').map(({ name }) => name)).toEqual(asked)
    expect(candidates.find(({ name }) => name === 'mow_lawn')?.cut).toBe('score')
  })

  it('marks exact names, with score 1, ahead of the others', async () => {
    const { candidates } = await explained('mow_lawn beside the red cat', { topK: 1 })
    expect(candidates[0]).toMatchObject({ name: 'mow_lawn', exactName: true, score: 1, rank: 1, cut: undefined })
    expect(candidates.slice(1).every(({ exactName, score }) => !exactName && score < 1)).toBe(true)
  })

  it('lists an exact name that shares no token with the query', async () => {
    const embedder = wordEmbedder({ readableShares: async texts => texts.map(() => 0) })
    const tools = { 'the.of': { description: '' }, other_tool: { description: 'red cat' } }
    const { candidates, mode } = await createToolSearcher({ tools, embedder }).search('the.of', { explain: true })
    expect(mode).toBe('lexical')
    expect(candidates?.[0]).toMatchObject({ name: 'the.of', exactName: true, score: 1, rank: 1 })
    expect(candidates?.[0]?.dense).toBeUndefined()
  })

  it('has no dense part where the embedder fails', async () => {
    const embedder = wordEmbedder()
    embedder.failure = new Error('down')
    const failing = createToolSearcher({ tools: TOOLS, embedder, warn: () => {} })
    const { candidates } = await failing.search('red cat', { explain: true })
    expect(candidates?.map(({ name }) => name)).toEqual(['paint_cat', 'feed_cat', 'paint_dog'])
    expect(candidates?.every(({ dense, lexical }) => dense === undefined && lexical !== undefined)).toBe(true)
  })

  it('gives small talk, with which each score can be computed from its parts', async () => {
    const readQuery = async (embedding: Float32Array) => ({ embedding, smallTalk: 0.4 })
    const talking = createToolSearcher({ tools: TOOLS, embedder: wordEmbedder({ readQuery }), strict: true })
    const { smallTalk, candidates } = await talking.search('red cat', { explain: true })
    expect(smallTalk).toBe(0.4)
    for (const { score, dense, lexical } of candidates!) {
      const evidence = evidenceOf(dense!.cosineSimilarity, lexical?.share ?? 0, 1, smallTalk)
      expect(score).toBeCloseTo(scoreOf(evidence), 6)
    }
    const plain = await searcher.search('red cat', { explain: true })
    expect(plain.smallTalk).toBe(0)
    // What all results lose alike: 1.5 times 0.4 of the logarithm of their odds.
    const logOdds = (score: number) => Math.log(score / (1 - score))
    candidates!.forEach(({ score }, at) => {
      expect(logOdds(plain.candidates![at]!.score) - logOdds(score)).toBeCloseTo(0.6, 5)
    })
  })

  it('gives no small talk where the words alone decide, nor where it was not asked to explain', async () => {
    const members = {
      readQuery: async (embedding: Float32Array) => ({ embedding, smallTalk: 0.9 }),
      readableShares: async (texts: readonly string[]) => texts.map(() => 0),
    }
    const unread = createToolSearcher({ tools: TOOLS, embedder: wordEmbedder(members), strict: true })
    expect(await unread.search('red cat', { explain: true })).toMatchObject({ mode: 'lexical', smallTalk: 0 })
    expect(Object.keys(await searcher.search('red cat'))).toEqual(['results', 'mode'])
  })

  it('lists 100 candidates of many, and every refused one', async () => {
    const tools = Object.fromEntries(
      Array.from({ length: 300 }, (_, at) => [`t_${at}`, { description: `Paints a cat with brush ${at}` }]),
    )
    const many = createToolSearcher({ tools, embedder: wordEmbedder(), strict: true })
    expect((await many.search('cat', { explain: true })).candidates).toHaveLength(100)
    const refusing = await many.search('cat', { explain: true, accept: () => false })
    expect(refusing.candidates).toHaveLength(300)
    expect(refusing.candidates?.every(({ cut }) => cut === 'filter')).toBe(true)
  })
})
