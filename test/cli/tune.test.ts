import { readFile, writeFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { messagesWith } from '../processor/harness.js'
import { wordEmbedder } from '../searcher/word-embedder.js'
import { cli, jsonOf, workFolder } from './cli-harness.js'

const work = workFolder()
const tools = await work.file('tools.json', {
  send_email: { description: 'Send a message to somebody' },
  get_weather: { description: 'Get the weather forecast of a city' },
  get_tides: { description: 'Get the tides forecast of a harbour' },
  merge_pdf: { description: 'Merge PDF files' },
})
const index = work.path('index')
await cli(['build', tools, '--out', index, '--include-documents'])

const lines = (...queries: [query: string, ...relevant: string[]][]) =>
  queries.map(([query, ...relevant]) => JSON.stringify({ query, relevant })).join('\n')

const queries = await work.file(
  'queries.jsonl',
  lines(
    ['weather forecast', 'get_weather'],
    ['forecast of the harbour', 'get_tides'],
    ['merge pdf', 'merge_pdf'],
    ['send a message', 'send_email'],
    // Found below get_weather, which has the word.
    ['weather of the harbour', 'get_tides'],
    ['good morning dear'],
  ),
)

interface Report {
  queries: { total: number; answerable: number; unanswerable: number; drafts: number }
  recommended: { topK: number; minScore: number; folds: unknown[] }
  settings: { topK: number; minScore: number }
  ranking: Record<string, { value: number }>
  curve: { minScore: number; recall: number }[]
  failures: { query: string; tool: string; beatenBy: { name: string }[] }[]
  confusions: { tool: string; other: string; words: { tool: string[]; other: string[] } }[]
  requirements: { text: string; isMet: boolean; value: number }[]
  warnings: string[]
}
const reportOf = async (args: string[], options?: Parameters<typeof cli>[1]) => {
  const result = await cli(['tune', ...args, '--json'], options)
  return { ...result, report: jsonOf(result) as unknown as Report }
}

describe('tune', () => {
  it('measures an index, tools, and tools with their index alike', async () => {
    const reports = []
    for (const sources of [[index], [tools], [index, tools], [tools, '--index', index]]) {
      const { code, report } = await reportOf([...sources, '--queries', queries])
      expect(code).toBe(0)
      reports.push(report)
    }
    for (const report of reports) expect(report).toEqual(reports[0])
    expect(reports[0]!.queries).toMatchObject({ total: 6, answerable: 5, unanswerable: 1, drafts: 0 })
    // Four of five are first, the fifth second.
    expect(reports[0]!.ranking['hit@1']!.value).toBeCloseTo(0.8, 10)
    expect(reports[0]!.ranking['recall@5']!.value).toBe(1)
    expect(reports[0]!.ranking.mrr!.value).toBeCloseTo(0.9, 10)
  })

  it('fits 80 columns, and ends with options to paste', async () => {
    const { code, out, err } = await cli(['tune', index, '--queries', queries])
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(out).toMatch(/\nOptions\nsearch: \{ topK: \d+, minScore: 0(\.\d+)? \}\n$/)
    for (const line of out.split('\n')) expect(line.length).toBeLessThanOrEqual(80)
  })

  it('names what failed, what beat it, and the words that tell them apart', async () => {
    const { report } = await reportOf([index, '--queries', queries, '--top-k', '1', '--min-score', '0'])
    expect(report.failures).toMatchObject([
      {
        query: 'weather of the harbour',
        tool: 'get_tides',
        reason: 'rank',
        rank: 2,
        beatenBy: [{ name: 'get_weather' }],
      },
    ])
    expect(report.confusions).toMatchObject([
      { tool: 'get_tides', other: 'get_weather', words: { tool: ['tides', 'harbour'], other: ['weather', 'city'] } },
    ])
  })

  it('says plainly that the set is too small', async () => {
    const { out } = await cli(['tune', index, '--queries', queries], { columns: 120 })
    expect(out).toContain('Only 5 queries have a relevant tool; below 30')
    expect(out).toContain('Only 1 query is one that nothing fits; below 30')
  })

  it('warns of an index without texts, whose scores no agent has', async () => {
    const bare = work.path('bare')
    await cli(['build', tools, '--out', bare])
    const { report } = await reportOf([bare, '--queries', queries])
    expect(report.warnings[0]).toMatch(/no texts.*Do not use what is recommended/)
  })

  it('asks for each text once, and embeds no document that the index has', async () => {
    const repeated = await work.file('repeated.jsonl', lines(...Array(50).fill(['merge pdf', 'merge_pdf'])))
    const embedder = wordEmbedder()
    const { report } = await reportOf([index, '--queries', repeated], { embedder })
    expect(report.queries.total).toBe(50)
    expect(embedder.queryCalls).toEqual([['merge pdf']])
    expect(embedder.documentCalls).toEqual([])
  })

  it('reads queries from stdin, and CSV', async () => {
    const stdin = 'query,relevant\n"merge, please",merge_pdf\nhello,\n'
    const { report } = await reportOf([index, '--queries', '-'], { stdin })
    expect(report.queries).toMatchObject({ answerable: 1, unanswerable: 1 })
    const { code, err } = await cli(['tune', '-', '--queries', '-'])
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining('cannot hold both') })
  })

  it('ends with the reason when it is interrupted', async () => {
    const controller = new AbortController()
    const embedder = wordEmbedder()
    const embedQueries = embedder.embedQueries
    let calls = 0
    embedder.embedQueries = (...args) => {
      if (++calls === 2) controller.abort(new Error('enough'))
      return embedQueries(...args)
    }
    const html = work.path('never.html')
    const { code } = await cli(['tune', index, '--queries', queries, '--html', html], {
      embedder,
      abortSignal: controller.signal,
    })
    expect(code).toBe(1)
    expect(calls).toBe(2)
    await expect(readFile(html)).rejects.toThrow('ENOENT')
  })
})

