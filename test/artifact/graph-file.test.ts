import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import type { HierarchicalNSW } from 'hnswlib-node'
import { beforeAll, describe, expect, it } from 'vitest'
import { decodeGraph, encodeGraph, graphOf } from '../../src/artifact/graph-file.js'
import { buildHnsw } from '../../src/vector/hnsw.js'
import { type HnswGraph, searchGraph, upperStartsOf } from '../../src/vector/hnsw-graph.js'
import { dot } from '../vector/index-contract.js'
import { clusteredVectors } from './fixtures/clustered.js'

const HEADER = ['magic', 'size', 'M', 'maxLevel', 'entryPoint', 'baseLinks', 'upperLinks'] as const

const linksOf = (lists: readonly (readonly number[])[]) => {
  const offsets = new Uint32Array(lists.length + 1)
  lists.forEach((list, at) => {
    offsets[at + 1] = offsets[at]! + list.length
  })
  return { offsets, neighbors: Uint32Array.from(lists.flat()) }
}

const expectedOf = ({ size, M, levels, entryPoint }: HnswGraph) => ({
  size,
  M,
  entryPoint,
  maxLevel: levels[entryPoint]!,
})

const bytesOf = (graph: HnswGraph) => new Uint8Array(encodeGraph(graph))

/** Any graph that keeps the rules: links lead to elements of their level, and no list is too long. */
const validGraph: fc.Arbitrary<HnswGraph> = fc
  .record({ M: fc.integer({ min: 2, max: 6 }), levels: fc.array(fc.nat({ max: 4 }), { minLength: 1, maxLength: 30 }) })
  .chain(({ M, levels }) => {
    const size = levels.length
    const atLeast = (level: number) => [...levels.keys()].filter(element => levels[element]! >= level)
    const list = (level: number, most: number) => fc.array(fc.constantFrom(...atLeast(level)), { maxLength: most })
    const upperLevels = levels.flatMap(level => Array.from({ length: level }, (_, at) => at + 1))
    return fc
      .tuple(
        fc.constantFrom(...atLeast(Math.max(...levels))),
        fc.tuple(...levels.map(() => list(0, 2 * M))),
        fc.tuple(...upperLevels.map(level => list(level, M))),
      )
      .map(([entryPoint, base, upper]) => {
        const all = Uint8Array.from(levels)
        return {
          ...{ M, size, entryPoint, levels: all, base: linksOf(base), upper: linksOf(upper) },
          upperStarts: upperStartsOf(all),
        }
      })
  })

/** Throws where the graph breaks a rule that `searchGraph` relies on. */
function expectSound({ M, size, entryPoint, levels, base, upper, upperStarts }: HnswGraph): void {
  expect(levels).toHaveLength(size)
  expect(levels[entryPoint]).toBe(Math.max(...levels))
  expect(base.offsets).toHaveLength(size + 1)
  const check = ({ offsets, neighbors }: HnswGraph['base'], list: number, level: number, most: number) => {
    const linked = neighbors.subarray(offsets[list]!, offsets[list + 1]!)
    expect(offsets[list + 1]! - offsets[list]!).toBe(linked.length)
    expect(linked.length).toBeLessThanOrEqual(most)
    for (const neighbor of linked) expect(levels[neighbor]).toBeGreaterThanOrEqual(level)
  }
  for (let element = 0; element < size; element++) {
    check(base, element, 0, 2 * M)
    for (let level = 1; level <= levels[element]!; level++) check(upper, upperStarts[element]! + level - 1, level, M)
  }
}

