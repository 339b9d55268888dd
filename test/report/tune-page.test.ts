import { describe, expect, it } from 'vitest'
import { tuneData, tunePage } from '../../src/report/tune-page.js'
import { parseAim } from '../../src/tuning/aim.js'
import { tuneReport } from '../../src/tuning/report.js'
import { parseRequirement } from '../../src/tuning/requirements.js'
import { evaluated, knownDistributions } from '../tuning/queries.js'
import {
  APPEARANCES,
  cellsOf,
  executablePath,
  HOSTILE,
  LONG,
  layoutOf,
  lowContrastOf,
  pageInChromium,
  textOf,
} from './page-harness.js'

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
    adaptation: null,
    calibration: null,
  },
)

it('the data of the page name no folder of the machine', () => {
  expect(tuneData(report, '/home/somebody/secret/queries.jsonl').title).toBe('queries.jsonl')
  expect(JSON.stringify(tuneData(report, '/home/somebody/secret/queries.jsonl'))).not.toContain('somebody')
})

describe.skipIf(executablePath === undefined)('the page, in a headless Chromium', { timeout: 120_000 }, () => {
  const opened = pageInChromium(() => tunePage(report, 'queries.jsonl'), '#confusions')

  describe.each(APPEARANCES)('%s, %d pixels wide', (theme, width) => {
    it('draws both charts and fits, with no error and no request', async () => {
      const { page, problems } = await opened(theme, width)
      expect(await layoutOf(page)).toEqual({ overflow: 0, inked: [true, true] })
      for (const height of await page.$$eval('.chart', charts => charts.map(chart => chart.clientHeight))) {
        expect(height).toBeGreaterThanOrEqual(260)
      }
      expect(problems).toEqual([])
      await page.close()
    })

    it('has text that can be read: a contrast of 4.5 to 1', async () => {
      const { page } = await opened(theme, width)
      expect(await lowContrastOf(page)).toEqual([])
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
    await page.evaluate(
      `[...document.querySelectorAll('#failures thead button')].find(one => one.textContent === 'Rank').click()`,
    )
    const sorted = (await cellsOf(page, '#failures'))
      .map(cells => cells[3]!)
      .filter(rank => rank !== '–')
      .map(Number)
    expect(sorted.length).toBeGreaterThan(3)
    expect(sorted).toEqual([...sorted].sort((a, b) => b - a))
    await page.close()
  })
})
