import { InvalidOptionsError, ReservedToolNameError, ToolNameCollisionError } from '../errors.js'
import { callableName, META_TOOL_NAMES } from './callable-name.js'
import { isSameTool, type SameTool } from './tool-identity.js'

/**
 * A tool as this package sees it: Mastra tools, AI SDK tools, and tools converted by an agent all fit.
 * Typed loosely on purpose: nothing here depends on Mastra.
 */
export interface ToolLike {
  id?: unknown
  description?: unknown
  inputSchema?: unknown
  parameters?: unknown
}

export interface CatalogEntry {
  /** The callable name: what search results, `load_tool` and `filter` use. */
  readonly name: string
  /** The key under which the record held the tool. */
  readonly key: string
  readonly tool: ToolLike
}

/** The searchable tools of one step: the static layer, plus the step's resolved tools where there are any. */
export interface Catalog {
  /**
   * One or two layers with disjoint callable names. A layer is an immutable snapshot; the static layer is the same
   * object in every step, so an index built for it is found again by identity.
   */
  readonly layers: readonly CatalogLayer[]
  readonly size: number
  /**
   * Looks up a callable name (own names only: `constructor` is not one). Where a step brought its own copy of a
   * static tool, the entry here has that copy, and the layers still have the static one.
   */
  byName(name: string): CatalogEntry | undefined
  /** Looks up a record key. */
  byKey(key: string): CatalogEntry | undefined
  /** All entries, static layer first, in record order. */
  entries(): Iterable<CatalogEntry>
}

export interface CatalogLayer {
  readonly entries: readonly CatalogEntry[]
}

/**
 * The catalog of a record of tools: a snapshot, so that later changes to the record have no effect.
 * One tool under several keys of one name is one entry.
 *
 * @throws {InvalidOptionsError} for a value that is no tool object.
 * @throws {ReservedToolNameError} for a key or callable name of a meta-tool.
 * @throws {ToolNameCollisionError} for two different tools of one callable name, or a key that is another's.
 */
export function createCatalog(tools: Readonly<Record<string, ToolLike>>): Catalog {
  const entries: CatalogEntry[] = []
  const byName = new Map<string, CatalogEntry>()
  const byKey = new Map<string, CatalogEntry>()
  for (const [key, tool] of Object.entries(tools)) {
    if (!isToolObject(tool)) {
      const got = tool === null ? 'null' : Array.isArray(tool) ? 'an array' : typeof tool
      throw new InvalidOptionsError(
        `Expected tools[${JSON.stringify(key)}] to be a tool object, got ${got}. Make tools with createTool() or the AI SDK's tool().`,
      )
    }
    const entry: CatalogEntry = Object.freeze({ name: callableName(key, tool), key, tool })
    rejectReserved(entry)
    const holder = byName.get(entry.name)
    if (holder && holder.tool !== tool) throw twoTools(entry, holder)
    if (!holder) {
      entries.push(entry)
      byName.set(entry.name, entry)
    }
    byKey.set(key, entry)
  }
  rejectAmbiguousKeys(byKey, byName)
  return catalogOf([Object.freeze({ entries: Object.freeze(entries) })], byName, byKey)
}

/**
 * `base` plus the tools that a step resolved, as a second layer. Costs one pass over `resolved` and reads no text.
 * A resolved tool that is one of `base` (or an agent's copy of it) is no second entry, but what lookups return:
 * the instance of this request.
 *
 * @throws {ReservedToolNameError} for a callable name of a meta-tool.
 * @throws {ToolNameCollisionError} for a resolved tool that claims the name or key of a different tool.
 */
