import { Command } from 'commander'
import type { Benchmark } from './benchmark.js'
import { adapt } from './benchmarks/adapt.js'
import { ann } from './benchmarks/ann.js'
import { artifact } from './benchmarks/artifact.js'
import { calibration } from './benchmarks/calibration.js'
import { embed } from './benchmarks/embed.js'
import { latency } from './benchmarks/latency.js'
import { memory } from './benchmarks/memory.js'
import { noAnswer } from './benchmarks/no-answer.js'
import { retrieval } from './benchmarks/retrieval.js'
import { robustness } from './benchmarks/robustness.js'
import { store } from './benchmarks/store.js'
import { tokens } from './benchmarks/tokens.js'
import { printComparison } from './compare.js'
import { GUARD_OPTIONS, GUARD_RESULTS } from './guard.js'
import { writeReadme } from './readme.js'
import { type BenchRecord, environment, readRecord, resultsFile, writeRecord } from './record.js'

// biome-ignore lint/suspicious/noExplicitAny: each takes options of its own.
const BENCHMARKS: readonly Benchmark<any>[] = [
  retrieval,
  robustness,
  noAnswer,
  calibration,
  latency,
  embed,
  ann,
  memory,
  tokens,
  artifact,
  adapt,
  store,
]

const program = new Command('npm run bench --')
  .description('Measures this package, in each run against a baseline. Results go to bench/results/<name>.json.')
  .showHelpAfterError()

for (const benchmark of BENCHMARKS) {
  benchmark
    .configure(program.command(benchmark.name).description(benchmark.summary))
    .option('--out <file>', 'where the results go', resultsFile(benchmark.name))
    .action(({ out, ...options }: { out: string }) => measure(benchmark, options, out))
}

program
  .command('compare <before> <after>')
  .description('Says what got better or worse beyond noise between two result files of one benchmark.')
  .action((before: string, after: string) => {
    const [one, other] = [before, after].map(readOrExplain) as [BenchRecord, BenchRecord]
    try {
      printComparison(one, other)
    } catch (error) {
      program.error((error as Error).message, { exitCode: 2 })
    }
  })

program
  .command('guard')
  .description('Measures anew what test/quality/guard.test.ts compares with; for a change of ranking that is wanted.')
  .action(() => measure(retrieval, GUARD_OPTIONS, GUARD_RESULTS))

program.command('readme').description("Writes the README's tables and picture from bench/results/.").action(writeReadme)

// biome-ignore lint/suspicious/noExplicitAny: see BENCHMARKS.
async function measure(benchmark: Benchmark<any>, options: object, out: string): Promise<void> {
  const result = await benchmark.run(options)
  const date = new Date().toISOString().slice(0, 10)
  writeRecord(out, { benchmark: benchmark.name, date, environment: environment(), options: { ...options }, ...result })
  console.log(`Written to ${out}`)
}

function readOrExplain(file: string): BenchRecord {
  try {
    return readRecord(file)
  } catch (error) {
    return program.error((error as Error).message, { exitCode: 2 })
  }
}

await program.parseAsync()
