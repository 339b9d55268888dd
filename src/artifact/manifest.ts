import { hash } from 'node:crypto'
import { z } from 'zod/v4'
import { adaptationBytes } from '../adapt/stored-adaptation.js'
import { DOCUMENT_TEMPLATE_VERSION } from '../catalog/document.js'
import type { CheckedEmbedder } from '../embedding/checked.js'
import { IndexMismatchError, InvalidIndexError } from '../errors.js'
import { messageOf, show } from '../show.js'
import { FORMAT_VERSION, type ManifestFile, type ManifestTool, type ToolIndexManifest } from './tool-index.js'

/** Kinds of data files, and the endings of their names. */
export const DATA_FILES = { vectors: 'f32', graph: 'bin', documents: 'json', adaptation: 'f32' } as const

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
const share = z.number().min(0).max(1)
const difference = z.number().min(-1).max(1)
const estimate = z.strictObject({ value: difference, low: difference, high: difference })
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
  adaptation: z
    .strictObject({
      queries: count.min(1),
      tools: count.min(1),
      map: z.strictObject({ weight: z.number().positive(), others: share }).nullable(),
      pull: share,
      before: share,
      gain: estimate,
      gainOfOthers: estimate.nullable(),
      seed: count,
    })
    .nullable(),
  files: z.strictObject({
    vectors: file('vectors'),
    graph: file('graph').nullable(),
    documents: file('documents').nullable(),
    adaptation: file('adaptation').nullable(),
  }),
  tools: z.custom<readonly unknown[]>(Array.isArray, { message: 'is no array' }),
  digest: sha256,
})

/** A tool as the manifest's JSON has it: members of the usual value are left out, since there may be thousands. */
type ToolLine = Pick<ManifestTool, 'name' | 'documentHash' | 'descriptionWords'> & Partial<ManifestTool>

const USUAL = {
  readableShare: 1,
  tokens: null,
  invisibleCharacters: 0,
  givesOrders: false,
  truncated: false,
  queries: 0,
} as const

const MEMBERS = new Set(['name', 'documentHash', 'descriptionWords', ...Object.keys(USUAL)])
const DOCUMENT_HASH = /^[\w-]{43}$/

/** The tool of a line, or undefined where it is none. By hand: as a schema, this would take as long as all vectors. */
function toolOf(line: unknown): ManifestTool | undefined {
  if (typeof line !== 'object' || line === null) return undefined
  for (const member in line) if (!MEMBERS.has(member)) return undefined
  const tool = line as ToolLine
  const {
    name,
    documentHash,
    descriptionWords,
    readableShare = USUAL.readableShare,
    tokens = USUAL.tokens,
    invisibleCharacters = USUAL.invisibleCharacters,
    givesOrders = USUAL.givesOrders,
    truncated = USUAL.truncated,
    queries = USUAL.queries,
  } = tool
  const fits =
    typeof name === 'string' &&
    typeof documentHash === 'string' &&
    DOCUMENT_HASH.test(documentHash) &&
    isCount(descriptionWords) &&
    typeof readableShare === 'number' &&
    readableShare >= 0 &&
    readableShare <= 1 &&
    (tokens === null || isCount(tokens)) &&
    isCount(invisibleCharacters) &&
    typeof givesOrders === 'boolean' &&
    typeof truncated === 'boolean' &&
    isCount(queries)
  return fits
    ? {
        name,
        documentHash,
        readableShare,
        tokens,
        descriptionWords,
        invisibleCharacters,
        givesOrders,
        truncated,
        queries,
      }
    : undefined
}

