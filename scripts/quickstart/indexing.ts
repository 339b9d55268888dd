import { type Embedder, transformersEmbedder } from '../../src/index.js'
import { type CatalogTool, countServers } from './catalog.js'
import { colors, print, printBlank, progressLine, seconds } from './terminal.js'

// The embedder's own batches are no larger, so that reporting costs no speed.
const TEXTS_PER_REPORT = 32

/** The bundled model; `onProgress` gets the share (0–1) of the documents' text that is embedded. */
function reportingEmbedder(onProgress: (share: number) => void): Embedder {
  const embedder = transformersEmbedder()
  return {
    ...embedder,
    async embedDocuments(texts, options) {
      const rows = texts.map((_, row) => row).sort((a, b) => texts[a]!.length - texts[b]!.length)
      const total = texts.reduce((sum, { length }) => sum + length, 0)
      const embeddings = new Array<Float32Array | readonly number[]>(texts.length)
      let done = 0
      for (let start = 0; start < rows.length; start += TEXTS_PER_REPORT) {
        const part = rows.slice(start, start + TEXTS_PER_REPORT)
        const found = await embedder.embedDocuments(
          part.map(row => texts[row]!),
          options,
        )
        part.forEach((row, at) => {
          embeddings[row] = found[at]!
          done += texts[row]!.length
        })
        onProgress(total === 0 ? 1 : done / total)
      }
      return embeddings
    },
  }
}

/** Makes a searcher or processor with `create`, and loads the model and indexes the catalog, saying how long it took. */
export async function withIndex<T extends { warmup(): Promise<void> }>(
  catalog: readonly CatalogTool[],
  create: (embedder: Embedder) => T,
): Promise<T> {
  const what = `${catalog.length} tools of ${countServers(catalog)} MCP servers`
  const progress = progressLine(`Indexing ${what}`)
  try {
    const embedder = reportingEmbedder(progress.show)
    const start = performance.now()
    await embedder.load?.()
    const loaded = performance.now()
    const searchable = create(embedder)
    await searchable.warmup()
    const indexed = performance.now()
    progress.end()
    const times = `model loaded in ${seconds(loaded - start)}, tools indexed in ${seconds(indexed - loaded)}`
    print(`${colors.green('✔')} ${what}: ${times}`)
    printBlank()
    return searchable
  } finally {
    progress.end()
  }
}
