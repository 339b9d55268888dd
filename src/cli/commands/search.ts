import type { Command } from 'commander'
import type { Embedder } from '../../embedding/embedder.js'
import type { SearchResponse } from '../../searcher-types.js'
import { CliError, failureOf } from '../failure.js'
import type { RunInternals } from '../run.js'
import type { SearchSession } from '../search/search-session.js'
import type { SearchTarget } from '../search/search-target.js'
import {
  addJsonOption,
  addModelOptions,
  addSourceOptions,
  embedderOf,
  type ModelOptions,
  type SourceOptions,
  score,
  serversOf,
  wholeNumber,
} from '../shared-options.js'
import type { LoadedSource } from '../sources/tool-source.js'
import type { Terminal } from '../terminal.js'
import { SOURCES_HELP } from './build.js'

interface SearchCommandOptions extends SourceOptions, ModelOptions {
  readonly query?: string
  readonly index?: string
  readonly topK?: number
  readonly minScore?: number
  readonly explain?: boolean
  readonly watch?: boolean
}

const EXAMPLES = `
Examples:
  $ mastra-semantic-tool-search search tool-index "send an email"
  $ mastra-semantic-tool-search search ./src/tools.ts#allTools "send an email" --explain
  $ mastra-semantic-tool-search search ./src/tools.ts --query "send an email" --watch
  $ mastra-semantic-tool-search search tool-index --top-k 3 --min-score 0.2
  $ mastra-semantic-tool-search search tool-index < queries.txt
  $ mastra-semantic-tool-search search tool-index "send an email" --json | jq -r '.results[].name'

A folder is an index; with tools, too, new and changed tools are searched as an agent would.
The last argument is the query when it is no file; --query says so without a doubt.
Without a query, each line that you type (or of stdin) is searched; Ctrl-D ends.`

export function addSearchCommand(program: Command, terminal: Terminal, internals: RunInternals): void {
  const command = program
    .command('search')
    .description('Search tools, or an index that stores their texts, exactly as an agent does.')
    .argument('[index-or-tools...]', 'folder of an index, or tools; then the query')
    .option('-q, --query <text>', 'what to search for')
    .option('--index <folder>', 'index of the tools')
    .option('-k, --top-k <count>', 'most results, 1 or more (default: 5)', wholeNumber)
    .option('--min-score <score>', 'results score above it, 0 to 1 (default: as the processor)', score)
    .option('--explain', 'show both parts of each score, and what was cut and why')
    .option('--watch', 'search again whenever a source or the index changes')
  addSourceOptions(command)
  addModelOptions(command)
  addJsonOption(command)
    .addHelpText('after', SOURCES_HELP + EXAMPLES)
    .action((items: string[], options: SearchCommandOptions) => runSearch(items, options, terminal, internals))
}

async function runSearch(
  items: readonly string[],
  options: SearchCommandOptions,
  terminal: Terminal,
  internals: RunInternals,
): Promise<void> {
  const { searchTarget } = await import('../search/search-target.js')
  const target = searchTarget(items, options)
  rejectContradictions(target, options, terminal)
  const { embedderWithProgress } = await import('../search/search-session.js')
  const embedder = embedderWithProgress(await embedderOf(options, internals), terminal)
  const { loadServers } = await import('../sources/load-sources.js')
  const servers = await loadServers({ ...target, ...serversOf(options) }, terminal)
  const scene: Scene = { target, options, servers, embedder, terminal }
  if (options.watch) return watchSearch(scene)
  const session = await openScene(scene)
  if (target.query !== undefined) return searchOnce(scene, session, target.query)
  return searchAll(scene, session)
}

/** All that a search needs, beside what changes between two of them. */
interface Scene {
  readonly target: SearchTarget
  readonly options: SearchCommandOptions
  /** Listed once: starting a server at every change of a file takes too long. */
  readonly servers: readonly LoadedSource[]
  readonly embedder: Embedder
  readonly terminal: Terminal
}

