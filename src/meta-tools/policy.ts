import type { CatalogEntry } from '../catalog/catalog.js'
import type { MastraTool, ToolSearchFilter, ToolSearchFilterArgs, ToolSearchFilterPhase } from '../options.js'

/** Whether one request may have a tool, phase by phase. */
export type Policy = (entry: CatalogEntry, phase: ToolSearchFilterPhase) => boolean | Promise<boolean>

const allowAll: Policy = () => true

/** The user's filter for one request: what it returns counts by truth value, a throw or rejection as 'not allowed'. */
export function policyOf(
  filter: ToolSearchFilter | undefined,
  requestContext: ToolSearchFilterArgs['requestContext'],
): Policy {
  if (!filter) return allowAll
  return async (entry, phase) => {
    try {
      // Tools without Mastra's type reach the filter as they are; its declared type is the one of Mastra's class.
      const tool = entry.tool as MastraTool
      const context = requestContext === undefined ? {} : { requestContext }
      return Boolean(await filter({ toolName: entry.name, tool, phase, ...context }))
    } catch {
      return false
    }
  }
}
