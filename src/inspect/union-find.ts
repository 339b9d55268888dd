/** Sets of rows that pairs connect. */
export interface Groups {
  /** Puts two rows, and all that are with them already, into one set. */
  join(row: number, other: number, similarity: number): void
  /** The sets of two or more, each sorted, in the order of their first rows. */
  list(): Group[]
}

export interface Group {
  readonly rows: readonly number[]
  /** Lowest and highest similarity of the pairs that were joined. */
  readonly lowest: number
  readonly highest: number
}

/** A union-find structure: a million pairs cost no more memory than their rows. */
export function createGroups(size: number): Groups {
  const parents = Uint32Array.from({ length: size }, (_, row) => row)
  const lowest = new Float32Array(size).fill(Number.POSITIVE_INFINITY)
  const highest = new Float32Array(size).fill(Number.NEGATIVE_INFINITY)

  function rootOf(row: number): number {
    let root = row
    while (parents[root] !== root) {
      parents[root] = parents[parents[root]!]!
      root = parents[root]!
    }
    return root
  }

  return {
    join(row, other, similarity) {
      const [root, child] = [rootOf(row), rootOf(other)].sort((a, b) => a - b) as [number, number]
      parents[child] = root
      lowest[root] = Math.min(lowest[root]!, lowest[child]!, similarity)
      highest[root] = Math.max(highest[root]!, highest[child]!, similarity)
    },
    list() {
      const members = new Map<number, number[]>()
      for (let row = 0; row < size; row++) {
        const root = rootOf(row)
        const rows = members.get(root)
        if (rows) rows.push(row)
        else members.set(root, [row])
      }
      return [...members]
        .filter(([, rows]) => rows.length > 1)
        .map(([root, rows]) => ({ rows, lowest: lowest[root]!, highest: highest[root]! }))
    },
  }
}
