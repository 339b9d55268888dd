import type { TuneReport } from '../tuning/report.js'

/** What the page of `tune` reads. */
export interface TuneData {
  /** Name of the queries' file. */
  readonly title: string
  readonly report: TuneReport
  /** What searches use where nobody sets anything. */
  readonly defaultMinScore: number
  /** Ready to be pasted. */
  readonly options: string
}
