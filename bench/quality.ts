import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { fileURLToPath } from 'node:url'
import Table from 'cli-table3'
import type { CatalogEntry } from '../src/catalog/catalog.js'
import { documentOf } from '../src/catalog/document.js'
import { defaultEmbedder } from '../src/embedding/default-embedder.js'
import type { Embedder } from '../src/embedding/embedder.js'
import { DEFAULT_MIN_SCORE } from '../src/ranking/score.js'
import { createToolSearcher, type ToolSearcher } from '../src/searcher.js'
import { cachedEmbedder } from './cached-embedder.js'
import { type Corpus, LABELLED_CORPORA, loadCorpus, SEED } from './corpora.js'
import { searchWithMastra } from './mastra-search.js'
import { areaUnderCurve, hitAt, mean, ndcgAt, recallAt } from './metrics.js'
import { type SmallTalkLine, smallTalk } from './small-talk.js'

/** How well the shipped ranking does on one corpus. */
export interface Quality {
  corpus: string
  tools: number
  queries: number
  ndcg10: number
  recall5: number
  hit1: number
  /** Mastra's own class on the same queries. */
  mastra: { ndcg10: number; recall5: number; hit1: number }
  /** The highest `minScore` that loses at most 1 % of the relevant tools found in the top 5. */
  minScoreAt1PercentLost: number
  /** Share of the relevant tools found in the top 5 that `DEFAULT_MIN_SCORE` loses. */
  lostAtDefault: number
  /** Share of small-talk lines that return nothing at `DEFAULT_MIN_SCORE`. */
  smallTalkEmpty: number
  /** Share of requests that return nothing at `DEFAULT_MIN_SCORE` once their topic is taken out of the catalog. */
  topicRemovedEmpty: number
  /** Area under the curve 'answerable against topic removed, by best score'. */
  topicRemovedAuc: number
  /** Scores of the relevant tools found in the top 5, ascending. */
  foundScores: number[]
}

// A tool is of a request's topic when its document is that near to a relevant tool's.
const TOPIC_COSINE = 0.5

/** Measures one corpus through `createToolSearcher`, with the small talk of test/fixtures. */
export async function measureQuality(corpus: Corpus, embedder: Embedder): Promise<Quality> {
  const searcher = createToolSearcher({ tools: corpus.tools, embedder, strict: true })
  const mastra = await searchWithMastra(corpus.tools)
  const topicOf = await topics(corpus, embedder)
  const ours: { ndcg10: number; recall5: number; hit1: number }[] = []
  const floor: typeof ours = []
  const foundScores: number[] = []
  const answerable: number[] = []
  const unanswerable: number[] = []
  for (const { query, relevant } of corpus.queries) {
    const wanted = new Set(relevant)
    const { results } = await searcher.search(query, { topK: 10, minScore: 0 })
    ours.push(
      measures(
        results.map(result => result.name),
        wanted,
      ),
    )
    floor.push(measures(await mastra(query), wanted))
    for (const { name, score } of results.slice(0, 5)) if (wanted.has(name)) foundScores.push(score)
    answerable.push(results[0]?.score ?? 0)
    unanswerable.push(await bestScore(searcher, query, topicOf(relevant)))
  }
  foundScores.sort((a, b) => a - b)
  return {
    corpus: corpus.id,
    tools: Object.keys(corpus.tools).length,
    queries: corpus.queries.length,
    ...average(ours),
    mastra: average(floor),
    minScoreAt1PercentLost: highestLosing(0.01, foundScores),
    lostAtDefault: mean(foundScores.map(score => (score <= DEFAULT_MIN_SCORE ? 1 : 0))),
    smallTalkEmpty: await smallTalkEmpty(searcher, smallTalk()),
    topicRemovedEmpty: mean(unanswerable.map(score => (score <= DEFAULT_MIN_SCORE ? 1 : 0))),
    topicRemovedAuc: areaUnderCurve(answerable, unanswerable),
    foundScores,
  }
}

function measures(ranked: readonly string[], relevant: ReadonlySet<string>) {
  return {
    ndcg10: ndcgAt(10, ranked, relevant),
    recall5: recallAt(5, ranked, relevant),
    hit1: hitAt(1, ranked, relevant),
  }
}

function average(all: readonly { ndcg10: number; recall5: number; hit1: number }[]) {
  return {
    ndcg10: mean(all.map(each => each.ndcg10)),
    recall5: mean(all.map(each => each.recall5)),
    hit1: mean(all.map(each => each.hit1)),
  }
}

