import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import puppeteer, { type Browser, type Page } from 'puppeteer-core'
import { afterAll, beforeAll } from 'vitest'

/** A text that ends its script, runs one and turns the direction, wherever it is taken for more than text. */
export const HOSTILE = '</script><img src=x onerror="document.title=\'broken\'"> \u202Eevil'

/** A name without a place to break. */
export const LONG = `long_${'name_'.repeat(40)}`

const programs = ['chromium', 'chromium-browser', 'google-chrome', 'chrome']

/** The browser of this machine; undefined where there is none. */
export const executablePath =
  process.env.CHROME_PATH ??
  (process.env.PATH ?? '')
    .split(delimiter)
    .flatMap(folder => programs.map(program => join(folder, program)))
    .find(existsSync)

export type PageTheme = 'light' | 'dark'

/** The themes and widths in pixels in which a page is to be right. */
export const APPEARANCES = [
  ['light', 400],
  ['light', 1400],
  ['dark', 400],
  ['dark', 1400],
] as const

export interface OpenedPage {
  readonly page: Page
  /** Console messages, errors, and requests for anything but the file itself. */
  readonly problems: string[]
}

/**
 * Writes a page and starts a browser for the tests of the block that calls this. What is returned opens the page in a
 * tab of its own and waits for `ready`, a selector.
 */
export function pageInChromium(html: () => Promise<string>, ready: string) {
  const folder = mkdtempSync(join(tmpdir(), 'report-page-'))
  const file = join(folder, 'report.html')
  const url = pathToFileURL(file).href
  let browser: Browser | undefined

  beforeAll(async () => {
    await writeFile(file, await html())
    browser = await puppeteer.launch({ executablePath: executablePath!, args: ['--no-sandbox', '--disable-gpu'] })
  }, 120_000)
  afterAll(async () => {
    await browser?.close()
    rmSync(folder, { recursive: true, force: true })
  })

  return async (theme: PageTheme, width: number): Promise<OpenedPage> => {
    const page = await browser!.newPage()
    const problems: string[] = []
    page.on('console', message => problems.push(message.text()))
    page.on('pageerror', error => problems.push(String(error)))
    page.on('request', request => {
      if (request.url() !== url && !request.url().startsWith('data:')) problems.push(request.url())
    })
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: theme }])
    await page.setViewport({ width, height: 900 })
    await page.goto(url)
    await page.waitForSelector(ready)
    return { page, problems }
  }
}

export const textOf = (page: Page, selector: string) => page.$eval(selector, node => node.textContent)

/** The texts of a table's cells, row after row. */
export const cellsOf = (page: Page, table: string) =>
  page.$$eval(`${table} tbody tr`, rows =>
    rows.map(row =>
      [...(row as unknown as { cells: Iterable<{ textContent: string }> }).cells].map(cell => cell.textContent),
    ),
  )

/**
 * A script's function that reads the pixels of a canvas: from a copy, since Chromium warns on the console of a canvas
 * that is read repeatedly.
 */
export const PIXELS = `(canvas => {
  const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext('2d', { willReadFrequently: true })
  copy.drawImage(canvas, 0, 0)
  return copy.getImageData(0, 0, canvas.width, canvas.height).data
})`

/** How far the page is wider than its window, and of each canvas whether something is drawn on it. */
export const layoutOf = (page: Page) =>
  page.evaluate(`({
    overflow: document.documentElement.scrollWidth - innerWidth,
    inked: [...document.querySelectorAll('canvas')].map(
      canvas => ${PIXELS}(canvas).filter((value, at) => at % 4 === 3 && value > 0).length > 1000,
    ),
  })`)

/** Texts whose contrast to the nearest background is below 4.5 to 1, by WCAG's formula. */
export const lowContrastOf = (page: Page) => page.evaluate(LOW_CONTRAST)

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
