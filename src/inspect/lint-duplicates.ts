import type { ToolIndex } from '../artifact/tool-index.js'
import type { Finding } from './finding.js'
import type { CatalogNeighbors } from './neighbors.js'

/** Cosine similarity from which on no search tells two tools apart by meaning. */
export const DUPLICATE_COSINE = 0.95

/** Sets of tools of which each has another at or above `DUPLICATE_COSINE`. */
export function lintDuplicates({ manifest }: ToolIndex, { groups }: CatalogNeighbors): Finding[] {
  return groups.list().map(({ rows, lowest, highest }): Finding => {
    const members = rows.map(row => manifest.tools[row]!)
    const tools = members.map(({ name }) => name)
    if (members.every(({ documentHash }) => documentHash === members[0]!.documentHash)) {
      return {
        rule: 'same-document',
        severity: 'error',
        tools,
        message: 'Their names, descriptions and parameters read the same.',
        value: highest,
      }
    }
    const range = rows.length === 2 ? cosine(highest) : `${cosine(lowest)} to ${cosine(highest)}`
    return {
      rule: 'near-duplicate',
      severity: 'warning',
      tools,
      message: `Cosine similarity ${range}.`,
      value: highest,
    }
  })
}

/** Three digits, and never a 1 that is none. */
const cosine = (similarity: number) => (Math.floor(Math.min(1, similarity) * 1000) / 1000).toFixed(3)
