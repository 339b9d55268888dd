import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { seededRandom } from '../../bench/corpora.js'
import { type BuildToolIndexOptions, buildToolIndex } from '../../src/artifact/build.js'
import { openToolIndex } from '../../src/artifact/open.js'
import type { BuildProgress } from '../../src/artifact/tool-index.js'
import { verifyToolIndex } from '../../src/artifact/verify.js'
import type { Embedder } from '../../src/embedding/embedder.js'
import { isToolSearchError } from '../../src/errors.js'
import { HNSW_MIN_SIZE } from '../../src/vector/hnsw.js'
import { handMadeEmbedder } from '../embedding/hand-made-embedder.js'
import { runChild } from './fixtures/children.js'
import { hashesOf, readFolder } from './fixtures/folder-state.js'
import { EPOCH, familyIn, referenceIndexes } from './fixtures/reference.js'
import { shortTools, shuffled } from './fixtures/short-tools.js'

const SIZE = 300
// Any user but root, for whom no folder is read-only.
const NOBODY = 65_534
const isRoot = process.getuid?.() === 0

const embedder = handMadeEmbedder()
let root: string
let references: Map<string, Map<string, Buffer>>

beforeAll(async () => {
  vi.stubEnv('SOURCE_DATE_EPOCH', EPOCH)
  root = mkdtempSync(join(tmpdir(), 'atomic-'))
  chmodSync(root, 0o755)
  references = await referenceIndexes(root, ['alpha', 'beta'], SIZE)
})

beforeEach(() => void vi.stubEnv('SOURCE_DATE_EPOCH', EPOCH))
afterEach(() => void vi.unstubAllEnvs())
afterAll(() => rmSync(root, { recursive: true, force: true }))

function alphaIn(name: string): string {
  const folder = join(root, name)
  cpSync(join(root, 'reference-alpha'), folder, { recursive: true })
  return folder
}

const build = (options: Partial<BuildToolIndexOptions> & { out: string }) =>
  buildToolIndex({ tools: shortTools(SIZE, 'beta'), embedder, includeDocuments: true, warn: () => {}, ...options })

describe('a build that is aborted', () => {
  const phases: [string, (progress: BuildProgress) => boolean][] = [
    ['before the first text is embedded', ({ phase, done }) => phase === 'embed' && done === 0],
    ['between two calls of the embedder', ({ phase, done }) => phase === 'embed' && done >= 1_024],
    ['when all texts are embedded', ({ phase, done, total }) => phase === 'embed' && done === total],
    ['while vectors are linked', ({ phase, done }) => phase === 'graph' && done >= 512],
    ['when all vectors are linked', ({ phase, done, total }) => phase === 'graph' && done === total],
  ]

  it.each(phases)('%s leaves the folder byte for byte as it was', async (_, isNow) => {
    const out = alphaIn('aborted')
    const controller = new AbortController()
    const reason = new Error('enough')
    const onProgress = (progress: BuildProgress) => {
      if (isNow(progress)) controller.abort(reason)
    }
    const tools = shortTools(HNSW_MIN_SIZE, 'gamma')
    await expect(build({ out, tools, onProgress, abortSignal: controller.signal })).rejects.toBe(reason)
    expect(hashesOf(readFolder(out))).toEqual(hashesOf(references.get('alpha')!))
  })

  it('once it writes leaves the old index or the new one, and says which', async () => {
    for (const done of [0, 1]) {
      const out = alphaIn(`aborted-late-${done}`)
      const controller = new AbortController()
      const onProgress = (progress: BuildProgress) => {
        if (progress.phase === 'write' && progress.done === done) controller.abort(new Error('late'))
      }
      const written = await build({ out, onProgress, abortSignal: controller.signal }).then(
        () => true,
        () => false,
      )
      expect(familyIn(out, references)).toBe(written ? 'beta' : 'alpha')
    }
  })

  it('beforehand, or while the embedder hangs, rejects with the reason and makes no folder', async () => {
    const out = join(root, 'never', 'made')
    const reason = new Error('enough')
    await expect(build({ out, abortSignal: AbortSignal.abort(reason) })).rejects.toBe(reason)
    const hanging: Embedder = { ...embedder, embedDocuments: () => new Promise(() => {}) }
    const controller = new AbortController()
    const building = build({ out, embedder: hanging, abortSignal: controller.signal })
    setTimeout(() => controller.abort(reason), 20)
    await expect(building).rejects.toBe(reason)
    expect(existsSync(join(root, 'never'))).toBe(false)
  })

  it('has opening and verifying reject with the reason, too', async () => {
    const out = alphaIn('opened')
    const reason = new Error('enough')
    await expect(openToolIndex(out, { abortSignal: AbortSignal.abort(reason) })).rejects.toBe(reason)
    await expect(verifyToolIndex(out, { embedder, abortSignal: AbortSignal.abort(reason) })).rejects.toBe(reason)
    const controller = new AbortController()
    const opening = openToolIndex(out, { abortSignal: controller.signal }).then(({ path }) => path)
    controller.abort(reason)
    await expect(opening).rejects.toBe(reason)
  })
})

