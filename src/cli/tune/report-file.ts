import { mkdir, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { show } from '../../show.js'
import type { TuneReport } from '../../tuning/report.js'
import { CliError } from '../failure.js'

/** The file to write, absolute; refused before the work where it is a folder. */
export async function reportFile(html: string): Promise<string> {
  const file = resolve(html)
  const found = await stat(file).catch(() => undefined)
  if (found?.isDirectory() || html === '' || html.endsWith('/')) {
    throw new CliError('WRONG_USE', `Expected --html to be a file, got the folder ${show(html)}. Name a file in it.`)
  }
  return file
}

export async function writeReport(file: string, report: TuneReport, queriesFile: string): Promise<void> {
  const { tunePage } = await import('../../report/tune-page.js')
  const { writePage } = await import('../../report/write-page.js')
  const page = await tunePage(report, queriesFile)
  await mkdir(dirname(file), { recursive: true })
  await writePage(file, page)
}
