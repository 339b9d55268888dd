import { draftQueries } from '../../tuning/draft/draft.js'
import type { TuneCommandOptions } from '../commands/tune.js'
import type { RunInternals } from '../run.js'
import { type Terminal, whole } from '../terminal.js'
import { queriesOutput, type WrittenQuery, writeQueries } from './queries-output.js'
import { tuneCatalog } from './tune-catalog.js'

/** Writes queries that are made of the tools' own texts. */
export async function runDraft(
  items: readonly string[],
  options: TuneCommandOptions,
  count: number,
  terminal: Terminal,
  internals: RunInternals,
): Promise<void> {
  const output = await queriesOutput(options.queries, options.force)
  const { draftTools, hasTexts, open } = await tuneCatalog(items, options, terminal, internals)
  const { searcher } = await open()
  const progress = terminal.progress('Looking for off-topic requests')
  const { seed } = options
  const { abortSignal, note, errorColors } = terminal
  const drafts = await draftQueries(draftTools, {
    count,
    seed,
    searcher,
    onProgress: progress.update,
    abortSignal,
  }).finally(() => progress.end())
  const queries = drafts.map((draft): WrittenQuery => ({ ...draft, draft: true }))
  await writeQueries(output, queries, terminal)

  const offTopic = queries.filter(({ relevant }) => relevant.length === 0).length
  note(`${whole(queries.length)} drafts, ${whole(offTopic)} of them off-topic${output.file ? `: ${output.file}` : ''}`)
  if (queries.length < count) {
    note(errorColors.yellow(`Fewer than ${whole(count)}: the catalog does not give more different ones.`))
  }
  if (!hasTexts) {
    note(errorColors.yellow('The index has no texts, so that drafts are made of names alone. Give the tools, too.'))
  }
  note('Edit them: say what your users say, correct "relevant", and take "draft" away. Then tune with the file.')
  terminal.printJson({ file: output.file ?? null, queries })
}
