import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { HierarchicalNSW } from 'hnswlib-node'
import { type HnswGraph, type Links, upperStartsOf } from '../vector/hnsw-graph.js'
import { littleEndian32 } from './byte-order.js'

// The file is 32-bit little-endian words: MAGIC, size, M, highest level, entry point, number of links on level 0 and on
// the levels above; then the level of each element, the offsets and neighbours of level 0, and those of the upper lists
// (of each element in turn, level 1 first).
const MAGIC = 0x31_47_54_53 // 'STG1'
const HEADER_WORDS = 7

// hnswlib draws levels with a mean of 1 / ln(M): even a billion elements stay below 20.
const MAX_LEVEL = 63
const MAX_M = 1_024

/** The graph as the bytes of a file. */
export function encodeGraph(graph: HnswGraph): Uint8Array {
  const { size, M, entryPoint, levels, base, upper } = graph
  const header = [MAGIC, size, M, levels[entryPoint]!, entryPoint, base.neighbors.length, upper.neighbors.length]
  const parts = [header, levels, base.offsets, base.neighbors, upper.offsets, upper.neighbors]
  const words = new Uint32Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    words.set(part, at)
    at += part.length
  }
  return littleEndian32(new Uint8Array(words.buffer))
}

/**
 * The graph in the bytes of a file that may be cut, corrupt or crafted: every count, level and link is checked, so that
 * a search of the result stays within its arrays and ends. Throws an `Error` that says what does not fit.
 * `expected` is what the manifest says.
 */
export function decodeGraph(
  bytes: Uint8Array<ArrayBuffer>,
  expected: { size: number; M: number; maxLevel: number; entryPoint: number },
): HnswGraph {
  if (bytes.byteLength % 4 !== 0 || bytes.byteLength < HEADER_WORDS * 4) {
    throw new Error(`the graph has ${bytes.byteLength} bytes, which no graph can have`)
  }
  const { buffer, byteOffset } = littleEndian32(bytes)
  const words = new Uint32Array(buffer, byteOffset, bytes.byteLength / 4)
  const [magic, size, M, maxLevel, entryPoint, baseLinks, upperLinks] = words as unknown as number[] & { length: 7 }
  if (magic !== MAGIC) throw new Error(`the graph starts with ${magic}, not ${MAGIC}`)
  for (const [name, got] of Object.entries({ size, M, maxLevel, entryPoint })) {
    const wanted = expected[name as keyof typeof expected]
    if (got !== wanted) throw new Error(`the graph's ${name} is ${got}, and the manifest's ${wanted}`)
  }
  if (M! < 2 || M! > MAX_M) throw new Error(`M is ${M}, not from 2 to ${MAX_M}`)
  if (size! < 1 || entryPoint! >= size!) throw new Error(`the entry point is ${entryPoint} of ${size} elements`)
  if (maxLevel! > MAX_LEVEL) throw new Error(`the highest level is ${maxLevel}, above ${MAX_LEVEL}`)

  let at = HEADER_WORDS
  const take = (count: number, what: string): Uint32Array => {
    if (count > words.length - at) throw new Error(`the graph ends within its ${what}`)
    at += count
    return words.subarray(at - count, at)
  }
  const levelWords = take(size!, 'levels')
  for (let element = 0; element < size!; element++) {
    if (levelWords[element]! > maxLevel!) throw new Error(`element ${element} has the level ${levelWords[element]}`)
  }
  const levels = new Uint8Array(levelWords)
  if (levels[entryPoint!] !== maxLevel) throw new Error(`the entry point is not of the highest level, ${maxLevel}`)
  const upperStarts = upperStartsOf(levels)
  const base = { offsets: take(size! + 1, 'offsets'), neighbors: take(baseLinks!, 'links') }
  const upper = { offsets: take(upperStarts[size!]! + 1, 'offsets'), neighbors: take(upperLinks!, 'links') }
  if (at !== words.length) throw new Error(`the graph has ${(words.length - at) * 4} bytes too many`)

  checkLists(base, 2 * M!)
  checkLists(upper, M!)
  const highest = highestOf(base.neighbors)
  if (highest >= size!) throw new Error(`a link of the graph leads to element ${highest} of ${size}`)
  // A link on level 1 or above must lead to an element of that level: its lists of that level are read next.
  for (let element = 0; element < size!; element++) {
    for (let level = 1; level <= levels[element]!; level++) {
      const list = upperStarts[element]! + level - 1
      for (let link = upper.offsets[list]!; link < upper.offsets[list + 1]!; link++) {
        const neighbor = upper.neighbors[link]!
        if (neighbor >= size! || levels[neighbor]! < level) {
          throw new Error(`a link on level ${level} of the graph leads to element ${neighbor}, which is not there`)
        }
      }
    }
  }
  return { M: M!, size: size!, entryPoint: entryPoint!, levels, base, upper, upperStarts }
}

