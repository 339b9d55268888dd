import { rename, writeFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { searchTarget } from '../../src/cli/search/search-target.js'
import { wordEmbedder } from '../searcher/word-embedder.js'
import { cli, jsonOf, openStdin, workFolder } from './cli-harness.js'

const work = workFolder()
const tools = await work.file('tools.json', {
  send_email: { description: 'Send a message to somebody' },
  get_weather: { description: 'Weather forecast of a city' },
  merge_pdf: { description: 'Merge PDF files' },
})
const index = work.path('index')
await cli(['build', tools, '--out', index])

/** The names in the order of the rows that begin with a rank. */
const namesIn = (out: string) => [...out.matchAll(/^ +\d+ +(\S+)/gm)].map(([, name]) => name)

describe('search', () => {
  it('finds in an index, in tools, and in tools with their index', async () => {
    for (const sources of [[index], [tools], [index, tools], [tools, '--index', index]]) {
      const { code, out, err } = await cli(['search', ...sources, '--query', 'weather forecast'])
      expect(code).toBe(0)
      // An index alone has no texts here, so that scores differ from an agent's.
      expect(err).toMatch(sources.length === 1 && sources[0] === index ? /--include-documents/ : /^$/)
      expect(out).toContain('"weather forecast" in 3 tools')
      expect(namesIn(out)[0]).toBe('get_weather')
      expect(out).toContain('█')
    }
  })

  it('embeds no documents where an index has them', async () => {
    const embedder = wordEmbedder()
    await cli(['search', tools, '--index', index, 'weather'], { embedder })
    await cli(['search', index, 'weather'], { embedder })
    expect(embedder.documentCalls).toEqual([])
  })

  it('obeys --top-k and --min-score, also huge ones', async () => {
    const all = await cli(['search', tools, 'pdf weather message', '--min-score', '0', '--top-k', '9007199254740991'])
    expect(namesIn(all.out)).toHaveLength(3)
    const one = await cli(['search', tools, 'pdf weather message', '--min-score', '0', '-k', '1'])
    expect(namesIn(one.out)).toEqual(namesIn(all.out).slice(0, 1))
  })

  it('says that nothing fits, and how near the best came', async () => {
    const { code, out } = await cli(['search', tools, 'weather', '--min-score', '1'])
    expect(code).toBe(0)
    expect(out).toMatch(/Nothing fits: the best, get_weather, scores 0\.\d{3}, and results score above 1 /)
    expect((await cli(['search', tools, '?!'])).out).toContain('the query has no words')
  })

  it('with --explain shows both parts with their ranks, and why a tool was cut', async () => {
    const args = ['search', tools, 'weather forecast', '--explain', '-k', '1', '--min-score', '0']
    const { out } = await cli(args)
    expect(out).toMatch(/# +tool +score +cosine +# +words +# +cut/)
    expect(out).toMatch(/1 +get_weather +0\.\d{3} +\S+ +0\.\d{3} +1 +0\.\d{3} +1\n/)
    const json = jsonOf(await cli([...args, '--json']))
    expect(json).toMatchObject({ query: 'weather forecast', mode: 'hybrid', results: [{ name: 'get_weather' }] })
    expect(json.candidates).toContainEqual(expect.objectContaining({ name: 'get_weather', rank: 1 }))
  })

  it('says that a query reads as small talk: with --explain always, else where that decides', async () => {
    const reading = (smallTalk: number) => ({
      embedder: wordEmbedder({ readQuery: async embedding => ({ embedding, smallTalk }) }),
    })
    const args = ['search', tools, 'weather']
    expect((await cli(args, reading(0.97))).out).toContain('Small talk by 0.97 (0 to 1), which lowers all scores.')
    expect((await cli(args, reading(0.2))).out).not.toContain('Small talk')
    expect((await cli([...args, '--explain'], reading(0.2))).out).toContain('Small talk by 0.20')
    expect((await cli([...args, '--explain'], reading(0))).out).not.toContain('Small talk')
    expect(jsonOf(await cli([...args, '--explain', '--json'], reading(0.2))).smallTalk).toBe(0.2)
  })

  it('says that a long query was searched clause by clause', async () => {
    const long =
      'look up the weather in Oslo for the next two days of this week, then tell me whether I need a coat, and put the ' +
      'answer into a short note for my wife'
    expect((await cli(['search', tools, long, '--explain'])).out).toContain('Searched clause by clause, too')
    expect((await cli(['search', tools, 'weather', '--explain'])).out).not.toContain('clause')
    const { candidates } = jsonOf(await cli(['search', tools, long, '--explain', '--json']))
    const clause = expect.objectContaining({ text: 'look up the weather in Oslo for the next two days of this week' })
    expect(candidates).toContainEqual(expect.objectContaining({ name: 'get_weather', clause }))
  })

  it('with --json gives one document, without candidates unless explained', async () => {
    const result = await cli(['search', tools, 'weather', '--json'])
    expect(Object.keys(jsonOf(result))).toEqual(['query', 'mode', 'results'])
  })

  it('fits the table into the terminal, and never cuts a name', async () => {
    const name = `x${'_very_long_name'.repeat(8)}`
    const long = await work.file('long.json', { [name]: { description: 'weather' } })
    for (const columns of [40, 80, 120]) {
      const { out } = await cli(['search', long, 'weather'], { columns })
      const table = out.split('\n').slice(1)
      expect(Math.max(...table.map(line => line.length))).toBeLessThanOrEqual(columns)
      expect(out.replace(/[^a-z_]/g, '')).toContain('_very_long_name')
      expect(table.map(line => line.slice(5).split('  ')[0]).join('')).toContain(name)
    }
  })

  it('colours a terminal, and nothing else', async () => {
    const csi = '\u001b['
    expect((await cli(['search', tools, 'weather'], { isTTY: true })).out).toContain(csi)
    expect((await cli(['search', tools, 'weather'], { isTTY: true, env: { NO_COLOR: '1' } })).out).not.toContain(csi)
    expect((await cli(['search', tools, 'weather'])).out).not.toContain(csi)
    expect((await cli(['search', tools, 'weather'], { env: { FORCE_COLOR: '1' } })).out).toContain(csi)
    expect((await cli(['search', tools, 'x', '--json'], { isTTY: true })).out).not.toContain(csi)
  })
})

describe('the last argument', () => {
  const mcp: string[] = []
  it('is the query when it is no file and something is before it', () => {
    expect(searchTarget([tools, 'send mail'], { mcp })).toEqual({
      index: undefined,
      files: [tools],
      query: 'send mail',
    })
    expect(searchTarget([index, 'mail'], { mcp })).toEqual({ index, files: [], query: 'mail' })
    expect(searchTarget(['mail'], { mcp: ['x'] })).toEqual({ index: undefined, files: [], query: 'mail' })
    expect(searchTarget(['mail'], { mcp, index })).toEqual({ index, files: [], query: 'mail' })
  })

  it('is a source when it exists, looks like a path, or is alone', () => {
    expect(searchTarget([index, tools], { mcp })).toEqual({ index, files: [tools], query: undefined })
    expect(searchTarget([index, './typo.ts#x'], { mcp }).files).toEqual(['./typo.ts#x'])
    expect(searchTarget(['mail'], { mcp })).toEqual({ index: undefined, files: ['mail'], query: undefined })
  })

  it('is a source with --query', () => {
    expect(searchTarget([tools, 'mail'], { mcp, query: 'q' })).toEqual({
      index: undefined,
      files: [tools, 'mail'],
      query: 'q',
    })
  })

  it('may be a query with a full stop or a slash in it', () => {
    expect(searchTarget([index, 'read/write files'], { mcp }).query).toBe('read/write files')
    expect(searchTarget([index, 'open tools.ts in an editor'], { mcp }).query).toBe('open tools.ts in an editor')
  })
})

describe('without a query', () => {
  it('searches each line of stdin, and ends at its end', async () => {
    const { code, out } = await cli(['search', index], { stdin: 'weather forecast\n\nmerge pdf\nmessage' })
    expect(code).toBe(0)
    expect(out.match(/^".*"/gm)).toEqual(['"weather forecast"', '"merge pdf"', '"message"'])
    expect(out).not.toContain('search>')
  })

  it('gives one JSON document of all searches', async () => {
    const result = await cli(['search', index, '--json', '--top-k', '1'], { stdin: 'weather forecast\nmerge pdf\n' })
    expect(jsonOf(result)).toMatchObject({
      searches: [
        { query: 'weather forecast', results: [{ name: 'get_weather' }] },
        { query: 'merge pdf', results: [{ name: 'merge_pdf' }] },
      ],
    })
  })

  it('answers each line before the next is typed, and ends when it is aborted', async () => {
    const stdin = openStdin()
    const controller = new AbortController()
    const abort = () => controller.abort(new Error('enough'))
    const done = cli(['search', index], {
      stdin,
      abortSignal: controller.signal,
      onOutput: out => {
        if (out.includes('merge_pdf')) abort()
        else if (out.includes('get_weather') && stdin.readableLength === 0) stdin.write('merge pdf\n')
      },
    })
    stdin.write('weather forecast\n')
    const { code, out } = await done
    expect(code).toBe(1)
    expect(namesIn(out)).toEqual(expect.arrayContaining(['get_weather', 'merge_pdf']))
  })
})

/** In one step, so that nobody sees half of it. */
async function replace(path: string, content: string): Promise<void> {
  await writeFile(`${path}.new`, content)
  await rename(`${path}.new`, path)
}

describe('--watch', () => {
  it('searches again when a source changes, goes on after an error, and embeds only what is new', async () => {
    const source = await work.file(
      'watched.ts',
      `export default { a: { description: 'first pdf' }, b: { description: 'x' } }`,
    )
    const embedder = wordEmbedder()
    const controller = new AbortController()
    const searches = (out: string) => out.split('"pdf" in').length - 1
    let step = 0
    const watching = cli(['search', source, 'pdf', '--watch'], {
      embedder,
      abortSignal: controller.signal,
      onOutput: out => {
        if (step === 0 && searches(out) === 1) {
          step = 1
          void replace(source, 'export default {')
        } else if (step === 1 && out.includes('watched.ts changed')) {
          step = 2
          void replace(source, `export default { c: { description: 'other pdf' }, b: { description: 'x' } }`)
        } else if (step === 2 && searches(out) === 2 && /[\u2580-\u259f]$/.test(out.trimEnd())) {
          step = 3
          controller.abort(new Error('enough'))
        }
      },
    })
    const { out, err } = await watching
    expect(err).toContain('Cannot load')
    expect(namesIn(out)).toEqual(['a', 'c'])
    expect(embedder.documentCalls.flat()).toEqual(['a: first pdf', 'b: x', 'c: other pdf'])
  })

  it('searches again when the index changes', async () => {
    const other = work.path('watched-index')
    await cli(['build', tools, '--out', other])
    const controller = new AbortController()
    let isRebuilt = false
    const { out } = await cli(['search', other, 'issue', '--watch', '--min-score', '0'], {
      abortSignal: controller.signal,
      onOutput: text => {
        if (!isRebuilt && text.includes('in 3 tools')) {
          isRebuilt = true
          void work
            .file('issue.json', { create_issue: { description: 'Open an issue' } })
            .then(issue => cli(['build', issue, '--out', other]))
        } else if (text.includes('create_issue')) controller.abort(new Error('enough'))
      },
    })
    expect(out).toContain('manifest.json changed')
    expect(namesIn(out).at(-1)).toBe('create_issue')
  })
})
