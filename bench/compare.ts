import { mean } from './measures.js'
import { bootstrap, type Metric } from './metric.js'
import { asRecorded, type BenchRecord } from './record.js'
import { printTable } from './table.js'

export type Verdict = 'better' | 'worse' | 'same'

/** What became of one metric from one run to the other. */
export interface Change {
  readonly metric: string
  readonly before: number
  readonly after: number
  /** 95 % interval of `after − before`. */
  readonly low: number
  readonly high: number
  readonly verdict: Verdict
  /** Whether the runs asked the same queries, which were then compared one by one. */
  readonly paired: boolean
}

/**
 * Every metric of both records that has a better side, the changed ones first. A change counts where the 95 % interval
 * of the difference leaves out 0.
 * @throws {Error} where the records are of two benchmarks, or have no metric in common.
 */
export function compareRecords(before: BenchRecord, after: BenchRecord): Change[] {
  if (before.benchmark !== after.benchmark) {
    throw new Error(
      `Results of "${before.benchmark}" and "${after.benchmark}" say nothing of each other. Compare two of one`,
    )
  }
  const changes = Object.entries(before.metrics).flatMap(([metric, old]) => {
    const now = after.metrics[metric]
    return now && old.better !== null ? [changeOf(metric, old, now)] : []
  })
  if (changes.length === 0) throw new Error('The results have no metric in common. Run both with the same options')
  const order: Verdict[] = ['worse', 'better', 'same']
  return changes.sort((a, b) => order.indexOf(a.verdict) - order.indexOf(b.verdict))
}

export function changeOf(metric: string, before: Metric, after: Metric): Change {
  const paired = before.values !== undefined && before.values.length === after.values?.length
  const { low, high } = paired ? pairedInterval(before.values, after.values!) : independentInterval(before, after)
  const isGain = before.better === 'higher' ? low > 0 : high < 0
  const isLoss = before.better === 'higher' ? high < 0 : low > 0
  const verdict = isGain ? 'better' : isLoss ? 'worse' : 'same'
  return { metric, before: before.value, after: after.value, low, high, verdict, paired }
}

function pairedInterval(before: readonly number[], after: readonly number[]) {
  return bootstrap(
    // Both as a record has them: what rounding changes is no change, and in the same direction for every third of a recall.
    after.map((value, at) => asRecorded(value) - asRecorded(before[at]!)),
    mean,
  )
}

/** Of the difference of two independent estimates: their spreads add up as squares, each end by itself. */
function independentInterval(before: Metric, after: Metric) {
  const difference = after.value - before.value
  return {
    low: difference - Math.hypot(after.value - after.low, before.high - before.value),
    high: difference + Math.hypot(after.high - after.value, before.value - before.low),
  }
}

/** Prints what changed, and which settings of the runs differ. */
export function printComparison(before: BenchRecord, after: BenchRecord): void {
  const changes = compareRecords(before, after)
  for (const difference of settingsThatDiffer(before, after)) console.log(`Not the same in both: ${difference}`)
  const count = (verdict: Verdict) => changes.filter(change => change.verdict === verdict).length
  console.log(`${count('better')} better, ${count('worse')} worse, ${count('same')} within noise (95 % intervals)\n`)
  const signed = (value: number) => `${value >= 0 ? '+' : ''}${value.toPrecision(3)}`
  printTable(
    ['metric', 'before', 'after', 'change', 'interval', ''],
    changes.map(({ metric, before: old, after: now, low, high, verdict, paired }) => [
      metric,
      old.toPrecision(4),
      now.toPrecision(4),
      signed(now - old),
      `[${signed(low)}, ${signed(high)}]${paired ? ' paired' : ''}`,
      verdict === 'same' ? '' : verdict,
    ]),
  )
}

function settingsThatDiffer(before: BenchRecord, after: BenchRecord): string[] {
  const settings = ({ environment, options, model }: BenchRecord) => ({ model, ...environment, ...options })
  const [a, b] = [settings(before), settings(after)] as Record<string, unknown>[]
  return [...new Set([...Object.keys(a!), ...Object.keys(b!)])].flatMap(name => {
    const [one, other] = [JSON.stringify(a![name]), JSON.stringify(b![name])]
    return one === other ? [] : [`${name}: ${one} and ${other}`]
  })
}
