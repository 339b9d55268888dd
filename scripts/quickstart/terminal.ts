import Table from 'cli-table3'
import pc from 'picocolors'

// picocolors alone would also colour a pipe in CI.
const isColored = pc.isColorSupported && (Boolean(process.stdout.isTTY) || Boolean(process.env.FORCE_COLOR))

export const colors = pc.createColors(isColored)

const MIN_WIDTH = 40
const MAX_WIDTH = 120
const DEFAULT_WIDTH = 100

/** Columns of text that fit the terminal. */
export const width = Math.min(
  MAX_WIDTH,
  Math.max(MIN_WIDTH, process.stdout.columns || Number(process.env.COLUMNS) || DEFAULT_WIDTH),
)

/** Every line starts this far in. */
const MARGIN = ' '

export interface Column {
  /** Terminal cells, without the gap; one column may be `'rest'`, which takes what is left. */
  readonly width: number | 'rest'
  readonly align?: 'left' | 'right'
}

export interface LayoutOptions {
  /** Breaks long cells into lines instead of cutting them. */
  readonly wrap?: boolean
  /** Printed before each line. */
  readonly indent?: number
}

const GAP = 2

/** Prints rows in columns that fit the terminal; wide characters (CJK) count as two cells. */
export function printColumns(rows: readonly string[][], layout: readonly Column[], options: LayoutOptions = {}): void {
  const { wrap = false, indent = 0 } = options
  const fixed = layout.reduce((sum, column) => sum + (column.width === 'rest' ? 0 : column.width), 0)
  const rest = width - MARGIN.length - indent - fixed - GAP * (layout.length - 1)
  const table = new Table({
    colWidths: layout.map((column, at) => {
      const cells = column.width === 'rest' ? Math.max(1, rest) : column.width
      return cells + (at < layout.length - 1 ? GAP : 0)
    }),
    colAligns: layout.map(({ align }) => align ?? 'left'),
    wordWrap: wrap,
    chars: NO_BORDERS,
    style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [] },
  })
  // The gap belongs to the cell, so that right-aligned text keeps its distance too.
  const gap = ' '.repeat(GAP)
  table.push(...rows.map(row => row.map((content, at) => ({ content, ...paddingOf(at, layout.length, gap) }))))
  for (const line of table.toString().split('\n')) print(`${' '.repeat(indent)}${line}`)
}

const paddingOf = (at: number, count: number, gap: string) => ({
  style: { 'padding-left': 0, 'padding-right': at < count - 1 ? gap.length : 0 },
})

const NO_BORDERS = Object.fromEntries(
  [
    'top',
    'top-mid',
    'top-left',
    'top-right',
    'bottom',
    'bottom-mid',
    'bottom-left',
    'bottom-right',
    'left',
    'left-mid',
    'mid',
    'mid-mid',
    'right',
    'right-mid',
    'middle',
  ].map(name => [name, '']),
)

// Cutting by terminal cells may leave half of a surrogate pair.
const LONE_SURROGATE = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g

export function print(line: string): void {
  console.log(`${MARGIN}${line.replace(LONE_SURROGATE, '')}`.trimEnd())
}

export const printBlank = () => console.log()

/** Prints a paragraph, broken into lines. */
export function printText(text: string, indent = 0): void {
  printColumns([[text]], [{ width: 'rest' }], { wrap: true, indent })
}

export function printHeading(text: string): void {
  print(`${colors.bold(text)} ${colors.gray('─'.repeat(Math.max(0, width - MARGIN.length - text.length - 1)))}`)
}

/** A text as one line: no control characters, no runs of blanks. */
export const oneLine = (text: string) => text.replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ').trim()

export const BAR_WIDTH = 10

/** A score (0–1) as a bar, to half a cell. */
export function scoreBar(score: number): string {
  const halves = Math.round(score * BAR_WIDTH * 2)
  const filled = '━'.repeat(Math.floor(halves / 2)) + (halves % 2 === 1 ? '╸' : '')
  return colors.cyan(filled) + colors.gray('─'.repeat(BAR_WIDTH - filled.length))
}

export const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`
export const whole = (count: number) => count.toLocaleString('en-US')

const REDRAW_MS = 100
const PROGRESS_BAR_WIDTH = 24
const CLEAR_LINE = '\r\x1b[2K'

/** A line that is redrawn on a terminal until `end`, and printed once elsewhere. */
export function progressLine(label: string): { show: (share: number) => void; end: () => void } {
  if (!process.stdout.isTTY) {
    print(`${label} …`)
    return { show: () => {}, end: () => {} }
  }
  const start = performance.now()
  let share = 0
  let ended = false
  const draw = () => {
    const filled = Math.round(share * PROGRESS_BAR_WIDTH)
    const bar = colors.cyan('━'.repeat(filled)) + colors.gray('─'.repeat(PROGRESS_BAR_WIDTH - filled))
    const tail = `${String(Math.round(share * 100)).padStart(3)} %  ${seconds(performance.now() - start)}`
    const room = width - MARGIN.length - PROGRESS_BAR_WIDTH - tail.length - 2
    const head = label.length < room ? `${label} ` : ''
    process.stdout.write(`${CLEAR_LINE}${MARGIN}${head}${bar} ${tail}`)
  }
  const timer = setInterval(draw, REDRAW_MS)
  draw()
  return {
    show: value => {
      share = value
      draw()
    },
    end: () => {
      if (ended) return
      ended = true
      clearInterval(timer)
      process.stdout.write(CLEAR_LINE)
    },
  }
}
