import { printIntroduction } from './quickstart/introduction.js'
import { colors } from './quickstart/terminal.js'

const HELP = `Semantic tool search over the 510 tools of the bundled MCP catalog, offline.

  npm run quickstart                        an agent searches, loads and calls tools
  npm run quickstart -- "your own words"    searches the catalog with any text
  npm run quickstart -- --help              this text

Colours: on a terminal only, and not with NO_COLOR.`

const OPTION = /^--?[a-z][\w-]*$/i
const SEARCHABLE = /[\p{L}\p{N}\p{S}]/u

class UsageError extends Error {}

async function main(args: readonly string[]): Promise<void> {
  if (args.includes('--help') || args.includes('-h')) return console.log(HELP)
  const unknown = args.find(arg => OPTION.test(arg))
  if (unknown !== undefined) throw new UsageError(`Unknown option ${unknown}.`)
  // Imported late, so that something is on the screen while Mastra loads, which takes a second or more.
  if (args.length === 0) {
    printIntroduction()
    const { runDemo } = await import('./quickstart/demo.js')
    return runDemo()
  }
  const query = args.join(' ').trim()
  if (!SEARCHABLE.test(query)) throw new UsageError('Nothing to search for: the text has no words.')
  const { runSearch } = await import('./quickstart/search.js')
  return runSearch(query)
}

main(process.argv.slice(2)).catch((error: unknown) => {
  process.exitCode = 1
  if (error instanceof UsageError) console.error(`${colors.red(error.message)}\n\n${HELP}`)
  else if (hasCode(error)) console.error(colors.red(`${error.code}: ${error.message}`))
  else console.error(error)
})

/** True for failures with a known cause (this package's errors, a missing file), whose stack would tell nothing. */
function hasCode(error: unknown): error is Error & { code: string } {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
}
