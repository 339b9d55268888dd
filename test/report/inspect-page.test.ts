import type { Page } from 'puppeteer-core'
import { describe, expect, it } from 'vitest'
import { inspectIndex } from '../../src/inspect/inspect.js'
import { revealInvisibleCharacters } from '../../src/inspect/invisible-characters.js'
import { projectCatalog } from '../../src/inspect/projection.js'
import { inspectData, inspectPage } from '../../src/report/inspect-page.js'
import { atDegrees, DIMENSIONS, type HandMadeTool, handMadeIndex } from '../inspect/hand-made-index.js'
import {
  APPEARANCES,
  cellsOf,
  executablePath,
  HOSTILE,
  LONG,
  layoutOf,
  lowContrastOf,
  PIXELS,
  pageInChromium,
  textOf,
} from './page-harness.js'

// Two circles of tools, 20 degrees apart: 0.94, just too little for near-duplicates. Even numbers: no name is in another.
const circle = (names: readonly string[], turned: (vector: number[]) => number[]): HandMadeTool[] =>
  names.flatMap((name, half) =>
    Array.from({ length: 9 }, (_, at) => ({
      name: `${name}_${2 * at + 2}`,
      vector: turned(atDegrees(20 * (9 * half + at))),
    })),
  )
const onFirst = (vector: number[]) => vector
const onSecond = (vector: number[]) => vector.toReversed()

const DIRECTED = 'admin\u202Eevil__drop'
const UNCOUNTED = 'unknown_length'

const described = (name: string, description: string) => ({ name, description, parameters: '' })
const tools: HandMadeTool[] = [
  ...circle(['calendar__event', 'files__read'], onFirst),
  ...circle(['github__issue', 'mail__send'], onSecond),
  { name: 'mail__send_again', vector: onSecond(atDegrees(181)) },
  { name: 'twin_one', documentHash: 'twins', vector: [-1, 0, 0, 1] },
  { name: 'twin_two', documentHash: 'twins', vector: [-1, 0, 0, 1] },
  { name: HOSTILE, invisibleCharacters: 12, vector: [1, 0, 0, 1], document: described(HOSTILE, HOSTILE) },
  { name: DIRECTED, invisibleCharacters: 1, vector: [1, 0, 0, -1] },
  { name: LONG, descriptionWords: 0, truncated: true, vector: [0, 1, 1, 0] },
  { name: UNCOUNTED, vector: [0, 1, -1, 0] },
].map((tool, at) => ({
  // All different, in no order, some beyond the 64 that the model reads.
  tokens: tool.name === UNCOUNTED ? null : 3 + ((at * 17) % 89),
  document: described(tool.name, `Does what ${tool.name} says.`),
  ...tool,
}))
const TOTAL = tools.length

const index = handMadeIndex(tools)
const { inspection, neighbors } = await inspectIndex(index)
const projection = await projectCatalog({ vectors: index.vectors, dimensions: DIMENSIONS, neighbors })
const html = () => inspectPage(index, inspection, projection)

it('the catalog has what the page is to show', () => {
  expect(new Set(tools.map(({ tokens }) => tokens)).size).toBe(TOTAL)
  expect(inspection.facts.groups.length).toBeGreaterThanOrEqual(6)
  expect(inspection.findings.filter(({ rule }) => rule !== 'cut-document')).toMatchObject([
    { rule: 'same-document', severity: 'error', tools: ['twin_one', 'twin_two'] },
    { rule: 'invisible-characters', severity: 'error', tools: [HOSTILE] },
    { rule: 'invisible-characters', severity: 'warning', tools: [DIRECTED] },
    { rule: 'near-duplicate', severity: 'warning', tools: ['mail__send_2', 'mail__send_again'] },
    { rule: 'missing-description', severity: 'warning', tools: [LONG] },
  ])
})

it('neither the data of the page nor its file names a folder of the machine', async () => {
  const path = '/home/somebody/secret/tools'
  const data = inspectData({ ...index, path }, { ...inspection, facts: { ...inspection.facts, path } }, projection)
  expect(data.title).toBe('tools')
  expect(JSON.stringify(data)).not.toMatch(/somebody|secret/)
  const page = await html()
  for (const folder of ['/srv', process.cwd()]) expect(page).not.toContain(folder)
})

