import { LABELLED_CORPORA } from './corpora.js'
import { figuresOf, percent, table } from './figures.js'
import { mean } from './measures.js'

const WRITTEN: readonly [title: string, name: string][] = [
  ['one typo', 'one typo'],
  ['UPPER CASE', 'upper case'],
  ['singular for plural, plural for singular', 'number toggled'],
  ['keywords alone ("calendar, event, create")', 'keywords'],
  ['snake_case', 'snake_case'],
  ['British spelling', 'British spelling'],
]

const LANGUAGES: readonly [title: string, code: string][] = [
  ['English', 'en'],
  ['German', 'de'],
  ['Spanish', 'es'],
  ['Japanese', 'ja'],
  ['Chinese', 'zh'],
]

/** What is lost of requests that are written otherwise, and in other languages. */
export function robustnessFigures(): string {
  const { metric } = figuresOf('robustness')
  const lost = (name: string, system: string) => {
    const values = LABELLED_CORPORA.map(corpus => metric(`${corpus}/${name}/${system}/loss of ndcg@10`).value * 100)
    const shown = (value: number) =>
      value
        .toFixed(1)
        .replace('-', '−')
        .replace(/^−0\.0$/, '0.0')
    return `${shown(mean(values))} % (${shown(Math.min(...values))} to ${shown(Math.max(...values))})`
  }
  const inLanguage = (code: string) => {
    const of = (system: string) => metric(`mcp-catalog/language ${code}/${system}/ndcg@10`).value.toFixed(2)
    return `${of('mastra')} → ${of('shipped')}`
  }
  const all = (system: string) => percent(metric(`seal-tools/several tools/${system}/all@10`).value)
  const typo = Math.max(...LABELLED_CORPORA.map(corpus => metric(`${corpus}/one typo/shipped/loss of ndcg@10`).high))
  return `${table(
    ['the same requests, written otherwise: nDCG@10 lost', "Mastra's class", 'this'],
    WRITTEN.map(([title, name]) => [title, lost(name, 'mastra'), lost(name, 'shipped')]),
  )}

${table(
  ["English tools, asked in: Mastra's class → this", ...LANGUAGES.map(([title]) => title)],
  [['nDCG@10 of 30 requests', ...LANGUAGES.map(([, code]) => inLanguage(code))]],
)}

Means over the four catalogs, with the least and the most of one; below 0 is a gain. One typo costs this at most ${percent(typo)} on any
of them (upper end of the 95 % interval). Of requests that need several tools, all are in the top 10 in ${all('mastra')} → ${all('shipped')}. From
\`bench/results/robustness.json\`, made by \`npm run bench -- robustness --heads <folder>\`.
`
}
