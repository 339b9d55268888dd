import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Command } from 'commander'
import { type Benchmark, type BenchmarkResult, wholeNumber, wholeNumbers } from '../benchmark.js'
import { type Metric, plainMetric } from '../metric.js'
import { printTable } from '../table.js'
import type { MemoryTask } from './memory-child.js'

interface Options {
  sizes: number[]
  searches: number
  threads: number
}

export const memory: Benchmark<Options> = {
  name: 'memory',
  summary: 'How much memory does a process take: at start, with the model, by catalog size, and after long use?',
  configure: (command: Command) =>
    command
      .option('--sizes <list>', 'catalog sizes', wholeNumbers(1), [100, 1_000, 4_000, 16_000, 48_000])
      .option('--searches <count>', 'searches of the long run', wholeNumber(100), 100_000)
      .option('--threads <count>', 'threads of the long run', wholeNumber(1), 10_000),
  run,
}

const CHILD = fileURLToPath(new URL('./memory-child.ts', import.meta.url))

async function run({ sizes, searches, threads }: Options): Promise<BenchmarkResult> {
  const metrics: Record<string, Metric> = {}
  const add = (name: string, mib: number, better: Metric['better'] = 'lower') => {
    metrics[name] = plainMetric(mib, { unit: 'MiB', better })
  }
  const mastra = measured({ task: 'mastra', size: 0 })
  add('@mastra/core alone', mastra.start!, null)
  const ours = measured({ task: 'ours', size: 0 })
  add('with this package', ours.start!)
  add('with the model loaded', ours.model!)
  for (const size of sizes) {
    add(`${size} tools/ours`, measured({ task: 'ours', size }).indexed!)
    add(`${size} tools/mastra`, measured({ task: 'mastra', size }).indexed!, null)
  }
  const used = measured({ task: 'use', size: 1_000, searches, threads })
  const count = (value: number) => value.toLocaleString('en')
  add('long run/before', used.before!)
  add('long run/after a tenth of the searches', used.tenth!)
  add(`long run/after ${count(searches)} searches`, used.searched!)
  add(`long run/after ${count(threads)} threads`, used.threads!)
  printTable(
    ['resident set', 'MiB'],
    Object.entries(metrics).map(([name, { value }]) => [name, value]),
  )
  return { model: String(ours.modelId), metrics }
}

type Figures = Record<string, number> & { modelId?: unknown }

/** Runs the task in a process of its own; the memory of a process says nothing of what ran in it before. */
function measured(task: MemoryTask): Figures {
  const node = ['--expose-gc', '--import', 'tsx', CHILD, JSON.stringify(task)]
  const { status, stdout, stderr } = spawnSync(process.execPath, node, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`The memory benchmark of ${JSON.stringify(task)} failed: ${stderr}`)
  return JSON.parse(stdout.trim().split('\n').at(-1)!) as Figures
}