export function mergeCatalog(
  base: Catalog,
  resolved: Readonly<Record<string, unknown>>,
  isSame: SameTool = isSameTool,
): Catalog {
  const added: CatalogEntry[] = []
  const byName = new Map<string, CatalogEntry>()
  const byKey = new Map<string, CatalogEntry>()
  for (const key of Object.keys(resolved)) {
    const tool = resolved[key]
    if (!isToolObject(tool)) continue
    const entry: CatalogEntry = { name: callableName(key, tool), key, tool }
    rejectReserved(entry)
    const known = base.size > 0 && sameInBase(base, entry, isSame)
    const holder = byName.get(entry.name)
    if (holder && holder.tool !== tool && !isSame(tool, holder.tool)) throw twoTools(entry, holder)
    if (!holder) {
      byName.set(entry.name, entry)
      if (!known) added.push(entry)
    }
    byKey.set(key, holder ?? entry)
  }
  rejectAmbiguousKeys(byKey, byName, isSame)
  if (byName.size === 0) return base
  const layers = added.length === 0 ? base.layers : [...base.layers, { entries: added }]
  return catalogOf(layers, byName, byKey, base)
}

/** True when `base` has the entry's tool under the entry's name; throws when a different tool holds name or key. */
function sameInBase(base: Catalog, entry: CatalogEntry, isSame: SameTool): boolean {
  const named = base.byName(entry.name)
  const others = [named, base.byKey(entry.name)]
  if (entry.key !== entry.name) others.push(base.byName(entry.key), base.byKey(entry.key))
  for (const other of others) {
    if (other && !isSame(entry.tool, other.tool)) {
      throw new ToolNameCollisionError(
        entry.name,
        `The step's tool ${label(entry)} collides with a different tool of the \`tools\` option, ${label(other)}. Rename one of them, or drop one.`,
      )
    }
  }
  return named !== undefined
}

function catalogOf(
  layers: readonly CatalogLayer[],
  names: ReadonlyMap<string, CatalogEntry>,
  keys: ReadonlyMap<string, CatalogEntry>,
  base?: Catalog,
): Catalog {
  const byName = (name: string) => names.get(name) ?? base?.byName(name)
  return {
    layers,
    size: layers.reduce((sum, layer) => sum + layer.entries.length, 0),
    byName,
    byKey: key => keys.get(key) ?? base?.byKey(key),
    *entries() {
      for (const layer of layers) for (const entry of layer.entries) yield byName(entry.name) ?? entry
    },
  }
}

function isToolObject(tool: unknown): tool is ToolLike {
  return typeof tool === 'object' && tool !== null && !Array.isArray(tool)
}

function rejectReserved(entry: CatalogEntry): void {
  if (!META_TOOL_NAMES.has(entry.name) && !META_TOOL_NAMES.has(entry.key)) return
  const reserved = META_TOOL_NAMES.has(entry.name) ? entry.name : entry.key
  throw new ReservedToolNameError(
    reserved,
    `The tool ${label(entry)} bears the name of the processor's own ${reserved} tool. Give it another id and key.`,
  )
}

// Otherwise `load_tool` with that key would have two meanings.
function rejectAmbiguousKeys(
  byKey: ReadonlyMap<string, CatalogEntry>,
  byName: ReadonlyMap<string, CatalogEntry>,
  isSame: SameTool = isSameTool,
) {
  for (const [key, entry] of byKey) {
    const holder = byName.get(key)
    if (holder && holder.tool !== entry.tool && !isSame(entry.tool, holder.tool)) {
      throw new ToolNameCollisionError(
        key,
        `The record key of the tool ${label(entry)} is the callable name of another tool, ${label(holder)}. Rename one of them.`,
      )
    }
  }
}

function twoTools(entry: CatalogEntry, holder: CatalogEntry): ToolNameCollisionError {
  return new ToolNameCollisionError(
    entry.name,
    `Two different tools have the callable name "${entry.name}": tools[${JSON.stringify(holder.key)}] and tools[${JSON.stringify(entry.key)}]. Give each its own id.`,
  )
}

function label(entry: CatalogEntry): string {
  return entry.key === entry.name ? `"${entry.name}"` : `"${entry.name}" (key "${entry.key}")`
}
