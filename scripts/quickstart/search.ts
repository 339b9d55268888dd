import { createToolSearcher } from '../../src/index.js'
import { type CatalogTool, readCatalog } from './catalog.js'
import { withIndex } from './indexing.js'
import {
  BAR_WIDTH,
  type Column,
  colors,
  oneLine,
  print,
  printBlank,
  printColumns,
  printText,
  scoreBar,
  whole,
  width,
} from './terminal.js'

// Fewer cells than the longest names of the catalog need, so that the other columns keep room.
const MAX_NAME_WIDTH = 30
const MAX_SERVER_WIDTH = 20
const MIN_WIDTH_WITH_DESCRIPTION = 100
// Where the tool column starts: after rank, score and bar with their gaps.
const DESCRIPTION_INDENT = 23

/** Searches the catalog with any text, as `search_tools` does with the default options, and prints what was found. */
export async function runSearch(query: string): Promise<void> {
  const catalog = readCatalog()
  const byName = new Map(catalog.map(tool => [tool.id, tool]))
  const tools = Object.fromEntries(byName)
  const searcher = await withIndex(catalog, embedder => createToolSearcher({ tools, embedder, strict: true }))

  const start = performance.now()
  const { results, mode } = await searcher.search(query)
  const tookMs = performance.now() - start

  printQuery(query)
  printBlank()
  if (results.length === 0) {
    print(colors.yellow('No tool fits: none scores above the default minScore.'))
    printText(colors.gray('Say what a tool should do, for example "merge two PDF files" or "weather in a city".'))
  } else {
    printResults(results.map(({ name, score }) => ({ score, tool: byName.get(name)! })))
  }
  printBlank()
  const how = mode === 'hybrid' ? 'by meaning and words' : 'by words alone: the bundled model reads English'
  printText(colors.gray(`Found ${results.length} of ${catalog.length} tools in ${tookMs.toFixed(1)} ms (${how}).`))
}

interface Match {
  readonly score: number
  readonly tool: CatalogTool
}

/** A table with the description in its last column, or under each row where that column would be too narrow. */
function printResults(matches: readonly Match[]): void {
  const widest = (most: number, texts: string[]) => Math.min(most, Math.max(...texts.map(({ length }) => length)))
  const nameWidth = widest(MAX_NAME_WIDTH, ['tool', ...matches.map(({ tool }) => tool.id)])
  const serverWidth = widest(MAX_SERVER_WIDTH, ['server', ...matches.map(({ tool }) => tool.server)])
  const isNarrow = width < MIN_WIDTH_WITH_DESCRIPTION
  const layout: Column[] = [
    { width: 2, align: 'right' },
    { width: 5, align: 'right' },
    { width: BAR_WIDTH },
    { width: nameWidth },
    isNarrow ? { width: 'rest' } : { width: serverWidth },
    ...(isNarrow ? [] : [{ width: 'rest' } as const]),
  ]
  const printRow = (...cells: string[]) => printColumns([cells.slice(0, layout.length)], layout)
  printRow(...['#', 'score', '', 'tool', 'server', 'description'].map(colors.gray))
  for (const [at, { score, tool }] of matches.entries()) {
    const description = oneLine(tool.description)
    printRow(
      String(at + 1),
      score.toFixed(2),
      scoreBar(score),
      colors.bold(tool.id),
      colors.cyan(tool.server),
      description,
    )
    if (isNarrow) printColumns([[colors.gray(description)]], [{ width: 'rest' }], { indent: DESCRIPTION_INDENT })
  }
}

function printQuery(query: string): void {
  const line = `“${oneLine(query)}”`
  printColumns([[colors.bold(line)]], [{ width: 'rest' }])
  if (line.length > width) print(colors.gray(`${whole(query.length)} characters`))
}
