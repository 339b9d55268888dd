import { open, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { show } from '../show.js'
import { makeFolder, writeInOneStep } from '../write-file.js'
import { CliError } from './failure.js'

/** The file of `--html` to write, absolute; refused before the work where it is a folder, or a file of other things. */
export async function reportFile(html: string): Promise<string> {
  const file = resolve(html)
  const found = await stat(file).catch(() => undefined)
  if (found?.isDirectory() || html === '' || html.endsWith('/')) {
    throw new CliError('WRONG_USE', `Expected --html to be a file, got the folder ${show(html)}. Name a file in it.`)
  }
  if (found && !(await isPage(file))) {
    const cure = 'Name another file, or remove it first.'
    throw new CliError('WRONG_USE', `--html would overwrite ${show(html)}, which is no HTML page. ${cure}`)
  }
  return file
}

/** Whether a file starts as an HTML page does; an empty one is nobody's loss. */
async function isPage(file: string): Promise<boolean> {
  const handle = await open(file, 'r')
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(64), 0, 64, 0)
    return bytesRead === 0 || /^\s*<!doctype html/i.test(buffer.toString('latin1', 0, bytesRead))
  } finally {
    await handle.close()
  }
}

/** Writes a report's page, and the folder that it is to be in. */
export async function writeReportFile(file: string, page: string): Promise<void> {
  await makeFolder(dirname(file))
  await writeInOneStep(file, page)
}
