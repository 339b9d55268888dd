import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { searchWithMastra } from '../../bench/mastra-search.js'
import { hitAt, mean } from '../../bench/measures.js'
import type { ToolLike } from '../../src/catalog/catalog.js'
import { createToolSearcher, type ToolSearcher } from '../../src/searcher.js'

type Language = 'zh' | 'ja'

interface CjkCatalog {
  tools: (ToolLike & { id: string; language: Language })[]
  queries: { query: string; language: Language; relevant: string[] }[]
}

const { tools, queries } = JSON.parse(
  readFileSync(new URL('../fixtures/cjk-catalog.json', import.meta.url), 'utf8'),
) as CjkCatalog
const record = Object.fromEntries(tools.map(tool => [tool.id, tool]))

async function hitRate(language: Language, search: (query: string) => Promise<string[]>): Promise<number> {
  const hits: number[] = []
  for (const { query, language: written, relevant } of queries) {
    if (written === language) hits.push(hitAt(5, await search(query), new Set(relevant)))
  }
  return mean(hits)
}

describe('the Chinese and Japanese catalog', () => {
  let searcher: ToolSearcher
  const ours = async (query: string) => (await searcher.search(query)).results.map(result => result.name)

  beforeAll(async () => {
    searcher = createToolSearcher({ tools: record, strict: true })
    await searcher.warmup()
  })

  it('has at least 40 tools and 80 requests', () => {
    expect(tools.length).toBeGreaterThanOrEqual(40)
    expect(queries.length).toBeGreaterThanOrEqual(80)
  })

  it.each<Language>(['zh', 'ja'])('is found with default options: hit@5 ≥ 0.8 (%s)', async language => {
    expect(await hitRate(language, ours)).toBeGreaterThanOrEqual(0.8)
  })

  it.each<Language>(['zh', 'ja'])("is found better than by Mastra's own class (%s)", async language => {
    const theirs = await searchWithMastra(record)
    const names = async (query: string) => (await theirs(query)).map(({ name }) => name)
    expect(await hitRate(language, ours)).toBeGreaterThan(await hitRate(language, names))
  })
})
