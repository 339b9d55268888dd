import { hash } from 'node:crypto'
import { adaptationBytes } from '../adapt/stored-adaptation.js'
import { DOCUMENT_TEMPLATE_VERSION } from '../catalog/document.js'
import type { CheckedEmbedder } from '../embedding/checked.js'
import { IndexMismatchError, InvalidIndexError } from '../errors.js'
import { messageOf, show } from '../show.js'
import { untilAborted } from '../wait.js'
import { isCount, readHead } from './manifest-head.js'
import { FORMAT_VERSION, type ManifestTool, type ToolIndexManifest } from './tool-index.js'

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

/** Whether a line is a tool's. By hand: as a schema, this would take as long as all vectors. */
function isToolLine(line: unknown): line is ToolLine {
  if (typeof line !== 'object' || line === null) return false
  for (const member in line) if (!MEMBERS.has(member)) return false
  const {
    name,
    documentHash,
    descriptionWords,
    readableShare,
    tokens,
    invisibleCharacters,
    givesOrders,
    truncated,
    queries,
  } = line as Partial<ToolLine>
  return (
    typeof name === 'string' &&
    typeof documentHash === 'string' &&
    DOCUMENT_HASH.test(documentHash) &&
    isCount(descriptionWords) &&
    (readableShare === undefined || (typeof readableShare === 'number' && readableShare >= 0 && readableShare <= 1)) &&
    (tokens === undefined || tokens === null || isCount(tokens)) &&
    (invisibleCharacters === undefined || isCount(invisibleCharacters)) &&
    (givesOrders === undefined || typeof givesOrders === 'boolean') &&
    (truncated === undefined || typeof truncated === 'boolean') &&
    (queries === undefined || isCount(queries))
  )
}

function toolOf({ name, documentHash, descriptionWords, ...line }: ToolLine): ManifestTool {
  const { readableShare, tokens, invisibleCharacters, givesOrders, truncated, queries } = { ...USUAL, ...line }
  return {
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
}

function lineOf({ name, documentHash, descriptionWords, ...rest }: ManifestTool): ToolLine {
  const unusual = Object.entries(rest).filter(([member, value]) => value !== USUAL[member as keyof typeof USUAL])
  return { name, documentHash, ...Object.fromEntries(unusual), descriptionWords }
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
  const { tools: lines, ...head } = membersOf(value, path)
  const wrong = lines.findIndex(line => !isToolLine(line))
  if (wrong >= 0) {
    throw broken(path, `its manifest.json does not fit at tools.${wrong}: it is no tool as a build writes it`)
  }
  let tools: ManifestTool[] | undefined
  const manifest = {
    // Members in the order of a build, whatever their order in the file.
    ...head,
    // Made when first asked for: thousands of objects more would make V8 collect garbage while an index is opened.
    get tools() {
      tools ??= (lines as ToolLine[]).map(toolOf)
      return tools
    },
  }
  if (!isUnaltered(bytes, manifest)) {
    throw broken(path, 'its manifest.json was altered: its digest does not match')
  }
  rejectInconsistent(manifest, lines as ToolLine[], path)
  return manifest
}

function membersOf(value: unknown, path: string): ReturnType<typeof readHead> {
  try {
    return readHead(value, '')
  } catch (error) {
    throw broken(path, `its manifest.json ${messageOf(error)}`)
  }
}

function parseJson(bytes: Buffer, path: string): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch (error) {
    throw broken(path, `its manifest.json is not JSON (${messageOf(error)})`, error)
  }
}

/** Whether the digest is that of the file as it is, or as a build would write it: tools format JSON and end lines. */
function isUnaltered(bytes: Buffer, manifest: ToolIndexManifest): boolean {
  const end = bytes.lastIndexOf(',', bytes.lastIndexOf('"digest"'))
  if (end > 0 && sha256Of(bytes.subarray(0, end)) === manifest.digest) return true
  const { digest, ...members } = manifest
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

function rejectInconsistent(manifest: ToolIndexManifest, tools: readonly ToolLine[], path: string): void {
  const { files, model, graph } = manifest
  const vectorBytes = tools.length * model.dimensions * 4
  if (files.vectors.bytes !== vectorBytes) {
    const shape = `${tools.length} tools × ${model.dimensions} dimensions × 4 bytes = ${vectorBytes}`
    throw broken(path, `its manifest.json says that the vectors have ${files.vectors.bytes} bytes, not ${shape}`)
  }
  if ((graph === null) !== (files.graph === null))
    throw broken(path, 'its manifest.json has only one half of the graph')
  rejectInconsistentAdaptation(manifest, tools, path)
  for (let i = 1; i < tools.length; i++) {
    if (tools[i - 1]!.name >= tools[i]!.name) {
      throw broken(
        path,
        `its manifest.json has the tools ${show(tools[i - 1]!.name)} and ${show(tools[i]!.name)} out of order`,
      )
    }
  }
}

function rejectInconsistentAdaptation(manifest: ToolIndexManifest, tools: readonly ToolLine[], path: string): void {
  const { adaptation, files } = manifest
  if ((adaptation === null) !== (files.adaptation === null))
    throw broken(path, 'its manifest.json has only one half of the adaptation')
  const stray = adaptation === null || adaptation.pull === 0 ? tools.find(({ queries = 0 }) => queries > 0) : undefined
  if (stray) throw broken(path, `its manifest.json has queries of ${show(stray.name)}, and nothing is pulled by them`)
  const bytes = adaptation === null ? 0 : adaptationBytes(manifest)
  if (files.adaptation && files.adaptation.bytes !== bytes) {
    throw broken(path, `its manifest.json says that the adaptation has ${files.adaptation.bytes} bytes, not ${bytes}`)
  }
}

/** sha256 of this process's weights where they are known and not those of the index. */
export async function otherWeights(
  { model }: ToolIndexManifest,
  embedder: CheckedEmbedder,
  abortSignal: AbortSignal | undefined,
): Promise<string | undefined> {
  if (model.weightsSha256 === null) return undefined
  const here = (await untilAborted(embedder.knownProvenance(), abortSignal))?.weightsSha256
  return here === model.weightsSha256 ? undefined : here
}

/**
 * Whether what the index learnt of queries serves an embedder: it was learnt of queries that are read the same way, or
 * one of the two does not tell.
 */
export async function fitsReadQueries({ adaptation }: ToolIndexManifest, embedder: CheckedEmbedder): Promise<boolean> {
  if (adaptation === null || adaptation.readQueryId === null) return true
  const here = await embedder.knownReadQueryId()
  return here === undefined || here === adaptation.readQueryId
}

/** What to say of an index that it is otherwise with. */
export function otherReadQueries(path: string): string {
  const cure = `npx mastra-semantic-tool-search adapt ${JSON.stringify(path)} --queries <file>`
  return `The index "${path}" has learnt from queries as another version of the model's query heads read them, so that searches do without it. Adapt it anew: ${cure}`
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
    const own = 'Use the model that it was built with (embedder, --model). '
    const cure = property === 'model' ? `${own}${rebuildCure(path)}` : rebuildCure(path)
    throw new IndexMismatchError(path, { property, expected: show(here), got: show(there), cure })
  }
}

export function broken(path: string, what: string, cause?: unknown): InvalidIndexError {
  return new InvalidIndexError(path, `The index "${path}" cannot be used: ${what}. ${rebuildCure(path)}`, { cause })
}

export function rebuildCure(path: string): string {
  return `Build it anew: npx mastra-semantic-tool-search build <tools> --out ${JSON.stringify(path)}`
}
