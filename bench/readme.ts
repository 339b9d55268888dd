import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { signed } from '../src/show.js'
import type { TradeOff } from './benchmarks/no-answer.js'
import { drawTradeOff } from './chart.js'
import { LABELLED_CORPORA } from './corpora.js'
import { type Figures, figuresOf, percent, table, whole } from './figures.js'
import { readRecord, resultsFile } from './record.js'
import { robustnessFigures } from './robustness-figures.js'
import { shortNumber } from './table.js'

const README = fileURLToPath(new URL('../README.md', import.meta.url))
const PICTURE = fileURLToPath(new URL('./results/trade-off.svg', import.meta.url))

const BLOCK = /(<!-- figures:([\w-]+) -->\n)[\s\S]*?(<!-- \/figures:\2 -->)/g

const FIGURES: { [name: string]: () => string } = {
  retrieval: retrievalFigures,
  'no-answer': noAnswerFigures,
  latency: latencyFigures,
  costs: costFigures,
  artifact: artifactFigures,
  adapt: adaptFigures,
  calibration: calibrationFigures,
  robustness: robustnessFigures,
  store: storeFigures,
}

const INLINE = /(<!-- figure:([\w-]+) -->)[^<]*(<!-- \/figure -->)/g

/** Single figures within a sentence. */
const INLINE_FIGURES: { [name: string]: () => string } = {
  'query-ms': () => `${shortNumber(figuresOf('embed').metric('query/ours ms').value)} ms`,
  'search-ratio-1000': () => shortNumber(figuresOf('latency').metric('1000/search/ratio of p50').value),
  'documents-per-second': () => whole(figuresOf('embed').metric('documents/ours per second').value),
}

function retrievalFigures(): string {
  const { metric } = figuresOf('retrieval')
  const pair = (corpus: string, measure: string) => {
    const ours = metric(`${corpus}/shipped/${measure}`)
    const theirs = metric(`${corpus}/mastra/${measure}`)
    return `${theirs.value.toFixed(2)} → **${ours.value.toFixed(2)}**`
  }
  const rows = LABELLED_CORPORA.map(corpus => {
    const { value, low, high } = metric(`${corpus}/shipped − mastra/ndcg@10`)
    const gain = `+${value.toFixed(2)} (${low.toFixed(2)} to ${high.toFixed(2)})`
    return [corpus, ...['ndcg@10', 'recall@5', 'hit@1'].map(measure => pair(corpus, measure)), gain]
  })
  return `${table(["catalog: Mastra's class → this", 'nDCG@10', 'recall@5', 'hit@1', 'gain in nDCG@10, 95 % interval'], rows)}

From \`bench/results/retrieval.json\`, made by \`npm run bench -- retrieval --heads <folder> --fp32 <file>\`: at most 1,000 queries a catalog, of the half kept
for reporting, with [query heads](#the-score) learned without the catalog at hand, as a stranger's catalog is to the shipped ones
([models/training](models/training/README.md#query-heads) makes the folder).
`
}

function noAnswerFigures(): string {
  const { metric, record } = figuresOf('no-answer')
  const auc = (corpus: string, source: string, system: string) =>
    metric(`${corpus}/${source}/${system}/auc`).value.toFixed(2)
  const byBest = (corpus: string, system: string) =>
    metric(`${corpus}/topic removed/${system}/auc by best score`).value.toFixed(2)
  const rows = LABELLED_CORPORA.map(corpus => [
    corpus,
    `${byBest(corpus, 'mastra')} → ${byBest(corpus, 'shipped')}`,
    ...['topic removed', 'small talk (en)', 'small talk (zh)'].map(
      source => `${auc(corpus, source, 'mastra')} → ${auc(corpus, source, 'shipped')}`,
    ),
    percent(metric(`${corpus}/topic removed/shipped/empty by default`).value),
    percent(metric(`${corpus}/small talk (en)/shipped/empty by default`).value),
    percent(metric(`${corpus}/topic removed/shipped/lost by default`).value),
  ])
  const { defaultMinScore } = record.details as { defaultMinScore: number }
  const irrelevant = (system: string) => percent(metric(`bfcl/bfcl-irrelevance/${system}/empty at 1 % lost`).value)
  const words = (system: string) => figuresOf('retrieval').metric(`seal-tools/${system}/ndcg@10`).value.toFixed(2)
  return `![Share of requests without a fitting tool that return nothing, against the recall that it costs](bench/results/trade-off.svg)

${table(
  [
    "area under the curve, Mastra's → this",
    'topic removed, by best score',
    'topic removed, as in the picture',
    'small talk, English',
    'Chinese',
    'topic removed: nothing',
    'small talk: nothing',
    'recall lost',
  ],
  rows,
)}

From \`bench/results/no-answer.json\`, made by \`npm run bench -- no-answer --heads <folder>\`; the last three columns are at the default
\`minScore\` of ${defaultMinScore}. 'Topic removed' takes the relevant tools and all that are like them out of the catalog. 'By best score' tells requests from those by
their best result; the other areas set each right tool found against the best result when nothing fits. Scores of
Mastra's class are unbounded sums, so that a \`minScore\` serves one catalog only; its curve has the best ones for each. The
query heads that tell small talk were learned without the catalog at hand and from other lines. The Chinese small talk is asked of
English catalogs, which share no word with it: over tools described in Chinese, the words alone decide, and "谢谢你" returns some.

Where this loses: BFCL's irrelevance set gives requests that the functions beside them cannot serve. The area is
${auc('bfcl', 'bfcl-irrelevance', 'mastra')} with Mastra's class and ${auc('bfcl', 'bfcl-irrelevance', 'shipped')} with this; where at most 1 % of recall is lost, ${irrelevant('mastra')} (of 100 asked) and ${irrelevant('shipped')} (of all 562) return
nothing. And on Seal-Tools, whose requests were written from the tools' own words, these words alone find nearly as much as with
meaning added (nDCG@10 ${words('lexical')} and ${words('shipped')}).
`
}

