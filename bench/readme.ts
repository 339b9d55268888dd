import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Quality } from './quality.js'

interface Record {
  defaultMinScore: number
  corpora: Omit<Quality, 'foundScores'>[]
}

const README = fileURLToPath(new URL('../README.md', import.meta.url))
const RESULTS = fileURLToPath(new URL('./results/quality.json', import.meta.url))
const BLOCK = /(<!-- figures:quality -->\n)[\s\S]*?(<!-- \/figures:quality -->)/

/** The README's table of figures, made from bench/results/quality.json. */
export function figures(): string {
  const { corpora, defaultMinScore } = JSON.parse(readFileSync(RESULTS, 'utf8')) as Record
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

/** The README with its figures made anew. */
export function withFigures(readme: string): string {
  return readme.replace(BLOCK, (_, start: string, end: string) => `${start}${figures()}${end}`)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(README, withFigures(readFileSync(README, 'utf8')))
}