describe('--html', () => {
  it('writes the report as one file that loads nothing', async () => {
    const html = work.path('new-folder/report.html')
    const { code, out } = await cli(['tune', index, '--queries', queries, '--html', html], { columns: 120 })
    expect(code).toBe(0)
    expect(out).toContain(`Report: ${html}`)
    const page = await readFile(html, 'utf8')
    expect(page).toContain('<title>queries.jsonl: tool search tuning report</title>')
    expect(page).toContain("default-src 'none'")
    expect(page).not.toContain(work.root)
  })

  it('refuses a folder before any work', async () => {
    const embedder = wordEmbedder()
    const { code, err } = await cli(['tune', tools, '--queries', queries, '--html', work.root], { embedder })
    expect(code).toBe(2)
    expect(err).toMatch(/--html to be a file/)
    expect(embedder.documentCalls).toEqual([])
  })
})

it('--help of tune has examples, aims and requirements', async () => {
  const { code, out } = await cli(['tune', '--help'])
  expect(code).toBe(0)
  expect(out).toContain('Usage: mastra-semantic-tool-search tune ')
  expect(out).toMatch(/\nExamples:\n( {2}\$ .*\n)+/)
  for (const option of ['--queries', '--aim', '--draft', '--from-traces', '--require', '--html', '--json']) {
    expect(out).toContain(option)
  }
  expect(await cli(['help', 'tune'])).toEqual({ code, out, err: '' })
})