const SIZES = [1_000, 4_000, 16_000, 48_000]

function latencyFigures(): string {
  const { metric, record } = figuresOf('latency')
  const sizes = SIZES.filter(size => record.metrics[`${size}/search/ratio of p50`])
  const kinds: [title: string, name: string][] = [
    ['search, query embedding included', 'search'],
    ['step with resolved tools', 'resolved step, new objects'],
    ['that step and a search, new schemas', 'resolved step and search, new objects'],
    [
      'that step and a search, new tools of the same schemas',
      'resolved step and search, new objects of the same schemas',
    ],
    ['that step and a search, same tools', 'resolved step and search, same objects'],
  ]
  const cell = (size: number, name: string) => {
    const [ours, theirs] = [metric(`${size}/${name}/ours p50`).value, metric(`${size}/${name}/mastra p50`).value]
    return `${shortNumber(theirs)} → ${shortNumber(ours)} (${metric(`${size}/${name}/ratio of p50`).value.toFixed(2)})`
  }
  const rows = kinds.map(([title, name]) => [title, ...sizes.map(size => cell(size, name))])
  return `${table(["p50 in ms, Mastra's class → this (ratio)", ...sizes.map(size => `${whole(size)} tools`)], rows)}

From \`bench/results/latency.json\`, made by \`npm run bench -- latency --searches ${record.options.searches}\` on ${record.environment.cores} cores. Below some 3,000 tools, embedding
the query alone costs more than Mastra's whole search.
`
}

function costFigures(): string {
  const [tokens, memory, embed] = ['tokens', 'memory', 'embed'].map(figuresOf) as [Figures, Figures, Figures]
  const [set, tools] = Object.keys(tokens.record.metrics)
    .map(name => /^(bfcl \((\d+) tools\))\//.exec(name))
    .find(found => found !== null)!
    .slice(1) as [string, string]
  const of = (system: string) => tokens.metric(`${set}/${system}: tokens a task`).value
  const mib = (name: string) => `${whole(memory.metric(name).value)} MiB`
  return `${table(
    ['cost', 'figure'],
    [
      [
        `prompt tokens of a task over ${whole(Number(tools))} tools, results included`,
        `all tools ${whole(of('all tools'))}, Mastra's class ${whole(of('mastra'))}, this ${whole(of('ours'))}`,
      ],
      [
        'resident set of a process: Mastra alone, with this and the model',
        `${mib('@mastra/core alone')}, ${mib('with the model loaded')}`,
      ],
      ['with 4,000 and 48,000 tools', `${mib('4000 tools/ours')}, ${mib('48000 tools/ours')}`],
      [
        'embedding',
        `${whole(embed.metric('documents/ours per second').value)} documents a second, a query in ${shortNumber(embed.metric('query/ours ms').value)} ms: ${embed.metric('documents/ours : bare session').value.toFixed(2)} and ${embed.metric('query/ours : bare session').value.toFixed(2)} times a bare onnxruntime session`,
      ],
    ],
  )}

