import { CliError } from '../failure.js'
import { isFolder, looksLikeSource } from '../sources/source-spec.js'

export interface SearchTarget {
  /** Folder of an index. */
  readonly index: string | undefined
  /** Modules and JSON files. */
  readonly files: readonly string[]
  readonly query: string | undefined
}

export interface TargetOptions {
  readonly query?: string | undefined
  readonly index?: string | undefined
  readonly mcp: readonly string[]
}

/**
 * Tells index, sources and query apart: a folder is an index, and the last argument is the query when there is
 * something before it to search in, and it neither exists nor looks like a path. `--query` leaves nothing to guess.
 */
export function searchTarget(items: readonly string[], options: TargetOptions): SearchTarget {
  const sources = [...items]
  let { query } = options
  const hasOther = sources.length > 1 || options.mcp.length > 0 || options.index !== undefined
  if (query === undefined && hasOther && sources.length > 0 && !looksLikeSource(sources.at(-1)!)) query = sources.pop()
  const indexes = [...(options.index === undefined ? [] : [options.index]), ...sources.filter(isFolder)]
  if (indexes.length > 1) {
    throw new CliError(
      'WRONG_USE',
      `Expected one index to search in, got ${indexes.map(each => `"${each}"`).join(' and ')}.`,
    )
  }
  const files = sources.filter(source => !isFolder(source))
  if (indexes.length === 0 && files.length === 0 && options.mcp.length === 0) {
    throw new CliError(
      'WRONG_USE',
      'Expected what to search in: the folder of an index, a module, a JSON file or --mcp.',
    )
  }
  return { index: indexes[0], files, query }
}
