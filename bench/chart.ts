import { writeFileSync } from 'node:fs'
import { parse, View } from 'vega'
import { compile, type TopLevelSpec } from 'vega-lite'
import type { TradeOff } from './benchmarks/no-answer.js'
import { LABELLED_CORPORA } from './corpora.js'

// What people give up of right answers is small or the tool is of no use.
const MOST_LOST = 0.3

/** Draws how many unanswerable requests return nothing against the recall that it costs, as an SVG file. */
export async function drawTradeOff(tradeOffs: readonly TradeOff[], file: string): Promise<void> {
  const values = tradeOffs.flatMap(({ corpus, source, system, recallLost, empty }) =>
    source === 'topic removed'
      ? recallLost.flatMap((lost, at) =>
          lost <= MOST_LOST ? [{ corpus, system: NAMES[system], lost, empty: empty[at]! }] : [],
        )
      : [],
  )
  const spec: TopLevelSpec = {
    $schema: 'https://vega.github.io/schema/vega-lite/v6.json',
    background: 'white',
    data: { values },
    columns: LABELLED_CORPORA.length / 2,
    facet: { field: 'corpus', sort: [...LABELLED_CORPORA], title: null },
    spec: {
      width: 300,
      height: 170,
      mark: { type: 'line', strokeWidth: 2.5 },
      encoding: {
        x: { field: 'lost', type: 'quantitative', title: 'recall lost', axis: { format: '%' } },
        y: {
          field: 'empty',
          type: 'quantitative',
          title: 'nothing returned when nothing fits',
          axis: { format: '%' },
          scale: { domain: [0, 1] },
        },
        color: {
          field: 'system',
          title: null,
          scale: { domain: Object.values(NAMES), range: ['#9a6700', '#0969da'] },
          legend: { orient: 'top' },
        },
        strokeDash: {
          field: 'system',
          title: null,
          scale: {
            domain: Object.values(NAMES),
            range: [
              [5, 3],
              [1, 0],
            ],
          },
        },
      },
    },
  }
  const view = new View(parse(compile(spec).spec), { renderer: 'none' })
  writeFileSync(file, `${await view.toSVG()}\n`)
  view.finalize()
}

const NAMES = { mastra: "Mastra's class", shipped: 'this package' } as const
