import { readFileSync } from 'node:fs'
import { openToolIndex } from '../../src/artifact/open.js'
import { loadHnswlib } from '../../src/vector/hnsw.js'
import { inTurns, timed } from '../times.js'

// One process of the artifact benchmark: times the first opening of an index or hnswlib's first read of such a graph,
// then more of both, in turns. Prints times in ms, as JSON.

const [first, index, hnswFile] = process.argv.slice(2) as ['open' | 'floor', string, string]
const ROUNDS = 9

const Graph = await loadHnswlib()
const { dimensions } = JSON.parse(readFileSync(`${index}/manifest.json`, 'utf8')).model as { dimensions: number }
const systems = {
  open: () => openToolIndex(index),
  // What the limit is of: reading the file, and hnswlib's own read.
  floor: () => {
    readFileSync(hnswFile)
    new Graph('ip', dimensions).readIndexSync(hnswFile)
  },
}
const [firstMs] = await timed<unknown>(systems[first])
const { open, floor } = await inTurns(systems, { rounds: ROUNDS, warmUp: 4 })
console.log(JSON.stringify({ first: firstMs, open, floor }))
