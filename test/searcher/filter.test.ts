import { beforeAll, describe, expect, it } from 'vitest'
import { seededRandom } from '../../bench/corpora.js'
import { createCatalog, mergeCatalog, type ToolLike } from '../../src/catalog/catalog.js'
import { createCatalogSearcher, createToolSearcher, type ToolSearcher } from '../../src/searcher.js'
import { wordEmbedder } from './word-embedder.js'

const SIZE = 10_000
const RARE = { exact_fit: 'Polishes silver spoons', half_fit: 'Polishes shoes', no_fit: 'Translates letters' }

/** Tools of six random words each, of which 'polishes' is one in every tenth: 1,000 candidates above `minScore`. */
function manyTools(): Record<string, ToolLike> {
  const random = seededRandom(3)
  const tools: Record<string, ToolLike> = {}
  for (let at = 0; at < SIZE - 3; at++) {
    const words = Array.from({ length: 5 }, () => `w${Math.floor(random() * 400)}`)
    tools[`tool_${at}`] = { description: `${at % 10 === 0 ? 'polishes' : 'paints'} ${words.join(' ')}` }
  }
  for (const [name, description] of Object.entries(RARE)) tools[name] = { description }
  return tools
}

describe('a filter that allows 3 of 10,000 tools', () => {
  let searcher: ToolSearcher
  const query = 'polishes silver spoons'

  beforeAll(async () => {
    searcher = createToolSearcher({ tools: manyTools(), embedder: wordEmbedder(), strict: true })
    await searcher.warmup()
  })

  it('leaves exactly those of the 3 that score above minScore', async () => {
    const { results } = await searcher.search(query, { accept: ({ name }) => name in RARE })
    expect(results.map(({ name }) => name)).toEqual(['exact_fit', 'half_fit'])
    const { results: all } = await searcher.search(query, { topK: SIZE, minScore: 0 })
    const scores = new Map(all.map(({ name, score }) => [name, score]))
    for (const { name, score } of results) expect(score).toBe(scores.get(name))
  })

  it('leaves all 3 with minScore 0', async () => {
    const { results } = await searcher.search(query, { minScore: 0, accept: ({ name }) => name in RARE })
    expect(results.map(({ name }) => name)).toEqual(['exact_fit', 'half_fit', 'no_fit'])
  })

  it('is asked in rank order, once a tool, and never of one at or below minScore', async () => {
    const { results: ranked } = await searcher.search(query, { topK: SIZE })
    const asked: string[] = []
    await searcher.search(query, {
      accept: ({ name }) => {
        asked.push(name)
        return name in RARE
      },
    })
    expect(new Set(asked).size).toBe(asked.length)
    expect(asked.length).toBeLessThanOrEqual(ranked.length)
    const scores = new Map(ranked.map(({ name, score }) => [name, score]))
    const askedScores = asked.map(name => scores.get(name)!)
    expect(askedScores).toEqual([...askedScores].sort((a, b) => b - a))
  })

  it('finds the last tool of the ranking', async () => {
    const { results: ranked } = await searcher.search(query, { topK: SIZE, minScore: 0 })
    expect(ranked).toHaveLength(SIZE)
    const last = ranked.at(-1)!
    const { results } = await searcher.search(query, { minScore: 0, accept: ({ name }) => name === last.name })
    expect(results).toEqual([last])
  })
})

