import type { ToolLike } from '../../catalog/catalog.js'
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
  const { index, tools, ...texts } = await readCatalog(items, options, terminal)
  const embedder = embedderWithProgress(await embedderOf(options, internals), terminal)
  return { ...texts, open: () => openSession({ index, tools }, embedder, terminal) }
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
