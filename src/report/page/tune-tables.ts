import type { Failure, PlacedTool } from '../../tuning/failures.js'
import type { TuneReport } from '../../tuning/report.js'
import { element, foreign, section } from './dom.js'
import { whole } from './format.js'
import { decimals, share } from './format-share.js'
import { type Column, createTable } from './table.js'

// So many rows are a screen of long queries.
const ROWS_A_PAGE = 15
const TOOLS_SHOWN = 3

const REASONS: Record<Failure['reason'], string> = {
  unranked: 'not ranked',
  rank: 'below topK',
  score: 'below minScore',
}

/** Right tools that are not returned, with what stands above them. */
export function failuresSection({ failures, settings, queries }: TuneReport): HTMLElement {
  const columns: Column<Failure>[] = [
    { title: 'Query', value: row => row.query, cell: row => queryCell(row) },
    { title: 'Right tool', value: row => row.tool, cell: row => toolName(row.tool) },
    {
      title: 'Why',
      value: row => REASONS[row.reason],
      cell: row =>
        element('span', { class: `badge ${row.reason === 'score' ? 'warning' : 'error'}` }, REASONS[row.reason]),
    },
    { title: 'Rank', isNumber: true, value: row => row.rank, cell: row => (row.rank === null ? '–' : whole(row.rank)) },
    { title: 'Score', isNumber: true, value: row => row.score, cell: row => decimals(row.score) },
    { title: 'Above it', value: row => row.beatenBy[0]?.name ?? null, cell: row => toolList(row.beatenBy) },
  ]
  const missed = new Set(failures.map(({ query }) => query)).size
  return section(
    'failures',
    'Not found',
    element(
      'p',
      { class: 'muted note' },
      `${whole(missed)} of ${whole(queries.answerable)} queries miss a tool at topK ${settings.topK} and minScore ${settings.minScore}.`,
    ),
    filled('Right tools that are not returned', columns, failures),
  )
}

/** Queries that nothing fits, and that get tools all the same. */
export function falseAnswersSection({ falseAnswers, queries }: TuneReport): HTMLElement[] {
  if (queries.unanswerable === 0) return []
  const columns: Column<TuneReport['falseAnswers'][number]>[] = [
    { title: 'Query', value: row => row.query, cell: row => queryCell(row) },
    {
      title: 'Best score',
      isNumber: true,
      value: row => row.returned[0]!.score,
      cell: row => decimals(row.returned[0]!.score),
    },
    { title: 'Returned', value: row => row.returned[0]!.name, cell: row => toolList(row.returned) },
  ]
  const note = `${whole(falseAnswers.length)} of ${whole(queries.unanswerable)} queries that nothing fits get tools.`
  return [
    section(
      'false-answers',
      'Found where nothing fits',
      element('p', { class: 'muted note' }, note),
      filled('Tools returned where nothing fits', columns, falseAnswers),
    ),
  ]
}

/** Pairs of tools that the search takes for each other. */
export function confusionsSection({ confusions, hasTexts }: TuneReport): HTMLElement {
  const columns: Column<TuneReport['confusions'][number]>[] = [
    { title: 'Right tool', value: row => row.tool, cell: row => toolName(row.tool) },
    { title: 'Above it', value: row => row.other, cell: row => toolName(row.other) },
    { title: 'Queries', isNumber: true, value: row => row.queries, cell: row => countCell(row.queries, row.examples) },
    { title: 'Only in the right one', value: row => row.words.tool.length, cell: row => words(row.words.tool) },
    { title: 'Only in the other', value: row => row.words.other.length, cell: row => words(row.words.other) },
  ]
  const note =
    'How often the right tool stood below another. Words that only one of the texts has tell them apart: put those of ' +
    `your queries into the right tool's description.${hasTexts ? '' : ' The index has no texts, so these are words of names.'}`
  return section(
    'confusions',
    'Confused tools',
    element('p', { class: 'muted note' }, note),
    filled('Confused tools', columns, confusions),
  )
}

/** The curve's figures, for those who cannot see the chart. */
export function curveTable({ curve }: TuneReport): HTMLElement {
  type Point = TuneReport['curve'][number]
  const figure = (title: string, value: (point: Point) => number | null): Column<Point> => ({
    title,
    isNumber: true,
    value,
    cell: point => share(value(point)),
  })
  return filled(
    'Figures by minScore',
    [
      { title: 'minScore', value: point => point.minScore, cell: point => decimals(point.minScore, 2) },
      figure('Recall', point => point.recall),
      figure('Precision', point => point.precision),
      figure('F1', point => point.f1),
      figure('Empty when nothing fits', point => point.noAnswer),
    ],
    curve,
  )
}

function filled<Row>(caption: string, columns: readonly Column<Row>[], rows: readonly Row[]): HTMLElement {
  if (rows.length === 0)
    return element('p', { class: 'card' }, element('span', { class: 'badge good' }, 'ok'), ' None.')
  const table = createTable(caption, columns, { rowsAPage: ROWS_A_PAGE, empty: 'None', isOrdered: true })
  table.show(rows)
  return table.element
}

function queryCell({ query, isDraft }: { query: string; isDraft: boolean }): HTMLElement {
  return element(
    'span',
    { class: 'query', title: query },
    foreign(query),
    isDraft ? element('span', { class: 'badge note draft' }, 'draft') : null,
  )
}

const toolName = (name: string): HTMLElement => element('span', { class: 'tool' }, foreign(name))

function countCell(count: number, examples: readonly string[]): HTMLElement {
  return element('span', { title: examples.join('\n') }, whole(count))
}

/** Names with rank and score; the score is what a reader compares. */
function toolList(tools: readonly PlacedTool[]): HTMLElement {
  return element(
    'ol',
    { class: 'places' },
    ...tools
      .slice(0, TOOLS_SHOWN)
      .map(({ name, score, rank }) =>
        element(
          'li',
          {},
          element('span', { class: 'muted number' }, `${rank}`),
          foreign(name),
          element('span', { class: 'muted' }, decimals(score)),
        ),
      ),
  )
}

const words = (list: readonly string[]): HTMLElement | string => (list.length === 0 ? '–' : foreign(list.join(', ')))