describe('a filter', () => {
  const tools = Object.fromEntries(
    Array.from({ length: 30 }, (_, at) => [`t_${at}`, { description: `paints cats${' and more'.repeat(at)}` }]),
  )
  const searcher = createToolSearcher({ tools, embedder: wordEmbedder(), strict: true })

  it.each([1, 3, 5, 30])('that allows everything is asked topK = %i times', async topK => {
    let asked = 0
    const { results } = await searcher.search('paints cats', { topK, minScore: 0, accept: () => ++asked > 0 })
    expect([results.length, asked]).toEqual([topK, topK])
  })

  it('that refuses the first 10 is asked 10 + topK times', async () => {
    const { results: ranked } = await searcher.search('paints cats', { topK: 30, minScore: 0 })
    const refused = new Set(ranked.slice(0, 10).map(({ name }) => name))
    let asked = 0
    const { results } = await searcher.search('paints cats', {
      topK: 4,
      minScore: 0,
      accept: ({ name }) => {
        asked++
        return !refused.has(name)
      },
    })
    expect(results).toEqual(ranked.slice(10, 14))
    expect(asked).toBe(14)
  })

  it.each<[string, () => boolean | Promise<boolean>]>([
    [
      'throws',
      () => {
        throw new Error('policy')
      },
    ],
    ['rejects', () => Promise.reject(new Error('policy'))],
    ['resolves to false', async () => false],
    ['returns undefined', () => undefined as unknown as boolean],
  ])('that %s allows nothing', async (_, accept) => {
    expect((await searcher.search('paints cats', { accept })).results).toEqual([])
  })

  it('that throws for one tool costs that tool alone', async () => {
    const { results: ranked } = await searcher.search('paints cats', { topK: 6, minScore: 0 })
    const { results } = await searcher.search('paints cats', {
      minScore: 0,
      accept: ({ name }) => {
        if (name === ranked[1]!.name) throw new Error('policy')
        return true
      },
    })
    expect(results).toEqual([ranked[0], ...ranked.slice(2, 6)])
  })

  it('may be asynchronous', async () => {
    const accept = async ({ name }: { name: string }) => {
      await new Promise(resolve => setTimeout(resolve, 1))
      return name === 't_7'
    }
    expect((await searcher.search('paints cats', { minScore: 0, accept })).results.map(({ name }) => name)).toEqual([
      't_7',
    ])
  })

  it('also decides on exact names', async () => {
    const { results } = await searcher.search('t_3 paints cats', { accept: ({ name }) => name !== 't_3' })
    expect(results.some(({ name }) => name === 't_3')).toBe(false)
    expect(results.length).toBeGreaterThan(0)
  })

  it('sees the entry: name, key and the very tool object', async () => {
    const tool = { id: 'paint_it', description: 'paints cats' }
    const seen: unknown[] = []
    await createToolSearcher({ tools: { myKey: tool }, embedder: wordEmbedder() }).search('paints cats', {
      accept: entry => seen.push(entry) > 0,
    })
    expect(seen).toEqual([{ name: 'paint_it', key: 'myKey', tool }])
    expect((seen[0] as { tool: unknown }).tool).toBe(tool)
  })
})

describe('a catalog large enough for the HNSW index', () => {
  // A request's layer is always searched exactly: the oracle.
  const record = Object.fromEntries(Object.entries(manyTools()).slice(0, 3_000))
  const hnsw = createCatalogSearcher({ embedder: wordEmbedder(), strict: true, warn: () => {} })
  const exact = createCatalogSearcher({ embedder: wordEmbedder(), strict: true, warn: () => {} })
  const static_ = createCatalog(record)
  const resolved = mergeCatalog(createCatalog({}), record)
  const queries = ['polishes w1 w2', 'w10 w20 w30', 'paints', 'w399', 'tool 17 paints w5 w6 w7 w8', 'nothing of this']

  it.each(queries)('is answered as by the exact index: %s', async query => {
    const expected = await exact.searchCatalog(resolved, query, { topK: 5, minScore: 0 })
    const { results } = await hnsw.searchCatalog(static_, query, { topK: 5, minScore: 0 })
    // Equal scores may come in another order where only one index sees both.
    expect(results.map(({ score }) => score.toFixed(5))).toEqual(expected.results.map(({ score }) => score.toFixed(5)))
  })

  it.each(queries)('gives sorted results, each tool once, whatever the filter refuses: %s', async query => {
    for (const every of [2, 50, 700]) {
      const accept = ({ key }: { key: string }) => Number(key.slice(5)) % every === 0
      for (const topK of [5, 40, 3_000]) {
        const { results } = await hnsw.searchCatalog(static_, query, { topK, minScore: 0, accept })
        const scores = results.map(({ score }) => score)
        expect(scores).toEqual([...scores].sort((a, b) => b - a))
        expect(new Set(results.map(({ name }) => name)).size).toBe(results.length)
        expect(results).toHaveLength(Math.min(topK, Math.ceil(3_000 / every)))
      }
    }
  })

  it.each(queries)('gives the filtered results that the exact index gives: %s', async query => {
    const accept = ({ key }: { key: string }) => Number(key.slice(5)) % 50 === 0
    const expected = await exact.searchCatalog(resolved, query, { topK: 10, minScore: 0, accept })
    const { results } = await hnsw.searchCatalog(static_, query, { topK: 10, minScore: 0, accept })
    expect(results.map(({ score }) => score.toFixed(5))).toEqual(expected.results.map(({ score }) => score.toFixed(5)))
  })

  it.each(queries)('explains its results as the first of the ranking: %s', async query => {
    const { results, candidates } = await hnsw.searchCatalog(static_, query, { topK: 5, minScore: 0, explain: true })
    expect(candidates!.slice(0, 5).map(({ score }) => score)).toEqual(results.map(({ score }) => score))
  })
})