function lineOf({ name, documentHash, descriptionWords, ...rest }: ManifestTool): ToolLine {
  const unusual = Object.entries(rest).filter(([member, value]) => value !== USUAL[member as keyof typeof USUAL])
  return { name, documentHash, ...Object.fromEntries(unusual), descriptionWords }
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

/** The manifest of its members: adds the digest, by which an alteration of any of them shows. */
export function withDigest(members: Omit<ToolIndexManifest, 'digest'>): ToolIndexManifest {
  return { ...members, digest: sha256Of(formatMembers(members)) }
}

/** The manifest as text: one line a tool, so that versions can be compared. */
export function formatManifest({ digest, ...members }: ToolIndexManifest): string {
  return `${formatMembers(members)},\n  "digest": "${digest}"\n}\n`
}

/** The text up to the digest: what the digest is of. */
function formatMembers({ tools, ...members }: Omit<ToolIndexManifest, 'digest'>): string {
  const head = JSON.stringify(members, undefined, 2).slice(0, -2)
  const lines = tools.map(tool => `    ${JSON.stringify(lineOf(tool))}`)
  return `${head},\n  "tools": [${lines.length > 0 ? `\n${lines.join(',\n')}\n  ` : ''}]`
}

export function sha256Of(bytes: string | Uint8Array): string {
  return hash('sha256', bytes, 'hex')
}

/**
 * The manifest in a file's bytes, checked in every member.
 * @throws {IndexMismatchError} for another format version, {InvalidIndexError} for all else that is wrong.
 */
export function parseManifest(bytes: Buffer, path: string): ToolIndexManifest {
  const value = parseJson(bytes, path)
  rejectOtherFormat(value, path)
  const { success, data, error } = MANIFEST.safeParse(value, { jitless: true })
  if (!success) {
    const [issue] = error.issues
    throw broken(
      path,
      `its manifest.json does not fit at ${issue!.path.map(String).join('.') || 'its root'}: ${issue!.message}`,
    )
  }
  const tools = data.tools.map((line, at) => {
    const tool = toolOf(line)
    if (!tool) throw broken(path, `its manifest.json does not fit at tools.${at}: it is no tool as a build writes it`)
    return tool
  })
  // `safeParse` gives the members in the schema's order, whatever their order in the file.
  const manifest = { ...data, tools }
  if (!isUnaltered(bytes, manifest)) {
    throw broken(path, 'its manifest.json was altered: its digest does not match')
  }
  rejectInconsistent(manifest, path)
  return manifest
}

function parseJson(bytes: Buffer, path: string): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch (error) {
    throw broken(path, `its manifest.json is not JSON (${messageOf(error)})`, error)
  }
}

/** Whether the digest is that of the file as it is, or as a build would write it: tools format JSON and end lines. */
function isUnaltered(bytes: Buffer, { digest, ...members }: ToolIndexManifest): boolean {
  const end = bytes.lastIndexOf(',', bytes.lastIndexOf('"digest"'))
  if (end > 0 && sha256Of(bytes.subarray(0, end)) === digest) return true
  return withDigest(members).digest === digest
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

function rejectInconsistent(manifest: ToolIndexManifest, path: string): void {
  const { tools, files, model, graph } = manifest
  const vectorBytes = tools.length * model.dimensions * 4
  if (files.vectors.bytes !== vectorBytes) {
    const shape = `${tools.length} tools × ${model.dimensions} dimensions × 4 bytes = ${vectorBytes}`
    throw broken(path, `its manifest.json says that the vectors have ${files.vectors.bytes} bytes, not ${shape}`)
  }
  if ((graph === null) !== (files.graph === null))
    throw broken(path, 'its manifest.json has only one half of the graph')
  rejectInconsistentAdaptation(manifest, path)
  for (let i = 1; i < tools.length; i++) {
    if (tools[i - 1]!.name >= tools[i]!.name) {
      throw broken(
        path,
        `its manifest.json has the tools ${show(tools[i - 1]!.name)} and ${show(tools[i]!.name)} out of order`,
      )
    }
  }
}

function rejectInconsistentAdaptation(manifest: ToolIndexManifest, path: string): void {
  const { adaptation, files, tools } = manifest
  if ((adaptation === null) !== (files.adaptation === null))
    throw broken(path, 'its manifest.json has only one half of the adaptation')
  const stray = adaptation === null || adaptation.pull === 0 ? tools.find(({ queries }) => queries > 0) : undefined
  if (stray) throw broken(path, `its manifest.json has queries of ${show(stray.name)}, and nothing is pulled by them`)
  const bytes = adaptation === null ? 0 : adaptationBytes(manifest)
  if (files.adaptation && files.adaptation.bytes !== bytes) {
    throw broken(path, `its manifest.json says that the adaptation has ${files.adaptation.bytes} bytes, not ${bytes}`)
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
