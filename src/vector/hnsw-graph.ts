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

export interface GraphSearch {
  /** The cosine similarity of the query to an element. */
  readonly similarityTo: (element: number) => number
  /** How many elements to look for. */
  readonly ef: number
  /** The others are passed through, and are neither found nor counted. */
  readonly isWanted: (element: number) => boolean
}

/** The `ef` wanted elements that are most similar to a query, most similar first, as far as the links lead to them. */
export function searchGraph(graph: HnswGraph, search: GraphSearch): number[] {
  const { similarityTo } = search
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
  return searchBase(graph, nearest, search)
}

/**
 * Best first over level 0: a list of the elements met, most similar first, down to the `ef`-th wanted one; the best of
 * it that is not yet expanded is expanded next.
 */
function searchBase(
  { size, entryPoint, base: { offsets, neighbors } }: HnswGraph,
  start: number,
  { similarityTo, ef, isWanted }: GraphSearch,
): number[] {
  const met: Met[] = []
  const seen = new Uint8Array(size)
  let wanted = 0
  /** Where the element came into the list, or its end. */
  const meet = (element: number): number => {
    seen[element] = 1
    const similarity = similarityTo(element)
    if (wanted === ef && !(similarity > met.at(-1)!.similarity)) return met.length
    const place = placeOf(met, similarity)
    const isOne = isWanted(element)
    met.splice(place, 0, { element, similarity, isWanted: isOne, isExpanded: false })
    if (isOne) wanted++
    // The list ends with its `ef`-th wanted element.
    while (wanted > ef || (wanted === ef && !met.at(-1)!.isWanted)) if (met.pop()!.isWanted) wanted--
    return place
  }
  meet(start)
  // Where the upper levels lead to an element without links: all that is reachable is so from the entry point.
  if (!seen[entryPoint]) meet(entryPoint)
  for (let at = 0; at < met.length; ) {
    if (met[at]!.isExpanded) {
      at++
      continue
    }
    met[at]!.isExpanded = true
    const { element } = met[at]!
    let next = at + 1
    for (let link = offsets[element]!; link < offsets[element + 1]!; link++) {
      if (!seen[neighbors[link]!]) next = Math.min(next, meet(neighbors[link]!))
    }
    at = next
  }
  return met.flatMap(each => (each.isWanted ? [each.element] : []))
}

interface Met {
  readonly element: number
  readonly similarity: number
  readonly isWanted: boolean
  isExpanded: boolean
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

/** Where `similarity` belongs in a descending list; after its equals. */
function placeOf(met: readonly Met[], similarity: number): number {
  let low = 0
  let high = met.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (met[middle]!.similarity < similarity) high = middle
    else low = middle + 1
  }
  return low
}
