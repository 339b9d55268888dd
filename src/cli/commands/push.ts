import { resolve } from 'node:path'
import { type Command, Option } from 'commander'
import { checkStoreAddress, DEFAULT_REMOVE_AFTER_MS } from '../../options.js'
import { vectorIndexName } from '../../vector-index-name.js'
import type { PushReport } from '../../vector-store/push.js'
import { showProgress } from '../build-progress.js'
import { CliError, EXIT_WRONG_USE, failureOf, stackOf } from '../failure.js'
import type { Secrets } from '../push/secrets.js'
import type { RunInternals } from '../run.js'
import {
  addJsonOption,
  addModelOptions,
  addSourceOptions,
  embedderOf,
  type ModelOptions,
  numberBetween,
  type SourceOptions,
  serversOf,
} from '../shared-options.js'
import { printable, type Terminal, whole } from '../terminal.js'
import { SOURCES_HELP } from './build.js'

interface PushCommandOptions extends SourceOptions, ModelOptions {
  readonly url?: string
  readonly indexName: string
  readonly namespace?: string
  readonly schema?: string
  readonly index?: string
  readonly prune?: boolean
  /** Hours. */
  readonly removeAfter?: number
}

const URL_VARIABLE = 'VECTOR_STORE_URL'
const DEFAULT_INDEX_NAME = 'tools'

const MS_PER_HOUR = 3_600_000
const DEFAULT_REMOVE_AFTER_HOURS = DEFAULT_REMOVE_AFTER_MS / MS_PER_HOUR
// Ten years.
const MAX_REMOVE_AFTER_HOURS = 87_600

const EXAMPLES = `
Examples:
  $ mastra-semantic-tool-search push ./src/tools.ts#allTools --url "postgresql://user:pass@host/db"
  $ mastra-semantic-tool-search push tool-index --url "$DATABASE_URL" --index-name tools --namespace acme
  $ mastra-semantic-tool-search push ./src/tools.ts --index tool-index --url "$DATABASE_URL"
  $ ${URL_VARIABLE}="$DATABASE_URL" mastra-semantic-tool-search push tool-index --prune --json
  $ mastra-semantic-tool-search push tool-index --url file:./tools.db

A folder is an index, whose vectors are taken as the model made them, without what adapt has learnt; the rest is embedded.
Only what is new or changed is written, so that an interrupted push goes on where it ended. Give --remove-after what the
processes have as removeAfterMs: the shortest decides. Needs @mastra/pg or @mastra/libsql, by the scheme of the URL.

Exit codes: 0 ok, 1 the work failed, 2 wrong use.`

const LEARNT_IS_LEFT =
  'The index has learnt from queries (adapt, tune --calibrate). A store holds the vectors as the model made them, so that searches through it do without.'

const LABELS = { list: 'Listing rows', upsert: 'Writing rows', remove: 'Removing rows' }

export function addPushCommand(program: Command, terminal: Terminal, internals: RunInternals): void {
  const command = program
    .command('push')
    .description('Write tools, or an index, to a Mastra vector store that many processes share.')
    .argument('[index-or-tools...]', 'folder of an index, or tools, see below')
    .addOption(
      new Option('--url <url>', `of the store; keep passwords out of logs with ${URL_VARIABLE} in the environment`),
    )
    .option('--index-name <name>', 'name of the index in the store', DEFAULT_INDEX_NAME)
    .option('--namespace <name>', 'keeps catalogs apart, such as those of tenants (default: none)')
    .option('--schema <name>', 'schema of PostgreSQL, as in PgVector (default: that of the connection)')
    .option('--index <folder>', 'index of the tools')
    .addOption(
      new Option(
        '--remove-after <hours>',
        `delete rows of tools that are gone for so long; as removeAfterMs (default: ${DEFAULT_REMOVE_AFTER_HOURS})`,
      ).argParser(numberBetween(0, MAX_REMOVE_AFTER_HOURS)),
    )
    .option('--prune', 'delete rows of tools that are gone at once: no older version may run')
  addSourceOptions(command)
  addModelOptions(command)
  addJsonOption(command)
    .addHelpText('after', SOURCES_HELP + EXAMPLES)
    .action((items: string[], options: PushCommandOptions) => runPush(items, options, terminal, internals))
}

