import { documentVectorOfRow } from '../artifact/indexed-layer.js'
import { rejectMismatch } from '../artifact/manifest.js'
import type { ToolIndex } from '../artifact/tool-index.js'
import { createCatalog, type ToolLike } from '../catalog/catalog.js'
import { documentOf, type ToolDocument } from '../catalog/document.js'
import { checkedEmbedder } from '../embedding/checked.js'
import { embedTexts, textToEmbed } from '../embedding/document-vectors.js'
import type { Embedder } from '../embedding/embedder.js'
import type { CachedVector } from '../embedding/vector-cache.js'
import type { StoreTarget } from './rows.js'
import { type SyncDocument, type SyncProgress, type SyncReport, synchronise } from './synchronise.js'

export interface PushOptions extends Pick<StoreTarget, 'store' | 'index' | 'namespace'> {
  /** The catalog; without it, that of `prebuilt`. */
  readonly tools: Record<string, ToolLike> | undefined
  /** Its vectors are not embedded again; they are taken without its adaptation, which a store's searches do not have. */
  readonly prebuilt: ToolIndex | undefined
  /** Used where a document is not in `prebuilt`; made only then. */
  readonly embedder: () => Embedder
  readonly removeAfterMs: number
  readonly onProgress: (progress: SyncProgress) => void
  readonly abortSignal: AbortSignal
}

export interface PushReport extends SyncReport {
  readonly tools: number
  readonly modelId: string
}

/**
 * Makes a store hold the catalog of `tools`, or of a prebuilt index alone, as a processor with this store does.
 * @throws as `synchronise`, and {IndexMismatchError} for an index of another model than the embedder's.
 */
export async function pushCatalog(options: PushOptions): Promise<PushReport> {
  const { tools, prebuilt, store, index, namespace, removeAfterMs, onProgress, abortSignal } = options
  const ofTools = tools && documentsOf(tools)
  const embedder = tools && checkedEmbedder(options.embedder())
  if (prebuilt) rejectMismatch(prebuilt.manifest, embedder, prebuilt.path)
  const { modelId, dimensions } = embedder ?? {
    modelId: prebuilt!.manifest.model.id,
    dimensions: prebuilt!.manifest.model.dimensions,
  }
  const all = ofTools?.tools ?? prebuilt!.manifest.tools.map(({ name, documentHash }) => ({ name, hash: documentHash }))
  const stored = ({ hash }: SyncDocument) => {
    const row = prebuilt?.rowOfDocument(hash)
    return row === undefined ? undefined : documentVectorOfRow(prebuilt!, row)
  }

  async function vectorsOf(documents: readonly SyncDocument[]): Promise<readonly CachedVector[]> {
    const missing = documents.filter(document => !stored(document))
    const lacking = missing.map(({ hash }) => textToEmbed(ofTools!.byHash.get(hash)!))
    const vectors = await embedTexts(lacking, embedder!, { abortSignal, independent: true })
    const embedded = new Map(missing.map(({ hash }, i) => [hash, vectors[i]!]))
    return documents.map(document => stored(document) ?? embedded.get(document.hash)!)
  }

  const report = await synchronise(
    { store, index, namespace, modelId, dimensions },
    {
      // Names stay those of the first tool, and each hash is there once.
      documents: [...new Map([...all].reverse().map(tool => [tool.hash, tool])).values()].reverse(),
      vectorsOf,
      isEmbedding: !prebuilt,
      writes: true,
      removeAfterMs,
      onProgress,
      abortSignal,
    },
  )
  return { ...report, tools: all.length, modelId }
}

function documentsOf(record: Record<string, ToolLike>) {
  const byHash = new Map<string, ToolDocument>()
  const tools = Array.from(createCatalog(record).entries(), (entry): SyncDocument => {
    const document = documentOf(entry)
    byHash.set(document.hash, document)
    return { hash: document.hash, name: entry.name }
  })
  return { tools, byHash }
}
