import { LOAD_TOOL, SEARCH_TOOLS } from '../meta-tools/activation.js'
import { show } from '../show.js'
import type { BadLine } from './queries-file.js'
import { type TraceEvent, traceEvents } from './trace-events.js'

/** What logged conversations say of which tools serve which queries. */
export interface TracedQueries {
  readonly queries: readonly { readonly query: string; readonly relevant: readonly string[] }[]
  /** Searches that no call followed: they may have failed, or the model may have changed its mind. */
  readonly unanswered: number
  /** Queries of which only `load_tool` is known, not a call. */
  readonly onlyLoaded: number
  /** Searches of a text that was searched before; their tools were joined. */
  readonly repeated: number
  /** Calls of tools that the catalog does not have. */
  readonly unknownCalls: number
  readonly badLines: readonly BadLine[]
}

/**
 * For each thread in order: what was searched, and which tools were then called until the next search. A tool that
 * was at hand before the search counts only where the search found it, too; a tool that was loaded counts where none was
 * called. `names`, where given, are the catalog's: calls of other tools are no answer to a search.
 */
export function queriesFromTraces(text: string, names?: ReadonlySet<string>): TracedQueries {
  const threads = new Map<string, TraceEvent[]>()
  const badLines: BadLine[] = []
  text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .forEach((content, at) => {
      if (content.trim() === '') return
      try {
        for (const { thread, ...event } of traceEvents(JSON.parse(content))) {
          const known = threads.get(thread)
          if (known) known.push(event)
          else threads.set(thread, [event])
        }
      } catch {
        badLines.push({ line: at + 1, reason: `no valid JSON: ${show(content)}` })
      }
    })

  const byQuery = new Map<string, { called: Set<string>; loaded: Set<string> }>()
  const counts = { unanswered: 0, repeated: 0, unknownCalls: 0 }
  for (const events of threads.values()) {
    for (const { query, called, loaded } of searchesIn(inOrder(events), names, counts)) {
      if (called.size === 0 && loaded.size === 0) {
        counts.unanswered++
        continue
      }
      const known = byQuery.get(query)
      if (known) counts.repeated++
      const { called: allCalled, loaded: allLoaded } = known ?? { called: new Set<string>(), loaded: new Set<string>() }
      for (const name of called) allCalled.add(name)
      for (const name of loaded) allLoaded.add(name)
      byQuery.set(query, { called: allCalled, loaded: allLoaded })
    }
  }
  const queries = [...byQuery].map(([query, { called, loaded }]) => ({
    query,
    relevant: [...(called.size > 0 ? called : loaded)],
  }))
  const onlyLoaded = [...byQuery.values()].filter(({ called }) => called.size === 0).length
  return { queries, onlyLoaded, ...counts, badLines }
}

interface TracedSearch {
  readonly query: string
  readonly called: Set<string>
  readonly loaded: Set<string>
}

/** By time, where every event has one; logs of several processes may be mixed. */
function inOrder(events: readonly TraceEvent[]): readonly TraceEvent[] {
  if (events.some(({ time }) => Number.isNaN(time))) return events
  return [...events].sort((a, b) => a.time - b.time)
}

function searchesIn(
  events: readonly TraceEvent[],
  names: ReadonlySet<string> | undefined,
  counts: { unknownCalls: number },
): TracedSearch[] {
  const searches: TracedSearch[] = []
  // Callable without this search: loaded or called since an earlier one.
  const atHand = new Set<string>()
  let current: (TracedSearch & { found: ReadonlySet<string> | undefined; before: ReadonlySet<string> }) | undefined
  for (const { toolName, args, result } of events) {
    if (toolName === SEARCH_TOOLS) {
      const query = typeof args.query === 'string' ? args.query.trim() : ''
      current = undefined
      if (query === '') continue
      current = { query, called: new Set(), loaded: new Set(), found: foundIn(result), before: new Set(atHand) }
      searches.push(current)
      continue
    }
    const isLoad = toolName === LOAD_TOOL
    for (const name of isLoad ? loadedNames(args, result) : [toolName]) {
      if (names && !names.has(name)) {
        if (!isLoad) counts.unknownCalls++
        continue
      }
      atHand.add(name)
      if (!current) continue
      if (current.before.has(name) && !current.found?.has(name)) continue
      const isOfSearch = isLoad || !current.found || current.found.has(name) || current.loaded.has(name)
      if (isOfSearch) current[isLoad ? 'loaded' : 'called'].add(name)
    }
  }
  return searches
}

/** Names in the result of `search_tools`; undefined where the log does not have it. */
function foundIn(result: unknown): ReadonlySet<string> | undefined {
  const results = isRecord(result) ? result.results : undefined
  if (!Array.isArray(results)) return undefined
  return new Set(results.flatMap(one => (isRecord(one) && typeof one.name === 'string' ? [one.name] : [])))
}

/** What `load_tool` did load, else what it was asked to. */
function loadedNames(args: Record<string, unknown>, result: unknown): string[] {
  const known = isRecord(result) ? result : {}
  if (Array.isArray(known.loaded)) return known.loaded.filter(isText)
  if (known.success === false) return []
  return [args.toolName, ...(Array.isArray(args.toolNames) ? args.toolNames : [])].filter(isText)
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''
const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null
