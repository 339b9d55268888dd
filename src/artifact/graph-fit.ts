import { dotProduct } from '../vector/dot-product.js'
import type { HnswGraph } from '../vector/hnsw-graph.js'

// Elements looked at, evenly spread, with so many links of each: half a millisecond.
const SAMPLED_ELEMENTS = 64
const SAMPLED_LINKS = 4

// Links must be nearer than chance by this share of what is possible. Graphs of hnswlib over the corpora of `bench/`
// have 0.5 and more, over random vectors of 384 dimensions (which hardly have neighbours) 0.1; a graph of other vectors
// has 0.00 ± 0.02.
const MIN_GAIN = 0.05

/**
 * Whether a graph is one of these vectors: its links lead to vectors that are nearer than any two. Links that are
 * sound by themselves, but those of another index, would make searches miss what is there.
 */
export function fitsVectors(graph: HnswGraph, vectors: Float32Array, dimensions: number): boolean {
  const similarity = (a: number, b: number) => dotProduct(vectors, a * dimensions, vectors, b * dimensions, dimensions)
  const step = Math.max(1, Math.floor(graph.size / SAMPLED_ELEMENTS))
  const { offsets, neighbors } = graph.base
  let linked = 0
  let random = 0
  let pairs = 0
  for (let element = 0; element < graph.size; element += step) {
    const end = Math.min(offsets[element + 1]!, offsets[element]! + SAMPLED_LINKS)
    for (let link = offsets[element]!; link < end; link++) {
      linked += similarity(element, neighbors[link]!)
      // A multiple of a large prime: spread, and the same each time. Shifted to be an integer for V8, too, which otherwise
      // compiles the product anew.
      random += similarity(element, (((element + link + 1) * 1_000_003) % graph.size) >>> 0)
      pairs++
    }
  }
  // Without links all elements are compared, which is right.
  if (pairs === 0) return true
  return (linked - random) / pairs >= MIN_GAIN * Math.max(0, 1 - random / pairs) - Number.EPSILON * pairs
}
