import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { cachedEmbedder } from '../../../bench/cached-embedder.js'
import { FITTING_CORPORA, loadFittingCorpus, SEED, sample, seededRandom } from '../../../bench/corpora.js'
import { embedTools } from '../../../bench/corpus-index.js'
import type { ToolDocument } from '../../../src/catalog/document.js'
import { checkedEmbedder } from '../../../src/embedding/checked.js'
import { transformersEmbedder } from '../../../src/embedding/transformers-js.js'
import { buildLexicalLayer } from '../../../src/layer-index.js'
import { lexicalSharesOf, weightQuery } from '../../../src/lexical/bm25.js'
import { writeRows } from '../dump.js'

// Of each corpus at most as many, so that none outweighs the others by its size alone.
const MOST_QUERIES = 1_500
const MOST_KEYWORDS = 200

/**
 * Writes what fit.py reads into a folder, of each corpus: `<id>.documents.f32` and `<id>.queries.f32` (as the model gives them,
 * without heads), `<id>.shares.f32` (each document's lexical share, a row for each query), `<id>.keywords.f32`
 * (short texts as agents write them, made of tools), `<id>.relevant.json`; `small-talk.f32` and
 * `everyday-requests.f32`.
 *
 *     npx tsx models/training/heads/dump.ts <folder> [folder of a model that run.py wrote; default: the bundled one]
 */
async function main(folder: string, model?: string) {
  mkdirSync(folder, { recursive: true })
  const cached = cachedEmbedder(
    transformersEmbedder(model === undefined ? {} : { model, maxTokens: 256, scripts: 'latin' }),
  )
  const embedder = checkedEmbedder(cached)
  const write = (name: string, rows: readonly ArrayLike<number>[]) => writeRows(join(folder, name), rows)
  for (const id of FITTING_CORPORA) {
    // Test queries stay unseen.
    const corpus = loadFittingCorpus(id, MOST_QUERIES)
    const { documents, vectors } = await embedTools(corpus.tools, embedder)
    const positions = new Map(Object.keys(corpus.tools).map((name, at) => [name, at]))
    const texts = corpus.queries.map(({ query }) => query)
    const { lexical } = await buildLexicalLayer(documents)
    write(
      `${id}.shares.f32`,
      texts.map(text => lexicalSharesOf(lexical, weightQuery(text, [lexical]))),
    )
    write(`${id}.documents.f32`, [vectors])
    write(`${id}.queries.f32`, await embedder.embedQueries(texts))
    write(`${id}.keywords.f32`, await embedder.embedQueries(keywordsOf(documents)))
    const relevant = corpus.queries.map(query => query.relevant.map(name => positions.get(name)))
    writeFileSync(join(folder, `${id}.relevant.json`), JSON.stringify(relevant))
    cached.save()
    console.log(`${id}: ${documents.length} documents, ${texts.length} queries`)
  }
  for (const name of ['small-talk', 'everyday-requests']) {
    const file = new URL(`./${name}.json`, import.meta.url)
    const { lines } = JSON.parse(readFileSync(file, 'utf8')) as { lines: string[] }
    write(`${name}.f32`, await embedder.embedQueries(lines))
  }
}

/** Short texts that are requests all the same: a tool's name, its words as a list, its first sentence, some words of it. */
function keywordsOf(documents: readonly ToolDocument[]): string[] {
  const random = seededRandom(SEED)
  return sample(documents, MOST_KEYWORDS).map(({ name, description }) => {
    const words = description.match(/[A-Za-z]{3,}/g) ?? []
    const drawn = random()
    if (drawn < 0.4 || words.length === 0) return name
    if (drawn < 0.6) return name.split(' ').join(', ')
    if (drawn < 0.8) return description.split(/(?<=[.!?])\s/)[0]!.slice(0, 120)
    return Array.from({ length: 3 }, () => words[Math.floor(random() * words.length)]!.toLowerCase()).join(' ')
  })
}

const [folder, model] = process.argv.slice(2)
if (!folder) throw new Error('Expected a folder to write into: npx tsx models/training/heads/dump.ts <folder>')
await main(folder, model)