describe('--require', () => {
  it('exits with 1 when a figure is missed, and says by how much', async () => {
    const args = ['tune', index, '--queries', queries, '--min-score', '0']
    const met = await cli([...args, '--require', 'recall@5>=0.95', '--require', 'hit@1>=0.8'])
    expect(met.code).toBe(0)
    expect(met.out).toContain('✓ recall@5>=0.95: 1.0000')
    const missed = await cli([...args, '--require', 'recall@5>=0.95', '--require', 'hit@1>=0.95'])
    expect(missed.code).toBe(1)
    expect(missed.out).toContain('✓ recall@5>=0.95: 1.0000')
    expect(missed.out).toContain('✗ hit@1>=0.95: 0.8000, missed by 0.1500')
  })

  it('measures at what is given, else at what is recommended', async () => {
    const { report } = await reportOf([index, '--queries', queries, '--require', 'recall>=0.1'])
    expect(report.settings).toEqual({ topK: report.recommended.topK, minScore: report.recommended.minScore })
    const strict = await reportOf([index, '--queries', queries, '--min-score', '1', '--require', 'recall@5>0'])
    expect(strict).toMatchObject({ code: 1, report: { settings: { minScore: 1 }, requirements: [{ value: 0 }] } })
  })

  it.each([
    ['--require', 'recall@5'],
    ['--require', 'accuracy>=0.5'],
    ['--aim', 'recall=98'],
    ['--aim', 'hit=0.5'],
    ['--top-k', '0'],
    ['--min-score', '2'],
  ])('refuses %s %s', async (...args) => {
    expect((await cli(['tune', index, '--queries', queries, ...args])).code).toBe(2)
  })
})

describe('a queries file that cannot be used', () => {
  it('is refused with every bad line, before anything is embedded', async () => {
    const bad = await work.file(
      'bad.jsonl',
      `${lines(['weather', 'get_wether'])}\n{"query": 1}\n${lines(['merge', 'merge_pdf'])}\nnot json`,
    )
    const embedder = wordEmbedder()
    const { code, out, err } = await cli(['tune', tools, '--queries', bad], { embedder })
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(err.split('\n')).toEqual([
      `${bad}:1 there is no tool "get_wether". Did you mean "get_weather"?`,
      `${bad}:2 expected "query" to be text, got 1`,
      `${bad}:4 no valid JSON: "not json"`,
      `${bad} has 3 lines that cannot be used. Correct them, or leave them out with --skip-bad-lines.`,
      '',
    ])
    expect([embedder.documentCalls, embedder.queryCalls]).toEqual([[], []])
    const json = await cli(['tune', tools, '--queries', bad, '--json'])
    expect(jsonOf(json)).toMatchObject({
      error: { badLines: [{ line: 1 }, { line: 2 }, { line: 4 }] },
    })
    const skipped = await reportOf([tools, '--queries', bad, '--skip-bad-lines'])
    expect(skipped).toMatchObject({ code: 0, report: { queries: { total: 1 }, badLines: [{ line: 1 }, {}, {}] } })
  })

  it('has its bad lines counted beyond a screenful', async () => {
    const bad = await work.file('very-bad.jsonl', Array(120).fill('x').join('\n'))
    const { err } = await cli(['tune', tools, '--queries', bad])
    expect(err.match(/no valid JSON/g)).toHaveLength(50)
    expect(err).toContain('... and 70 more bad lines')
  })

  it.each([
    ['is missing', undefined, /cannot be read/],
    ['has no query', '\n', /has no queries/],
    ['has none that something fits', lines(['hello']), /only queries that nothing fits \(1\)/],
    ['is no text', new Uint8Array([0x7b, 0xff, 0xfe, 0x80]), /not text in UTF-8/],
  ])('is refused where it %s', async (_, content, message) => {
    const file = content === undefined ? work.path('missing.jsonl') : await work.file('unusable.jsonl', content)
    const { code, err } = await cli(['tune', tools, '--queries', file])
    expect(code).toBe(2)
    expect(err).toMatch(message)
  })

  it('is refused for an aim that it cannot measure', async () => {
    const file = await work.file('answerable.jsonl', lines(['merge', 'merge_pdf']))
    const { code, err } = await cli(['tune', tools, '--queries', file, '--aim', 'no-answer=0.5'])
    expect(code).toBe(2)
    expect(err).toMatch(/needs queries that nothing fits/)
  })

  it('must be given', async () => {
    const { code, err } = await cli(['tune', tools])
    expect(code).toBe(2)
    expect(err).toMatch(/--draft 200 --queries queries\.jsonl/)
  })
})

