import { describe, expect, it } from 'vitest'
import { clausesOf } from '../../src/lexical/clauses.js'
import { createToolSearcher } from '../../src/searcher.js'
import { HNSW_MIN_SIZE } from '../../src/vector/hnsw.js'
import { wordEmbedder } from './word-embedder.js'

const LONG =
  'First paint the big red cat on the wall of the old house, then cut the tall grass behind the green barn, and feed ' +
  'the hungry brown horses with some hay.'

const TOOLS: Record<string, { description: string }> = {
  painter: { description: 'Paint a cat on a wall' },
  mower: { description: 'Cut tall grass' },
  feeder: { description: 'Feed horses with hay' },
  counter: { description: 'Count the old house and the barn behind it' },
  lamp: { description: 'Switch a lamp on' },
}

const logit = (score: number) => Math.log(score / (1 - score))

/** The evidence of every tool for a query, from its unrounded score. */
async function evidences(tools: typeof TOOLS, query: string): Promise<Map<string, number>> {
  const searcher = createToolSearcher({ tools, embedder: wordEmbedder(), strict: true })
  const { candidates } = await searcher.search(query, { minScore: 0, explain: true })
  return new Map(candidates!.map(({ name, score }) => [name, logit(score)]))
}

describe('a long request of several clauses', () => {
  it('scores a tool by the whole and, half as much, by the clause that fits it best', async () => {
    const clauses = clausesOf(LONG)
    expect(clauses).toHaveLength(3)
    const whole = await evidences(TOOLS, LONG)
    const searcher = createToolSearcher({ tools: TOOLS, embedder: wordEmbedder(), strict: true })
    const { candidates } = await searcher.search(LONG, { explain: true })
    const ofClauses = await Promise.all(clauses.map(clause => evidences(TOOLS, clause)))
    // What the whole says alone comes from its parts as they are shown.
    for (const { name, dense, lexical, clause, score } of candidates!) {
      const best = Math.max(...ofClauses.map(evidence => evidence.get(name)!))
      expect(ofClauses[clauses.indexOf(clause!.text)]!.get(name)).toBe(best)
      const ofWhole = 4.54 * dense!.cosineSimilarity + 14.5 * (lexical?.share ?? 0) - 3.98
      expect(logit(score)).toBeCloseTo((ofWhole + 0.5 * best) / 1.5, 4)
    }
    expect(whole.size).toBe(5)
  })

  it('says nothing of clauses for a short one', async () => {
    const searcher = createToolSearcher({ tools: TOOLS, embedder: wordEmbedder(), strict: true })
    const { candidates } = await searcher.search('cut the grass and feed the horses', { explain: true })
    for (const candidate of candidates!) expect(candidate).not.toHaveProperty('clause')
  })

  it('embeds each clause once, by itself, and the whole', async () => {
    const embedder = wordEmbedder()
    const searcher = createToolSearcher({ tools: TOOLS, embedder, strict: true })
    await searcher.search(LONG)
    await searcher.search(LONG)
    expect(embedder.queryCalls).toEqual([[LONG], ...clausesOf(LONG).map(clause => [clause])])
  })

  it('is searched as one where there are no embeddings', async () => {
    const embedder = wordEmbedder()
    embedder.failure = new Error('no model')
    const searcher = createToolSearcher({ tools: TOOLS, embedder, warn: () => {} })
    const { results, mode, candidates } = await searcher.search(LONG, { explain: true })
    expect(mode).toBe('lexical')
    expect(results.length).toBeGreaterThan(0)
    for (const candidate of candidates!) expect(candidate).not.toHaveProperty('clause')
  })

  it('finds by a graph what comparing all tools finds', async () => {
    const verbs = ['paint', 'cut', 'feed', 'wash', 'sell', 'lift', 'bake', 'read']
    const nouns = ['cat', 'grass', 'horses', 'wall', 'hay', 'barn', 'house', 'bread', 'book', 'car']
    const many = Object.fromEntries(
      Array.from({ length: HNSW_MIN_SIZE + 100 }, (_, at) => {
        const [verb, noun] = [verbs[at % verbs.length], nouns[at % nouns.length]]
        return [`tool_${at}`, { description: `${verb} the ${noun} of number ${at} in place${at % 313}` }]
      }),
    )
    const embedder = wordEmbedder()
    const graph = createToolSearcher({ tools: many, embedder, strict: true })
    const { results } = await graph.search(LONG, { topK: 8, minScore: 0 })
    const { candidates } = await graph.search(LONG, { topK: 8, minScore: 0, explain: true })
    // An explained search compares all.
    expect(results).toEqual(candidates!.slice(0, 8).map(({ name, score }) => ({ name, score })))
  })
})
