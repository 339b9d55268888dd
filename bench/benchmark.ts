import { type Command, InvalidArgumentError } from 'commander'
import type { Metric } from './metric.js'

/** One benchmark of `npm run bench -- <name>`. */
export interface Benchmark<Options> {
  readonly name: string
  /** A sentence for `--help`. */
  readonly summary: string
  /** Declares its options. */
  configure(command: Command): Command
  /** Measures, and prints tables as it goes. */
  run(options: Options): Promise<BenchmarkResult>
}

export interface BenchmarkResult {
  /** The embedding model that was measured. */
  readonly model: string
  /** By name, the parts separated by slashes: `bfcl/shipped/ndcg@10`. */
  readonly metrics: Readonly<Record<string, Metric>>
  /** What tables and pictures need beyond the metrics. */
  readonly details?: unknown
}

/** Parses an option that is a whole number from `min` on. */
export function wholeNumber(min: number): (text: string) => number {
  return text => {
    const value = Number(text)
    if (!Number.isSafeInteger(value) || value < min)
      throw new InvalidArgumentError(`Expected a whole number from ${min}, got "${text}"`)
    return value
  }
}

/** Parses an option that is a list of whole numbers, `1000,4000`. */
export function wholeNumbers(min: number): (text: string) => number[] {
  return text => text.split(',').map(wholeNumber(min))
}
