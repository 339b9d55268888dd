import type { ToolIndex } from '../artifact/tool-index.js'
import { type CatalogFacts, factsOf, isCut } from './facts.js'
import { type Finding, RULES, SEVERITIES } from './finding.js'
import { type BreadthProbes, lintBreadth } from './lint-breadth.js'
import { DUPLICATE_COSINE, lintDuplicates } from './lint-duplicates.js'
import { lintManifest } from './lint-manifest.js'
import { lintOrders } from './lint-orders.js'
import { groupsOfNames } from './name-groups.js'
import { type CatalogNeighbors, neighborsOf } from './neighbors.js'
import { MAP_NEIGHBORS } from './projection.js'

/** What an inspection found. */
export interface Inspection {
  readonly facts: CatalogFacts
  /** By severity, then in the order of `RULES`, then as the tools lie in the index. */
  readonly findings: readonly Finding[]
  readonly checks: Checks
  /** As in the index. */
  readonly tools: readonly InspectedTool[]
}

/** How far the lint could look. */
export interface Checks {
  /** Pairs of tools at or above the cosine similarity of near-duplicates. */
  readonly duplicatePairs: number
  /** False where the graph gave the neighbours, so that near-duplicates may be missing. */
  readonly comparedAll: boolean
  /** Whether texts that claim to fit everything were looked for by meaning: the bundled model's indexes only. */
  readonly probed: boolean
}

export interface InspectedTool {
  readonly name: string
  /** Server or namespace. */
  readonly group: string
  readonly tokens: number | null
  readonly isCut: boolean
  readonly descriptionWords: number
  readonly readableShare: number
  /** Null where there is no other tool. */
  readonly nearest: { readonly name: string; readonly cosineSimilarity: number } | null
}

export interface InspectOptions {
  /** Probes of `breadthProbes`; without them over-broad texts are only looked for among the neighbours. */
  readonly probes?: BreadthProbes | undefined
  /** Called with the number of tools compared. */
  readonly onProgress?: ((done: number, total: number) => void) | undefined
  readonly abortSignal?: AbortSignal | undefined
}

/** Facts and lint of an index, and the neighbours that they rest on, for a map of the catalog. */
export async function inspectIndex(
  index: ToolIndex,
  { probes, onProgress, abortSignal }: InspectOptions = {},
): Promise<{ inspection: Inspection; neighbors: CatalogNeighbors }> {
  // Of the texts: what was learnt from queries may part tools that no text does.
  const { documentVectors: vectors, graph, manifest } = index
  const neighbors = await neighborsOf({
    vectors,
    graph,
    dimensions: manifest.model.dimensions,
    k: MAP_NEIGHBORS - 1,
    duplicateCosine: DUPLICATE_COSINE,
    onProgress,
    abortSignal,
  })
  const findings = [
    ...lintManifest(index),
    ...lintDuplicates(index, neighbors),
    ...lintBreadth(index, neighbors, probes),
    ...lintOrders(index),
  ]
  const checks = {
    duplicatePairs: neighbors.pairs,
    comparedAll: neighbors.isExact,
    probed: probes !== undefined,
  }
  const inspection = {
    facts: factsOf(index),
    findings: findings.sort(byGravity),
    checks,
    tools: toolsOf(index, neighbors),
  }
  return { inspection, neighbors }
}

const RULE_ORDER = Object.keys(RULES)

function byGravity(a: Finding, b: Finding): number {
  return (
    SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity) ||
    RULE_ORDER.indexOf(a.rule) - RULE_ORDER.indexOf(b.rule)
  )
}

function toolsOf({ manifest }: ToolIndex, { ids, similarities, k }: CatalogNeighbors): InspectedTool[] {
  const groups = groupsOfNames(manifest.tools.map(({ name }) => name))
  return manifest.tools.map((tool, row) => ({
    name: tool.name,
    group: groups[row]!,
    tokens: tool.tokens,
    isCut: isCut(tool, manifest.model.maxTokens),
    descriptionWords: tool.descriptionWords,
    readableShare: tool.readableShare,
    nearest:
      k === 0
        ? null
        : { name: manifest.tools[ids[row * k]!]!.name, cosineSimilarity: Math.min(1, similarities[row * k]!) },
  }))
}
