import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import puppeteer, { type Browser, type Page } from 'puppeteer-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { tuneData, tunePage } from '../../src/report/tune-page.js'
import { parseAim } from '../../src/tuning/aim.js'
import { tuneReport } from '../../src/tuning/report.js'
import { parseRequirement } from '../../src/tuning/requirements.js'
import { evaluated, knownDistributions } from '../tuning/queries.js'

const HOSTILE = '</script><img src=x onerror="document.title=\'broken\'"> \u202Eevil'
const LONG = `long_${'name_'.repeat(40)}`

const report = tuneReport(
  [
    ...knownDistributions(),
    evaluated(
      ['a'],
      [[LONG, 0.9], ...Array.from({ length: 9 }, (_, at) => [`x${at}`, 0.8] as const), ['a', 0.7]],
      HOSTILE,
    ),
    evaluated([], [[HOSTILE, 0.9]], `nothing ${HOSTILE}`),
  ],
  {
    aim: parseAim('recall=0.98')!,
    given: { minScore: 0.5 },
    requirements: [parseRequirement('recall@5>=0.5')!, parseRequirement('hit@1>=0.99')!],
    seed: 1,
    tools: 30,
    texts: new Map([['a', 'a: something right']]),
    hasTexts: true,
  },
)

const programs = ['chromium', 'chromium-browser', 'google-chrome', 'chrome']
const executablePath =
  process.env.CHROME_PATH ??
  (process.env.PATH ?? '')
    .split(delimiter)
    .flatMap(folder => programs.map(program => join(folder, program)))
    .find(existsSync)

it('the data of the page name no folder of the machine', () => {
  expect(tuneData(report, '/home/somebody/secret/queries.jsonl').title).toBe('queries.jsonl')
  expect(JSON.stringify(tuneData(report, '/home/somebody/secret/queries.jsonl'))).not.toContain('somebody')
})

describe.skipIf(executablePath === undefined)('the page, in a headless Chromium', { timeout: 120_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'tune-page-'))
  const file = join(folder, 'report.html')
  let browser: Browser

  beforeAll(async () => {
    await writeFile(file, await tunePage(report, 'queries.jsonl'))
    browser = await puppeteer.launch({ executablePath: executablePath!, args: ['--no-sandbox', '--disable-gpu'] })
  }, 120_000)
  afterAll(async () => {
    await browser?.close()
    rmSync(folder, { recursive: true, force: true })
  })

  async function opened(theme: 'light' | 'dark', width: number) {
    const page = await browser.newPage()
    const problems: string[] = []
    page.on('console', message => problems.push(message.text()))
    page.on('pageerror', error => problems.push(String(error)))
    page.on('request', request => {
      if (request.url() !== pathToFileURL(file).href && !request.url().startsWith('data:')) problems.push(request.url())
    })
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: theme }])
    await page.setViewport({ width, height: 900 })
    await page.goto(pathToFileURL(file).href)
    await page.waitForSelector('#confusions')
    return { page, problems }
  }

  const textOf = (page: Page, selector: string) => page.$eval(selector, node => node.textContent)

  describe.each([
    ['light', 400],
    ['light', 1400],
    ['dark', 400],
    ['dark', 1400],
  ] as const)('%s, %d pixels wide', (theme, width) => {
    it('draws both charts and fits, with no error and no request', async () => {
      const { page, problems } = await opened(theme, width)
      const sizes = await page.evaluate(`({
        overflow: document.documentElement.scrollWidth - innerWidth,
        inked: [...document.querySelectorAll('canvas')].map(canvas => {
          const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height)
          return data.filter((value, at) => at % 4 === 3 && value > 0).length > 1000
        }),
        heights: [...document.querySelectorAll('.chart')].map(chart => chart.clientHeight),
      })`)
      expect(sizes).toMatchObject({ overflow: 0, inked: [true, true] })
      for (const height of (sizes as { heights: number[] }).heights) expect(height).toBeGreaterThanOrEqual(260)
      expect(problems).toEqual([])
      await page.close()
    })

    it('has text that can be read: a contrast of 4.5 to 1', async () => {
      const { page } = await opened(theme, width)
      const low = await page.evaluate(LOW_CONTRAST)
      expect(low).toEqual([])
      await page.close()
    })
  })

  it('shows what is recommended, with options to paste', async () => {
    const { page } = await opened('light', 1400)
    const { topK, minScore } = report.recommended
    expect(await textOf(page, '#recommended pre')).toBe(`search: { topK: ${topK}, minScore: ${minScore} }`)
    expect(await textOf(page, '#required')).toMatch(/met\s*recall@5>=0.5/)
    expect(await textOf(page, '#required')).toMatch(/missed\s*hit@1>=0.99: 0\.\d{4}, missed by 0\.\d{4}/)
    await page.close()
  })

  it('shows hostile texts as texts, with what is invisible written out', async () => {
    const { page, problems } = await opened('light', 1400)
    expect(await page.title()).toBe('queries.jsonl: tool search tuning report')
    expect(await textOf(page, '#failures')).toContain('<img src=x onerror=')
    expect(await textOf(page, '#failures')).not.toContain('\u202E')
    expect(problems).toEqual([])
    await page.close()
  })

  it('sorts failures by a click on a heading', async () => {
    const { page } = await opened('light', 1400)
    const ranks = () =>
      page.$$eval('#failures tbody tr', rows =>
        rows.map(row => (row as unknown as { cells: { textContent: string }[] }).cells[3]!.textContent),
      )
    await page.evaluate(
      `[...document.querySelectorAll('#failures thead button')].find(one => one.textContent === 'Rank').click()`,
    )
    const sorted = (await ranks()).filter(rank => rank !== '–').map(Number)
    expect(sorted.length).toBeGreaterThan(3)
    expect(sorted).toEqual([...sorted].sort((a, b) => b - a))
    await page.close()
  })
})

// Texts and their contrast to the nearest background, by WCAG's formula.
const LOW_CONTRAST = `(() => {
  const rgb = color => (color.match(/[\\d.]+/g) ?? []).map(Number)
  const luminance = ([r, g, b]) => [r, g, b]
    .map(value => value / 255)
    .map(value => value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)
    .reduce((sum, value, at) => sum + value * [0.2126, 0.7152, 0.0722][at], 0)
  const background = node => {
    for (let at = node; at; at = at.parentElement) {
      const color = rgb(getComputedStyle(at).backgroundColor)
      if (color.length === 3 || color[3] > 0) return color
    }
    return [255, 255, 255]
  }
  return [...document.querySelectorAll('main *')]
    .filter(node => [...node.childNodes].some(child => child.nodeType === 3 && child.textContent.trim()))
    .filter(node => node.checkVisibility())
    .flatMap(node => {
      const [one, other] = [luminance(rgb(getComputedStyle(node).color)), luminance(background(node))]
      const contrast = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05)
      return contrast < 4.5 && !node.closest(':disabled') ? [node.className + ' ' + contrast.toFixed(2) + ' ' + node.textContent.slice(0, 30)] : []
    })
})()`
