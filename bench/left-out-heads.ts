import { join } from 'node:path'
import { Option } from 'commander'
import type { Embedder } from '../src/embedding/embedder.js'
import { readQueryHeads } from '../src/embedding/query-heads.js'

/** The option of benchmarks of quality that names the folder for `withHeadsFor`. */
export const headsOption = () =>
  new Option(
    '--heads <folder>',
    'query heads learned without each corpus (models/training/heads/fit.py --leave-one-out)',
  )

/**
 * The embedder with query heads that were learned without one corpus, from `<folder>/<corpus>/`, which
 * `models/training/heads/fit.py --leave-one-out` writes; without a folder the embedder itself.
 */
export function withHeadsFor<T extends Embedder>(embedder: T, corpus: string, folder: string | undefined): T {
  if (folder === undefined) return embedder
  const read = readQueryHeads(join(folder, corpus), embedder.dimensions)
  if (!read)
    throw new Error(`No query heads for ${corpus} in ${folder}: run models/training/heads/fit.py --leave-one-out.`)
  return { ...embedder, readQuery: async embedding => read(embedding) }
}
