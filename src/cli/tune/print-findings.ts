import { RANKED_DEPTH, type SearchSettings } from '../../tuning/evaluated-query.js'
import type { Failure, PlacedTool } from '../../tuning/failures.js'
import type { TuneReport } from '../../tuning/report.js'
import { printText } from '../plain-table.js'
import { shown, type Terminal, whole } from '../terminal.js'

// What fits a screen or two; `--json` and `--html` have all.
const FAILURES_SHOWN = 8
const FALSE_ANSWERS_SHOWN = 4
const CONFUSIONS_SHOWN = 6
const TOOLS_SHOWN = 3
const MISSED_SHOWN = 3
const QUERY_CHARACTERS = 200

export function printFailures({ failures, queries, settings }: TuneReport, terminal: Terminal): void {
  const { print, colors } = terminal
  const byQuery = new Map<string, Failure[]>()
  for (const failure of failures) byQuery.set(failure.query, [...(byQuery.get(failure.query) ?? []), failure])
  print(`\n${colors.bold('Not found')}  ${whole(byQuery.size)} of ${whole(queries.answerable)} queries miss a tool`)
  for (const [query, missed] of [...byQuery].slice(0, FAILURES_SHOWN)) {
    printText(quoted(query), 0, terminal)
    for (const failure of missed.slice(0, MISSED_SHOWN)) {
      printText(`${shown(failure.tool)} ${reasonText(failure, settings)}`, 2, terminal, colors.yellow)
    }
    const [{ beatenBy }] = missed as [Failure]
    if (beatenBy.length > 0) printText(`above it: ${toolsText(beatenBy)}`, 2, terminal, colors.gray)
  }
  printLeft(byQuery.size - FAILURES_SHOWN, terminal)
}

function reasonText({ reason, rank, score }: Failure, { minScore, topK }: SearchSettings): string {
  if (reason === 'unranked') return `is not among the best ${RANKED_DEPTH}`
  if (reason === 'rank') return `is at rank ${rank} with ${score!.toFixed(3)}, below topK ${topK}`
  return `is at rank ${rank} with ${score!.toFixed(3)}, not above minScore ${minScore.toFixed(3)}`
}

export function printFalseAnswers({ falseAnswers, queries }: TuneReport, terminal: Terminal): void {
  if (queries.unanswerable === 0) return
  const { print, colors } = terminal
  print(
    `\n${colors.bold('Found where nothing fits')}  for ${whole(falseAnswers.length)} of ${whole(queries.unanswerable)} queries`,
  )
  for (const { query, returned } of falseAnswers.slice(0, FALSE_ANSWERS_SHOWN)) {
    printText(quoted(query), 0, terminal)
    printText(toolsText(returned), 2, terminal, colors.gray)
  }
  printLeft(falseAnswers.length - FALSE_ANSWERS_SHOWN, terminal)
}

export function printConfusions({ confusions, hasTexts }: TuneReport, terminal: Terminal): void {
  const { print, colors } = terminal
  print(`\n${colors.bold('Confused')}  ${whole(confusions.length)} pairs of tools`)
  for (const { tool, other, queries, words } of confusions.slice(0, CONFUSIONS_SHOWN)) {
    printText(`${whole(queries)}x  ${shown(tool)} is below ${shown(other)}`, 0, terminal)
    for (const [name, only] of [
      [tool, words.tool],
      [other, words.other],
    ] as const) {
      printText(`only in ${shown(name)}: ${only.map(shown).join(', ') || 'nothing'}`, 2, terminal, colors.gray)
    }
  }
  printLeft(confusions.length - CONFUSIONS_SHOWN, terminal)
  if (!hasTexts && confusions.length > 0) {
    printText('The index has no texts: these are words of names.', 0, terminal, colors.gray)
  }
}

/** A query in quotes, cut where it is a page. */
function quoted(query: string): string {
  const text = shown(query)
  return `"${text.length > QUERY_CHARACTERS ? `${text.slice(0, QUERY_CHARACTERS).toWellFormed().trimEnd()}…` : text}"`
}

function toolsText(tools: readonly PlacedTool[]): string {
  return tools
    .slice(0, TOOLS_SHOWN)
    .map(({ name, score, rank }) => `#${rank} ${shown(name)} ${score.toFixed(3)}`)
    .join(', ')
}

function printLeft(left: number, { print, colors }: Terminal): void {
  if (left > 0) print(colors.gray(`... and ${whole(left)} more; --json and --html have them`))
}
