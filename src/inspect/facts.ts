import type {
  ManifestAdaptation,
  ManifestCalibration,
  ManifestModel,
  ManifestTool,
  ToolIndex,
} from '../artifact/tool-index.js'
import { groupsOfNames, OTHER_GROUP } from './name-groups.js'

/** What an index is and holds. */
export interface CatalogFacts {
  /** Absolute path of the folder. */
  readonly path: string
  readonly tools: number
  /** Bytes of all data files, the manifest apart. */
  readonly bytes: number
  readonly model: ManifestModel
  /** ISO 8601. */
  readonly builtAt: string
  readonly packageVersion: string
  readonly formatVersion: number
  readonly hasGraph: boolean
  readonly hasDocuments: boolean
  /** Null where nothing was learnt from queries. */
  readonly adaptation: ManifestAdaptation | null
  /** Null where scores have the weights of the package. */
  readonly calibration: ManifestCalibration | null
  /** Null where the embedder does not count tokens, or there are no tools. */
  readonly tokens: TokenLengths | null
  /** Tools whose document is not read to its end: by the model, or already by the document's budget of characters. */
  readonly cut: readonly string[]
  /** Tools of which the model can read less than half. */
  readonly unreadable: readonly string[]
  /** Servers or namespaces, the largest first, what belongs to none last. */
  readonly groups: readonly CatalogGroup[]
}

export interface CatalogGroup {
  readonly name: string
  readonly tools: number
}

/** Lengths of the documents in tokens, before the model's window cuts them. */
export interface TokenLengths {
  readonly min: number
  readonly median: number
  readonly p95: number
  readonly max: number
  /** Equal steps, both ends included; an empty document counts in the first. */
  readonly histogram: readonly { readonly from: number; readonly to: number; readonly tools: number }[]
  /** The longest first. */
  readonly longest: readonly { readonly name: string; readonly tokens: number; readonly isCut: boolean }[]
}

const LONGEST_SHOWN = 10
/** Below, a text is mostly found by its words. */
export const MIN_READABLE_SHARE = 0.5

/** The facts of an index; reads its manifest only. */
export function factsOf({ path, manifest, graph, documents }: ToolIndex): CatalogFacts {
  const { tools, model, files } = manifest
  return {
    path,
    tools: tools.length,
    bytes: Object.values(files).reduce((sum, file) => sum + (file?.bytes ?? 0), 0),
    model,
    builtAt: manifest.builtAt,
    packageVersion: manifest.packageVersion,
    formatVersion: manifest.formatVersion,
    hasGraph: graph !== undefined,
    hasDocuments: documents !== undefined,
    adaptation: manifest.adaptation,
    calibration: manifest.calibration,
    tokens: tokenLengths(tools, model.maxTokens),
    cut: tools.filter(tool => isCut(tool, model.maxTokens)).map(({ name }) => name),
    unreadable: tools.filter(({ readableShare }) => readableShare < MIN_READABLE_SHARE).map(({ name }) => name),
    groups: groupCounts(groupsOfNames(tools.map(({ name }) => name))),
  }
}

/** Whether some of a tool's document is not read. */
export function isCut({ tokens, truncated }: ManifestTool, maxTokens: number): boolean {
  return truncated || (tokens !== null && tokens > maxTokens)
}

/** The groups by size; ties by name. */
export function groupCounts(groups: readonly string[]): CatalogGroup[] {
  const counts = new Map<string, number>()
  for (const group of groups) counts.set(group, (counts.get(group) ?? 0) + 1)
  const rank = (name: string) => (name === OTHER_GROUP ? 1 : 0)
  return [...counts]
    .map(([name, tools]) => ({ name, tools }))
    .sort((a, b) => rank(a.name) - rank(b.name) || b.tools - a.tools || (a.name < b.name ? -1 : 1))
}

function tokenLengths(tools: readonly ManifestTool[], maxTokens: number): TokenLengths | null {
  const counted = tools.flatMap(tool => (tool.tokens === null ? [] : [{ ...tool, tokens: tool.tokens }]))
  if (counted.length === 0) return null
  counted.sort((a, b) => a.tokens - b.tokens)
  const lengths = counted.map(({ tokens }) => tokens)
  return {
    min: lengths[0]!,
    median: quantile(lengths, 0.5),
    p95: quantile(lengths, 0.95),
    max: lengths.at(-1)!,
    histogram: histogram(lengths, maxTokens),
    longest: counted
      .slice(-LONGEST_SHOWN)
      .reverse()
      .map(tool => ({ name: tool.name, tokens: tool.tokens, isCut: isCut(tool, maxTokens) })),
  }
}

/** The nearest-rank quantile of sorted numbers. */
export function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)]!
}

// An eighth of the model's window a step, so that its end falls between two steps; no more steps than a chart shows.
const STEPS_A_WINDOW = 8
const MAX_STEPS = 12

function histogram(lengths: readonly number[], maxTokens: number): TokenLengths['histogram'] {
  const max = lengths.at(-1)!
  let step = Math.max(1, Math.ceil(maxTokens / STEPS_A_WINDOW))
  while (max > step * MAX_STEPS) step *= 2
  const stepOf = (length: number) => Math.max(0, Math.ceil(length / step) - 1)
  const bars = Array.from({ length: stepOf(max) + 1 }, (_, at) => ({
    from: at * step + 1,
    to: (at + 1) * step,
    tools: 0,
  }))
  for (const length of lengths) bars[stepOf(length)]!.tools++
  return bars
}
