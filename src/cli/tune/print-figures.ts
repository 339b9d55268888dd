import { DEFAULT_MIN_SCORE } from '../../ranking/score.js'
import type { Estimate } from '../../tuning/intervals.js'
import type { ComparedSettings, CurvePoint, TuneReport } from '../../tuning/report.js'
import { scoreBar, type Terminal } from '../terminal.js'

/** A share; a dash for nothing. */
const percent = (share: number | null) => (share === null ? '-' : `${(share * 100).toFixed(1)} %`)

const RANKING_LABELS: Record<keyof TuneReport['ranking'], string> = {
  'hit@1': 'hit@1',
  'recall@5': 'recall@5',
  'ndcg@10': 'nDCG@10',
  mrr: 'MRR',
}

const TOP_KS = [1, 2, 3, 5, 8, 10, 15, 20]

export function printRanking({ ranking, recallByTopK }: TuneReport, { print, colors }: Terminal): void {
  print(`\n${colors.bold('Ranking')}  without a minScore, with 95 % intervals`)
  for (const [name, label] of Object.entries(RANKING_LABELS)) {
    const { value, low, high } = ranking[name as keyof typeof ranking]
    print(
      `${label.padEnd(10)}${value.toFixed(3)}  ${colors.cyan(scoreBar(value, 20))}  ${low.toFixed(3)} to ${high.toFixed(3)}`,
    )
  }
  print(`\n${'topK'.padEnd(10)}${TOP_KS.map(k => String(k).padStart(8)).join('')}`)
  print(`${'recall'.padEnd(10)}${TOP_KS.map(k => percent(recallByTopK[k - 1]!).padStart(8)).join('')}`)
}

// Distances from the recommended minScore that show which way the figures go.
const AROUND = [-0.1, -0.05, -0.02, 0, 0.02, 0.05, 0.1, 0.2]
const BAR_CELLS = 10

export function printCurve(report: TuneReport, { print, colors }: Terminal): void {
  const { curve, settings, recommended } = report
  print(`\n${colors.bold('minScore')}  at topK ${settings.topK}`)
  print(colors.gray('  minScore   recall             precision       F1   nothing*'))
  const wanted = [0, DEFAULT_MIN_SCORE, ...AROUND.map(distance => recommended.minScore + distance)]
  const points = [...new Set(wanted.map(at => Math.round(at * 100)))].filter(at => at >= 0 && at <= 100)
  const rows = points.map(at => curve[at]!).filter(({ minScore }) => minScore !== recommended.minScore)
  const all = [...rows, recommendedPoint(report)].sort((a, b) => a.minScore - b.minScore)
  for (const point of all) {
    const isChosen = point.minScore === recommended.minScore
    const line = [
      `${isChosen ? '>' : ' '} ${point.minScore.toFixed(3).padStart(8)}`,
      percent(point.recall).padStart(9),
      ` ${colors.cyan(scoreBar(point.recall, BAR_CELLS))}`,
      percent(point.precision).padStart(9),
      percent(point.f1).padStart(9),
      percent(point.noAnswer).padStart(9),
      point.noAnswer === null ? '' : ` ${colors.cyan(scoreBar(point.noAnswer, BAR_CELLS))}`,
    ].join('')
    print(isChosen ? colors.bold(line) : line)
  }
  print(colors.gray('* returned for queries that nothing fits; 100 % is best'))
}

/** As measured on all queries. */
function recommendedPoint({ compared, recommended }: TuneReport): CurvePoint {
  const { reached } = compared.find(({ label }) => label === 'recommended')!
  return {
    minScore: recommended.minScore,
    recall: reached.recall?.value ?? 0,
    precision: reached.precision?.value ?? null,
    f1: reached.f1?.value ?? 0,
    noAnswer: reached.noAnswer?.value ?? null,
  }
}

export function printRecommendation(report: TuneReport, terminal: Terminal): void {
  const { recommended, aim } = report
  const { print, colors } = terminal
  const { folds, intervals, onNewQueries } = recommended
  print(`\n${colors.bold('Recommended')}  for the aim ${aim}`)
  const rows: [string, number, Estimate, number[], number][] = [
    ['topK', recommended.topK, intervals.topK, folds.map(({ topK }) => topK), 0],
    ['minScore', recommended.minScore, intervals.minScore, folds.map(({ minScore }) => minScore), 3],
  ]
  for (const [name, value, { low, high }, ofFolds, decimals] of rows) {
    const range = (from: number, to: number) =>
      from === to ? from.toFixed(decimals) : `${from.toFixed(decimals)} to ${to.toFixed(decimals)}`
    const spread =
      ofFolds.length > 0 ? `; ${folds.length} folds: ${range(Math.min(...ofFolds), Math.max(...ofFolds))}` : ''
    print(
      `${name.padEnd(10)}${colors.bold(value.toFixed(decimals).padEnd(7))} 95 % interval ${range(low, high)}${spread}`,
    )
  }
  if (!onNewQueries) return
  print(colors.gray(`What to expect on new queries (${folds.length}-fold cross-validation, 95 % intervals):`))
  const figures: [string, Estimate | null][] = [
    ['recall', onNewQueries.recall],
    ['of the recall without a minScore', onNewQueries.keptRecall],
    ['precision', onNewQueries.precision],
    ['F1', onNewQueries.f1],
    ['nothing returned when nothing fits', onNewQueries.noAnswer],
  ]
  for (const [name, estimate] of figures) {
    if (estimate) print(`  ${name.padEnd(36)}${percent(estimate.value).padStart(8)}  ${intervalText(estimate)}`)
  }
}

const LABELS: Record<ComparedSettings['label'], string> = {
  none: 'no minScore',
  default: 'the defaults',
  recommended: 'recommended',
  given: 'given',
}

export function printCompared({ compared }: TuneReport, { print, colors }: Terminal): void {
  print(`\n${colors.bold('Compared')}  on these queries`)
  print(colors.gray(`${''.padEnd(14)}topK minScore   recall precision       F1  nothing*`))
  for (const { label, topK, minScore, reached } of compared) {
    const cells = [reached.recall, reached.precision, reached.f1, reached.noAnswer].map(estimate =>
      percent(estimate?.value ?? null).padStart(9),
    )
    print(`${LABELS[label].padEnd(14)}${String(topK).padStart(4)}${minScore.toFixed(3).padStart(9)}${cells.join('')}`)
  }
}

const intervalText = ({ low, high }: Estimate) => `${(low * 100).toFixed(1)} to ${percent(high)}`