function rejectContradictions(
  { query, files }: SearchTarget,
  { watch }: SearchCommandOptions,
  { json }: Terminal,
): void {
  const readsStdin = files.some(file => file === '-' || file.endsWith('=-'))
  if (readsStdin && (query === undefined || watch)) {
    const cure = 'Give the query as an argument, and the tools in a file to watch them.'
    throw new CliError('WRONG_USE', `stdin ("-") holds the tools, so it cannot be asked or watched. ${cure}`)
  }
  if (!watch) return
  if (query === undefined)
    throw new CliError('WRONG_USE', '--watch needs a query, as --query "…" or the last argument.')
  if (json)
    throw new CliError('WRONG_USE', '--watch and --json exclude each other: JSON is one document, a watch has many.')
}

async function openScene({ target, servers, embedder, terminal }: Scene, isFresh = false): Promise<SearchSession> {
  const { loadFiles, mergeSources } = await import('../sources/load-sources.js')
  const { openSession } = await import('../search/search-session.js')
  const hasTools = target.files.length > 0 || servers.length > 0
  const tools = hasTools
    ? mergeSources([...(await loadFiles(target.files, terminal, { isFresh })), ...servers]).tools
    : undefined
  return openSession({ index: target.index, tools }, embedder, terminal)
}

function search({ searcher }: SearchSession, query: string, { options, terminal }: Scene): Promise<SearchResponse> {
  const { topK, minScore } = options
  // Always explained: an empty table says how near the best came.
  return searcher.search(query, { topK, minScore, explain: true, abortSignal: terminal.abortSignal })
}

async function show(
  response: SearchResponse,
  query: string,
  { size, learnt }: SearchSession,
  scene: Scene,
): Promise<void> {
  const { printResults } = await import('../search/results-table.js')
  const { topK, minScore, explain = false } = scene.options
  printResults(response, { query, size, topK, minScore, isExplained: explain, learnt }, scene.terminal)
}

function jsonOf(
  query: string,
  { results, mode, candidates, smallTalk }: SearchResponse,
  { explain }: SearchCommandOptions,
) {
  return { query, mode, results, ...(explain && { candidates, smallTalk }) }
}

async function searchOnce(scene: Scene, session: SearchSession, query: string): Promise<void> {
  const response = await search(session, query, scene)
  await show(response, query, session, scene)
  scene.terminal.printJson(jsonOf(query, response, scene.options))
}

/** Each line of stdin; with `--json` one document of all searches at its end. */
async function searchAll(scene: Scene, session: SearchSession): Promise<void> {
  const { searchLines } = await import('../search/prompt.js')
  const searches: object[] = []
  await searchLines(scene.terminal, async query => {
    const response = await search(session, query, scene)
    await show(response, query, session, scene)
    scene.terminal.print()
    searches.push(jsonOf(query, response, scene.options))
  })
  scene.terminal.printJson({ searches })
}

/** Until Ctrl-C. What breaks while files are edited is told, and the watch goes on. */
async function watchSearch(scene: Scene): Promise<void> {
  const { target, terminal } = scene
  const { watchChanges } = await import('../search/watch.js')
  const query = target.query!
  // Before the first look, so that no change falls between the two.
  const changes = watchChanges(target, terminal.abortSignal)
  try {
    await searchOnce(scene, await openScene(scene), query)
    for (;;) {
      terminal.note(terminal.errorColors.gray('Watching for changes; Ctrl-C ends.'))
      const name = await changes.next()
      terminal.print()
      terminal.print(terminal.colors.gray(`${name} changed`))
      try {
        await searchOnce(scene, await openScene(scene, true), query)
      } catch (error) {
        if (terminal.abortSignal.aborted) throw error
        terminal.note(terminal.errorColors.red(failureOf(error, false).message))
      }
    }
  } finally {
    changes.close()
  }
}