describe('the graph file', () => {
  it('gives back any graph that was written', () => {
    fc.assert(
      fc.property(validGraph, graph => {
        expect(decodeGraph(bytesOf(graph), expectedOf(graph))).toEqual(graph)
      }),
    )
  })

  it('is 32-bit little-endian words that start with STG1 and the header', () => {
    const graph = fixed()
    const view = Buffer.from(encodeGraph(graph))
    expect(view.toString('latin1', 0, 4)).toBe('STG1')
    expect(HEADER.slice(1).map((_, at) => view.readUInt32LE(4 * (at + 1)))).toEqual([3, 2, 1, 0, 4, 2])
  })

  it('is sound or refused with an Error, whatever single word has whatever value', () => {
    const cases = fc.record({
      graph: validGraph,
      place: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      value: fc.oneof(fc.nat({ max: 70 }), fc.constantFrom(2 ** 31, 2 ** 32 - 1), fc.nat({ max: 2 ** 31 - 1 })),
      believed: fc.boolean(),
    })
    fc.assert(
      fc.property(cases, ({ graph, place, value, believed }) => {
        const bytes = bytesOf(graph)
        const word = Math.floor((place * bytes.length) / 4)
        new DataView(bytes.buffer).setUint32(word * 4, value, true)
        const name = HEADER[word]
        const expected = believed && name ? { ...expectedOf(graph), [name]: value } : expectedOf(graph)
        let decoded: HnswGraph
        try {
          decoded = decodeGraph(bytes, expected)
        } catch (error) {
          expect((error as Error).constructor).toBe(Error)
          return
        }
        expectSound(decoded)
      }),
      { numRuns: 2_000 },
    )
  })

  it('is sound or refused with an Error, whatever the bytes', () => {
    const anyBytes = fc.uint8Array({ maxLength: 200 })
    fc.assert(
      fc.property(validGraph, fc.nat(), anyBytes, (graph, start, tail) => {
        const bytes = bytesOf(graph)
        const crafted = new Uint8Array([...bytes.subarray(0, start % (bytes.length + 1)), ...tail])
        try {
          expectSound(decodeGraph(crafted, expectedOf(graph)))
        } catch (error) {
          if ((error as Error).constructor !== Error) throw error
        }
      }),
      { numRuns: 500 },
    )
  })

  // Elements 0 and 1 are on level 1, element 2 is not. 7 header words, 3 levels, 4 + 4 of level 0, 3 + 2 above.
  function fixed(): HnswGraph {
    const levels = Uint8Array.of(1, 1, 0)
    return {
      ...{ M: 2, size: 3, entryPoint: 0, levels, upperStarts: upperStartsOf(levels) },
      base: linksOf([[1, 2], [0], [0]]),
      upper: linksOf([[1], [0]]),
    }
  }
  const AT = { levels: 7, baseOffsets: 10, baseLinks: 14, upperOffsets: 18, upperLinks: 21, end: 23 }

  it.each<[what: string, changes: [word: number, value: number][], believed: object, message: RegExp]>([
    ['another magic', [[0, 7]], {}, /starts with 7/],
    ['another size than the manifest', [[1, 4]], {}, /size is 4, and the manifest's 3/],
    ['another M than the manifest', [[2, 3]], {}, /M is 3, and the manifest's 2/],
    ['another highest level than the manifest', [[3, 0]], {}, /maxLevel is 0, and the manifest's 1/],
    ['another entry point than the manifest', [[4, 1]], {}, /entryPoint is 1, and the manifest's 0/],
    ['M of 0', [[2, 0]], { M: 0 }, /M is 0, not from 2/],
    ['M of 2^32 − 1', [[2, 2 ** 32 - 1]], { M: 2 ** 32 - 1 }, /M is 4294967295/],
    ['no elements', [[1, 0]], { size: 0 }, /entry point is 0 of 0/],
    ['2^32 − 1 elements', [[1, 2 ** 32 - 1]], { size: 2 ** 32 - 1 }, /ends within its levels/],
    ['an entry point beyond the elements', [[4, 3]], { entryPoint: 3 }, /entry point is 3 of 3/],
    ['an entry point below the highest level', [[4, 2]], { entryPoint: 2 }, /not of the highest level/],
    ['a highest level of 64', [[3, 64]], { maxLevel: 64 }, /highest level is 64/],
    ['a highest level that no element has', [[3, 2]], { maxLevel: 2 }, /not of the highest level/],
    ['an element above the highest level', [[AT.levels + 2, 2]], {}, /element 2 has the level 2/],
    ['a level of 256, which is 0 in a byte', [[AT.levels, 256]], {}, /element 0 has the level 256/],
    ['more links than there are', [[5, 100]], {}, /ends within its/],
    ['2^32 − 1 links', [[5, 2 ** 32 - 1]], {}, /ends within its links/],
    ['fewer links than there are', [[6, 1]], {}, /4 bytes too many/],
    ['offsets that do not start at 0', [[AT.baseOffsets, 1]], {}, /do not span/],
    ['offsets that end early', [[AT.baseOffsets + 3, 3]], {}, /do not span/],
    ['offsets that fall', [[AT.baseOffsets + 2, 1]], {}, /offsets 2 and 1/],
    ['offsets beyond the links', [[AT.baseOffsets + 1, 2 ** 32 - 1]], {}, /list 0 .* 4294967295/],
    ['a link beyond the elements', [[AT.baseLinks, 3]], {}, /a link .* element 3 of 3/],
    ['a link to 2^32 − 1', [[AT.baseLinks + 3, 2 ** 32 - 1]], {}, /a link .* element 4294967295 of 3/],
    [
      'a link of level 1 to an element of level 0',
      [[AT.upperLinks, 2]],
      {},
      /a link on level 1 .* element 2, which is not there/,
    ],
    ['a link of level 1 beyond the elements', [[AT.upperLinks + 1, 9]], {}, /a link on level 1 .* element 9/],
  ])('with %s is refused', (_, changes, believed, message) => {
    const graph = fixed()
    const bytes = bytesOf(graph)
    expect(bytes.length).toBe(AT.end * 4)
    for (const [word, value] of changes) new DataView(bytes.buffer).setUint32(word * 4, value, true)
    expect(() => decodeGraph(bytes, { ...expectedOf(graph), ...believed })).toThrow(message)
  })

  it('with a list longer than M allows is refused', () => {
    const graph = { ...fixed(), base: linksOf([[1, 1, 1, 1, 1], [], []]) }
    expect(() => decodeGraph(bytesOf(graph), expectedOf(graph))).toThrow(/offsets 0 and 5, with at most 4/)
    const upper = { ...fixed(), upper: linksOf([[1, 1, 1], []]) }
    expect(() => decodeGraph(bytesOf(upper), expectedOf(upper))).toThrow(/offsets 0 and 3, with at most 2/)
  })

  it('cut anywhere, or with bytes added, is refused', () => {
    const bytes = bytesOf(fixed())
    for (let length = 0; length < bytes.length; length++) {
      expect(() => decodeGraph(bytes.slice(0, length), expectedOf(fixed()))).toThrow(/the graph/)
    }
    for (const more of [1, 3, 4, 400]) {
      const longer = new Uint8Array(bytes.length + more)
      longer.set(bytes)
      expect(() => decodeGraph(longer, expectedOf(fixed()))).toThrow(/the graph has/)
    }
  })
})

describe('the graph that hnswlib built', () => {
  const SIZE = 3_000
  const DIMENSIONS = 24
  const EF = 60
  let vectors: Float32Array
  let hnsw: HierarchicalNSW
  let graph: HnswGraph

  beforeAll(async () => {
    vectors = clusteredVectors(SIZE + 200, DIMENSIONS, { clusters: 40, spread: 1, seed: 9 })
    hnsw = await buildHnsw(vectors.slice(0, SIZE * DIMENSIONS), DIMENSIONS)
    graph = await graphOf(hnsw, SIZE, DIMENSIONS)
  })

  it('keeps every rule', () => expectSound(graph))

  it('has the links that another reading of its file finds', () => {
    const folder = mkdtempSync(join(tmpdir(), 'hnsw-'))
    const path = join(folder, 'graph')
    hnsw.writeIndexSync(path)
    const file = readFileSync(path)
    rmSync(folder, { recursive: true })
    // saveIndex of hnswalg.h writes six size_t, an int, an unsigned int, three size_t, a double, a size_t; then for each
    // element the level-0 links (a count, 2 M places), the vector and the label; then the upper levels of each.
    const [M, M0] = [Number(file.readBigUInt64LE(72)), Number(file.readBigUInt64LE(64))]
    expect([M, M0]).toEqual([16, 32])
    const record = 4 + 4 * M0 + 4 * DIMENSIONS + 8
    const upperRecord = 4 + 4 * M
    let at = 96
    const base: number[][] = []
    for (let element = 0; element < SIZE; element++, at += record) {
      expect(Number(file.readBigUInt64LE(at + record - 8))).toBe(element)
      expect(file.readFloatLE(at + 4 + 4 * M0)).toBe(vectors[element * DIMENSIONS])
      base.push(read(file, at))
    }
    const levels: number[] = []
    const upper: number[][] = []
    for (let element = 0; element < SIZE; element++) {
      const length = file.readUInt32LE(at)
      levels.push(length / upperRecord)
      for (let start = at + 4; start < at + 4 + length; start += upperRecord) upper.push(read(file, start))
      at += 4 + length
    }
    expect(at).toBe(file.length)
    expect([...graph.levels]).toEqual(levels)
    expect(listsOf(graph.base)).toEqual(base)
    expect(listsOf(graph.upper)).toEqual(upper)
    expect(graph).toMatchObject({ M: 16, size: SIZE, entryPoint: file.readUInt32LE(52) })
    expect(graph.levels[graph.entryPoint]).toBe(file.readInt32LE(48))
  })

  it('gives the neighbours that hnswlib gives, for 200 queries', () => {
    hnsw.setEf(EF)
    let same = 0
    for (let at = SIZE; at < SIZE + 200; at++) {
      const query = vectors.subarray(at * DIMENSIONS, (at + 1) * DIMENSIONS)
      const { neighbors } = hnsw.searchKnn(Array.from(query), EF)
      const found = searchGraph(graph, {
        similarityTo: element => dot(query, vectors, element),
        ef: EF,
        isWanted: () => true,
      })
      const theirs = neighbors.sort((a, b) => a - b)
      if (theirs.join() === [...found].sort((a, b) => a - b).join()) same++
    }
    // hnswlib adds in 32-bit floats, so that two nearly equal neighbours may change places at the edge.
    expect(same).toBeGreaterThanOrEqual(198)
  })

  it('survives its own file', () => {
    expect(decodeGraph(bytesOf(graph), expectedOf(graph))).toEqual(graph)
  })

  it('is the same when it is built again', async () => {
    const again = await graphOf(await buildHnsw(vectors.slice(0, SIZE * DIMENSIONS), DIMENSIONS), SIZE, DIMENSIONS)
    expect(again).toEqual(graph)
  })

  const read = (file: Buffer, at: number) =>
    Array.from({ length: file.readUInt16LE(at) }, (_, link) => file.readUInt32LE(at + 4 + 4 * link))

  const listsOf = ({ offsets, neighbors }: HnswGraph['base']) =>
    Array.from({ length: offsets.length - 1 }, (_, list) => [...neighbors.subarray(offsets[list]!, offsets[list + 1]!)])
})
