import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { cpus, totalmem } from 'node:os'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { packageVersion } from '../src/embedding/package-root.js'
import type { BenchmarkResult } from './benchmark.js'
import { SEED } from './corpora.js'

/** What a run of a benchmark leaves in `bench/results/`. */
export interface BenchRecord extends BenchmarkResult {
  readonly benchmark: string
  /** YYYY-MM-DD. */
  readonly date: string
  readonly environment: Environment
  readonly options: Readonly<Record<string, unknown>>
}

/** Where it ran, and with what. */
export interface Environment {
  readonly cpu: string
  readonly cores: number
  /** Those that onnxruntime's kernels depend on. */
  readonly cpuFlags: readonly string[]
  readonly memoryGiB: number
  readonly platform: string
  readonly node: string
  readonly package: string
  readonly mastra: string
  readonly onnxruntime: string
  readonly seed: number
}

const KERNEL_FLAGS = /^(avx|avx2|avx512.*|avx_vnni|fma|f16c|sse4_[12]|amx.*|sha_ni|asimd|asimddp|sve)$/

const require = createRequire(import.meta.url)

export function environment(): Environment {
  const versionOf = (name: string) => (require(`${name}/package.json`) as { version: string }).version
  return {
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: cpus().length,
    cpuFlags: cpuFlags(),
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    platform: `${process.platform} ${process.arch}`,
    node: process.version,
    package: packageVersion(),
    mastra: versionOf('@mastra/core'),
    onnxruntime: versionOf('onnxruntime-node'),
    seed: SEED,
  }
}

/** Of Linux; elsewhere none are known. */
function cpuFlags(): string[] {
  try {
    const [, flags = ''] = /^(?:flags|Features)\s*:\s*(.*)$/m.exec(readFileSync('/proc/cpuinfo', 'utf8')) ?? []
    return flags.split(' ').filter(flag => KERNEL_FLAGS.test(flag))
  } catch {
    return []
  }
}

/** The file of a benchmark's results in the repository. */
export function resultsFile(benchmark: string): string {
  return fileURLToPath(new URL(`./results/${benchmark}.json`, import.meta.url))
}

export function writeRecord(file: string, record: BenchRecord): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, `${format(record)}\n`)
}

/** JSON with arrays of numbers on one line. */
function format(record: BenchRecord): string {
  return JSON.stringify(record, (_, value) => (typeof value === 'number' ? asRecorded(value) : value), 2).replace(
    /\[\n\s+(-?[\d.e+-]+(?:,\n\s+-?[\d.e+-]+)*)\n\s+\]/g,
    (_, numbers: string) => `[${numbers.replace(/\n\s+/g, ' ')}]`,
  )
}

/** A number as a record has it: five digits, more than any figure is sure of. */
export const asRecorded = (value: number) => (Number.isInteger(value) ? value : Number(value.toPrecision(5)))

/** Reads a record; throws where the file is none. */
export function readRecord(file: string): BenchRecord {
  let record: Partial<BenchRecord>
  try {
    record = JSON.parse(readFileSync(file, 'utf8')) as Partial<BenchRecord>
  } catch (error) {
    throw new Error(`The benchmark results "${file}" cannot be read: ${(error as Error).message}`)
  }
  if (typeof record?.benchmark !== 'string' || typeof record.metrics !== 'object' || record.metrics === null) {
    throw new Error(`The file "${file}" holds no benchmark results: expected JSON written by npm run bench`)
  }
  return record as BenchRecord
}
