import { nameWords, tokenize } from '../../lexical/tokens.js'
import { pick, seededRandom, shuffled } from '../../random.js'
import type { ToolSearcher } from '../../searcher.js'
import { misspelled } from './misspell.js'
import { offTopicRequests } from './off-topic.js'
import { asked, wishOf, wishOfName } from './requests.js'
import { paraphrased } from './synonyms.js'

/** A tool as a draft reads it: with no more than its name, drafts are made of the name. */
export interface DraftTool {
  readonly name: string
  readonly description: string
  /** Names of parameters, as words. */
  readonly parameters: readonly string[]
}

export interface DraftOptions {
  readonly count: number
  readonly seed: number
  readonly searcher: Pick<ToolSearcher, 'search'>
  readonly onProgress?: ((done: number, total: number) => void) | undefined
  readonly abortSignal?: AbortSignal | undefined
}

export interface DraftQuery {
  readonly query: string
  readonly relevant: readonly string[]
}

/** Share of the queries that nothing is to fit. */
const OFF_TOPIC_SHARE = 0.15

// How often a word with a synonym is replaced, and how often a query has a slip.
const PARAPHRASE_SHARE = 0.5
const MISSPELLED_SHARE = 0.2

// Of ten tools with this score three serve the query (src/ranking/score.ts), so that a tool may be there for it.
const MAX_OFF_TOPIC_SCORE = 0.3

// Tries for each query that is wanted: a small catalog has only so many.
const TRIES = 20

/**
 * Queries to start from, made of the tools' own texts; the same for the same tools and seed. Fewer than `count` where
 * the catalog does not give so many different ones. Off-topic ones are those for which no tool scores high.
 */
export async function draftQueries(tools: readonly DraftTool[], options: DraftOptions): Promise<DraftQuery[]> {
  const { count, seed } = options
  const random = seededRandom(seed)
  const wanted = Math.round(count * OFF_TOPIC_SHARE)
  const onTopic = requestsFor(tools, count - wanted, random)
  const offTopic = await unservedRequests(wanted, random, options)
  // Off-topic ones between the others, as an editor may stop halfway.
  return shuffled([...onTopic, ...offTopic], random)
}

/** Each tool once, then each a second time, and so on. Sorted first, so that the order of keys does not matter. */
function requestsFor(tools: readonly DraftTool[], count: number, random: () => number): DraftQuery[] {
  const order = shuffled(
    [...tools].sort((a, b) => (a.name < b.name ? -1 : 1)),
    random,
  )
  const frequencies = wordFrequencies(tools)
  const known = new Set<string>()
  const queries: DraftQuery[] = []
  for (let at = 0; order.length > 0 && queries.length < count && at < count * TRIES; at++) {
    const tool = order[at % order.length]!
    const query = requestFor(tool, frequencies, random)
    // A tool's exact name is found without looking.
    if (query === '' || query === tool.name || known.has(query.toLowerCase())) continue
    known.add(query.toLowerCase())
    queries.push({ query, relevant: [tool.name] })
  }
  return queries
}

type Kind = 'sentence' | 'name' | 'parameters' | 'keywords'

// As often as they stand here: people describe what they want, and some type keywords.
const KINDS: readonly Kind[] = [
  'sentence',
  'sentence',
  'sentence',
  'sentence',
  'name',
  'name',
  'parameters',
  'keywords',
  'keywords',
]

function requestFor(tool: DraftTool, frequencies: ReadonlyMap<string, number>, random: () => number): string {
  const kind = pick(KINDS, random)
  const words = nameWords(tool.name)
  const wish = kind === 'sentence' ? wishOf(tool.description) : undefined
  const keywords = kind === 'keywords' ? rarestWords(tool.description, frequencies, random) : ''
  let query = keywords || asked(wish ?? wishOfName(words), random)
  if (kind === 'parameters' && tool.parameters.length > 0) {
    const [first, second] = shuffled(tool.parameters.slice(0, 4), random)
    query = `${words.join(' ').toLowerCase()} by ${first}${second === undefined ? '' : ` and ${second}`}`
  }
  query = paraphrased(query, PARAPHRASE_SHARE, random)
  return random() < MISSPELLED_SHARE ? misspelled(query, random) : query
}

const KEYWORDS = 5

/** Two to four of the words that the fewest tools have, in the order of the text. */
function rarestWords(text: string, frequencies: ReadonlyMap<string, number>, random: () => number): string {
  const words = [...new Set(wordsOf(text))]
  const rare = words.sort((a, b) => frequencies.get(a)! - frequencies.get(b)!).slice(0, KEYWORDS)
  const chosen = new Set(shuffled(rare, random).slice(0, 2 + Math.floor(random() * 3)))
  return chosen.size < 2 ? '' : [...new Set(wordsOf(text))].filter(word => chosen.has(word)).join(' ')
}

function wordFrequencies(tools: readonly DraftTool[]): Map<string, number> {
  const frequencies = new Map<string, number>()
  for (const { description } of tools) {
    for (const word of new Set(wordsOf(description))) frequencies.set(word, (frequencies.get(word) ?? 0) + 1)
  }
  return frequencies
}

/** Words in small letters, without stop words. */
function wordsOf(text: string): string[] {
  return (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).filter(word => tokenize(word).length > 0)
}

async function unservedRequests(
  count: number,
  random: () => number,
  { searcher, onProgress, abortSignal }: DraftOptions,
): Promise<DraftQuery[]> {
  const queries: DraftQuery[] = []
  for (const query of offTopicRequests(random)) {
    if (queries.length === count) break
    abortSignal?.throwIfAborted()
    onProgress?.(queries.length, count)
    const { results } = await searcher.search(query, { topK: 1, minScore: 0, abortSignal })
    if ((results[0]?.score ?? 0) < MAX_OFF_TOPIC_SCORE) queries.push({ query, relevant: [] })
  }
  onProgress?.(count, count)
  return queries
}
