import { resolve } from 'node:path'
import type { ToolIndexManifest } from '../../artifact/tool-index.js'
import type { ToolLike } from '../../catalog/catalog.js'
import { checkedEmbedder } from '../../embedding/checked.js'
import { defaultEmbedder } from '../../embedding/default-embedder.js'
import type { Embedder } from '../../embedding/embedder.js'
import type { ToolSearcher } from '../../searcher.js'
import { untilAborted } from '../../wait.js'
import type { Learnt } from '../learnt-text.js'
import type { Terminal } from '../terminal.js'

/** A searcher that is ready: its model loaded, its tools embedded. */
export interface SearchSession {
  readonly searcher: ToolSearcher
  /** Number of tools. */
  readonly size: number
  /** What was learnt from queries and is in force. */
  readonly learnt: Learnt
}

const NOTHING: Learnt = { adaptation: null, calibration: null }

export interface SessionSources {
  readonly index: string | undefined
  readonly tools: Record<string, ToolLike> | undefined
}

/** The searcher that agents use: over an index, over tools, or over tools with their index. */
export async function openSession(
  { index, tools }: SessionSources,
  embedder: Embedder,
  terminal: Terminal,
): Promise<SearchSession> {
  const { abortSignal } = terminal
  // Strict: who searches at a prompt wants to know that the model is missing, not see worse results.
  const options = {
    embedder,
    strict: true,
    warn: (message: string) => terminal.note(terminal.errorColors.yellow(message)),
  }
  const session = tools ? await overTools(tools, index, options) : await overIndex(index!, options, terminal)
  await untilAborted(session.searcher.warmup(), abortSignal)
  return session
}

interface Options {
  readonly embedder: Embedder
  readonly strict: boolean
  readonly warn: (message: string) => void
}

async function overTools(
  tools: Record<string, ToolLike>,
  index: string | undefined,
  options: Options,
): Promise<SearchSession> {
  const { createToolSearcher } = await import('../../searcher.js')
  const { readManifest } = await import('../../artifact/open.js')
  const searcher = createToolSearcher({ tools, index, ...options })
  const learnt = index === undefined ? NOTHING : await learntBy(readManifest(resolve(index)), options)
  return { searcher, size: Object.keys(tools).length, learnt }
}

async function overIndex(
  path: string,
  options: Options,
  { abortSignal, note, errorColors }: Terminal,
): Promise<SearchSession> {
  const { openToolIndex } = await import('../../artifact/open.js')
  const { createIndexSearcher } = await import('../../artifact/stored-catalog.js')
  const index = await openToolIndex(path, { abortSignal })
  if (!index.documents) {
    note(
      errorColors.gray(
        'The index has no texts, so only the words of names count, and scores are not those of an agent. ' +
          'Give the tools, too, or build with --include-documents.',
      ),
    )
  }
  return {
    searcher: createIndexSearcher(index, options),
    size: index.manifest.tools.length,
    learnt: await learntBy(index.manifest, options),
  }
}

/** What is in force; the searcher warns where it is not. */
async function learntBy(manifest: ToolIndexManifest, { embedder }: Options): Promise<Learnt> {
  const { fitsReadQueries } = await import('../../artifact/manifest.js')
  const { adaptation, calibration } = manifest
  return { adaptation: (await fitsReadQueries(manifest, checkedEmbedder(embedder))) ? adaptation : null, calibration }
}

// Often enough for a bar that moves, seldom enough to cost nothing.
const SLICE_TEXTS = 64

/** The embedder, with a progress bar while it embeds more than a handful of documents. */
export function embedderWithProgress(embedder: Embedder = defaultEmbedder(), terminal: Terminal): Embedder {
  return {
    ...embedder,
    async embedDocuments(texts, options = {}) {
      if (texts.length <= SLICE_TEXTS) return embedder.embedDocuments(texts, options)
      const progress = terminal.progress('Embedding tools')
      const { abortSignal = terminal.abortSignal } = options
      try {
        const vectors = []
        for (let start = 0; start < texts.length; start += SLICE_TEXTS) {
          progress.update(start, texts.length)
          const slice = texts.slice(start, start + SLICE_TEXTS)
          vectors.push(...(await embedder.embedDocuments(slice, { ...options, abortSignal })))
        }
        progress.update(texts.length, texts.length)
        return vectors
      } finally {
        progress.end()
      }
    },
  }
}
