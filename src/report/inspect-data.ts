import type { CatalogFacts } from '../inspect/facts.js'
import type { Finding } from '../inspect/finding.js'
import type { Checks } from '../inspect/inspect.js'

/** What the page of `inspect` reads. */
export interface InspectData {
  /** Name of the index's folder. */
  readonly title: string
  readonly facts: Omit<CatalogFacts, 'path'>
  readonly checks: Checks
  readonly findings: readonly RuleFindings[]
  readonly map: 'umap' | 'pca'
  readonly tools: readonly PageTool[]
}

export interface RuleFindings {
  readonly title: string
  readonly advice: string
  readonly findings: readonly Finding[]
}

export interface PageTool {
  readonly name: string
  readonly group: string
  readonly tokens: number | null
  readonly isCut: boolean
  readonly words: number
  /** 0 to 1. */
  readonly readable: number
  readonly nearest: string | null
  readonly cosine: number | null
  /** −1 to 1. */
  readonly x: number
  readonly y: number
  /** First words of the description; absent where the index does not store it. */
  readonly summary?: string
}
