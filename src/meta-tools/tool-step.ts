import type { Catalog } from '../catalog/catalog.js'
import type { Policy } from './policy.js'

/** One step of one request, as the meta-tools see it. */
export interface ToolStep {
  readonly catalog: Catalog
  readonly isAllowed: Policy
  /** The names loaded as of this step, and since. */
  readonly loaded: Set<string>
  /** Makes names loaded from the next step on. */
  load(names: readonly string[]): void
}
