import { cpSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { seededRandom } from '../../bench/corpora.js'
import { buildToolIndex } from '../../src/artifact/build.js'
import { openToolIndex } from '../../src/artifact/open.js'
import { verifyToolIndex } from '../../src/artifact/verify.js'
import { handMadeEmbedder } from '../embedding/hand-made-embedder.js'
import { runChild, startWorker } from './fixtures/children.js'
import { hashesOf, readFolder } from './fixtures/folder-state.js'
import { EPOCH, familyIn, referenceIndexes } from './fixtures/reference.js'
import { shortTools } from './fixtures/short-tools.js'

const SIZE = 300
const FAMILIES = ['alpha', 'beta']
const KILLS = 20
// A build of 300 tools takes some 50 ms, so that this spans several.
const LATEST_KILL_MS = 250

const embedder = handMadeEmbedder()
let root: string
let references: Map<string, Map<string, Buffer>>

beforeAll(async () => {
  vi.stubEnv('SOURCE_DATE_EPOCH', EPOCH)
  root = mkdtempSync(join(tmpdir(), 'atomic-kill-'))
  references = await referenceIndexes(root, FAMILIES, SIZE)
})

beforeEach(() => void vi.stubEnv('SOURCE_DATE_EPOCH', EPOCH))
afterEach(() => void vi.unstubAllEnvs())
afterAll(() => rmSync(root, { recursive: true, force: true }))

const build = (family: string, out: string) =>
  buildToolIndex({ tools: shortTools(SIZE, family), out, embedder, includeDocuments: true, warn: () => {} })

async function expectWhole(folder: string): Promise<string> {
  const family = familyIn(folder, references)
  const { manifest } = await openToolIndex(folder)
  expect(manifest.tools).toHaveLength(SIZE)
  expect(await verifyToolIndex(folder, { tools: shortTools(SIZE, family), embedder })).toMatchObject({ ok: true })
  return family
}

describe('a build that is killed', { timeout: 120_000 }, () => {
  it(`leaves the old index or the new one, whole, at ${KILLS} random moments`, async () => {
    const folder = join(root, 'killed')
    cpSync(join(root, 'reference-alpha'), folder, { recursive: true })
    const random = seededRandom(11)
    const left = new Map<string, number>()
    let interrupted = 0
    for (let kill = 0; kill < KILLS; kill++) {
      const worker = await startWorker('build-child.ts', [folder, String(SIZE)])
      await worker.ask({ loop: kill % 2 ? FAMILIES : [...FAMILIES].reverse() })
      await sleep(random() * LATEST_KILL_MS)
      await worker.stop()
      const family = await expectWhole(folder)
      left.set(family, (left.get(family) ?? 0) + 1)
      if (readdirSync(folder).length > references.get(family)!.size) interrupted++
    }
    // Otherwise the kills came while nothing was written.
    expect([...left.keys()].sort()).toEqual(FAMILIES)
    expect(interrupted).toBeGreaterThan(0)
    // What the kills left stands in nobody's way.
    const { written, reused } = await build(familyIn(folder, references) === 'alpha' ? 'beta' : 'alpha', folder)
    expect([written, reused]).toEqual([true, 0])
    await expectWhole(folder)
  })

  it('leaves the old index or the new one at every single call to the file system', async () => {
    const seen = new Set<string>()
    let calls = 0
    for (let lanes = 4, ended = false; !ended; ) {
      const kills = Array.from({ length: lanes }, (_, lane) => calls + lane)
      calls += lanes
      const outcomes = await Promise.all(
        kills.map(async call => {
          const folder = join(root, `call-${call}`)
          cpSync(join(root, 'reference-alpha'), folder, { recursive: true })
          const { signal, code, stderr } = await runChild('kill-at-call.ts', [
            folder,
            String(SIZE),
            'beta',
            String(call),
          ])
          expect([signal, code, stderr]).toEqual(signal ? ['SIGKILL', null, ''] : [null, 0, ''])
          const family = await expectWhole(folder)
          // Whatever is left, the next build succeeds, and the one after it finds nothing to do.
          expect((await build('beta', folder)).written).toBe(family === 'alpha')
          expect((await build('beta', folder)).written).toBe(false)
          await expectWhole(folder)
          return { ended: signal === null, family }
        }),
      )
      for (const { family } of outcomes) seen.add(family)
      ended = outcomes.some(outcome => outcome.ended)
    }
    expect([...seen].sort()).toEqual(FAMILIES)
    // Four files, each opened, written, synchronised, closed and renamed, as far as these calls are seen.
    expect(calls).toBeGreaterThan(8)
  })

  it('of a new folder leaves nothing that opens, and nothing that stops the next build', async () => {
    const folder = join(root, 'new')
    for (const call of [2, 5, 7]) {
      const { signal } = await runChild('kill-at-call.ts', [folder, String(SIZE), 'beta', String(call)])
      expect(signal).toBe('SIGKILL')
      await expect(openToolIndex(folder)).rejects.toMatchObject({ code: 'INDEX_INVALID' })
    }
    await build('beta', folder)
    expect(await expectWhole(folder)).toBe('beta')
  })
})

describe('what killed builds left', () => {
  const MINUTE = 60
  const LEFTOVERS = [
    '.manifest.json.0123456789ab.tmp',
    '.vectors.0123456789abcdef.f32.ba9876543210.tmp',
    'graph.0123456789abcdef.bin',
  ]

  function folderWithLeftovers(name: string, ageSeconds: number): string {
    const folder = join(root, name)
    cpSync(join(root, 'reference-alpha'), folder, { recursive: true })
    for (const leftover of LEFTOVERS) {
      writeFileSync(join(folder, leftover), 'half')
      const then = Date.now() / 1_000 - ageSeconds
      utimesSync(join(folder, leftover), then, then)
    }
    return folder
  }

  it('is removed by the next build when it is older than ten minutes', async () => {
    const folder = folderWithLeftovers('old-leftovers', 11 * MINUTE)
    await build('beta', folder)
    expect(hashesOf(readFolder(folder))).toEqual(hashesOf(references.get('beta')!))
  })

  it('is kept when it is younger, since another build may be writing it', async () => {
    const folder = folderWithLeftovers('young-leftovers', 5 * MINUTE)
    await build('beta', folder)
    expect(readdirSync(folder)).toEqual(expect.arrayContaining(LEFTOVERS))
    await openToolIndex(folder)
  })

  it('is no reason for a build to fail where it cannot be removed', async () => {
    const folder = folderWithLeftovers('folder-leftover', 11 * MINUTE)
    for (const name of ['.cache.tmp', 'vectors.fedcba9876543210.f32']) {
      cpSync(join(root, 'reference-alpha'), join(folder, name), { recursive: true })
      const then = Date.now() / 1_000 - 11 * MINUTE
      utimesSync(join(folder, name), then, then)
    }
    expect((await build('beta', folder)).written).toBe(true)
    expect((await openToolIndex(folder)).manifest.tools[0]!.name).toMatch(/^beta/)
  })

  it('does not include files of a user whose names merely look temporary', async () => {
    const folder = folderWithLeftovers('user-file', 11 * MINUTE)
    writeFileSync(join(folder, '.notes.tmp'), 'mine')
    const then = Date.now() / 1_000 - 11 * MINUTE
    utimesSync(join(folder, '.notes.tmp'), then, then)
    await build('beta', folder)
    expect(readdirSync(folder)).toContain('.notes.tmp')
  })
})
