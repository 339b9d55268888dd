import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { wordEmbedder } from '../searcher/word-embedder.js'
import { cli, jsonOf, workFolder } from './cli-harness.js'

const work = workFolder()
const TOOLS = {
  send_email: { description: 'Send a message to somebody' },
  get_weather: { description: 'Weather forecast of a city' },
  merge_pdf: { description: 'Merge PDF files' },
}
const tools = await work.file('tools.json', TOOLS)
const changed = await work.file('changed.json', {
  send_email: { description: 'Send a message to many' },
  get_weather: TOOLS.get_weather,
  create_issue: { description: 'Open an issue' },
})

describe('build', () => {
  it('writes an index and says what it did', async () => {
    const out = work.path('first')
    const { code, out: text } = await cli(['build', tools, '--out', out])
    expect(code).toBe(0)
    expect(text).toContain('Built the index')
    expect(text).toContain('3 (3 embedded, 0 reused)')
    expect(text).toContain(out)
    expect(await readdir(out)).toContain('manifest.json')
  })

  it('embeds only what is new the second time', async () => {
    const out = work.path('second')
    await cli(['build', tools, '--out', out])
    const embedder = wordEmbedder()
    const result = jsonOf(await cli(['build', changed, '--out', out, '--json'], { embedder }))
    expect(result).toMatchObject({ tools: 3, embedded: 2, reused: 1, path: out, model: { id: 'bag-of-words' } })
    expect(embedder.documentCalls.flat()).toEqual([
      expect.stringContaining('Open an issue'),
      expect.stringContaining('to many'),
    ])
    expect((await cli(['build', changed, '--out', out])).out).toContain('up to date, nothing was written')
  })

  it('gives one JSON document on stdout, whatever a module logs through its terminal', async () => {
    const { out, code } = await cli(['build', tools, '--out', work.path('json'), '--json'])
    expect(code).toBe(0)
    expect(Object.keys(JSON.parse(out))).toEqual([
      ...['path', 'tools', 'embedded', 'reused', 'bytes', 'written', 'model', 'builtAt'],
    ])
  })

  it('leaves nothing when it is aborted', async () => {
    const embedder = wordEmbedder()
    const controller = new AbortController()
    embedder.gate = new Promise(() => {})
    const building = cli(['build', tools, '--out', work.path('aborted')], { embedder, abortSignal: controller.signal })
    setTimeout(() => controller.abort(new Error('stop')), 50)
    expect((await building).code).toBe(1)
    expect((await readdir(work.root)).filter(name => name.includes('aborted'))).toEqual([])
  })

  it('stores the texts only with --include-documents', async () => {
    const holdsText = async (folder: string) => {
      const files = await readdir(folder)
      const texts = await Promise.all(files.map(file => readFile(join(folder, file), 'latin1')))
      return texts.some(text => text.includes('Weather forecast'))
    }
    await cli(['build', tools, '--out', work.path('without')])
    await cli(['build', tools, '--out', work.path('with'), '--include-documents'])
    expect(await holdsText(work.path('without'))).toBe(false)
    expect(await holdsText(work.path('with'))).toBe(true)
  })
})

describe('verify', () => {
  async function built(name: string, ...options: string[]): Promise<string> {
    const out = work.path(name)
    await cli(['build', tools, '--out', out, ...options])
    return out
  }

  it('exits with 0 for an intact index, with and without tools', async () => {
    const index = await built('intact')
    expect(await cli(['verify', index])).toMatchObject({ code: 0, out: expect.stringContaining('is intact: 3 tools') })
    const { code, out } = await cli(['verify', index, tools])
    expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining('up to date with the tools') })
  })

  it('lists what was added, changed and removed, and exits with 1', async () => {
    const index = await built('drift')
    const { code, out } = await cli(['verify', index, changed])
    expect(code).toBe(1)
    expect(out).toContain('1 added, 1 changed, 1 removed')
    expect(out.split('\n').filter(line => /^ {2}[+~-] /.test(line))).toEqual([
      '  + create_issue',
      '  ~ send_email',
      '  - merge_pdf',
    ])
    const json = await cli(['verify', index, changed, '--json'])
    expect(json.code).toBe(1)
    expect(jsonOf(json)).toMatchObject({
      ok: false,
      problems: [],
      drift: { added: ['create_issue'], changed: ['send_email'], removed: ['merge_pdf'] },
    })
  })

  it('reports a broken or missing index, and exits with 1', async () => {
    const index = await built('broken')
    const vectors = (await readdir(index)).find(name => name.startsWith('vectors'))!
    await writeFile(join(index, vectors), 'cut')
    const { code, out } = await cli(['verify', index, tools])
    expect({ code, out }).toEqual({ code: 1, out: expect.stringContaining(vectors) })
    expect((await cli(['verify', work.path('nothing-here')])).code).toBe(1)
  })

  it('reports an index of another model', async () => {
    const index = await built('model')
    const { code, out } = await cli(['verify', index], { embedder: wordEmbedder({ modelId: 'other' }) })
    expect({ code, out }).toEqual({ code: 1, out: expect.stringContaining('other') })
  })

  it('with --fix rebuilds what is broken or out of date, and exits with 0', async () => {
    const index = await built('fixed')
    const fixed = await cli(['verify', index, changed, '--fix', '--json'])
    expect(fixed.code).toBe(0)
    expect(jsonOf(fixed)).toMatchObject({
      ok: true,
      fixed: true,
      found: { ok: false },
      build: { embedded: 2, reused: 1 },
    })
    expect((await cli(['verify', index, changed])).code).toBe(0)
    await writeFile(join(index, 'manifest.json'), 'broken')
    expect((await cli(['verify', index, changed, '--fix'])).code).toBe(0)
    expect((await cli(['verify', index, changed])).code).toBe(0)
  })

  it('with --fix keeps the texts that the index had', async () => {
    const index = await built('texts', '--include-documents')
    await cli(['verify', index, changed, '--fix'])
    expect((await readdir(index)).some(name => name.startsWith('documents'))).toBe(true)
  })
})
