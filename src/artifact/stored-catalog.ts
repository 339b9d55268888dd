import { type Catalog, createCatalog } from '../catalog/catalog.js'
import { documentOfFields, setDocument } from '../catalog/document.js'
import { nameWords } from '../lexical/tokens.js'
import { createCatalogSearcher, searcherOf, type ToolSearcher, type ToolSearcherOptions } from '../searcher.js'
import { warnOnce } from '../warn-once.js'
import type { ToolIndex } from './tool-index.js'

/**
 * The catalog that an index was built from, as far as the index has it: names, and the documents' texts where they were
 * stored. Its tools cannot be called.
 */
export function storedCatalog({ manifest, documents, rowOfName }: ToolIndex): Catalog {
  const catalog = createCatalog(Object.fromEntries(manifest.tools.map(({ name }) => [name, { id: name }])))
  for (const entry of catalog.entries()) {
    const row = rowOfName(entry.name)!
    const fields = documents?.[row] ?? { name: nameWords(entry.name).join(' '), description: '', parameters: '' }
    // The hash of the document that the index was built from, so that its vector is found.
    setDocument(entry, { ...documentOfFields(fields), hash: manifest.tools[row]!.documentHash })
  }
  return catalog
}

/** Searches an index alone, without its tools: their vectors, and the words of their names or stored documents. */
export function createIndexSearcher(
  index: ToolIndex,
  { embedder, strict = false, warn = console.warn }: Pick<ToolSearcherOptions, 'embedder' | 'strict' | 'warn'> = {},
): ToolSearcher {
  const catalog = storedCatalog(index)
  const prebuilt = { index, onStale: 'update', catalog, includeResolvedTools: false } as const
  return searcherOf(catalog, createCatalogSearcher({ embedder, strict, warn: warnOnce(warn), index: prebuilt }))
}