describe('a folder that is no index', () => {
  async function expectRefused(out: string): Promise<void> {
    const before = readFolder(out)
    await expect(build({ out })).rejects.toMatchObject({
      code: 'INVALID_OPTIONS',
      message: expect.stringContaining(out),
    })
    expect(hashesOf(readFolder(out))).toEqual(hashesOf(before))
  }

  function folderOf(name: string, files: Record<string, string>): string {
    const folder = join(root, name)
    mkdirSync(folder)
    for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text)
    return folder
  }

  it('is refused and untouched where it holds files of others', async () => {
    await expectRefused(folderOf('project', { 'package.json': '{}' }))
    await expectRefused(folderOf('half', { 'package.json': '{}', '.manifest.json.0123456789ab.tmp': '' }))
    await expectRefused(folderOf('alike', { 'vectors.bin': '', 'manifest.json.bak': '{}' }))
  })

  it('is refused and untouched where the manifest.json is that of something else', async () => {
    const webApp = { name: 'My app', icons: [{ src: 'icon.png' }], start_url: '/' }
    await expectRefused(folderOf('web-app', { 'manifest.json': JSON.stringify(webApp), 'index.html': '<html>' }))
    const extension = { manifest_version: 3, name: 'My extension', version: '1.0' }
    await expectRefused(folderOf('extension', { 'manifest.json': JSON.stringify(extension), 'background.js': '' }))
  })

  it('is refused where it is a file, or lies below one', async () => {
    const file = join(root, 'a-file')
    writeFileSync(file, 'text')
    for (const out of [file, join(file, 'below')]) {
      await expect(build({ out })).rejects.toMatchObject({ code: 'INVALID_OPTIONS' })
    }
    expect(readFolder(root).get('a-file')!.toString()).toBe('text')
  })

  it('is made, with its parents, where there is none', async () => {
    const out = join(root, 'some', 'parents', 'missing')
    await build({ out })
    expect(familyIn(out, references)).toBe('beta')
  })

  it('may be empty, or hold an index and other files, which stay', async () => {
    const empty = folderOf('empty', {})
    await build({ out: empty })
    expect(familyIn(empty, references)).toBe('beta')
    const kept = alphaIn('with-readme')
    writeFileSync(join(kept, 'README.md'), 'mine')
    await build({ out: kept })
    expect(readFolder(kept).get('README.md')!.toString()).toBe('mine')
  })
})