describe('--draft', () => {
  it('writes drafts, which tune then reads and distrusts', async () => {
    const file = work.path('drafts.jsonl')
    const { code, out, err } = await cli(['tune', index, '--draft', '20', '--queries', file])
    expect({ code, out }).toEqual({ code: 0, out: '' })
    expect(err).toContain(`20 drafts, 3 of them off-topic: ${file}`)
    const written = (await readFile(file, 'utf8'))
      .trim()
      .split('\n')
      .map(line => JSON.parse(line))
    expect(written).toHaveLength(20)
    for (const line of written)
      expect(line).toEqual({ query: expect.any(String), relevant: expect.any(Array), draft: true })
    const { report } = await reportOf([index, '--queries', file])
    expect(report.queries.drafts).toBe(20)
    expect(report.warnings.at(-1)).toMatch(/^All queries are drafts.*share \d+ % of their words/)
  })

  it('does not replace a file without --force', async () => {
    const file = await work.file('edited.jsonl', 'mine')
    const args = ['tune', index, '--draft', '5', '--queries', file]
    const refused = await cli(args)
    expect(refused.code).toBe(2)
    expect(refused.err).toContain('--force')
    expect(await readFile(file, 'utf8')).toBe('mine')
    expect((await cli([...args, '--force'])).code).toBe(0)
    expect(await readFile(file, 'utf8')).not.toContain('mine')
  })

  it('writes to stdout without a file, the same for the same seed', async () => {
    const first = await cli(['tune', tools, '--draft', '8'])
    expect(first.out.trim().split('\n')).toHaveLength(8)
    expect((await cli(['tune', tools, '--draft', '8'])).out).toBe(first.out)
    expect((await cli(['tune', tools, '--draft', '8', '--seed', '2'])).out).not.toBe(first.out)
    const json = await cli(['tune', tools, '--draft', '8', '--json'])
    expect((jsonOf(json).queries as object[]).map(line => JSON.stringify(line))).toEqual(first.out.trim().split('\n'))
  })

  it('excludes what measures', async () => {
    for (const args of [
      ['--html', 'x.html'],
      ['--require', 'mrr>0'],
      ['--from-traces', 'x'],
    ]) {
      expect((await cli(['tune', tools, '--draft', '8', ...args])).code).toBe(2)
    }
  })
})

describe('--from-traces', () => {
  const log = () => {
    const calls = [
      { toolName: 'search_tools', args: { query: 'will it rain' }, result: { results: [{ name: 'get_weather' }] } },
      { toolName: 'load_tool', args: { toolName: 'get_weather' }, result: { success: true, loaded: ['get_weather'] } },
      { toolName: 'get_weather', args: {}, result: 'sun' },
      { toolName: 'search_tools', args: { query: 'a poem' }, result: { results: [] } },
    ]
    return messagesWith(...calls)
      .map((message, at) => {
        const { content } = message as { content: { parts: [{ toolInvocation: object }] } }
        Object.assign(content.parts[0].toolInvocation, { args: calls[at]!.args })
        return JSON.stringify(message)
      })
      .join('\n')
  }

  it('writes what was searched and then called, which tune reads', async () => {
    const file = work.path('traced.jsonl')
    const { code, err } = await cli([
      'tune',
      index,
      '--from-traces',
      await work.file('log.jsonl', log()),
      '--queries',
      file,
    ])
    expect(code).toBe(0)
    expect(err).toMatch(/ 1 {2}searches without a call, left out/)
    expect(await readFile(file, 'utf8')).toBe('{"query":"will it rain","relevant":["get_weather"]}\n')
    expect((await cli(['tune', index, '--queries', file])).code).toBe(0)
  })

  it('needs no catalog, and writes to stdout', async () => {
    const { code, out } = await cli(['tune', '--from-traces', '-'], { stdin: log() })
    expect({ code, out }).toEqual({ code: 0, out: '{"query":"will it rain","relevant":["get_weather"]}\n' })
  })

  it('refuses a log without searches', async () => {
    const file = work.path('empty-log.jsonl')
    await writeFile(file, '{"role":"user","content":"hello"}\n')
    const { code, err } = await cli(['tune', '--from-traces', file])
    expect(code).toBe(2)
    expect(err).toContain('no search_tools call')
  })
})
