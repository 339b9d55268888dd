import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { ArtifactResults } from './artifact.js'
import type { Quality } from './quality.js'

interface Record {
  defaultMinScore: number
  corpora: Omit<Quality, 'foundScores'>[]
}

const README = fileURLToPath(new URL('../README.md', import.meta.url))

const BLOCK = /(<!-- figures:(\w+) -->\n)[\s\S]*?(<!-- \/figures:\2 -->)/g

const FIGURES: { [name: string]: () => string } = { quality: qualityFigures, artifact: artifactFigures }

function resultsOf<T>(name: string): T {
  return JSON.parse(readFileSync(new URL(`./results/${name}.json`, import.meta.url), 'utf8')) as T
}

function qualityFigures(): string {
  const { corpora, defaultMinScore } = resultsOf<Record>('quality')
  const percent = (value: number) => `${Math.round(value * 100)} %`
  const rows = corpora.map(each => {
    const { ndcg10, recall5, hit1, mastra } = each
    return `| ${each.corpus} | ${each.tools.toLocaleString('en')} | ${mastra.ndcg10.toFixed(2)} → **${ndcg10.toFixed(2)}** | ${mastra.recall5.toFixed(2)} → **${recall5.toFixed(2)}** | ${mastra.hit1.toFixed(2)} → **${hit1.toFixed(2)}** | ${percent(each.lostAtDefault)} | ${percent(each.smallTalkEmpty)} | ${percent(each.topicRemovedEmpty)} (${each.topicRemovedAuc.toFixed(2)}) |`
  })
  return `| catalog | tools | nDCG@10, Mastra's class → this | recall@5 | hit@1 | lost by \`minScore\` | small talk: nothing | topic removed: nothing (AUC) |
|---|---|---|---|---|---|---|---|
${rows.join('\n')}

From \`bench/results/quality.json\`, made by \`npm run bench\`. The last three columns are at the default \`minScore\` of ${defaultMinScore}:
the share of right tools in the top 5 that it leaves out; how often a line of small talk ("hello", "thanks, that was
helpful", 你好) returns nothing; how often a request returns nothing once the relevant tools and all of their topic are taken
out of the catalog, and the area under the curve that says how well the best score tells such requests from others.
`
}

function artifactFigures(): string {
  const results = resultsOf<ArtifactResults>('artifact')
  const ms = (value: number) => `${value < 1_000 ? Math.round(value) : Math.round(value / 100) * 100} ms`
  return `| ${results.tools.toLocaleString('en')} tools, bundled model, 2 cores | time |
|---|---|
| embedding them at start, without an index | ${ms(results.embedAtStartMs)} |
| starting with the index (\`warmup()\`) | ${ms(results.startWithIndexMs)} |
| of this, opening the index | ${ms(results.openMs)} |
| reading such a graph's file and hnswlib's own read, for comparison | ${ms(results.hnswlibMs)} |
| building the index | ${ms(results.buildMs)} |
| building it again after ${results.rebuildEmbedded} tools changed | ${ms(results.rebuildMs)} |

The folder has ${(results.bytes / 2 ** 20).toFixed(1)} MiB of data. From \`bench/results/artifact.json\`, made by \`npm run bench:artifact\`.
`
}

/** The README with its figures made anew. */
export function withFigures(readme: string): string {
  return readme.replace(BLOCK, (_, start: string, name: string, end: string) => `${start}${FIGURES[name]!()}${end}`)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(README, withFigures(readFileSync(README, 'utf8')))
}