describe('a folder that cannot be written', { timeout: 60_000 }, () => {
  const childBuild = async (folder: string, options: Parameters<typeof runChild>[2] = {}) => {
    const { code, stdout } = await runChild('build-once.ts', [folder, String(SIZE), 'beta'], options)
    expect(code).toBe(0)
    return JSON.parse(stdout) as { code?: string; message?: string }
  }

  it.skipIf(!isRoot)('because it is read-only keeps its index, and the error says so', async () => {
    const folder = alphaIn('read-only')
    chmodSync(folder, 0o555)
    const { code, message } = await childBuild(folder, { uid: NOBODY })
    expect(code).toMatch(/EACCES|EPERM|INVALID_OPTIONS/)
    expect(message).toContain(folder)
    expect(hashesOf(readFolder(folder))).toEqual(hashesOf(references.get('alpha')!))
  })

  it('because files may not be that long keeps its index, and the error says so', async () => {
    const folder = alphaIn('limited')
    // In KiB: the vectors of 300 tools have 19 KiB, their manifest more than 21.
    for (const limit of [8, 21]) {
      const prefix = ['sh', '-c', `ulimit -f ${limit * 2}; exec "$@"`, 'sh']
      const { code, message } = await childBuild(folder, { prefix, env: { TSX_DISABLE_CACHE: '1' } })
      expect(code).toBe('EFBIG')
      expect(message).toMatch(/too large/)
      expect(familyIn(folder, references)).toBe('alpha')
      expect(readdirSync(folder).filter(name => name.endsWith('.tmp'))).toEqual([])
    }
    expect((await build({ out: folder })).written).toBe(true)
    expect(familyIn(folder, references)).toBe('beta')
  })

  it.skipIf(!canMount())('because the disk is full keeps its index, and the error says so', async () => {
    const disk = join(root, 'disk')
    mkdirSync(disk)
    const bytes = [...references.get('alpha')!.values()].reduce((sum, { length }) => sum + length, 0)
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${Math.ceil(bytes / 1024 + 60)}k`, 'tmpfs', disk])
    try {
      cpSync(join(root, 'reference-alpha'), join(disk, 'index'), { recursive: true })
      await expect(build({ out: join(disk, 'index') })).rejects.toMatchObject({ code: 'ENOSPC' })
      expect(familyIn(join(disk, 'index'), references)).toBe('alpha')
      expect(readdirSync(join(disk, 'index')).filter(name => name.endsWith('.tmp'))).toEqual([])
    } finally {
      execFileSync('umount', [disk])
    }
  })
})

function canMount(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'mount-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', folder], { stdio: 'ignore' })
    execFileSync('umount', [folder], { stdio: 'ignore' })
    return true
  } catch {
    return false
  } finally {
    rmSync(folder, { recursive: true })
  }
}

describe('builds of one catalog', { timeout: 60_000 }, () => {
  it('give the same bytes in any process and order of keys, from nothing or from another index', async () => {
    const size = HNSW_MIN_SIZE + 50
    const tools = shortTools(size, 'beta')
    const [nothing, shuffledKeys, incremental] = ['nothing', 'shuffled', 'incremental'].map(name => join(root, name))
    await build({ out: nothing!, tools })
    await build({ out: shuffledKeys!, tools: shuffled(tools, seededRandom(8)) })
    // Half of the tools, and others that go.
    const earlier = { ...shortTools(size >> 1, 'beta'), ...shortTools(size, 'alpha') }
    await build({ out: incremental!, tools: shuffled(earlier, seededRandom(9)) })
    const report = await build({ out: incremental!, tools: shuffled(tools, seededRandom(10)) })
    expect([report.reused, report.embedded]).toEqual([size >> 1, size - (size >> 1)])
    const other = join(root, 'other-process')
    const { code, stdout } = await runChild('build-once.ts', [other, String(size), 'beta', '12'])
    expect([code, JSON.parse(stdout)]).toEqual([0, { written: true }])

    const expected = hashesOf(readFolder(nothing!))
    expect(expected.map(line => line.split('.')[0])).toEqual(['documents', 'graph', 'manifest', 'vectors'])
    for (const folder of [shuffledKeys!, incremental!, other]) expect(hashesOf(readFolder(folder))).toEqual(expected)
  })

  it('take no vector from an index that other weights made, though the model has the same id', async () => {
    const tools = shortTools(SIZE, 'beta')
    const withWeights = (digit: string, sign: number): Embedder => ({
      ...embedder,
      provenance: async () => ({ revision: 'main', weightsSha256: digit.repeat(64) }),
      embedDocuments: async texts => (await embedder.embedDocuments(texts)).map(row => [...row].map(x => sign * x)),
    })
    const [there, fresh] = [join(root, 'reweighted'), join(root, 'reweighted-fresh')]
    await build({ out: there, tools, embedder: withWeights('a', 1) })
    await build({ out: there, tools, embedder: withWeights('b', -1) })
    await build({ out: fresh, tools, embedder: withWeights('b', -1) })
    const cells = async (folder: string) => [...(await openToolIndex(folder)).vectors.subarray(0, 16)]
    expect(await cells(there)).toEqual(await cells(fresh))
  })

  it('is the same whether the index before it counted tokens or not', async () => {
    const tools = shortTools(SIZE, 'beta')
    const counting: Embedder = { ...embedder, countTokens: async texts => texts.map(text => text.length) }
    const [there, fresh] = [join(root, 'uncounted'), join(root, 'counted')]
    await build({ out: there, tools })
    await build({ out: there, tools, embedder: counting })
    await build({ out: fresh, tools, embedder: counting })
    expect(hashesOf(readFolder(there))).toEqual(hashesOf(readFolder(fresh)))
  })

  it('leave nobody but their typed errors where the embedder fails', async () => {
    const out = alphaIn('failing')
    const failing: Embedder = { ...embedder, embedDocuments: async () => Promise.reject(new Error('down')) }
    const error = await build({ out, embedder: failing }).catch(error => error)
    expect(isToolSearchError(error) && error.code).toBe('EMBEDDING_FAILED')
    expect(hashesOf(readFolder(out))).toEqual(hashesOf(references.get('alpha')!))
  })
})
