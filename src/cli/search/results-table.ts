import Table from 'cli-table3'
import { DEFAULT_TOP_K } from '../../options.js'
import { DEFAULT_MIN_SCORE } from '../../ranking/score.js'
import type { CandidateExplanation, SearchResponse } from '../../searcher-types.js'
import { type Learnt, learntTexts } from '../learnt-text.js'
import { NO_BORDERS } from '../plain-table.js'
import { printable, scoreBar, type Terminal, whole } from '../terminal.js'

export interface ResultsOptions {
  readonly query: string
  readonly size: number
  readonly isExplained: boolean
  readonly learnt: Learnt
  readonly topK?: number | undefined
  readonly minScore?: number | undefined
}

// Below it, two digits would show none.
const LEAST_SHOWN = 0.005
const LIKELY = 0.5

/** Prints what a search found as a table, or why it found nothing. The response needs its `candidates`. */
export function printResults(response: SearchResponse, options: ResultsOptions, terminal: Terminal): void {
  const { print, colors } = terminal
  const { results, candidates = [], mode, smallTalk = 0 } = response
  print(`${colors.bold(`"${printable(options.query)}"`)} ${colors.gray(`in ${whole(options.size)} tools`)}`)
  if (results.length === 0) print(colors.yellow(whyNothing(candidates, options)))
  if (options.isExplained) printCandidates(candidates, options, terminal)
  else if (results.length > 0) printFound(response, terminal)
  if (smallTalk >= (options.isExplained ? LEAST_SHOWN : LIKELY)) {
    print(colors.gray(`Small talk by ${smallTalk.toFixed(2)} (0 to 1), which lowers all scores.`))
  }
  if (options.isExplained && candidates.some(({ clause }) => clause)) {
    print(
      colors.gray(
        "Searched clause by clause, too: --json has each tool's best clause, which counts half as much as the whole.",
      ),
    )
  }
  if (options.isExplained) for (const line of learntTexts(options.learnt)) print(colors.gray(line))
  if (mode === 'lexical' && candidates.length > 0) {
    print(colors.gray('By words alone: the model cannot read the query.'))
  }
}

function whyNothing(candidates: readonly CandidateExplanation[], { minScore = DEFAULT_MIN_SCORE }: ResultsOptions) {
  const [best] = candidates
  if (!best) return 'Nothing fits: the query has no words that can be searched for.'
  return (
    `Nothing fits: the best, ${printable(best.name)}, scores ${best.score.toFixed(3)}, ` +
    `and results score above ${minScore} (--min-score).`
  )
}

interface Column {
  readonly head: string
  /** Cells, without the gap; undefined for what is left. */
  readonly width?: number
  readonly isRight?: boolean
}

const RANK: Column = { head: '#', width: 3, isRight: true }
const TOOL: Column = { head: 'tool' }
const SCORE: Column = { head: 'score', width: 5, isRight: true }

const BAR_CELLS = 20
const SHORT_BAR_CELLS = 8

function printFound({ results }: SearchResponse, terminal: Terminal): void {
  const rows = results.map(({ name, score }, at) => [
    plain(String(at + 1)),
    { text: printable(name), paint: terminal.colors.bold },
    plain(score.toFixed(3)),
    { text: scoreBar(score, BAR_CELLS), paint: terminal.colors.cyan },
  ])
  printTable([RANK, TOOL, SCORE, { head: '', width: BAR_CELLS }], rows, terminal)
}

// Enough to see what came close; `--json` has all that the searcher explains.
const CUT_SHOWN = 5

/** The results and what came next, with both parts of the score. */
function printCandidates(
  candidates: readonly CandidateExplanation[],
  { topK = DEFAULT_TOP_K }: ResultsOptions,
  terminal: Terminal,
): void {
  const { colors } = terminal
  const found = candidates.filter(({ cut }) => cut === undefined).length
  const shown = candidates.slice(0, Math.min(found, topK) + CUT_SHOWN)
  const rows = shown.map(({ rank, name, score, dense, lexical, exactName, cut }) => [
    plain(String(rank)),
    { text: printable(name), paint: cut ? colors.gray : colors.bold },
    plain(score.toFixed(3)),
    { text: scoreBar(score, SHORT_BAR_CELLS), paint: colors.cyan },
    plain(dense ? dense.cosineSimilarity.toFixed(3) : '-'),
    plain(dense ? String(dense.rank) : '-'),
    plain(lexical ? lexical.share.toFixed(3) : '-'),
    plain(lexical ? String(lexical.rank) : '-'),
    { text: cut ?? (exactName ? 'named' : ''), paint: colors.yellow },
  ])
  const columns: Column[] = [
    RANK,
    TOOL,
    SCORE,
    { head: '', width: SHORT_BAR_CELLS },
    { head: 'cosine', width: 6, isRight: true },
    { head: '#', width: 3, isRight: true },
    { head: 'words', width: 5, isRight: true },
    { head: '#', width: 3, isRight: true },
    { head: 'cut', width: 6 },
  ]
  if (rows.length > 0) printTable(columns, rows, terminal)
}

const GAP = 2
const MIN_NAME_CELLS = 10

interface Cell {
  readonly text: string
  readonly paint: (text: string) => string
}

const plain = (text: string): Cell => ({ text, paint: same => same })

function printTable(columns: readonly Column[], rows: readonly Cell[][], { print, colors, width }: Terminal): void {
  const fixed = columns.reduce((sum, column) => sum + (column.width ?? 0) + GAP, 0)
  const rest = Math.max(MIN_NAME_CELLS, width - fixed)
  const table = new Table({
    colWidths: columns.map(column => (column.width ?? rest) + GAP),
    colAligns: columns.map(({ isRight }) => (isRight ? 'right' : 'left')),
    chars: NO_BORDERS,
    style: { 'padding-left': 0, 'padding-right': GAP, head: [], border: [] },
  })
  // Broken here, as the table would count colours as text. Not cut: a name is wanted whole, to be copied.
  const broken = ({ text, paint }: Cell, at: number): string =>
    linesOf(text, columns[at]!.width ?? rest)
      .map(paint)
      .join('\n')
  table.push(columns.map(({ head }) => colors.gray(head)))
  for (const row of rows) table.push(row.map(broken))
  for (const line of table.toString().split('\n')) print(line)
}

// Whole, to be copied, as far as any client would take it: the time of the table grows with the square of its lines.
const MAX_CELL_CHARACTERS = 500

function linesOf(text: string, cells: number): string[] {
  const characters = [...(text.length > MAX_CELL_CHARACTERS ? `${text.slice(0, MAX_CELL_CHARACTERS)}…` : text)]
  const count = Math.max(1, Math.ceil(characters.length / cells))
  return Array.from({ length: count }, (_, at) => characters.slice(at * cells, (at + 1) * cells).join(''))
}
