import { basename } from 'node:path'
import { DEFAULT_MIN_SCORE } from '../ranking/score.js'
import { optionsText, type TuneReport } from '../tuning/report.js'
import { renderPage } from './shell.js'
import type { TuneData } from './tune-data.js'

/** The report of a tuning as one HTML file. */
export function tunePage(report: TuneReport, queriesFile: string): Promise<string> {
  const data = tuneData(report, queriesFile)
  return renderPage({ name: 'tune', title: `${data.title}: tool search tuning report`, data })
}

/** What the page shows: of the queries' file no more than its name. */
export function tuneData(report: TuneReport, queriesFile: string): TuneData {
  return {
    title: queriesFile === '-' ? 'stdin' : basename(queriesFile),
    report,
    defaultMinScore: DEFAULT_MIN_SCORE,
    options: optionsText(report.recommended),
  }
}