From \`bench/results/\`: \`tokens.json\`, \`memory.json\` and \`embed.json\`. Of BFCL's 1,853 tools an agent takes ${whole(Number(tools))}: models are told
names with \`_\` for \`.\`, and of two that become one it keeps one.
`
}

function artifactFigures(): string {
  const { metric, record } = figuresOf('artifact')
  const { tools } = record.details as { tools: number }
  const ms = (name: string) => `${shortNumber(metric(name).value)} ms`
  return `${table(
    [`${whole(tools)} tools, bundled model, ${record.environment.cores} cores`, 'time'],
    [
      ['embedding them at start, without an index', ms('embedding at start')],
      ['starting with the index (`warmup()`)', ms('start with the index')],
      [
        'opening the index: first in a process, and later',
        `${ms('opening, first in a process')}, ${ms('opening, in a running process')}`,
      ],
      [
        "for comparison, reading such a graph's file and hnswlib's own read",
        `${ms("hnswlib's read, first in a process")}, ${ms("hnswlib's read, in a running process")}`,
      ],
      ['building the index', ms('build')],
      ['building it again after 10 tools changed', ms('rebuild after 10 changes')],
    ],
  )}

The folder has ${metric('size').value.toFixed(1)} MiB of data. From \`bench/results/artifact.json\`, made by \`npm run bench -- artifact\`.
`
}

function adaptFigures(): string {
  const { metric, record } = figuresOf('adapt')
  const { sizes } = record.details as { sizes: number[] }
  const value = (name: string) => metric(name).value.toFixed(3)
  const gain = (name: string) => {
    const { value, low, high } = metric(name)
    return `${signed(value)} (${signed(low)} to ${signed(high)})`
  }
  const orRefused = (name: string, show: (name: string) => string) => (record.metrics[name] ? show(name) : 'refused')
  const rows = sizes.map(size => [
    whole(size),
    value(`${size}/map alone, cosine/ndcg@10`),
    value(`${size}/pull alone, cosine/ndcg@10`),
    orRefused(`${size}/shipped/ndcg@10`, value),
    orRefused(`${size}/shipped gain/ndcg@10`, gain),
    orRefused(`${size}, others not kept/shipped/ndcg@10`, value),
  ])
  const none = [
    'none',
    value('before/cosine/ndcg@10'),
    value('before/cosine/ndcg@10'),
    value('before/shipped/ndcg@10'),
    '',
    '',
  ]
  const half = record.metrics['half/shipped gain of tools without queries/ndcg@10']
    ? ` With queries of one half of the tools only, these gain ${gain('half/shipped gain of tools with queries/ndcg@10')}, and the other half ${gain('half/shipped gain of tools without queries/ndcg@10')}.`
    : ''
  const last = [...sizes].reverse().find(size => record.metrics[`${size}/small talk/auc`])
  const talk = last
    ? ` The area under the trade-off of 'nothing fits' goes from ${value('before/topic removed/auc')} to ${value(`${last}/topic removed/auc`)} (topic removed) and from ${value('before/small talk/auc')} to ${value(`${last}/small talk/auc`)} (English small talk) with ${whole(last)} queries.`
    : ''
  const seconds = (name: string) => `${shortNumber(metric(`${name}/time`).value / 1_000)} s`
  const [fewest, most] = [sizes.at(0)!, sizes.at(-1)!]
  const large = record.metrics['seal-tools/shipped gain/ndcg@10']
    ? ` On Seal-Tools, whose requests share words with its tools, 1,000 queries bring ${gain('seal-tools/shipped gain/ndcg@10')}.`
    : ''
  const largeTime = record.metrics['seal-tools/time'] ? `, ${seconds('seal-tools')} from 1,000 with 4,076 tools` : ''
  return `${table(['labelled queries', 'cosine, map alone', 'cosine, pull alone', 'shipped ranking, adapted', 'gain', '`--no-keep-others`'], [none, ...rows])}

nDCG@10 on other queries of MetaTool's 199 tools, from \`bench/results/adapt.json\`, made by
\`npm run bench -- adapt --heads <folder>\`: with query heads learned without the catalog at hand, as a stranger's is to the shipped
ones, so that yours starts from such a 'none', too.${half}${large}${talk}
It took ${seconds(String(fewest))} to learn from ${whole(fewest)} queries, ${seconds(String(most))} from ${whole(most)}${largeTime}, on ${record.environment.cores} cores that other work shared.
`
}