/** The highest number, 0 of none. A small loop of its own, which V8 compiles at once: an index has a million links. */
function highestOf(numbers: Uint32Array): number {
  let highest = 0
  for (let at = 0; at < numbers.length; at++) if (numbers[at]! > highest) highest = numbers[at]!
  return highest
}

function checkLists({ offsets, neighbors }: Links, maxLinks: number): void {
  if (offsets[0] !== 0 || offsets.at(-1) !== neighbors.length)
    throw new Error("the lists' offsets do not span the links")
  for (let list = 0; list + 1 < offsets.length; list++) {
    const start = offsets[list]!
    const end = offsets[list + 1]!
    if (end < start || end - start > maxLinks) {
      throw new Error(`list ${list} of the graph has the offsets ${start} and ${end}, with at most ${maxLinks} links`)
    }
  }
}

/** The links of a graph that hnswlib built over `size` rows: hnswlib gives them out only by a file of its own form. */
export async function graphOf(hnsw: HierarchicalNSW, size: number, dimensions: number): Promise<HnswGraph> {
  const folder = await mkdtemp(join(tmpdir(), 'tool-index-'))
  try {
    const file = join(folder, 'graph.hnsw')
    hnsw.writeIndexSync(file)
    return parseHnswlib(await readFile(file), size, dimensions)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Reads what `HierarchicalNSW::saveIndex` of hnswlib 0.8 writes on a 64-bit machine (hnswlib/hnswalg.h). */
function parseHnswlib(file: Buffer, size: number, dimensions: number): HnswGraph {
  const word = (offset: number) => Number(file.readBigUInt64LE(offset))
  const elements = word(16)
  const bytesPerElement = word(24)
  const entryPoint = file.readUInt32LE(52)
  const maxM = word(56)
  const maxM0 = word(64)
  const headerBytes = 96
  if (elements !== size || bytesPerElement !== 4 + 4 * maxM0 + 4 * dimensions + 8) {
    throw new Error(
      `hnswlib-node wrote a graph of a form unknown here (${elements} elements of ${bytesPerElement} bytes)`,
    )
  }
  const links = (offset: number) => {
    const count = file.readUInt16LE(offset)
    return Array.from({ length: count }, (_, link) => file.readUInt32LE(offset + 4 + 4 * link))
  }
  const base = Array.from({ length: size }, (_, element) => links(headerBytes + element * bytesPerElement))
  const levels = new Uint8Array(size)
  const upper: number[][] = []
  let at = headerBytes + size * bytesPerElement
  for (let element = 0; element < size; element++) {
    const bytes = file.readUInt32LE(at)
    at += 4
    levels[element] = bytes / (4 + 4 * maxM)
    for (let level = 0; level < levels[element]!; level++, at += 4 + 4 * maxM) upper.push(links(at))
  }
  if (at !== file.length) throw new Error(`hnswlib-node wrote ${file.length} bytes, and its graph ends at ${at}`)
  return {
    M: maxM,
    size,
    entryPoint,
    levels,
    base: linksOf(base),
    upper: linksOf(upper),
    upperStarts: upperStartsOf(levels),
  }
}

function linksOf(lists: readonly (readonly number[])[]): Links {
  const offsets = new Uint32Array(lists.length + 1)
  lists.forEach((list, at) => {
    offsets[at + 1] = offsets[at]! + list.length
  })
  return { offsets, neighbors: Uint32Array.from(lists.flat()) }
}
