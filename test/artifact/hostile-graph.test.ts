import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildToolIndex } from '../../src/artifact/build.js'
import { encodeGraph } from '../../src/artifact/graph-file.js'
import { openToolIndex } from '../../src/artifact/open.js'
import { isToolSearchError } from '../../src/errors.js'
import { HNSW_MIN_SIZE } from '../../src/vector/hnsw.js'
import { type HnswGraph, upperStartsOf } from '../../src/vector/hnsw-graph.js'
import { handMadeEmbedder } from '../embedding/hand-made-embedder.js'
import { forged, type Parts, partsOf, readFolder, writeFolder } from './fixtures/folder-state.js'
import { recallOf } from './fixtures/oracle.js'
import { shortTools } from './fixtures/short-tools.js'

const SIZE = HNSW_MIN_SIZE
const M = 16

let root: string
let files: Map<string, Buffer>
let other: Map<string, Buffer>

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'hostile-graph-'))
  const build = async (family: string) => {
    const out = join(root, family)
    await buildToolIndex({ tools: shortTools(SIZE, family), out, embedder: handMadeEmbedder() })
    return readFolder(out)
  }
  ;[files, other] = [await build('alpha'), await build('beta')]
})

afterAll(() => rmSync(root, { recursive: true, force: true }))

/** Writes the parts with matching checksums; the recall of what opens, or the code of the error. */
async function outcomeOf(parts: Parts): Promise<number | string> {
  const folder = join(root, 'target')
  writeFolder(folder, forged(parts))
  try {
    return recallOf(await openToolIndex(folder))
  } catch (error) {
    if (isToolSearchError(error)) return error.code
    throw error
  }
}

function expectHonest(outcome: number | string): void {
  if (typeof outcome === 'string') expect(outcome).toBe('INDEX_INVALID')
  else expect(outcome).toBeGreaterThanOrEqual(0.9)
}

/** A graph that is sound link by link: `base` and `upper` give the neighbours of each element. */
function crafted(
  base: (element: number) => number[],
  {
    levels = new Uint8Array(SIZE),
    upper = () => [],
  }: { levels?: Uint8Array; upper?: (element: number) => number[] } = {},
): HnswGraph {
  const links = (lists: number[][]) => {
    const offsets = new Uint32Array(lists.length + 1)
    lists.forEach((list, at) => {
      offsets[at + 1] = offsets[at]! + list.length
    })
    return { offsets, neighbors: Uint32Array.from(lists.flat()) }
  }
  const elements = Array.from({ length: SIZE }, (_, element) => element)
  return {
    M,
    size: SIZE,
    entryPoint: 0,
    levels,
    base: links(elements.map(base)),
    upper: links(elements.flatMap(element => Array.from({ length: levels[element]! }, () => upper(element)))),
    upperStarts: upperStartsOf(levels),
  }
}

function withGraph(graph: HnswGraph): Parts {
  const parts = partsOf(files)
  parts.data.graph = Buffer.from(encodeGraph(graph))
  const { maxLevel: _, entryPoint: __, ...rest } = parts.manifest.graph as Record<string, unknown>
  parts.manifest.graph = { ...rest, maxLevel: graph.levels[graph.entryPoint], entryPoint: graph.entryPoint }
  return parts
}

const ring = (element: number) => [(element + 1) % SIZE]
const levelsOf = (...high: number[]) =>
  Uint8Array.from({ length: SIZE }, (_, element) => (high.includes(element) ? 1 : 0))

describe('a graph whose links are sound and which is not that of the vectors', () => {
  it.each<[string, () => Parts]>([
    ['has no links at all', () => withGraph(crafted(() => []))],
    ['links each element to itself', () => withGraph(crafted(element => [element]))],
    ['is a ring', () => withGraph(crafted(ring))],
    [
      'is a star',
      () => withGraph(crafted(element => (element === 0 ? Array.from({ length: 32 }, (_, at) => at + 1) : [0]))),
    ],
    ['has one link 32 times', () => withGraph(crafted(element => Array(32).fill((element + 1) % SIZE)))],
    [
      'leads from the upper level to an element without links',
      () =>
        withGraph(
          crafted(
            element =>
              element === SIZE - 1 ? [] : [(element * 7 + 1) % SIZE, (element + 1) % SIZE, (element * 3) % SIZE],
            {
              levels: levelsOf(0, SIZE - 1),
              upper: () => [SIZE - 1],
            },
          ),
        ),
    ],
    [
      'leads from the upper level to what level 0 does not reach',
      () =>
        withGraph(
          crafted(element => (element < 1_000 ? [(element + 1) % 1_000] : [1_000 + ((element + 1) % 1_000)]), {
            levels: Uint8Array.from({ length: SIZE }, (_, element) => (element % 100 === 0 ? 1 : 0)),
            upper: element => Array.from({ length: M }, (_, at) => (element + (at + 1) * 100) % SIZE),
          }),
        ),
    ],
    [
      'is of the vectors of another index',
      () => {
        const [parts, others] = [partsOf(files), partsOf(other)]
        parts.data.graph = others.data.graph
        parts.manifest.graph = others.manifest.graph
        return parts
      },
    ],
  ])('is refused, or searched as well as its own: it %s', async (_, parts) => {
    expectHonest(await outcomeOf(parts()))
  })
})
