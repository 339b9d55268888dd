import { mkdir, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { show } from '../show.js'
import { writeInOneStep } from '../write-file.js'
import { CliError } from './failure.js'

/** The file of `--html` to write, absolute; refused before the work where it is a folder. */
export async function reportFile(html: string): Promise<string> {
  const file = resolve(html)
  const found = await stat(file).catch(() => undefined)
  if (found?.isDirectory() || html === '' || html.endsWith('/')) {
    throw new CliError('WRONG_USE', `Expected --html to be a file, got the folder ${show(html)}. Name a file in it.`)
  }
  return file
}

/** Writes a report's page, and the folder that it is to be in. */
export async function writeReportFile(file: string, page: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true })
  await writeInOneStep(file, page)
}
