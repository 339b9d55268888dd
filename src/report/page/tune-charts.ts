import type { TuneData } from '../tune-data.js'
import { share } from './format-share.js'
import { createLineChart, type Line, type Mark } from './line-chart.js'

/** Precision, recall, F1 and no-answer by `minScore`. */
export function curveChart({ report, defaultMinScore }: TuneData): HTMLElement {
  const { curve, recommended, settings } = report
  const line = (label: string, value: (point: (typeof curve)[number]) => number | null): Line => ({
    label,
    points: curve.map(point => ({ x: point.minScore, y: value(point) })),
  })
  const lines = [
    line('Recall', point => point.recall),
    line('Precision', point => point.precision),
    line('F1', point => point.f1),
    ...(report.queries.unanswerable > 0 ? [line('Nothing returned when nothing fits', point => point.noAnswer)] : []),
  ]
  const marks: Mark[] = [
    { x: recommended.minScore, label: `recommended ${recommended.minScore}`, isMain: true },
    { x: defaultMinScore, label: `default ${defaultMinScore}`, isMain: false },
  ]
  if (settings.minScore !== recommended.minScore) {
    marks.push({ x: settings.minScore, label: `given ${settings.minScore}`, isMain: false })
  }
  return createLineChart({
    description: `Recall, precision, F1 and empty answers by minScore from 0 to 1; recommended is ${recommended.minScore}. The table below has the figures.`,
    lines,
    marks,
    x: { title: 'minScore', min: 0, max: 1, decimals: 2 },
  })
}

/** recall@k by k. */
export function topKChart({ report }: TuneData): HTMLElement {
  const { recallByTopK, recommended } = report
  const points = recallByTopK.map((y, at) => ({ x: at + 1, y }))
  const { topK } = recommended
  return createLineChart({
    description: `Recall by topK from 1 to ${points.length}: ${points.map(({ x, y }) => `${x}: ${share(y)}`).join(', ')}`,
    lines: [{ label: 'Recall', points }],
    marks: topK <= points.length ? [{ x: topK, label: `topK ${topK}`, isMain: true }] : [],
    x: { title: 'topK', min: 1, max: points.length, decimals: 0 },
    hasPoints: true,
  })
}
