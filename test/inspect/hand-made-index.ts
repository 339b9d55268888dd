import type { ManifestTool, StoredDocument, ToolIndex } from '../../src/artifact/tool-index.js'

export interface HandMadeTool extends Partial<Omit<ManifestTool, 'name'>> {
  name: string
  /** Any length but 0; scaled to 1. Default: an axis of its own, as far as there are. */
  vector?: number[]
  document?: StoredDocument
}

export const DIMENSIONS = 4

/** An opened index of these tools, without a folder. */
export function handMadeIndex(tools: HandMadeTool[], dimensions = DIMENSIONS): ToolIndex {
  const vectors = new Float32Array(tools.length * dimensions)
  tools.forEach(({ vector = axis(0, dimensions) }, row) => {
    const length = Math.hypot(...vector)
    vectors.set(
      vector.map(value => value / length),
      row * dimensions,
    )
  })
  const entries = tools.map(({ vector: _, document: __, ...tool }, row) => ({
    documentHash: `hash-${row}`,
    readableShare: 1,
    tokens: 10,
    descriptionWords: 5,
    invisibleCharacters: 0,
    givesOrders: false,
    truncated: false,
    queries: 0,
    ...tool,
  }))
  const hasDocuments = tools.some(({ document }) => document)
  return {
    path: '/srv/indexes/hand-made',
    vectors,
    documentVectors: vectors,
    adaptation: undefined,
    graph: undefined,
    documents: hasDocuments ? tools.map(({ document, name }) => document ?? emptyDocument(name)) : undefined,
    rowOfName: name => indexOrNone(entries.findIndex(tool => tool.name === name)),
    rowOfDocument: hash => indexOrNone(entries.findIndex(tool => tool.documentHash === hash)),
    manifest: {
      formatVersion: 1,
      packageVersion: '0.0.0',
      builtAt: '2026-12-02T10:16:00.000Z',
      documentTemplateVersion: 1,
      model: { id: 'hand-made', revision: null, weightsSha256: null, dimensions, maxTokens: 64 },
      graph: null,
      adaptation: null,
      calibration: null,
      files: {
        vectors: { name: 'vectors', bytes: vectors.byteLength, sha256: '' },
        graph: null,
        documents: hasDocuments ? { name: 'documents', bytes: 100, sha256: '' } : null,
        adaptation: null,
      },
      tools: entries,
      digest: '',
    },
  }
}

/** The unit vector along an axis. */
export const axis = (at: number, dimensions = DIMENSIONS) =>
  Array.from({ length: dimensions }, (_, d) => (d === at ? 1 : 0))

/** A vector in the plane of the first two axes, whose cosine similarity to another is that of their angles' difference. */
export const atDegrees = (degrees: number) => [
  Math.cos((degrees * Math.PI) / 180),
  Math.sin((degrees * Math.PI) / 180),
  0,
  0,
]

const emptyDocument = (name: string): StoredDocument => ({ name, description: '', parameters: '' })
const indexOrNone = (at: number) => (at < 0 ? undefined : at)
