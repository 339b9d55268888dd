/**
 * The links of an HNSW graph (Malkov and Yashunin, arXiv:1603.09320) apart from its vectors. Element `e` is the `e`-th
 * vector. All arrays are valid by construction (`decodeGraph` checks what comes from a file), so that a search can
 * neither leave them nor run without end.
 */
export interface HnswGraph {
  /** Most links of an element on the upper levels; twice as many on level 0. */
  readonly M: number
  readonly size: number
  /** Where a search starts: an element of the highest level. */
  readonly entryPoint: number
  /** Highest level of each element, 0-based; `size` numbers. */
  readonly levels: Uint8Array
  /** The neighbours of element `e` on level 0 are `base.neighbors` from `base.offsets[e]` up to `base.offsets[e + 1]`. */
  readonly base: Links
  /** List `upperStarts[e] + level − 1` has the neighbours of element `e` on `level` ≥ 1. */
  readonly upper: Links
  readonly upperStarts: Uint32Array
}

/** Lists of element numbers, one after the other. */
export interface Links {
  /** Where each list starts, and the end of the last one. */
  readonly offsets: Uint32Array
  readonly neighbors: Uint32Array
}

/** Where the upper lists of each element start, from the levels; and their number, as the last entry. */
export function upperStartsOf(levels: Uint8Array): Uint32Array {
  const starts = new Uint32Array(levels.length + 1)
  for (let element = 0; element < levels.length; element++) starts[element + 1] = starts[element]! + levels[element]!
  return starts
}

/**
 * The `ef` elements of the graph that are most similar to a query, most similar first, as far as the search comes upon
 * them. `similarityTo(element)` is the cosine similarity of the query to an element.
 */
export function searchGraph(graph: HnswGraph, similarityTo: (element: number) => number, ef: number): Uint32Array {
  let nearest = graph.entryPoint
  let highest = similarityTo(nearest)
  for (let level = graph.levels[nearest]!; level > 0; level--) {
    for (let moved = true; moved; ) {
      moved = false
      const { offsets, neighbors } = graph.upper
      const list = graph.upperStarts[nearest]! + level - 1
      for (let at = offsets[list]!; at < offsets[list + 1]!; at++) {
        const similarity = similarityTo(neighbors[at]!)
        if (!(similarity > highest)) continue
        highest = similarity
        nearest = neighbors[at]!
        moved = true
      }
    }
  }
  return searchBase(graph, nearest, highest, similarityTo, ef)
}

/** Best first over level 0: a list of the best `ef` so far, in which the best one not yet expanded is expanded next. */
function searchBase(
  { size, base: { offsets, neighbors } }: HnswGraph,
  start: number,
  startSimilarity: number,
  similarityTo: (element: number) => number,
  ef: number,
): Uint32Array {
  const capacity = Math.min(ef, size)
  const elements = new Uint32Array(capacity)
  const similarities = new Float64Array(capacity)
  const expanded = new Uint8Array(capacity)
  const seen = new Uint8Array(size)
  elements[0] = start
  similarities[0] = startSimilarity
  seen[start] = 1
  let found = 1
  for (let at = 0; at < found; ) {
    if (expanded[at]) {
      at++
      continue
    }
    expanded[at] = 1
    const element = elements[at]!
    let next = at + 1
    for (let link = offsets[element]!; link < offsets[element + 1]!; link++) {
      const neighbor = neighbors[link]!
      if (seen[neighbor]) continue
      seen[neighbor] = 1
      const similarity = similarityTo(neighbor)
      if (found === capacity && similarity <= similarities[capacity - 1]!) continue
      const place = placeOf(similarities, found, similarity)
      const end = found === capacity ? capacity - 1 : found
      elements.copyWithin(place + 1, place, end)
      similarities.copyWithin(place + 1, place, end)
      expanded.copyWithin(place + 1, place, end)
      elements[place] = neighbor
      similarities[place] = similarity
      expanded[place] = 0
      found = end + 1
      next = Math.min(next, place)
    }
    at = next
  }
  return elements.subarray(0, found)
}

/** 1 for each element that links of level 0 lead to from the entry point, 0 for those that a search may never meet. */
export function reachableElements({ size, entryPoint, base: { offsets, neighbors } }: HnswGraph): Uint8Array {
  const reached = new Uint8Array(size)
  if (size === 0) return reached
  const queue = new Uint32Array(size)
  queue[0] = entryPoint
  reached[entryPoint] = 1
  for (let at = 0, end = 1; at < end; at++) {
    const element = queue[at]!
    for (let link = offsets[element]!; link < offsets[element + 1]!; link++) {
      const neighbor = neighbors[link]!
      if (reached[neighbor]) continue
      reached[neighbor] = 1
      queue[end++] = neighbor
    }
  }
  return reached
}

/** Where `similarity` belongs among the first `count` of a descending list; after its equals. */
function placeOf(similarities: Float64Array, count: number, similarity: number): number {
  let low = 0
  let high = count
  while (low < high) {
    const middle = (low + high) >> 1
    if (similarities[middle]! < similarity) high = middle
    else low = middle + 1
  }
  return low
}
