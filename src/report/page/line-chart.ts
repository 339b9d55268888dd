import {
  Chart,
  type ChartConfiguration,
  Legend,
  LinearScale,
  LineController,
  LineElement,
  type Plugin,
  PointElement,
  Tooltip,
} from 'chart.js'
import { element } from './dom.js'
import { currentTheme, onThemeChange } from './theme.js'

Chart.register(LineController, LineElement, PointElement, LinearScale, Legend, Tooltip)

const FONT = 'system-ui, sans-serif'
Chart.defaults.font.family = FONT

export interface Line {
  readonly label: string
  /** Null leaves a gap. */
  readonly points: readonly { readonly x: number; readonly y: number | null }[]
}

/** A value of the x axis that is pointed out. */
export interface Mark {
  readonly x: number
  readonly label: string
  readonly isMain: boolean
}

export interface LineChartOptions {
  /** What the chart shows, for those who cannot see it. */
  readonly description: string
  readonly lines: readonly Line[]
  readonly marks: readonly Mark[]
  readonly x: { readonly title: string; readonly min: number; readonly max: number; readonly decimals: number }
  readonly hasPoints?: boolean
}

// Beside the colour, so that lines can be told apart without it.
const DASHES: readonly (readonly number[])[] = [[], [8, 4], [2, 3], [10, 3, 2, 3]]

const LINE_WIDTH = 2.5

// Labels of marks stand above the lines, one below the other.
const MARK_LINE = 17

/** Shares from 0 to 1 as lines, with marked values of the x axis. */
export function createLineChart({ description, lines, marks, x, hasPoints = false }: LineChartOptions): HTMLElement {
  const canvas = element('canvas', { role: 'img', 'aria-label': description })
  const frame = element('div', { class: 'chart' }, canvas)
  let theme = currentTheme()
  const percent = (value: number) => `${Math.round(value * 1000) / 10} %`
  const scale = (title: string) => ({
    title: { display: true, text: title, color: theme.muted },
    ticks: { color: theme.muted },
    grid: { color: theme.line },
    border: { color: theme.line },
  })
  const options = (): NonNullable<ChartConfiguration<'line', Line['points']>['options']> => ({
    animation: false,
    maintainAspectRatio: false,
    parsing: false,
    layout: { padding: { top: marks.length * MARK_LINE } },
    normalized: true,
    interaction: { mode: 'index', intersect: false },
    scales: {
      x: { type: 'linear', min: x.min, max: x.max, ...scale(x.title) },
      y: { min: 0, max: 1, ...scale(''), ticks: { color: theme.muted, callback: value => percent(Number(value)) } },
    },
    plugins: {
      legend: {
        display: lines.length > 1,
        position: 'bottom',
        labels: {
          color: theme.text,
          usePointStyle: true,
          pointStyle: 'line',
          pointStyleWidth: 32,
          generateLabels: drawn =>
            Chart.defaults.plugins.legend.labels
              .generateLabels(drawn)
              .map((label, at) => ({ ...label, lineWidth: LINE_WIDTH, lineDash: [...DASHES[at % DASHES.length]!] })),
        },
      },
      tooltip: {
        callbacks: {
          title: ([item]) => `${x.title} ${(item?.parsed.x ?? 0).toFixed(x.decimals)}`,
          label: ({ dataset, parsed }) => `${dataset.label}: ${parsed.y === null ? '–' : percent(parsed.y)}`,
        },
      },
    },
  })
  const chart = new Chart<'line', Line['points']>(canvas, {
    type: 'line',
    data: {
      datasets: lines.map(({ label, points }, at) => ({
        label,
        data: points,
        borderColor: theme.series[at]!,
        backgroundColor: theme.series[at]!,
        borderDash: [...DASHES[at % DASHES.length]!],
        borderWidth: LINE_WIDTH,
        pointRadius: hasPoints ? 3 : 0,
        pointHoverRadius: 5,
      })),
    },
    options: options(),
    plugins: [marksPlugin(marks, () => theme)],
  })
  onThemeChange(() => {
    theme = currentTheme()
    chart.data.datasets.forEach((dataset, at) => {
      Object.assign(dataset, { borderColor: theme.series[at], backgroundColor: theme.series[at] })
    })
    chart.options = options()
    chart.update('none')
  })
  return frame
}

const LABEL_GAP = 5

/** Vertical lines with a label at their top, each label on a line of its own. */
function marksPlugin(marks: readonly Mark[], themeNow: () => ReturnType<typeof currentTheme>): Plugin<'line'> {
  return {
    id: 'marks',
    afterDatasetsDraw({ ctx, chartArea, scales }) {
      const theme = themeNow()
      marks.forEach(({ x, label, isMain }, at) => {
        const left = scales.x!.getPixelForValue(x)
        ctx.save()
        ctx.strokeStyle = isMain ? theme.text : theme.muted
        ctx.fillStyle = isMain ? theme.text : theme.muted
        ctx.lineWidth = isMain ? 1.5 : 1
        ctx.setLineDash(isMain ? [] : [3, 3])
        ctx.beginPath()
        // Up to its own label, which lies above those that follow.
        const top = chartArea.top - (marks.length - at) * MARK_LINE
        ctx.moveTo(left, top + 2)
        ctx.lineTo(left, chartArea.bottom)
        ctx.stroke()
        ctx.font = `${isMain ? 600 : 400} 12px ${FONT}`
        const isRight = left + LABEL_GAP + ctx.measureText(label).width <= chartArea.right
        ctx.textAlign = isRight ? 'left' : 'right'
        ctx.fillText(label, isRight ? left + LABEL_GAP : left - LABEL_GAP, top + MARK_LINE - 5)
        ctx.restore()
      })
    },
  }
}
