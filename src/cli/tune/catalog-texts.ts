import { openToolIndex } from '../../artifact/open.js'
import { storedCatalog } from '../../artifact/stored-catalog.js'
import { type CatalogEntry, createCatalog, type ToolLike } from '../../catalog/catalog.js'
import { documentOf } from '../../catalog/document.js'
import type { DraftTool } from '../../tuning/draft/draft.js'

/** What tuning reads of the catalog beside its searcher. */
export interface CatalogTexts {
  readonly names: ReadonlySet<string>
  /** Each tool's document; without texts, the words of its name. */
  readonly texts: ReadonlyMap<string, string>
  readonly draftTools: readonly DraftTool[]
  /** False for an index that does not store the texts. */
  readonly hasTexts: boolean
}

/** The texts of these tools, or of an index alone. */
export async function catalogTexts(
  { index, tools }: { index: string | undefined; tools: Record<string, ToolLike> | undefined },
  abortSignal: AbortSignal,
): Promise<CatalogTexts> {
  if (tools) return textsOf(createCatalog(tools).entries(), true)
  const opened = await openToolIndex(index!, { abortSignal })
  const catalog = storedCatalog(opened)
  const entries = opened.manifest.tools.map(({ name }) => catalog.byName(name)!)
  return textsOf(entries, opened.documents !== undefined)
}

function textsOf(entries: Iterable<CatalogEntry>, hasTexts: boolean): CatalogTexts {
  const tools = Array.from(entries, entry => ({ name: entry.name, document: documentOf(entry) }))
  return {
    names: new Set(tools.map(({ name }) => name)),
    texts: new Map(tools.map(({ name, document }) => [name, document.text])),
    draftTools: tools.map(({ name, document: { description, parameters } }) => ({
      name,
      description,
      parameters: parameterNames(parameters),
    })),
    hasTexts,
  }
}

/** Of "city name: Where to look. units (metric, imperial)." the words before the colon or bracket. */
function parameterNames(parameters: string): string[] {
  return parameters
    .split(/(?<=[.!?。])\s+/)
    .map(part => part.split(/[:(.]/, 1)[0]!.trim())
    .filter(name => name !== '' && name.split(' ').length <= MAX_NAME_WORDS)
}

// Longer ones are sentences of a description.
const MAX_NAME_WORDS = 4
