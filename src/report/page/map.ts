import { Chart, LinearScale, PointElement, ScatterController, Tooltip, type TooltipModel } from 'chart.js'
import type { PageTool } from '../inspect-data.js'
import { element, foreign } from './dom.js'
import { plural } from './format.js'
import { currentTheme, onThemeChange } from './theme.js'

Chart.register(ScatterController, PointElement, LinearScale, Tooltip)

export interface CatalogMap {
  readonly element: HTMLElement
  /** Draws these tools strongly and all others faintly; undefined draws all the same. */
  highlight(tools: ReadonlySet<PageTool> | undefined): void
}

export interface CatalogMapOptions {
  readonly tools: readonly PageTool[]
  /** Number of the tool's colour. */
  readonly colorOf: (tool: PageTool) => number
  readonly onSelect: (tool: PageTool) => void
}

interface Point {
  readonly x: number
  readonly y: number
  readonly tool: PageTool
}

// Dots that touch in a catalog of thousands hide each other.
const radiusFor = (count: number) => (count > 2_000 ? 2.5 : count > 600 ? 3.5 : 4.5)
const HIGHLIGHT_EXTRA = 2.5
const HIT_EXTRA = 4
// Room around the outermost dots, as a share of the map; and the least share of the other axis that one spans.
const MARGIN = 0.04
const MIN_SPAN = 0.1
const FAINT = '38'
const CLEAR = 'd9'

/** The tools as dots, coloured by group; a dot under the pointer tells its tool, a click selects it. */
export function createMap({ tools, colorOf, onSelect }: CatalogMapOptions): CatalogMap {
  const canvas = element('canvas', {
    role: 'img',
    'aria-label': `Map of ${plural(tools.length, 'tool')}: the nearer, the more alike. The table below has the same tools.`,
  })
  const tip = element('div', { class: 'tip', role: 'status', hidden: true })
  const frame = element('div', { class: 'map' }, canvas, tip)
  let highlighted: ReadonlySet<PageTool> | undefined
  let theme = currentTheme()

  const points = tools.map((tool): Point => ({ x: tool.x, y: tool.y, tool }))
  const radius = radiusFor(tools.length)
  // Each axis by itself: a map has no units, and a wide frame is to be filled.
  const range = (axis: 'x' | 'y') => {
    const least = tools.reduce((value, tool) => Math.min(value, tool[axis]), 1)
    const most = tools.reduce((value, tool) => Math.max(value, tool[axis]), -1)
    const span = Math.max(most - least, MIN_SPAN) * (1 + 2 * MARGIN)
    return { min: (least + most - span) / 2, max: (least + most + span) / 2 }
  }
  // Two sets, so that highlighted dots lie above all others.
  const chart = new Chart<'scatter', Point[]>(canvas, {
    type: 'scatter',
    data: {
      datasets: [
        { data: [], order: 1 },
        { data: points, order: 2 },
      ],
    },
    options: {
      animation: false,
      maintainAspectRatio: false,
      normalized: true,
      events: ['mousemove', 'mouseout', 'click', 'touchstart'],
      interaction: { mode: 'nearest', intersect: true },
      onClick: (_, [hit]) => {
        const point = hit && (chart.data.datasets[hit.datasetIndex]!.data[hit.index] as Point)
        if (point) onSelect(point.tool)
      },
      scales: { x: { display: false, ...range('x') }, y: { display: false, ...range('y') } },
      plugins: { tooltip: { enabled: false, external: ({ tooltip }) => showTip(tip, frame, tooltip) } },
    },
  })

  function draw(): void {
    const [above, below] = chart.data.datasets
    const rest = highlighted ? points.filter(({ tool }) => !highlighted!.has(tool)) : points
    const chosen = highlighted ? points.filter(({ tool }) => highlighted!.has(tool)) : []
    const colors = (of: readonly Point[], alpha: string) => of.map(({ tool }) => theme.series[colorOf(tool)]! + alpha)
    Object.assign(below!, {
      data: rest,
      pointRadius: radius,
      pointHoverRadius: radius + HIGHLIGHT_EXTRA,
      pointHitRadius: HIT_EXTRA,
      pointBorderWidth: 0,
      pointBackgroundColor: colors(rest, highlighted ? FAINT : CLEAR),
    })
    Object.assign(above!, {
      data: chosen,
      pointRadius: radius + HIGHLIGHT_EXTRA,
      pointHoverRadius: radius + 2 * HIGHLIGHT_EXTRA,
      pointHitRadius: HIT_EXTRA,
      pointBorderWidth: 1.5,
      pointBorderColor: theme.text,
      pointBackgroundColor: colors(chosen, ''),
    })
    chart.update('none')
  }

  onThemeChange(() => {
    theme = currentTheme()
    draw()
  })
  draw()
  return {
    element: frame,
    highlight(chosen) {
      highlighted = chosen
      draw()
    },
  }
}

/** Beside the dot, within the frame. Text nodes only. */
function showTip(
  tip: HTMLElement,
  frame: HTMLElement,
  { opacity, dataPoints, caretX, caretY }: TooltipModel<'scatter'>,
) {
  const tool = (dataPoints?.[0]?.raw as Point | undefined)?.tool
  tip.hidden = opacity === 0 || !tool
  if (tip.hidden || !tool) return
  const facts = [tool.group, tool.tokens === null ? '' : plural(tool.tokens, 'token')].filter(Boolean)
  tip.replaceChildren(
    element('strong', {}, foreign(tool.name)),
    element('span', { class: 'muted' }, foreign(facts.join(' · '))),
    ...(tool.summary ? [element('span', {}, foreign(tool.summary))] : []),
  )
  const GAP = 12
  const left = caretX + GAP + tip.offsetWidth > frame.clientWidth ? caretX - GAP - tip.offsetWidth : caretX + GAP
  const top = Math.min(caretY + GAP, frame.clientHeight - tip.offsetHeight)
  tip.style.left = `${Math.max(0, left)}px`
  tip.style.top = `${Math.max(0, top)}px`
}
