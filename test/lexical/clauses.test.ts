import { describe, expect, it } from 'vitest'
import { clausesOf } from '../../src/lexical/clauses.js'

const LONG =
  'Please look up the weather in Paris for next Friday, then book a table for two at a French restaurant and send ' +
  'the confirmation to my colleague Anna by email. Thank you!'

describe('clausesOf', () => {
  it('splits a long request at sentences, joining words and commas before a clause', () => {
    expect(clausesOf(LONG)).toEqual([
      'Please look up the weather in Paris for next Friday',
      'book a table for two at a French restaurant',
      'send the confirmation to my colleague Anna by email.',
    ])
  })

  it('splits at lines', () => {
    const lines = [
      'find flights from Berlin to Rome on May 3',
      'find a hotel near the station',
      'convert 500 euros to dollars',
    ]
    expect(clausesOf(`Here is what I need you to do for me today:\n\n${lines.join(' \n\n ')}`)).toEqual([
      'Here is what I need you to do for me today:',
      ...lines,
    ])
  })

  it.each([
    '',
    'send an email to Anna and book a table',
    'word '.repeat(24),
    'one single clause of many words without any end within it that goes on for twenty five words or more until it has enough words',
  ])('leaves a short request, and one of a single clause, whole: %j', text => {
    expect(clausesOf(text)).toEqual([])
  })

  it('leaves out fragments of one or two words', () => {
    const list =
      'Compare the prices of apples, pears, plums, cherries and bananas in all the shops of my town for the last three weeks. Thanks a lot! Go.'
    expect(clausesOf(list)).toEqual([
      'Compare the prices of apples, pears, plums',
      'bananas in all the shops of my town for the last three weeks.',
      'Thanks a lot!',
    ])
  })

  it('gives at most eight, each once', () => {
    const sentence = (at: number) => `Do the task number ${at % 12} now. `
    expect(clausesOf(Array.from({ length: 40 }, (_, at) => sentence(at)).join(''))).toHaveLength(8)
    expect(clausesOf('Do the same thing again. '.repeat(20))).toEqual([])
  })

  it.each([' ', '\n', ' \n', ',', 'and ', ', and', '. ', 'a, ', '\u0000', ' and then also '])(
    'ends with 400,000 characters of %j',
    text => {
      // Quadratic time would be many minutes.
      clausesOf(`${'word '.repeat(30)}${text.repeat(400_000 / text.length)}`)
    },
  )
})
