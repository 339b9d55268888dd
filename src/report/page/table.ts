import { button, element } from './dom.js'
import { whole } from './format.js'

export interface Column<Row> {
  readonly title: string
  /** What rows are sorted by; null goes last, whatever the order. */
  readonly value: (row: Row) => string | number | null
  readonly cell: (row: Row) => Node | string
  readonly isNumber?: boolean
}

export interface Table<Row> {
  readonly element: HTMLElement
  /** Shows these rows, from their first page on. */
  show(rows: readonly Row[]): void
}

const collator = new Intl.Collator('en', { numeric: true })

export interface TableOptions {
  /** Default: so few that sorting thousands is one frame's work. */
  readonly rowsAPage?: number
  /** What the table is of, for one that is empty. */
  readonly empty?: string
  /** Rows come in their own order, until a heading is pressed. */
  readonly isOrdered?: boolean
}

const ROWS_A_PAGE = 50

/** A table that sorts by a click on a heading (or Enter, Space), a page at a time. */
export function createTable<Row>(
  caption: string,
  columns: readonly Column<Row>[],
  { rowsAPage = ROWS_A_PAGE, empty = 'No tools', isOrdered = false }: TableOptions = {},
): Table<Row> {
  let rows: readonly Row[] = []
  let page = 0
  let sorted: { at: number; direction: 1 | -1 } | undefined = isOrdered ? undefined : { at: 0, direction: 1 }
  const headings = columns.map((column, at) => {
    const arrow = element('span', { class: 'arrow', 'aria-hidden': 'true' })
    return element(
      'th',
      { scope: 'col', class: column.isNumber ? 'number' : undefined },
      button({}, () => sortBy(at), column.title, arrow),
    )
  })
  const body = element('tbody')
  const position = element('span', { class: 'position', role: 'status' })
  const previous = button({}, () => turn(-1), 'Previous')
  const next = button({}, () => turn(1), 'Next')
  const table = element(
    'table',
    {},
    element('caption', { class: 'hidden' }, caption),
    element('thead', {}, element('tr', {}, ...headings)),
    body,
  )
  const scroller = element('div', { class: 'scroller', tabindex: 0, role: 'region', 'aria-label': caption }, table)
  const pager = element('nav', { class: 'pager', 'aria-label': `Pages of ${caption}` }, previous, position, next)

  function sortBy(at: number): void {
    // Numbers are looked for from the top; names from A.
    const first = columns[at]!.isNumber ? -1 : 1
    sorted = { at, direction: sorted?.at === at ? (-sorted.direction as 1 | -1) : first }
    show(rows)
  }

  function show(given: readonly Row[]): void {
    const { at, direction } = sorted ?? {}
    const value = at === undefined ? undefined : columns[at]!.value
    rows = value ? [...given].sort((a, b) => compare(value(a), value(b), direction!)) : given
    page = 0
    draw()
  }

  function turn(by: number): void {
    page += by
    draw()
    scroller.scrollTop = 0
  }

  function draw(): void {
    const start = page * rowsAPage
    const shown = rows.slice(start, start + rowsAPage)
    headings.forEach((heading, at) => {
      const order = sorted?.direction === 1 ? 'ascending' : 'descending'
      if (at === sorted?.at) heading.setAttribute('aria-sort', order)
      else heading.removeAttribute('aria-sort')
    })
    body.replaceChildren(
      ...shown.map(row =>
        element(
          'tr',
          {},
          ...columns.map(({ cell, isNumber }, at) =>
            at === 0
              ? element('th', { scope: 'row' }, cell(row))
              : element('td', { class: isNumber ? 'number' : undefined }, cell(row)),
          ),
        ),
      ),
    )
    position.textContent =
      rows.length === 0 ? empty : `${whole(start + 1)}–${whole(start + shown.length)} of ${whole(rows.length)}`
    previous.disabled = page === 0
    next.disabled = start + rowsAPage >= rows.length
  }

  return { element: element('div', { class: 'table card' }, scroller, pager), show }
}

function compare(a: string | number | null, b: string | number | null, direction: 1 | -1): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null)
  const order = typeof a === 'number' && typeof b === 'number' ? a - b : collator.compare(String(a), String(b))
  return order * direction
}
