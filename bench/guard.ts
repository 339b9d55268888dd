import { fileURLToPath } from 'node:url'
import type { RetrievalOptions } from './benchmarks/retrieval.js'

/** The small retrieval benchmark that CI compares with, and the file of what it gave when ranking last changed. */
export const GUARD_OPTIONS: RetrievalOptions = {
  corpora: ['metatool', 'bfcl'],
  queries: 200,
  split: 'test',
  ablations: false,
}

export const GUARD_RESULTS = fileURLToPath(new URL('./results/guard.json', import.meta.url))
