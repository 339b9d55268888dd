import { createHash } from 'node:crypto'
import { z } from 'zod/v4'
import { DOCUMENT_TEMPLATE_VERSION } from '../catalog/document.js'
import type { CheckedEmbedder } from '../embedding/checked.js'
import { IndexMismatchError, InvalidIndexError } from '../errors.js'
import { messageOf, show } from '../show.js'
import { FORMAT_VERSION, type ManifestFile, type ToolIndexManifest } from './tool-index.js'

/** Kinds of data files, and the endings of their names. */
export const DATA_FILES = { vectors: 'f32', graph: 'bin', documents: 'json' } as const

export type DataFileKind = keyof typeof DATA_FILES

// A data file's name holds so much of its hash: another build's file never has the same name and other contents.
const HASH_DIGITS_IN_NAME = 16

export function dataFileName(kind: DataFileKind, sha256: string): string {
  return `${kind}.${sha256.slice(0, HASH_DIGITS_IN_NAME)}.${DATA_FILES[kind]}`
}

/** Names that data files of any build may have. */
export const DATA_FILE_NAME = new RegExp(
  `^(${Object.entries(DATA_FILES)
    .map(([kind, ending]) => `${kind}\\.[0-9a-f]{${HASH_DIGITS_IN_NAME}}\\.${ending}`)
    .join('|')})$`,
)

const count = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER)
const text = z.string().min(1)
const sha256 = z.string().regex(/^[0-9a-f]{64}$/)

const file = (kind: DataFileKind) =>
  z
    .strictObject({ name: text, bytes: count, sha256 })
    .refine(({ name, sha256 }) => name === dataFileName(kind, sha256), {
      message: `must be named ${kind}, the start of its sha256, and .${DATA_FILES[kind]}`,
    })

const MANIFEST = z.strictObject({
  formatVersion: z.literal(FORMAT_VERSION),
  packageVersion: text,
  builtAt: z.iso.datetime(),
  documentTemplateVersion: count,
  model: z.strictObject({
    id: text,
    revision: text.nullable(),
    weightsSha256: sha256.nullable(),
    dimensions: count.min(1),
    maxTokens: count.min(1),
  }),
  graph: z
    .strictObject({ M: count, efConstruction: count, seed: count, maxLevel: count, entryPoint: count })
    .nullable(),
  files: z.strictObject({
    vectors: file('vectors'),
    graph: file('graph').nullable(),
    documents: file('documents').nullable(),
  }),
  tools: z.array(
    z.strictObject({
      name: z.string(),
      documentHash: z.string().regex(/^[\w-]{43}$/),
      readableShare: z.number().min(0).max(1),
      tokens: count.nullable(),
      descriptionWords: count,
      invisibleCharacters: count,
      truncated: z.boolean(),
    }),
  ),
  digest: sha256,
})

/** The manifest of its members: adds the digest, by which an alteration of any of them shows. */
export function withDigest(members: Omit<ToolIndexManifest, 'digest'>): ToolIndexManifest {
  return { ...members, digest: digestOf(members) }
}

function digestOf(members: Omit<ToolIndexManifest, 'digest'>): string {
  return createHash('sha256').update(JSON.stringify(members)).digest('hex')
}

/** The manifest as text: one line a tool, so that versions can be compared. */
export function formatManifest({ tools, digest, ...members }: ToolIndexManifest): string {
  const head = JSON.stringify(members, undefined, 2).slice(0, -2)
  const lines = tools.map(tool => `    ${JSON.stringify(tool)}`)
  return `${head},\n  "tools": [${lines.length > 0 ? `\n${lines.join(',\n')}\n  ` : ''}],\n  "digest": "${digest}"\n}\n`
}

/**
 * The manifest in `json`, checked in every member.
 * @throws {IndexMismatchError} for another format version, {InvalidIndexError} for all else that is wrong.
 */
export function parseManifest(json: string, path: string): ToolIndexManifest {
  let value: unknown
  try {
    value = JSON.parse(json)
  } catch (error) {
    throw broken(path, `its manifest.json is not JSON (${messageOf(error)})`, error)
  }
  rejectOtherFormat(value, path)
  const { success, data, error } = MANIFEST.safeParse(value)
  if (!success) {
    const [issue] = error.issues
    throw broken(
      path,
      `its manifest.json does not fit at ${issue!.path.map(String).join('.') || 'its root'}: ${issue!.message}`,
    )
  }
  // `safeParse` gives the members in the schema's order, whatever their order in the file.
  const { digest, ...members } = data
  if (digestOf(members) !== digest) throw broken(path, 'its manifest.json was altered: its digest does not match')
  rejectInconsistent(data, path)
  return data
}

function rejectOtherFormat(value: unknown, path: string): void {
  const formatVersion = (value as { formatVersion?: unknown } | null)?.formatVersion
  if (typeof formatVersion !== 'number' || formatVersion === FORMAT_VERSION) return
  throw new IndexMismatchError(path, {
    property: 'formatVersion',
    expected: `reads ${FORMAT_VERSION}`,
    got: show(formatVersion),
    cure: rebuildCure(path),
  })
}

function rejectInconsistent({ tools, files, model, graph }: ToolIndexManifest, path: string): void {
  const vectorBytes = tools.length * model.dimensions * 4
  if (files.vectors.bytes !== vectorBytes) {
    const shape = `${tools.length} tools × ${model.dimensions} dimensions × 4 bytes = ${vectorBytes}`
    throw broken(path, `its manifest.json says that the vectors have ${files.vectors.bytes} bytes, not ${shape}`)
  }
  if ((graph === null) !== (files.graph === null))
    throw broken(path, 'its manifest.json has only one half of the graph')
  for (let i = 1; i < tools.length; i++) {
    if (tools[i - 1]!.name >= tools[i]!.name) {
      throw broken(
        path,
        `its manifest.json has the tools ${show(tools[i - 1]!.name)} and ${show(tools[i]!.name)} out of order`,
      )
    }
  }
}

/**
 * Checks that this process can use the index: same model, dimensions and document template.
 * @throws {IndexMismatchError} naming both sides and the cure.
 */
export function rejectMismatch(manifest: ToolIndexManifest, embedder: CheckedEmbedder | undefined, path: string): void {
  const { model, documentTemplateVersion } = manifest
  const sides: [property: string, here: unknown, there: unknown][] = [
    ['document template version', DOCUMENT_TEMPLATE_VERSION, documentTemplateVersion],
  ]
  if (embedder) {
    sides.push(['model', embedder.modelId, model.id], ['dimensions', embedder.dimensions, model.dimensions])
  }
  for (const [property, here, there] of sides) {
    if (here === there) continue
    throw new IndexMismatchError(path, {
      property,
      expected: show(here),
      got: show(there),
      cure: rebuildCure(path),
    })
  }
}

export function broken(path: string, what: string, cause?: unknown): InvalidIndexError {
  return new InvalidIndexError(path, `The index "${path}" cannot be used: ${what}. ${rebuildCure(path)}`, { cause })
}

export function rebuildCure(path: string): string {
  return `Build it anew: npx mastra-semantic-tool-search build <tools> --out ${JSON.stringify(path)}`
}

/** All data files that the manifest names, with their kinds. */
export function filesOf({ files }: ToolIndexManifest): [DataFileKind, ManifestFile][] {
  const kinds = Object.keys(DATA_FILES) as DataFileKind[]
  return kinds.flatMap(kind => (files[kind] ? [[kind, files[kind]] as [DataFileKind, ManifestFile]] : []))
}
