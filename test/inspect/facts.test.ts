import { describe, expect, it } from 'vitest'
import { factsOf, quantile } from '../../src/inspect/facts.js'
import { groupsOfNames } from '../../src/inspect/name-groups.js'
import { handMadeIndex } from './hand-made-index.js'

describe('groupsOfNames', () => {
  it.each([
    ['github__create_issue', 'github'],
    ['mcp__github__create_issue', 'github'],
    ['math.sum', 'math'],
    ['files/read', 'files'],
    ['urn:thing', 'urn'],
    ['__hidden', 'other'],
    ['search', 'other'],
  ])('puts %s into %s', (name, group) => {
    expect(groupsOfNames([name])).toEqual([group])
  })

  it('takes a first word that three tools share, however it is written', () => {
    const names = ['browser_click', 'browserType', 'browser-close', 'mail_send', 'mail_read']
    expect(groupsOfNames(names)).toEqual(['browser', 'browser', 'browser', 'other', 'other'])
  })

  it('takes names of Object.prototype as any other', () => {
    expect(groupsOfNames(['__proto__.a', 'constructor.b', 'toString/c'])).toEqual(['other', 'constructor', 'toString'])
  })
})

describe('factsOf', () => {
  const index = handMadeIndex([
    { name: 'a__one', tokens: 8 },
    { name: 'a__two', tokens: 64 },
    { name: 'b__long', tokens: 65 },
    { name: 'solo', tokens: 9, truncated: true, readableShare: 0.49 },
  ])
  const facts = factsOf(index)

  it('counts tools, bytes and groups, the largest first and other last', () => {
    expect(facts).toMatchObject({ tools: 4, bytes: 4 * 4 * 4, hasGraph: false, hasDocuments: false })
    expect(facts.groups).toEqual([
      { name: 'a', tools: 2 },
      { name: 'b', tools: 1 },
      { name: 'other', tools: 1 },
    ])
  })

  it('has a text as long as the window for whole, a longer or shortened one for cut', () => {
    expect(facts.cut).toEqual(['b__long', 'solo'])
    expect(facts.unreadable).toEqual(['solo'])
  })

  it('gives the lengths in steps of an eighth of the window, whose end lies between two', () => {
    expect(facts.tokens).toMatchObject({ min: 8, median: 9, p95: 65, max: 65 })
    expect(facts.tokens!.histogram.map(({ from, to, tools }) => [from, to, tools])).toEqual([
      [1, 8, 1],
      [9, 16, 1],
      ...[17, 25, 33, 41, 49].map(from => [from, from + 7, 0]),
      [57, 64, 1],
      [65, 72, 1],
    ])
    expect(facts.tokens!.longest[0]).toEqual({ name: 'b__long', tokens: 65, isCut: true })
  })

  it('has no lengths where the embedder does not count, or there are no tools', () => {
    expect(factsOf(handMadeIndex([{ name: 'a', tokens: null }])).tokens).toBeNull()
    expect(factsOf(handMadeIndex([]))).toMatchObject({ tools: 0, tokens: null, groups: [] })
  })
})

it('quantile is the nearest rank', () => {
  expect([0, 0.5, 0.95, 1].map(share => quantile([1, 2, 3, 4], share))).toEqual([1, 2, 4, 4])
})
