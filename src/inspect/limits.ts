import type { Checks } from './inspect.js'

/** What the lint could not look at, in sentences, so that silence is not taken for praise. */
export function limitsOf({ comparedAll, probed }: Checks): string[] {
  return [
    comparedAll ? '' : 'Neighbours come from the graph, so that a few near-duplicates may be missing.',
    probed ? '' : 'Over-broad texts were looked for among neighbours only, not by the bundled model.',
  ].filter(Boolean)
}
