import {
  type ProcessInputStepArgs,
  ToolSearchProcessor,
  type ToolSearchProcessorOptions,
} from '@mastra/core/processors'
import type { RequestContext } from '@mastra/core/request-context'
import type { SemanticToolSearchOptions } from '../../src/options.js'
import { SemanticToolSearchProcessor } from '../../src/processor.js'
import {
  type MetaTools,
  makeRun,
  makeTools,
  metaToolsOf,
  type RunOptions,
  type StepOptions,
  wordSearcher,
} from '../processor/harness.js'

export type Options = Partial<SemanticToolSearchOptions>

/** What the tests use of either class. */
export interface EitherProcessor {
  processInputStep(args: ProcessInputStepArgs): Promise<unknown>
  getLoadedToolsForRequestContext(args?: {
    requestContext?: RequestContext
    stepArgs?: ProcessInputStepArgs
    tools?: Record<string, unknown>
  }): Promise<Record<string, unknown>>
  clearState(threadId?: string): void
  clearAllState(): void
  getStateStats(): { threadCount: number; oldestAccessTime: number | null }
  cleanupNow(): number
}

/** One class under test: makes processors of it and drives them. */
export interface Driver {
  create(options?: Options): EitherProcessor
  run(options?: RunOptions): ReturnType<typeof makeRun>
  step(processor: EitherProcessor, run: ReturnType<typeof makeRun>, options?: StepOptions): Promise<MetaTools>
}

export const TOOLS = makeTools({
  weather: 'Current forecast for a city',
  create_invoice: 'Bill a customer',
  github_issue: 'Open a ticket in a repository',
  github_merge: 'Merge a pull request',
})

// minScore 0 on both: what is found then depends on shared words alone, not on ranking.
const withDefaults = (options: Options = {}): SemanticToolSearchOptions => ({
  tools: TOOLS,
  ...options,
  search: { minScore: 0, ...options.search },
})

const driverOf = (create: Driver['create']): Driver => ({
  create,
  run: makeRun,
  step: async (processor, run, options) => metaToolsOf(await processor.processInputStep(run.args(options))),
})

export const official = driverOf(options => {
  // Some scenarios hand it what its types do not allow, to see what it makes of that.
  const processor = new ToolSearchProcessor(withDefaults(options) as ToolSearchProcessorOptions)
  return processor as unknown as EitherProcessor
})

export const ours = driverOf(options => {
  const processor = new SemanticToolSearchProcessor(withDefaults(options), wordSearcher())
  return processor as unknown as EitherProcessor
})

/** Calls on one class; what it returns is compared between both. */
export type Scenario = (driver: Driver) => unknown

/** A result without what may differ: wording and scores; results by name, since ranking may differ. */
export function comparable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(comparable)
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value
  const copy: Record<string, unknown> = {}
  for (const [key, each] of Object.entries(value)) {
    if (each === undefined || key === 'score') continue
    if (key === 'message') copy[key] = typeof each
    else if (key === 'results') copy[key] = byName((each as unknown[]).map(comparable) as { name: string }[])
    else copy[key] = comparable(each)
  }
  return copy
}

const byName = (results: { name: string }[]) => results.sort((a, b) => (a.name < b.name ? -1 : 1))

/** What a scenario gives, an error included. */
export async function outcomeOf(scenario: Scenario, driver: Driver): Promise<unknown> {
  try {
    return comparable(await scenario(driver))
  } catch (error) {
    return { threw: error instanceof Error }
  }
}

/** The names after "Did you mean:". */
export const suggestedIn = (result: Record<string, unknown>) =>
  /Did you mean: ([^?]+)\?/.exec(String(result.message))?.[1]?.split(', ') ?? []

export const systemTexts = (run: ReturnType<typeof makeRun>) =>
  run.messageList.getSystemMessages().map(({ content }) => String(content))

/** The lines of an injected catalog. */
export const catalogLines = (run: ReturnType<typeof makeRun>) =>
  systemTexts(run).flatMap(text => text.split('\n').filter(line => line.startsWith('- ')))
