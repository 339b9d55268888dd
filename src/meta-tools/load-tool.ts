import { createTool } from '@mastra/core/tools'
import { z } from 'zod/v4'
import { LOAD_TOOL } from './activation.js'
import { suggestNames } from './suggestions.js'
import type { ToolStep } from './tool-step.js'
import * as wording from './wording.js'

export interface LoadToolResult {
  success: boolean
  message: string
  /** The name asked for (single form). */
  toolName?: string
  /** How many were newly loaded (array form). */
  loadedCount?: number
  /** Single form: the name, also when it was loaded before. Array form: the newly loaded names. */
  loaded?: string[]
  notFound?: string[]
  alreadyLoaded?: string[]
}

const INPUT = z.object({
  toolName: z.string().optional().describe(wording.TOOL_NAME_DESCRIPTION),
  toolNames: z.array(z.string()).optional().describe(wording.TOOL_NAMES_DESCRIPTION),
})

const OUTPUT = z.object({
  success: z.boolean(),
  message: z.string(),
  loadedCount: z.number().optional(),
  toolName: z.string().optional(),
  loaded: z.array(z.string()).optional(),
  notFound: z.array(z.string()).optional(),
  alreadyLoaded: z.array(z.string()).optional(),
})

/** The meta-tool `load_tool` of one step: takes callable names and record keys, one or many. */
export function createLoadTool(step: ToolStep) {
  return createTool({
    id: LOAD_TOOL,
    description: wording.LOAD_DESCRIPTION,
    inputSchema: INPUT,
    outputSchema: OUTPUT,
    execute: async ({ toolName, toolNames }): Promise<LoadToolResult> => {
      const names = [...new Set([...(toolNames ?? []), ...(toolName ? [toolName] : [])])]
      if (names.length === 0) {
        return { success: false, message: toolNames ? wording.NO_NAMES : wording.NOTHING_NAMED }
      }
      const outcome = await loadNames(names, step)
      // The answer has the array form whenever an array was given, an empty one with a toolName too.
      return toolNames ? answerMany(outcome) : answerOne(names[0]!, outcome, step)
    },
  })
}

interface Outcome {
  readonly loaded: string[]
  readonly already: string[]
  readonly missing: string[]
}

async function loadNames(names: readonly string[], step: ToolStep): Promise<Outcome> {
  const outcome: Outcome = { loaded: [], already: [], missing: [] }
  for (const name of names) {
    const entry = step.catalog.byName(name) ?? step.catalog.byKey(name)
    if (!entry || !(await step.isAllowed(entry, 'load'))) outcome.missing.push(name)
    else if (step.loaded.has(name)) outcome.already.push(name)
    else outcome.loaded.push(name)
  }
  step.load(outcome.loaded)
  return outcome
}

async function answerOne(name: string, { missing, already }: Outcome, step: ToolStep): Promise<LoadToolResult> {
  if (missing.length > 0) {
    return { success: false, message: wording.notFoundOne(name, await suggestNames(name, step)), toolName: name }
  }
  // This result alone must show the tool as loaded once older messages are gone, so it lists the name either way.
  step.load([name])
  const message = already.length > 0 ? wording.alreadyLoadedOne(name) : wording.loadedOne(name)
  return { success: true, message, toolName: name, loaded: [name] }
}

function answerMany({ loaded, already, missing }: Outcome): LoadToolResult {
  return {
    success: missing.length === 0,
    message: wording.loadedMany(loaded, already, missing),
    loadedCount: loaded.length,
    ...(loaded.length > 0 && { loaded }),
    ...(missing.length > 0 && { notFound: missing }),
    ...(already.length > 0 && { alreadyLoaded: already }),
  }
}
