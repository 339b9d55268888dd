import { z } from 'zod/v4'
import type { AdaptToolIndexOptions } from './adapt/adapt-index.js'
import type { CalibrateToolIndexOptions } from './adapt/calibrate-index.js'
import type { BuildToolIndexOptions } from './artifact/build.js'
import type { OpenToolIndexOptions } from './artifact/open.js'
import type { VerifyToolIndexOptions } from './artifact/verify.js'
import { InvalidOptionsError } from './errors.js'
import { aFunction, anAbortSignal, check, embedderField, field, flag, isPath, toolsField } from './options.js'
import { show } from './show.js'

const BUILD_SCHEMA = z.strictObject({
  tools: toolsField,
  out: z.custom<unknown>(isPath, { message: 'the path of a folder' }),
  embedder: embedderField,
  includeDocuments: flag,
  onProgress: aFunction,
  abortSignal: anAbortSignal,
  warn: aFunction,
})

/** Checks the options of `buildToolIndex`, as `resolveOptions` does the processor's. */
export function resolveBuildOptions(options: BuildToolIndexOptions) {
  check(BUILD_SCHEMA, options, 'the options', ' with `tools` and `out`')
  return {
    ...options,
    includeDocuments: options.includeDocuments ?? false,
    warn: options.warn ?? ((message: string) => console.warn(message)),
  }
}

const LABELLED = z.array(z.object({ query: z.string().regex(/\S/), relevant: z.array(z.string().min(1)) }))

const ADAPT_SCHEMA = z.strictObject({
  queries: z.custom<unknown>(value => LABELLED.safeParse(value).success, {
    message: 'an array of { query, relevant: [names] }, each query with text',
  }),
  tools: toolsField.optional(),
  index: field('the path of a folder', isPath),
  out: field('the path of a folder', isPath),
  embedder: embedderField,
  includeDocuments: flag,
  keepOthers: flag,
  seed: field('a whole number ≥ 0', value => Number.isSafeInteger(value) && (value as number) >= 0),
  onProgress: aFunction,
  abortSignal: anAbortSignal,
  warn: aFunction,
})

/** Checks the options of `adaptToolIndex`, as `resolveOptions` does the processor's. */
export function resolveAdaptOptions(options: AdaptToolIndexOptions) {
  check(ADAPT_SCHEMA, options, 'the options', ' with `queries`')
  const { tools, index, out } = options
  if (!tools && index === undefined) throw new InvalidOptionsError('Expected tools or index, got neither.')
  if (index === undefined && out === undefined) throw new InvalidOptionsError('Expected out or index, got neither.')
  return { ...options, warn: options.warn ?? ((message: string) => console.warn(message)) }
}

const CALIBRATE_SCHEMA = ADAPT_SCHEMA.omit({ out: true, includeDocuments: true, keepOthers: true })

/** Checks the options of `calibrateToolIndex`, as `resolveOptions` does the processor's. */
export function resolveCalibrateOptions(options: CalibrateToolIndexOptions) {
  check(CALIBRATE_SCHEMA, options, 'the options', ' with `queries` and `index`')
  if (options.index === undefined) throw new InvalidOptionsError('Expected index to be the path of a folder, got none.')
  return { ...options, warn: options.warn ?? ((message: string) => console.warn(message)) }
}

const OPEN_SCHEMA = z.strictObject({ abortSignal: anAbortSignal })
const VERIFY_SCHEMA = z.strictObject({
  tools: toolsField.optional(),
  embedder: embedderField,
  abortSignal: anAbortSignal,
})

/** Checks the arguments of `openToolIndex`. */
export function resolveOpenOptions(path: string, options?: OpenToolIndexOptions): OpenToolIndexOptions {
  return checkWithPath(OPEN_SCHEMA, path, options)
}

/** Checks the arguments of `verifyToolIndex`. */
export function resolveVerifyOptions(path: string, options?: VerifyToolIndexOptions): VerifyToolIndexOptions {
  return checkWithPath(VERIFY_SCHEMA, path, options)
}

function checkWithPath<Options extends object>(
  schema: z.ZodObject,
  path: string,
  options: Options | undefined,
): Partial<Options> {
  if (!isPath(path)) throw new InvalidOptionsError(`Expected path to be the path of a folder, got ${show(path)}`)
  // The first value that a schema checks in a process takes a millisecond.
  if (options === undefined) return {}
  check(schema, options, 'the options')
  return options
}
