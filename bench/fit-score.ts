import { fitLogistic } from '../src/adapt/logistic.js'
import { checkedEmbedder } from '../src/embedding/checked.js'
import { defaultEmbedder } from '../src/embedding/default-embedder.js'
import { SMALL_TALK } from '../src/ranking/score.js'
import { createToolSearcher } from '../src/searcher.js'
import { cachedEmbedder } from './cached-embedder.js'
import { FITTING_CORPORA, loadFittingCorpus } from './corpora.js'
import { withHeadsFor } from './left-out-heads.js'
import { mean, ndcgAt } from './measures.js'

/** A found tool's evidence, whether it was relevant, and its weight (each corpus counts the same). */
interface Sample {
  cosine: number
  share: number
  /** How likely its query is small talk. */
  smallTalk: number
  relevant: boolean
  weight: number
}

const WEIGHTS_TRIED = [2.4, 2.8, 3.2, 3.6]
const TOP = 5
const POOL = 50

/**
 * Fits `DEFAULT_WEIGHTS` of src/ranking/score.ts: the lexical share's weight beside the cosine similarity by nDCG@10 over
 * the corpora (of four tried), then slope and bias of the logistic function by maximum likelihood over the top 5 results:
 * `cosine` is the slope, `lexicalShare` the slope times that weight. And the highest `minScore` that loses 1 % of the
 * relevant tools found. Requests are judged as a whole, without clauses and exact names; small talk counts for `minScore`
 * only, and is not fitted. The package's constants are of 300 queries a corpus, with heads: two minutes once their
 * vectors are cached.
 *
 *     npx tsx bench/fit-score.ts [queries of a corpus] [folder of query heads learned without each corpus]
 */
async function main() {
  const [, , queriesAtMost = 500, heads] = process.argv
  const cached = cachedEmbedder(defaultEmbedder())
  const corpora: { id: string; queries: { candidates: (Sample & { name: string })[]; relevant: Set<string> }[] }[] = []
  for (const id of FITTING_CORPORA) {
    const corpus = loadFittingCorpus(id, Number(queriesAtMost))
    const embedder = withHeadsFor(cached, id, heads)
    const searcher = createToolSearcher({ tools: corpus.tools, embedder, strict: true })
    const queries = []
    for (const { query, relevant } of corpus.queries) {
      const wanted = new Set(relevant)
      const [{ smallTalk } = { smallTalk: 0 }] = await checkedEmbedder(embedder).readQueries([query])
      const { candidates = [] } = await searcher.search(query, { topK: POOL, minScore: 0, explain: true })
      queries.push({
        relevant: wanted,
        candidates: candidates.map(({ name, dense, lexical }) => ({
          name,
          cosine: dense?.cosineSimilarity ?? 0,
          share: lexical?.share ?? 0,
          smallTalk,
          relevant: wanted.has(name),
          weight: 1,
        })),
      })
    }
    cached.save()
    corpora.push({ id, queries })
  }

  for (const weight of WEIGHTS_TRIED) {
    const by = (a: Sample) => a.cosine + weight * a.share
    const gains = corpora.map(({ queries }) =>
      mean(
        queries.map(({ candidates, relevant }) =>
          ndcgAt(
            10,
            [...candidates].sort((a, b) => by(b) - by(a)).map(({ name }) => name),
            relevant,
          ),
        ),
      ),
    )
    console.log(`cosine + ${weight} share`, gains.map(gain => gain.toFixed(4)).join(' '), mean(gains).toFixed(4))
    const fit = fitTo(topSamples(by), by)
    const minScore = highestMinScore(
      sample => 1 / (1 + Math.exp(-(fit.slope * by(sample) + fit.bias - SMALL_TALK * sample.smallTalk))),
      by,
    )
    console.log('  logistic', fit, `minScore ${minScore.toFixed(3)}`)
  }
  const byShare = (a: Sample) => Math.log(Math.max(a.share, 0.002))
  console.log('log share alone, logistic', fitTo(topSamples(byShare), byShare))

  /** The highest minScore that loses at most 1 % of the relevant tools found, as the mean over the corpora. */
  function highestMinScore(score: (sample: Sample) => number, by: (sample: Sample) => number): number {
    const found = corpora.map(({ queries }) =>
      queries
        .map(({ candidates }) => top(candidates, by).flatMap(sample => (sample.relevant ? [score(sample)] : [])))
        .filter(scores => scores.length > 0),
    )
    const lost = (minScore: number) =>
      mean(found.map(queries => mean(queries.map(scores => mean(scores.map(score => (score <= minScore ? 1 : 0)))))))
    let minScore = 0
    while (lost(minScore + 0.001) <= 0.01) minScore += 0.001
    return minScore
  }

  function topSamples(by: (sample: Sample) => number): Sample[] {
    return corpora.flatMap(({ queries }) => {
      const samples = queries.flatMap(({ candidates }) => top(candidates, by))
      return samples.map(sample => ({ ...sample, weight: 1 / samples.length }))
    })
  }
}

function top<T extends Sample>(candidates: readonly T[], by: (sample: T) => number): T[] {
  return [...candidates].sort((a, b) => by(b) - by(a)).slice(0, TOP)
}

/** Slope and bias of the logistic regression of `relevant` on one feature. */
function fitTo(samples: readonly Sample[], feature: (sample: Sample) => number) {
  return fitLogistic(
    samples.map(sample => ({ feature: feature(sample), target: Number(sample.relevant), weight: sample.weight })),
  )
}

await main()
