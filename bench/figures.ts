import type { Metric } from './metric.js'
import { type BenchRecord, readRecord, resultsFile } from './record.js'

/** A recorded benchmark. */
export interface Figures {
  readonly record: BenchRecord
  /** The metric; throws where the record has none of that name. */
  metric(name: string): Metric
}

export function figuresOf(benchmark: string): Figures {
  const record = readRecord(resultsFile(benchmark))
  return {
    record,
    metric(name) {
      const metric = record.metrics[name]
      if (!metric)
        throw new Error(`bench/results/${benchmark}.json has no metric "${name}". Run npm run bench -- ${benchmark}`)
      return metric
    },
  }
}

/** A table in Markdown. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map(cells => `| ${cells.join(' | ')} |`).join('\n')
}

export const percent = (value: number) => `${(value * 100).toFixed(value < 0.1 && value > 0 ? 1 : 0)} %`
export const whole = (value: number) => Math.round(value).toLocaleString('en')