async function runPush(
  items: readonly string[],
  options: PushCommandOptions,
  terminal: Terminal,
  internals: RunInternals,
): Promise<void> {
  const url = options.url ?? terminal.env[URL_VARIABLE]
  if (!url) {
    throw new CliError('WRONG_USE', `Expected the store's address, as --url or ${URL_VARIABLE}, got none.`)
  }
  const { secretsOf } = await import('../push/secrets.js')
  const secrets = secretsOf(url)
  try {
    await push(items, options, { url, secrets }, terminal, internals)
  } catch (error) {
    terminal.abortSignal.throwIfAborted()
    throw withoutSecrets(error, secrets)
  }
}

async function push(
  items: readonly string[],
  options: PushCommandOptions,
  { url, secrets }: { url: string; secrets: Secrets },
  terminal: Terminal,
  internals: RunInternals,
): Promise<void> {
  const { abortSignal } = terminal
  const { indexName, namespace, schema } = options
  const removeAfterHours = removeAfterHoursOf(options)
  checkStoreAddress({ indexName, namespace })
  const { searchTarget } = await import('../search/search-target.js')
  // With a query given, no argument is taken for one.
  const { index, files } = searchTarget(items, { ...options, query: '' })
  // Before a tools module runs: it may change the working directory.
  const folder = index === undefined ? undefined : resolve(index)
  const embedder = await embedderOf(options, internals)
  const { openStore } = await import('../push/open-store.js')
  const { store, close } = await openStore(url, schema)
  try {
    const { loadSources } = await import('../sources/load-sources.js')
    const { openToolIndex } = await import('../../artifact/open.js')
    const { defaultEmbedder } = await import('../../embedding/default-embedder.js')
    const { pushCatalog } = await import('../../vector-store/push.js')
    const hasTools = files.length > 0 || options.mcp.length > 0
    const tools = hasTools ? (await loadSources({ files, ...serversOf(options) }, terminal)).tools : undefined
    const prebuilt = folder === undefined ? undefined : await openToolIndex(folder, { abortSignal })
    if (prebuilt?.adaptation || prebuilt?.manifest.calibration) {
      terminal.note(terminal.errorColors.yellow(LEARNT_IS_LEFT))
    }
    const name = vectorIndexName({ store, indexName, namespace })
    const { onProgress, end } = showProgress(terminal, LABELS)
    const report = await pushCatalog({
      store,
      index: name,
      namespace,
      tools,
      prebuilt,
      embedder: () => embedder ?? defaultEmbedder(),
      removeAfterMs: removeAfterHours * MS_PER_HOUR,
      onProgress,
      abortSignal,
    }).finally(end)
    printReport(report, { name, shownUrl: secrets.shownUrl, removeAfterHours }, terminal)
    terminal.printJson({ ...jsonOf(report), index: name, namespace: namespace ?? null, url: secrets.shownUrl })
  } finally {
    // What hangs is not waited for: the process ends after the command.
    close().catch(() => {})
  }
}

function removeAfterHoursOf({ prune, removeAfter }: PushCommandOptions): number {
  if (prune && removeAfter !== undefined) {
    throw new CliError('WRONG_USE', '--prune and --remove-after exclude each other: --prune deletes at once.')
  }
  return prune ? 0 : (removeAfter ?? DEFAULT_REMOVE_AFTER_HOURS)
}

function withoutSecrets(error: unknown, { redact }: Secrets): unknown {
  const { code, message, exitCode } = failureOf(error, false)
  const told = `${message} ${error instanceof Error ? stackOf(error) : ''}`
  if (redact(told) === told) return error
  // Without the stack and the cause, which may have them, too.
  return new CliError(exitCode === EXIT_WRONG_USE ? 'WRONG_USE' : 'STORE_FAILED', redact(`${message} (${code})`))
}

function jsonOf({ tools, modelId, kept, added, removed, leaving }: PushReport) {
  return { tools, model: modelId, kept, added, removed, leaving }
}

function printReport(
  { tools, modelId, kept, added, removed, leaving }: PushReport,
  { name, shownUrl, removeAfterHours }: { name: string; shownUrl: string; removeAfterHours: number },
  { print, colors }: Terminal,
): void {
  const row = (title: string, value: string) => print(`  ${colors.gray(title.padEnd(8))}  ${value}`)
  const isSame = added + removed === 0
  print(colors.bold(isSame ? 'The store is up to date, no row was written' : 'Pushed to the store'))
  row('tools', whole(tools))
  row('rows', `${whole(added)} written, ${whole(kept)} kept, ${whole(removed)} removed`)
  if (leaving > 0) {
    const when = `by a push or start ${removeAfterHours} h or more after they were marked`
    row('', `${whole(leaving)} of tools that are gone are deleted ${when} (--prune: at once)`)
  }
  row('model', printable(modelId))
  row('index', printable(name))
  row('store', printable(shownUrl))
}