describe.skipIf(executablePath === undefined)('the page, in a headless Chromium', { timeout: 120_000 }, () => {
  const opened = pageInChromium(html, '#tools')

  const namesOf = async (page: Page) => (await cellsOf(page, '#tools')).map(cells => cells[0]!)
  const heading = (page: Page, title: string) => page.locator(`#tools thead th ::-p-text(${title})`).waitHandle()
  const sortOf = (page: Page) => page.$$eval('#tools th[aria-sort]', all => all.map(one => one.ariaSort))

  /** Opens all findings, the first of which is open anyway. */
  const openFindings = (page: Page) =>
    page.evaluate(`document.querySelectorAll('details').forEach(one => { one.open = true })`)

  async function search(page: Page, text: string) {
    await page.click('#search', { count: 3 })
    await page.keyboard.press('Backspace')
    await page.type('#search', text)
  }

  const showMap = (page: Page) =>
    page.$eval('.map', node => node.scrollIntoView({ block: 'center', behavior: 'instant' }))

  /** The middle, in the window, of the one dot that is drawn without transparency. */
  async function highlightedDot(page: Page) {
    await showMap(page)
    return page.evaluate(`(() => {
      const canvas = document.querySelector('.map canvas')
      const data = ${PIXELS}(canvas)
      const opaque = [...data.keys()].filter(at => at % 4 === 3 && data[at] > 250).map(at => (at - 3) / 4)
      const mean = values => values.reduce((sum, value) => sum + value, 0) / values.length + 0.5
      const box = canvas.getBoundingClientRect()
      return {
        x: box.left + mean(opaque.map(pixel => pixel % canvas.width)) * box.width / canvas.width,
        y: box.top + mean(opaque.map(pixel => Math.floor(pixel / canvas.width))) * box.height / canvas.height,
      }
    })()`) as Promise<{ x: number; y: number }>
  }

  describe.each(APPEARANCES)('%s, %d pixels wide', (theme, width) => {
    it('draws the map and fits, with no error and no request', async () => {
      const { page, problems } = await opened(theme, width)
      await openFindings(page)
      expect(await layoutOf(page)).toEqual({ overflow: 0, inked: [true] })
      expect(await page.$eval('.map canvas', canvas => canvas.clientHeight)).toBeGreaterThanOrEqual(340)
      expect(problems).toEqual([])
      await page.close()
    })

    it('has text that can be read: a contrast of 4.5 to 1', async () => {
      const { page } = await opened(theme, width)
      await openFindings(page)
      expect(await lowContrastOf(page)).toEqual([])
      await page.close()
    })

    it.each([
      ['an ordinary tool', 'github__issue_4'],
      ['a tool of a long name', LONG],
      ['a tool of a hostile name', HOSTILE],
    ])('tells %s whose dot is pointed at', async (_, name) => {
      const { page, problems } = await opened(theme, width)
      await search(page, name.slice(0, 20))
      expect(await textOf(page, '#found')).toBe(`1 of ${TOTAL} tools`)
      expect(await page.$('.tip:not([hidden])')).toBeNull()
      const { x, y } = await highlightedDot(page)
      await page.mouse.move(x, y)
      await page.waitForSelector('.tip:not([hidden])')
      expect(await textOf(page, '.tip strong')).toBe(revealInvisibleCharacters(name))
      const outside = await page.evaluate(`(() => {
        const [tip, map] = ['.tip', '.map'].map(one => document.querySelector(one).getBoundingClientRect())
        return [map.left - tip.left, map.top - tip.top, tip.right - map.right, tip.bottom - map.bottom]
      })()`)
      for (const pixels of outside as number[]) expect(pixels).toBeLessThanOrEqual(0.5)
      expect(await lowContrastOf(page)).toEqual([])
      expect(await layoutOf(page)).toMatchObject({ overflow: 0 })
      await page.mouse.move(0, 0)
      await page.waitForSelector('.tip', { hidden: true })
      expect(problems).toEqual([])
      await page.close()
    })
  })

  it('searches for the tool whose dot is pressed', async () => {
    const { page } = await opened('light', 1400)
    await search(page, 'mail__send_12')
    const { x, y } = await highlightedDot(page)
    await search(page, '')
    await showMap(page)
    await page.mouse.click(x, y)
    await page.waitForFunction(`document.querySelector('#search').value === 'mail__send_12'`)
    expect(await namesOf(page)).toEqual(['mail__send_12'])
    await page.close()
  })

  it('shows hostile names as texts, with what is invisible written out', async () => {
    const { page, problems } = await opened('light', 1400)
    await openFindings(page)
    expect(await page.title()).toBe('hand-made: tool index report')
    for (const part of ['#findings', '#tools tbody']) {
      expect(await textOf(page, part)).toContain('</script><img src=x onerror=')
      expect(await textOf(page, part)).toContain('admin[U+202E]evil__drop')
    }
    expect(await textOf(page, '.legend')).toContain('admin[U+202E]evil')
    expect(await page.$eval('#page', node => node.innerHTML)).not.toContain('\u202E')
    expect(await page.$$('img')).toEqual([])
    expect(problems).toEqual([])
    await page.close()
  })

  it('sorts tools by a click on a heading, and the other way by the next', async () => {
    const { page } = await opened('light', 1400)
    const byTokens = inspection.tools
      .filter(({ tokens }) => tokens !== null)
      .sort((a, b) => b.tokens! - a.tokens!)
      .map(({ name }) => revealInvisibleCharacters(name))
    await (await heading(page, 'Tokens')).click()
    expect(await namesOf(page)).toEqual([...byTokens, UNCOUNTED])
    expect(await sortOf(page)).toEqual(['descending'])
    await (await heading(page, 'Tokens')).click()
    expect(await namesOf(page)).toEqual([...byTokens.toReversed(), UNCOUNTED])
    expect(await sortOf(page)).toEqual(['ascending'])
    await page.close()
  })

  it('sorts tools by the keyboard, names by their numbers, within what is searched for', async () => {
    const { page } = await opened('light', 1400)
    await search(page, 'calendar')
    const events = [2, 4, 6, 8, 10, 12, 14, 16, 18].map(number => `calendar__event_${number}`)
    expect(await namesOf(page)).toEqual(events)
    await (await heading(page, 'Name')).focus()
    await page.keyboard.press('Enter')
    expect(await namesOf(page)).toEqual(events.toReversed())
    expect(await sortOf(page)).toEqual(['descending'])
    // The heading keeps the focus.
    await page.keyboard.press('Space')
    expect(await namesOf(page)).toEqual(events)
    expect(await sortOf(page)).toEqual(['ascending'])
    await page.close()
  })

  it('searches names for all words, says how many fit, and shows all again', async () => {
    const { page } = await opened('light', 1400)
    const all = await namesOf(page)
    expect(all.toSorted()).toEqual(tools.map(({ name }) => revealInvisibleCharacters(name)).toSorted())
    expect(await textOf(page, '#found')).toBe(`${TOTAL} tools`)

    await search(page, 'MAIL 1')
    expect(await namesOf(page)).toEqual([10, 12, 14, 16, 18].map(number => `mail__send_${number}`))
    expect(await textOf(page, '#found')).toBe(`5 of ${TOTAL} tools`)

    await search(page, 'no such tool')
    expect(await namesOf(page)).toEqual([])
    expect(await textOf(page, '#found')).toBe(`0 of ${TOTAL} tools`)
    expect(await textOf(page, '#tools .position')).toBe('No tools')

    await search(page, '')
    expect(await namesOf(page)).toEqual(all)
    expect(await textOf(page, '#found')).toBe(`${TOTAL} tools`)
    await page.close()
  })

  it('finds a name by what is shown of it, and by what it is', async () => {
    const { page } = await opened('light', 1400)
    for (const name of ['admin[U+202E]evil', 'min\u202Eev']) {
      await search(page, name)
      expect(await namesOf(page)).toEqual(['admin[U+202E]evil__drop'])
    }
    await page.close()
  })

  it.each([
    ['an ordinary tool', 'twin_two'],
    ['a tool of a hostile name', HOSTILE],
    ['a tool of a name with a bidirectional override', DIRECTED],
  ])('selects %s by its chip in the findings', async (_, name) => {
    const { page, problems } = await opened('light', 1400)
    await openFindings(page)
    const shown = revealInvisibleCharacters(name)
    const chips = await page.$$('#findings .chip')
    const labels = await Promise.all(chips.map(chip => chip.evaluate(node => node.textContent)))
    await chips[labels.indexOf(shown)]!.click()
    expect(await namesOf(page)).toEqual([shown])
    expect(await textOf(page, '#found')).toBe(`1 of ${TOTAL} tools`)
    expect(await page.$eval('#search', node => (node as unknown as { value: string }).value)).toBe(shown)
    await page.waitForFunction(`Math.abs(document.querySelector('#tools').getBoundingClientRect().top) < 2`)
    expect(await page.title()).toBe('hand-made: tool index report')
    expect(problems).toEqual([])
    await page.close()
  })
})
