import type { CatalogEntry } from '../catalog/catalog.js'
import { documentOf } from '../catalog/document.js'
import type { ToolIndex, ToolIndexDrift } from './tool-index.js'

/** A tool of the catalog: its callable name, and the hash of its document. */
export interface HashedTool {
  readonly name: string
  readonly hash: string
}

/** Names, sorted, of the tools whose documents differ between an index's manifest and a catalog. */
export function driftOf({ tools }: ToolIndex['manifest'], catalog: readonly HashedTool[]): ToolIndexDrift {
  const stored = new Map(tools.map(({ name, documentHash }) => [name, documentHash]))
  const added: string[] = []
  const changed: string[] = []
  for (const { name, hash } of catalog) {
    const there = stored.get(name)
    if (there === undefined) added.push(name)
    else if (there !== hash) changed.push(name)
    stored.delete(name)
  }
  return { added: added.sort(), changed: changed.sort(), removed: [...stored.keys()].sort() }
}

/** The tools of a catalog with the hashes of their documents. */
export function hashedTools(entries: Iterable<CatalogEntry>): HashedTool[] {
  return Array.from(entries, entry => ({ name: entry.name, hash: documentOf(entry).hash }))
}

/** Whether anything differs. */
export function hasDrift({ added, changed, removed }: ToolIndexDrift): boolean {
  return added.length + changed.length + removed.length > 0
}

/** What to say of an index in a folder whose tools are not those of the catalog. */
export function staleness(path: string, drift: ToolIndexDrift): string {
  return `The tools differ from those that the index "${path}" was built from: ${countDrift(drift)}.`
}

/** Such as "3 new, 1 changed, 0 gone". */
export function countDrift({ added, changed, removed }: ToolIndexDrift): string {
  return `${added.length} new, ${changed.length} changed, ${removed.length} gone`
}
