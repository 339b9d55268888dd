import { resolve } from 'node:path'
import type { CalibrateReport } from '../../adapt/calibrate-index.js'
import type { ToolLike } from '../../catalog/catalog.js'
import type { LabelledQuery } from '../../tuning/evaluated-query.js'
import { showBuildProgress } from '../build-progress.js'
import type { TuneCommandOptions } from '../commands/tune.js'
import { CliError } from '../failure.js'
import type { RunInternals } from '../run.js'
import { embedderWithProgress, openSession, type SearchSession } from '../search/search-session.js'
import { searchTarget } from '../search/search-target.js'
import { embedderOf, type SourceOptions, serversOf } from '../shared-options.js'
import { loadSources } from '../sources/load-sources.js'
import type { Terminal } from '../terminal.js'
import { type CatalogTexts, catalogTexts } from './catalog-texts.js'

/** The catalog that queries are about. */
export interface TuneCatalog extends CatalogTexts {
  /** Loads the model and embeds what is not embedded yet. */
  open(): Promise<SearchSession>
  /** Fits the score to queries, and stores it in the index. */
  calibrate(queries: readonly LabelledQuery[], seed: number): Promise<CalibrateReport>
}

/** What the arguments name: nothing of it is embedded. */
export interface ReadCatalog extends CatalogTexts {
  readonly index: string | undefined
  readonly tools: Record<string, ToolLike> | undefined
}

export type CatalogArguments = SourceOptions & { readonly queries?: string; readonly index?: string }

/** Reads the index or tools that the arguments name, but embeds nothing yet: a bad queries file is told at once. */
export async function tuneCatalog(
  items: readonly string[],
  options: TuneCommandOptions,
  terminal: Terminal,
  internals: RunInternals,
): Promise<TuneCatalog> {
  // Before a tools module runs: it may change the working directory.
  const cwd = process.cwd()
  const { index, tools, ...texts } = await readCatalog(items, options, terminal)
  const own = await embedderOf(options, internals)
  const embedder = embedderWithProgress(own, terminal)
  if (options.calibrate && index === undefined) {
    throw new CliError(
      'WRONG_USE',
      '--calibrate stores the fitted score in an index, and none is given. Build one: mastra-semantic-tool-search build.',
    )
  }
  return {
    ...texts,
    open: () => openSession({ index, tools }, embedder, terminal),
    async calibrate(queries, seed) {
      const { calibrateToolIndex } = await import('../../adapt/calibrate-index.js')
      const { onProgress, end } = showBuildProgress(terminal)
      const warn = (message: string) => terminal.note(terminal.errorColors.yellow(message))
      const { abortSignal } = terminal
      const work = { queries, index: resolve(cwd, index!), tools, embedder: own, seed, onProgress, abortSignal, warn }
      return calibrateToolIndex(work).finally(end)
    },
  }
}

/** Reads the index or tools that the arguments name. */
export async function readCatalog(
  items: readonly string[],
  options: CatalogArguments,
  terminal: Terminal,
): Promise<ReadCatalog> {
  // With a query given, no argument is taken for one.
  const { index, files } = searchTarget(items, { index: options.index, mcp: options.mcp, query: '' })
  if (options.queries === '-' && files.some(file => file === '-' || file.endsWith('=-'))) {
    throw new CliError(
      'WRONG_USE',
      'stdin ("-") cannot hold both the tools and the queries. Give one of them as a file.',
    )
  }
  const hasTools = files.length > 0 || options.mcp.length > 0
  const tools: Record<string, ToolLike> | undefined = hasTools
    ? (await loadSources({ files, ...serversOf(options) }, terminal)).tools
    : undefined
  const texts = await catalogTexts({ index, tools }, terminal.abortSignal)
  return { ...texts, index, tools }
}
