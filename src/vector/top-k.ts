/**
 * Positions of the `k` highest values, highest first; equal values keep their order.
 * A binary heap of `k` entries: `values` is read once, so that 48,000 values cost well under a millisecond.
 */
export function topK(values: ArrayLike<number>, k: number): Uint32Array {
  const size = Math.min(k, values.length)
  if (size <= 0) return new Uint32Array(0)
  const heap = new Uint32Array(size)
  // The root of the heap is the weakest of the best so far: lower value, or equal value and later position.
  const weaker = (a: number, b: number) => {
    const x = values[a]!
    const y = values[b]!
    return x < y || (x === y && a > b)
  }
  const sink = (start: number, end: number) => {
    let at = start
    const moved = heap[at]!
    for (;;) {
      let child = 2 * at + 1
      if (child >= end) break
      if (child + 1 < end && weaker(heap[child + 1]!, heap[child]!)) child++
      if (!weaker(heap[child]!, moved)) break
      heap[at] = heap[child]!
      at = child
    }
    heap[at] = moved
  }
  for (let i = 0; i < size; i++) heap[i] = i
  for (let i = (size >> 1) - 1; i >= 0; i--) sink(i, size)
  for (let i = size; i < values.length; i++) {
    if (values[i]! <= values[heap[0]!]!) continue
    heap[0] = i
    sink(0, size)
  }
  // Heap sort: the weakest goes to the end each time, which leaves the best first.
  for (let end = size - 1; end > 0; end--) {
    const weakest = heap[0]!
    heap[0] = heap[end]!
    heap[end] = weakest
    sink(0, end)
  }
  return heap
}
