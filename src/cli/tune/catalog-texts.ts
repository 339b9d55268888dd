import { openToolIndex } from '../../artifact/open.js'
import { createCatalog, type ToolLike } from '../../catalog/catalog.js'
import { type DocumentFields, documentOf, documentOfFields } from '../../catalog/document.js'
import { nameWords } from '../../lexical/tokens.js'
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
  if (tools) {
    const entries = [...createCatalog(tools).entries()].map(entry => ({ name: entry.name, fields: documentOf(entry) }))
    return textsOf(entries, true)
  }
  const { manifest, documents } = await openToolIndex(index!, { abortSignal })
  const entries = manifest.tools.map(({ name }, row) => {
    const nameOnly = { name: nameWords(name).join(' '), description: '', parameters: '' }
    return { name, fields: documents?.[row] ?? nameOnly }
  })
  return textsOf(entries, documents !== undefined)
}

function textsOf(tools: readonly { name: string; fields: DocumentFields }[], hasTexts: boolean): CatalogTexts {
  return {
    names: new Set(tools.map(({ name }) => name)),
    texts: new Map(tools.map(({ name, fields }) => [name, documentOfFields(fields).text])),
    draftTools: tools.map(({ name, fields: { description, parameters } }) => ({
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
