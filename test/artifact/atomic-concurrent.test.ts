import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { buildToolIndex } from '../../src/artifact/build.js'
import { openToolIndex } from '../../src/artifact/open.js'
import { verifyToolIndex } from '../../src/artifact/verify.js'
import { handMadeEmbedder } from '../embedding/hand-made-embedder.js'
import { startWorker, type Worker } from './fixtures/children.js'
import { readFolder, sealed } from './fixtures/folder-state.js'
import { EPOCH, familyIn, referenceIndexes } from './fixtures/reference.js'
import { shortTools } from './fixtures/short-tools.js'

const SIZE = 300
const FAMILIES = ['alpha', 'beta', 'gamma', 'delta']

const embedder = handMadeEmbedder()
let root: string
let references: Map<string, Map<string, Buffer>>

beforeAll(async () => {
  vi.stubEnv('SOURCE_DATE_EPOCH', EPOCH)
  root = mkdtempSync(join(tmpdir(), 'atomic-concurrent-'))
  references = await referenceIndexes(root, FAMILIES, SIZE)
})

beforeEach(() => void vi.stubEnv('SOURCE_DATE_EPOCH', EPOCH))
afterEach(() => void vi.unstubAllEnvs())
afterAll(() => rmSync(root, { recursive: true, force: true }))

function startingFolder(name: string): string {
  const folder = join(root, name)
  cpSync(join(root, 'reference-alpha'), folder, { recursive: true })
  return folder
}

async function expectWhole(folder: string, families: readonly string[]): Promise<void> {
  const family = familyIn(folder, references)
  expect(families).toContain(family)
  await openToolIndex(folder)
  const report = await verifyToolIndex(folder, { tools: shortTools(SIZE, family), embedder })
  expect(report.problems).toEqual([])
  expect(report.ok).toBe(true)
}

describe('builds of different catalogs into one folder at once', { timeout: 120_000 }, () => {
  it.each([
    [2, 30],
    [4, 20],
  ])(
    'by %i processes leave one of the indexes, whole, in each of %i rounds, and readers see no error',
    async (processes, rounds) => {
      const folder = startingFolder(`at-once-${processes}`)
      const builders = await Promise.all(
        Array.from({ length: processes }, () => startWorker('build-child.ts', [folder, String(SIZE)])),
      )
      const reader = await startWorker('read-child.ts', [folder])
      const problems: string[] = []
      for (let round = 0; round < rounds; round++) {
        // The catalogs go around, so that one process builds again what another is about to remove.
        const families = builders.map((_, process) => FAMILIES[(process + round) % FAMILIES.length]!)
        const answers = await Promise.all(
          builders.map((builder, process) => builder.ask<{ error?: string }>({ family: families[process] })),
        )
        for (const { error } of answers) if (error) problems.push(`round ${round}: ${error}`)
        await expectWhole(folder, FAMILIES)
      }
      const seen = await reader.ask<{ opened: number; families: string[]; errors: string[]; failed: number }>({})
      await Promise.all([...builders, reader].map((worker: Worker) => worker.stop()))
      expect(problems).toEqual([])
      expect(seen.errors).toEqual([])
      expect(seen.opened).toBeGreaterThan(rounds)
      // Never tools of two catalogs in one index.
      for (const family of seen.families) expect(FAMILIES).toContain(family)
    },
  )

  it('in one process leave one of the indexes, whole, in each of 60 rounds', async () => {
    const folder = startingFolder('one-process')
    for (let round = 0; round < 60; round++) {
      const families = [FAMILIES[round % 4]!, FAMILIES[(round + 1) % 4]!, FAMILIES[(round + 3) % 4]!]
      await Promise.all(
        families.map(family =>
          buildToolIndex({
            tools: shortTools(SIZE, family),
            out: folder,
            embedder,
            includeDocuments: true,
            warn: () => {},
          }),
        ),
      )
      expect(families).toContain(familyIn(folder, references))
      await openToolIndex(folder)
    }
  })
})

describe('an index that is opened while it is replaced', () => {
  it('is the newer one where files of the older are gone by then', async () => {
    const folder = startingFolder('replaced')
    const opening = openToolIndex(folder)
    for (const name of references.get('alpha')!.keys()) rmSync(join(folder, name))
    for (const [name, bytes] of references.get('beta')!) writeFileSync(join(folder, name), bytes)
    expect((await opening).manifest.tools[0]!.name).toMatch(/^alpha|^beta/)
  })

  it('is the newer one where that has a file again that was missing', async () => {
    const folder = startingFolder('again')
    const files = references.get('alpha')!
    const vectors = [...files.keys()].find(name => name.startsWith('vectors'))!
    rmSync(join(folder, vectors))
    const opening = openToolIndex(folder)
    // As a build of the same tools leaves it that ended just now: the same data files, and a manifest of a later time.
    writeFileSync(join(folder, vectors), files.get(vectors)!)
    const manifest = JSON.parse(readFolder(folder).get('manifest.json')!.toString())
    writeFileSync(join(folder, 'manifest.json'), sealed({ ...manifest, builtAt: '2030-01-01T00:00:00.000Z' }))
    expect((await opening).manifest.builtAt).toBe('2030-01-01T00:00:00.000Z')
  })

  it('is opened by as many at once as want to', async () => {
    const folder = startingFolder('many')
    const opened = await Promise.all(Array.from({ length: 100 }, () => openToolIndex(folder)))
    expect(new Set(opened.map(({ manifest }) => manifest.digest)).size).toBe(1)
  })
})