/** The highest score that, as `minScore`, leaves out at most `share` of the ascending `scores`. */
export function highestLosing(share: number, scores: readonly number[]): number {
  // A result at the threshold is lost, too: it must lie just below the first score that may not be lost.
  const kept = scores[Math.floor(share * scores.length)] ?? 0
  return Math.max(0, kept - 1e-9)
}

/** Share of the lines that no tool serves for which the search returns nothing at the default `minScore`. */
export async function smallTalkEmpty(searcher: ToolSearcher, lines: readonly SmallTalkLine[]): Promise<number> {
  const empty: number[] = []
  for (const { text } of lines) empty.push((await searcher.search(text)).results.length === 0 ? 1 : 0)
  return mean(empty)
}

async function bestScore(searcher: ToolSearcher, query: string, without: ReadonlySet<string>): Promise<number> {
  const accept = (entry: CatalogEntry) => !without.has(entry.name)
  return (await searcher.search(query, { topK: 1, minScore: 0, accept })).results[0]?.score ?? 0
}

/** For relevant tools: them, and every tool whose document has a cosine similarity ≥ 0.5 to one of theirs. */
async function topics(corpus: Corpus, embedder: Embedder): Promise<(relevant: readonly string[]) => Set<string>> {
  const names = Object.keys(corpus.tools)
  const texts = names.map(name => documentOf({ name, key: name, tool: corpus.tools[name]! }).text)
  const vectors = await embedder.embedDocuments(texts)
  const positions = new Map(names.map((name, i) => [name, i]))
  const near = new Map<string, string[]>()
  const nearTo = (name: string) => {
    let found = near.get(name)
    if (!found) {
      const vector = vectors[positions.get(name)!]!
      found = names.filter((_, i) => dot(vector, vectors[i]!) >= TOPIC_COSINE)
      near.set(name, found)
    }
    return found
  }
  return relevant => new Set(relevant.flatMap(name => [name, ...nearTo(name)]))
}

function dot(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!
  return sum
}

async function main() {
  const maxQueries = Number(process.argv[2] ?? 1_000)
  const embedder = cachedEmbedder(defaultEmbedder())
  const table = new Table({
    head: [
      'corpus',
      'tools',
      'nDCG@10',
      'recall@5',
      'hit@1',
      'Mastra nDCG@10',
      'lost',
      'small talk empty',
      'topic removed empty',
      'AUC',
    ],
  })
  const results: Quality[] = []
  for (const id of LABELLED_CORPORA) {
    const quality = await measureQuality(loadCorpus(id, maxQueries), embedder)
    results.push(quality)
    table.push([
      id,
      quality.tools,
      ...[quality.ndcg10, quality.recall5, quality.hit1, quality.mastra.ndcg10].map(value => value.toFixed(3)),
      ...[quality.lostAtDefault, quality.smallTalkEmpty, quality.topicRemovedEmpty].map(percent),
      quality.topicRemovedAuc.toFixed(3),
    ])
    embedder.save()
  }
  console.log(table.toString())
  // Each corpus counts the same, however many relevant tools it has.
  const weighed = results.map(({ foundScores }) => foundScores)
  const threshold = pooledThreshold(weighed)
  console.log(
    `minScore that loses 1 % of the found tools over the corpora: ${threshold.toFixed(4)} (default ${DEFAULT_MIN_SCORE})`,
  )
  const folder = fileURLToPath(new URL('./results/', import.meta.url))
  mkdirSync(folder, { recursive: true })
  const record = {
    benchmark: 'quality',
    machine: cpus()[0]?.model,
    node: process.version,
    model: embedder.modelId,
    seed: SEED,
    maxQueries,
    minScoreAt1PercentLost: threshold,
    defaultMinScore: DEFAULT_MIN_SCORE,
    corpora: results.map(({ foundScores, ...figures }) => figures),
  }
  writeFileSync(`${folder}quality.json`, `${JSON.stringify(record, null, 2)}\n`)
}

/** The highest `minScore` that loses at most 1 % as the mean over corpora. */
function pooledThreshold(corpora: readonly (readonly number[])[]): number {
  const lost = (threshold: number) =>
    mean(corpora.map(scores => scores.filter(score => score <= threshold).length / scores.length))
  let [low, high] = [0, 1]
  for (let i = 0; i < 40; i++) {
    const middle = (low + high) / 2
    if (lost(middle) <= 0.01) low = middle
    else high = middle
  }
  return low
}

function percent(value: number): string {
  return `${(value * 100).toFixed(1)} %`
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main()
