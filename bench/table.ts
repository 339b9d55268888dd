import Table from 'cli-table3'
import { NO_BORDERS } from '../src/cli/plain-table.js'
import type { Metric } from './metric.js'

/** A table for people: a heading, then rows. */
export function printTable(head: readonly string[], rows: readonly (readonly (string | number)[])[]): void {
  const table = new Table({
    head: [...head],
    chars: { ...NO_BORDERS, middle: '  ' },
    style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [] },
  })
  table.push(...rows.map(row => row.map(cell => (typeof cell === 'number' ? shortNumber(cell) : cell))))
  console.log(`${table.toString()}\n`)
}

/** Three significant digits, and no fewer than the whole part has. */
export function shortNumber(value: number): string {
  return Math.abs(value) >= 100 || Number.isInteger(value) ? value.toFixed(0) : value.toPrecision(3)
}

/** A metric with its interval: `0.720 [0.698, 0.742]`. */
export function interval({ value, low, high }: Metric): string {
  return `${value.toFixed(3)} [${low.toFixed(3)}, ${high.toFixed(3)}]`
}

/** A share with its interval, in percent: `2.5 % [1.9, 3.1]`. */
export function percentInterval({ value, low, high }: Metric): string {
  const percent = (share: number) => (share * 100).toFixed(1)
  return `${percent(value)} % [${percent(low)}, ${percent(high)}]`
}
