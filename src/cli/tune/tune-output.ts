import { optionsText, type TuneReport } from '../../tuning/report.js'
import { learntTexts } from '../learnt-text.js'
import { printText } from '../plain-table.js'
import { shown, type Terminal, whole } from '../terminal.js'
import { printCompared, printCurve, printRanking, printRecommendation } from './print-figures.js'
import { printConfusions, printFailures, printFalseAnswers } from './print-findings.js'

/** Prints the report for people. */
export function printTuneReport(report: TuneReport, file: string, terminal: Terminal): void {
  printHead(report, file, terminal)
  printRanking(report, terminal)
  printCurve(report, terminal)
  printRecommendation(report, terminal)
  printCompared(report, terminal)
  printFailures(report, terminal)
  printFalseAnswers(report, terminal)
  printConfusions(report, terminal)
  printRequirements(report, terminal)
  for (const warning of report.warnings) printText(`! ${warning}`, 0, terminal, terminal.colors.yellow)
  printOptions(report, terminal)
}

function printHead({ queries, tools, ...learnt }: TuneReport, file: string, { print, colors }: Terminal): void {
  const drafts = queries.drafts > 0 ? `, ${whole(queries.drafts)} drafts` : ''
  print(`${colors.bold(shown(file))}  ${whole(queries.total)} queries on ${whole(tools)} tools`)
  for (const line of learntTexts(learnt)) print(colors.gray(line))
  print(
    colors.gray(
      `${whole(queries.answerable)} with an answer (${whole(queries.tools)} tools), ${whole(queries.unanswerable)} without${drafts}`,
    ),
  )
}

function printRequirements({ requirements }: TuneReport, { print, colors }: Terminal): void {
  if (requirements.length === 0) return
  print(`\n${colors.bold('Required')}`)
  for (const { text, value, isMet, missing } of requirements) {
    const got = value === null ? 'not measured: no such queries' : value.toFixed(4)
    const short = isMet || missing === null ? '' : `, missed by ${missing.toFixed(4)}`
    print(isMet ? `${colors.green('✓')} ${text}: ${got}` : colors.red(`✗ ${text}: ${got}${short}`))
  }
}

function printOptions({ recommended }: TuneReport, { print, colors }: Terminal): void {
  print(`\n${colors.bold('Options')}`)
  print(optionsText(recommended))
}
