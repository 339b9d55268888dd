import { WEIGHT_LIMITS } from '../ranking/score.js'
import type { Estimate } from '../tuning/intervals.js'
import { DATA_FILES, type DataFileKind, dataFileName } from './data-file-name.js'
import { nullable, object, type Read, value } from './json-reader.js'
import {
  FORMAT_VERSION,
  type ManifestAdaptation,
  type ManifestCalibration,
  type ManifestFile,
  type ManifestFiles,
  type ManifestGraph,
  type ManifestModel,
  type ToolIndexManifest,
} from './tool-index.js'

const count = value<number>(isCount, 'a whole number ≥ 0')
const positive = value<number>(number => isCount(number) && number !== 0, 'a whole number ≥ 1')
const text = value<string>(string => typeof string === 'string' && string !== '', 'a text')
const sha256 = matching(/^[0-9a-f]{64}$/, '64 hexadecimal digits')
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/
const time = value<string>(
  string => typeof string === 'string' && TIME.test(string) && !Number.isNaN(Date.parse(string)),
  'a time in UTC, ISO 8601',
)
const numberFrom = (least: number, most: number) =>
  value<number>(
    number => typeof number === 'number' && number >= least && number <= most,
    `a number from ${least} to ${most}`,
  )
const share = numberFrom(0, 1)
const difference = numberFrom(-1, 1)
const estimate = object<Estimate>({ value: difference, low: difference, high: difference })
const weight = value<number>(
  number => typeof number === 'number' && number > 0 && Number.isFinite(number),
  'a number above 0',
)

function matching(pattern: RegExp, expected: string): Read<string> {
  return value(string => typeof string === 'string' && pattern.test(string), expected)
}

function file(kind: DataFileKind): Read<ManifestFile> {
  const read = object<ManifestFile>({ name: text, bytes: count, sha256 })
  return (value, at) => {
    const file = read(value, at)
    if (file.name === dataFileName(kind, file.sha256)) return file
    throw new Error(`does not fit at ${at}.name: expected ${kind}, the start of its sha256, and .${DATA_FILES[kind]}`)
  }
}

/** Reads a manifest's members, but for its tools, which may be thousands. Throws an `Error` that says what does not fit. */
export const readHead = object<Omit<ToolIndexManifest, 'tools'> & { readonly tools: readonly unknown[] }>({
  formatVersion: value(version => version === FORMAT_VERSION, String(FORMAT_VERSION)),
  packageVersion: text,
  builtAt: time,
  documentTemplateVersion: count,
  model: object<ManifestModel>({
    id: text,
    revision: nullable(text),
    weightsSha256: nullable(sha256),
    dimensions: positive,
    maxTokens: positive,
  }),
  graph: nullable(
    object<ManifestGraph>({ M: count, efConstruction: count, seed: count, maxLevel: count, entryPoint: count }),
  ),
  adaptation: nullable(
    object<ManifestAdaptation>({
      queries: positive,
      tools: positive,
      map: nullable(object<{ readonly weight: number; readonly others: number }>({ weight, others: share })),
      pull: share,
      before: share,
      gain: estimate,
      gainOfOthers: nullable(estimate),
      readQueryId: nullable(text),
      seed: count,
    }),
  ),
  calibration: nullable(
    object<ManifestCalibration>({
      cosine: numberFrom(WEIGHT_LIMITS.leastCosine, WEIGHT_LIMITS.most),
      lexicalShare: numberFrom(0, WEIGHT_LIMITS.most),
      bias: numberFrom(-WEIGHT_LIMITS.most, WEIGHT_LIMITS.most),
      queries: positive,
      before: share,
      after: share,
      seed: count,
    }),
  ),
  files: object<ManifestFiles>({
    vectors: file('vectors'),
    graph: nullable(file('graph')),
    documents: nullable(file('documents')),
    adaptation: nullable(file('adaptation')),
  }),
  tools: value(Array.isArray, 'an array'),
  digest: sha256,
})

export function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0
}
