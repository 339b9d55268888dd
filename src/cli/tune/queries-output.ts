import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { show } from '../../show.js'
import { writeInOneStep } from '../../write-file.js'
import { CliError } from '../failure.js'
import type { Terminal } from '../terminal.js'

export interface QueriesOutput {
  /** Undefined for stdout. */
  readonly file: string | undefined
}

export interface WrittenQuery {
  readonly query: string
  readonly relevant: readonly string[]
  readonly draft?: true
}

/** Where new queries go; refused before the work where a file is there that `--force` does not give up. */
export async function queriesOutput(file: string | undefined, force: boolean | undefined): Promise<QueriesOutput> {
  if (file === undefined || file === '-') return { file: undefined }
  const found = await stat(file).catch(() => undefined)
  if (found?.isDirectory())
    throw new CliError('WRONG_USE', `Expected --queries to be a file, got the folder ${show(file)}.`)
  if (/\.csv$/i.test(file)) {
    throw new CliError('WRONG_USE', `New queries are written as JSONL; name the file other than ${show(file)}.`)
  }
  if (found && !force) {
    const cure = 'Choose another file, or replace it with --force.'
    throw new CliError('WRONG_USE', `--queries ${show(file)} is there already, perhaps with your edits. ${cure}`)
  }
  return { file: resolve(file) }
}

/** Writes queries as JSONL, whole or not at all. */
export async function writeQueries(
  { file }: QueriesOutput,
  queries: readonly WrittenQuery[],
  { abortSignal, print }: Terminal,
): Promise<void> {
  const lines = queries.map(query => JSON.stringify(query))
  if (file === undefined) {
    for (const line of lines) print(line)
    return
  }
  abortSignal.throwIfAborted()
  await writeInOneStep(file, `${lines.join('\n')}\n`)
}
