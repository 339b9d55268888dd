import type { ToolStep } from './tool-step.js'

/** Most names that `load_tool` suggests for one that it does not find. */
export const MAX_SUGGESTIONS = 3

/**
 * Up to three names that contain the wanted one or are contained in it, read without case and separators, in catalog
 * order. Only names that this request may find and load: a refused name must look like an unknown one.
 */
export async function suggestNames(wanted: string, { catalog, isAllowed }: ToolStep): Promise<string[]> {
  const needle = plain(wanted)
  const suggestions: string[] = []
  if (needle === '') return suggestions
  for (const entry of catalog.entries()) {
    const name = plain(entry.name)
    if (name === '' || !(name.includes(needle) || needle.includes(name))) continue
    if (!(await isAllowed(entry, 'search')) || !(await isAllowed(entry, 'load'))) continue
    suggestions.push(entry.name)
    if (suggestions.length === MAX_SUGGESTIONS) break
  }
  return suggestions
}

const plain = (name: string) => name.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '')