function calibrationFigures(): string {
  const { metric, record } = figuresOf('calibration')
  const { queries, labelled } = record.options as { queries: number; labelled: number }
  const value = (name: string) => metric(name).value.toFixed(2)
  const pair = (name: string, place: string) =>
    `${value(`${name}/mean score of the ${place}`)}, ${value(`${name}/share of the ${place} that are relevant`)}`
  const error = (name: string) => {
    const { value, low, high } = metric(`${name}/calibration error`)
    return `${value.toFixed(3)} (${low.toFixed(3)} to ${high.toFixed(3)})`
  }
  const rows = LABELLED_CORPORA.map(corpus => [
    corpus,
    ...['default', 'calibrated'].flatMap(state => {
      const name = `${corpus}/${state}`
      return record.metrics[`${name}/ndcg@10`]
        ? [error(name), pair(name, 'first'), pair(name, 'others')]
        : ['refused', '', '']
    }),
  ])
  const head = ['first result: score, right', 'next four: score, right']
  return `${table(['catalog', 'calibration error', ...head, 'calibrated: error', ...head], rows)}

With the bundled model, from \`bench/results/calibration.json\`, made by \`npm run bench -- calibration --heads <folder>\`: at most ${whole(queries)} test queries a
catalog; calibrated by ${whole(labelled)} others. The error (0–1) is the mean distance between the scores of the five best and the share of them that
is relevant, in ten bins by score; 95 % intervals. Calibrated, the five best are right as often as their scores say on the average, and the first
is still right more often than its score.
`
}

function storeFigures(): string {
  const { metric, record } = figuresOf('store')
  const { sizes, tenants, tenantSize, synchronised } = record.options as Record<string, number> & { sizes: number[] }
  const value = (size: number, name: string) => metric(`${size}/${name}`).value
  const ms = (number: number) => `${shortNumber(number)} ms`
  const rows: [title: string, cell: (size: number) => string][] = [
    [
      'search, p50: local index → store (ratio)',
      size =>
        `${ms(value(size, 'search/local p50'))} → ${ms(value(size, 'search/store p50'))} (${value(size, 'search/ratio of p50').toFixed(1)})`,
    ],
    ['top 5 as of the local index', size => percent(value(size, 'top 5 equal to the local index'))],
    ["the store's ten nearest that are the exact ten", size => percent(value(size, 'annRecall@10'))],
    [
      'resident set: local index → store',
      size => `${whole(value(size, 'resident set/local'))} → ${whole(value(size, 'resident set/store'))} MiB`,
    ],
    ['start when nothing changed', size => `${shortNumber(value(size, 'start, nothing changed') / 1000)} s`],
  ]
  const perSecond = (name: string) => whole(metric(name).value)
  const inBatches = whole(figuresOf('embed').metric('documents/ours per second').value)
  const namespace = `namespace of ${tenantSize} tools, one of ${tenants} : alone`
  return `${table(
    ['PgVector beside the process', ...sizes.map(size => `${whole(size)} tools`)],
    rows.map(([title, cell]) => [title, ...sizes.map(cell)]),
  )}

Rows are written at ${perSecond('rows written, vectors given')} a second into pgvector's graph, and loaded at ${whole(value(sizes.at(-1)!, 'bulk load'))} a second where the graph is made
afterwards; what is new is embedded first, some ${inBatches} texts a second ([below](#measured)). A start with 10 of ${whole(synchronised!)} tools changed takes ${shortNumber(metric(`start, 10 of ${synchronised} changed`).value / 1000)} s. Searches of
one namespace among ${tenants} of ${whole(tenantSize!)} tools each take ${metric(`${namespace}/p95`).value.toFixed(2)} times as long (p95) as of one alone. From
\`bench/results/store.json\`, made by \`npm run bench -- store\` on ${record.environment.cores} cores that the server and other
work shared. Compare within this table only: its searches take longer than those [below](#measured), most likely for
that work (not measured apart), and what is resident after a start differs by up to 100 MiB from run to run.
`
}

/** The README with its figures made anew. */
export function withFigures(readme: string): string {
  return readme
    .replace(BLOCK, (_, start: string, name: string, end: string) => `${start}${FIGURES[name]!()}${end}`)
    .replace(INLINE, (_, start: string, name: string, end: string) => `${start}${INLINE_FIGURES[name]!()}${end}`)
}

/** Writes the README's tables and its picture from `bench/results/`. */
export async function writeReadme(): Promise<void> {
  const { tradeOffs } = readRecord(resultsFile('no-answer')).details as { tradeOffs: TradeOff[] }
  await drawTradeOff(tradeOffs, PICTURE)
  writeFileSync(README, withFigures(readFileSync(README, 'utf8')))
}
