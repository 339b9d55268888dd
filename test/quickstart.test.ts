import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { beforeAll, describe, expect, it } from 'vitest'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
// Each run embeds the whole catalog, which takes a busy machine with few cores most of a minute.
const RUN_TIMEOUT_MS = 240_000

interface Run {
  code: number
  stdout: string
  stderr: string
}

/** `npm run quickstart`, as a user would start it from a pipe, at a given width. */
function quickstart(args: readonly string[] = [], env: Readonly<Record<string, string>> = {}): Promise<Run> {
  const { FORCE_COLOR: _, NO_COLOR: __, ...inherited } = process.env
  return new Promise(resolve => {
    execFile(
      'npm',
      ['run', '--silent', 'quickstart', '--', ...args],
      { cwd: ROOT, env: { ...inherited, COLUMNS: '120', ...env }, timeout: RUN_TIMEOUT_MS },
      (error, stdout, stderr) => resolve({ code: error ? Number(error.code ?? -1) : 0, stdout, stderr }),
    )
  })
}

const number = (text: string) => Number(text.replaceAll(',', ''))

describe('npm run quickstart', () => {
  let run: Run
  beforeAll(async () => {
    run = await quickstart()
  }, RUN_TIMEOUT_MS)

  it('ends well and says that a scripted model stands in for the LLM', () => {
    expect(run.stderr).toBe('')
    expect(run.code).toBe(0)
    expect(run.stdout).toMatch(/scripted model stands in for the LLM/)
    expect(run.stdout).toMatch(/510 tools of \d+ MCP servers: model loaded in [\d.]+ s, tools indexed in [\d.]+ s/)
  })

  it.each([
    ['get_stock_price_by_date', 'AAPL closed at'],
    ['pdf_merger', 'Merged january.pdf and february.pdf'],
    ['find_ev_charging_stations', '3 stations within'],
  ])('finds %s first, loads it, calls it and answers with its result', (tool, result) => {
    const report = run.stdout.split(/Request \d of \d/).find(part => part.includes(`load    ${tool}`))
    expect(report).toBeDefined()
    const lines = report!.split('\n').map(line => line.trim())
    const at = (start: RegExp) => lines.findIndex(line => start.test(line))
    const order = [
      at(/^1 {2}search {2}“.+” +2 tools/),
      at(new RegExp(`^[\\d.]{4} {2}[━╸─]{10} {2}${tool} `)),
      at(new RegExp(`^2 {2}load {4}${tool} +2 tools`)),
      at(new RegExp(`^3 {2}call {4}${tool} .+ 3 tools`)),
      at(new RegExp(`^→ ${result}`)),
      at(new RegExp(`^4 {2}answer {2}${tool} says: ${result}`)),
    ]
    expect(order).not.toContain(-1)
    expect(order).toEqual(order.toSorted((a, b) => a - b))
    expect(order[1]).toBe(order[0]! + 1)
  })

  it('adds up the tokens of all steps and saves at least 90 % of them', () => {
    const line = run.stdout.match(/([\d.]+) % fewer prompt tokens: ([\d,]+) instead of ([\d,]+)/)!
    const [percent, searched, direct] = line.slice(1).map(number) as [number, number, number]
    const steps = [...run.stdout.matchAll(/ ([\d,]+) tokens$/gm)].map(match => number(match[1]!))
    expect(steps).toHaveLength(12)
    expect(steps.reduce((sum, tokens) => sum + tokens, 0)).toBe(searched)
    expect(percent).toBeCloseTo(100 * (1 - searched / direct), 1)
    expect(percent).toBeGreaterThanOrEqual(90)
  })

  it('compares with what the definitions of all tools cost, in two steps for each of three requests', () => {
    const file = new URL('../bench/data/mcp-catalog.json', import.meta.url)
    const { tools } = JSON.parse(readFileSync(file, 'utf8')) as { tools: Record<'id', string>[] }
    const definitions = tools.map(({ server: _, ...definition }: Record<string, unknown>) => definition)
    const expected = 6 * countTokens(JSON.stringify(definitions))
    const direct = number(run.stdout.match(/instead of ([\d,]+)/)![1]!)
    expect(direct / expected).toBeGreaterThan(0.85)
    expect(direct / expected).toBeLessThan(1.15)
  })

  it('fits the width and has no colours in a pipe', () => {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences start with one.
    expect(run.stdout).not.toMatch(/\x1b/)
    expect(Math.max(...run.stdout.split('\n').map(line => line.length))).toBeLessThanOrEqual(120)
  })
})

describe('npm run quickstart -- "your own words"', () => {
  it(
    'prints the best tools with rank, score and server, and the time that the search took',
    async () => {
      const { code, stdout, stderr } = await quickstart(['merge', 'several PDF files into one'], { COLUMNS: '80' })
      expect(stderr).toBe('')
      expect(code).toBe(0)
      expect(stdout).toMatch(/“merge several PDF files into one”/)
      expect(stdout).toMatch(/ 1 {3}0\.\d\d {2}[━╸─]{10} {2}pdf_merger +searxng\n +Merge multiple PDF files into one\n/)
      expect(stdout).toMatch(/Found \d of 510 tools in [\d.]+ ms \(by meaning and words\)\./)
      expect(Math.max(...stdout.split('\n').map(line => line.length))).toBeLessThanOrEqual(80)
    },
    RUN_TIMEOUT_MS,
  )

  it(
    'says so when nothing fits, and cuts a long text',
    async () => {
      const { code, stdout } = await quickstart(['zxqv '.repeat(2_000)])
      expect(code).toBe(0)
      expect(stdout).toMatch(/“zxqv zxqv .+…\n 9,999 characters\n/)
      expect(stdout).toMatch(/No tool fits/)
      expect(stdout).toMatch(/Found 0 of 510 tools/)
    },
    RUN_TIMEOUT_MS,
  )

  it.each([
    [[''], 'Nothing to search for'],
    [['?! …'], 'Nothing to search for'],
    [['--top'], 'Unknown option --top'],
  ])('explains its use for %j', async (args, message) => {
    const { code, stderr } = await quickstart(args)
    expect(code).toBe(1)
    expect(stderr).toContain(message)
    expect(stderr).toContain('npm run quickstart -- "your own words"')
  })

  it('prints its use with --help', async () => {
    const { code, stdout } = await quickstart(['--help'])
    expect(code).toBe(0)
    expect(stdout).toContain('npm run quickstart -- "your own words"')
  })
})
