import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { seededRandom } from '../../bench/corpora.js'
import { buildToolIndex } from '../../src/artifact/build.js'
import { openToolIndex } from '../../src/artifact/open.js'
import { createIndexSearcher } from '../../src/artifact/stored-catalog.js'
import type { ToolIndex } from '../../src/artifact/tool-index.js'
import { isToolSearchError } from '../../src/errors.js'
import { HNSW_MIN_SIZE } from '../../src/vector/hnsw.js'
import { withinTime } from '../../src/wait.js'
import { handMadeEmbedder } from '../embedding/hand-made-embedder.js'
import { writeAdapted } from './fixtures/adapted.js'
import { type FolderState, forged, partsOf, readFolder, writeFolder } from './fixtures/folder-state.js'
import { mutation } from './fixtures/mutations.js'
import { expectUnitLengths, recallOf } from './fixtures/oracle.js'
import { shortTools } from './fixtures/short-tools.js'

const MUTATIONS = 2_000
// An open takes some 10 ms; what takes this long hangs.
const HANGS_MS = 20_000
// Every so many of the indexes that open are searched through the public searcher, too: its words take 50 ms to index.
const SEARCHED_WHOLE = 25

const embedder = handMadeEmbedder()
let root: string
let target: string
let files: Map<string, Buffer>
let other: Map<string, Buffer>

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'hostile-'))
  target = join(root, 'target')
  const build = async (family: string) => {
    const out = join(root, family)
    await buildToolIndex({ tools: shortTools(HNSW_MIN_SIZE, family), out, embedder, includeDocuments: true })
    const calibration = { cosine: 6, lexicalShare: 9, bias: -5, queries: 80, before: 0.2, after: 0.03, seed: 1 }
    await writeAdapted(await openToolIndex(out), null, calibration)
    return readFolder(out)
  }
  ;[files, other] = [await build('alpha'), await build('beta')]
})

afterAll(() => rmSync(root, { recursive: true, force: true }))

/** The index, or the code of the typed error; anything else fails the test. */
async function outcomeOf(folder: string): Promise<ToolIndex | string> {
  try {
    return await withinTime(openToolIndex(folder), HANGS_MS, () => new Error('it hangs'))
  } catch (error) {
    if (!isToolSearchError(error)) throw error
    expect(['INDEX_INVALID', 'INDEX_MISMATCH']).toContain(error.code)
    expect(error.message).toContain(folder)
    return error.code
  }
}

async function expectSearchable(index: ToolIndex): Promise<void> {
  try {
    const { results } = await createIndexSearcher(index, { embedder, strict: true }).search('case 7 of the family')
    for (const { name, score } of results) {
      expect(index.rowOfName(name)).toBeDefined()
      expect(score).toBeGreaterThanOrEqual(0)
      expect(score).toBeLessThanOrEqual(1)
    }
  } catch (error) {
    if (!isToolSearchError(error)) throw error
    // Of another model or other dimensions: refused by the searcher, which knows the embedder.
    expect(error.code).toBe('INDEX_MISMATCH')
  }
}

describe('an index that was mutated', { timeout: 120_000 }, () => {
  it('has a graph and documents before, and is what the forger of checksums makes of it', async () => {
    expect([...files.keys()].map(name => name.split('.')[0])).toEqual([
      'adaptation',
      'documents',
      'graph',
      'manifest',
      'vectors',
    ])
    writeFolder(target, forged(partsOf(files)))
    const index = await openToolIndex(target)
    const { manifest } = await openToolIndex(join(root, 'alpha'))
    // It opens: a forgery is refused for what it says, not for a checksum.
    expect({ ...index.manifest, digest: '' }).toEqual({ ...manifest, digest: '' })
    expect(recallOf(index)).toBeGreaterThanOrEqual(0.99)
  })

  it(`is a typed error or searches correctly, for each of ${MUTATIONS} mutations`, async () => {
    const random = seededRandom(4)
    const outcomes = new Map<string, number>()
    const failures: string[] = []
    let there: FolderState = new Map()
    let opened = 0
    for (let at = 0; at < MUTATIONS; at++) {
      const { description, state } = mutation(at, random, files, other)
      writeFolder(target, state, there)
      there = state
      try {
        const outcome = await outcomeOf(target)
        const kind = typeof outcome === 'string' ? outcome : 'opened'
        outcomes.set(kind, (outcomes.get(kind) ?? 0) + 1)
        if (typeof outcome === 'string') continue
        expectUnitLengths(outcome)
        const recall = recallOf(outcome)
        if (recall < 0.9) failures.push(`${at}, ${description}: recall ${recall}`)
        if (opened++ % SEARCHED_WHOLE === 0) await expectSearchable(outcome)
      } catch (error) {
        failures.push(`${at}, ${description}: ${(error as Error).message.slice(0, 300)}`)
      }
    }
    expect(failures).toEqual([])
    // Both sides of the promise were reached, many times each.
    expect(outcomes.get('INDEX_INVALID')).toBeGreaterThan(MUTATIONS / 4)
    expect(outcomes.get('opened')).toBeGreaterThan(MUTATIONS / 20)
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
  })
})
