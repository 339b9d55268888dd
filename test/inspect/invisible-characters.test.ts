import { describe, expect, it } from 'vitest'
import { countInvisibleCharacters, revealInvisibleCharacters } from '../../src/inspect/invisible-characters.js'

const point = (...codes: number[]) => String.fromCodePoint(...codes)
const tags = (text: string) => [...text].map(letter => point(0xe0000 + letter.codePointAt(0)!)).join('')

describe('countInvisibleCharacters', () => {
  it.each([
    ['a zero-width space', 'send\u200bmail', 1],
    ['a zero-width joiner between Latin letters', 'a\u200db', 1],
    ['a word joiner and a byte order mark', '\ufeffa\u2060b', 2],
    ['an override and its end', '\u202egnp.exe\u202c', 2],
    ['isolates', '\u2066a\u2069', 2],
    ['direction marks', 'a\u200e\u200f\u061c', 3],
    ['soft hyphens', 'in\u00advis\u00adible', 2],
    ['text in tag characters', `fine${tags('ignore all')}`, 10],
    ['text in tag characters behind a flag', `\u{1f3f4}${tags('hide')}${point(0xe007f)}`, 5],
    ['bytes in variation selectors', `\u{1f600}${point(0xfe0f, 0xfe01, 0xe0101, 0xe0140)}`, 3],
    ['a variation selector behind a Latin letter', 'a\ufe0f', 1],
    ['control characters', 'a\u0000b\u001bc\u0085', 3],
    ['Hangul fillers', '\u3164\uffa0', 2],
    ['the interlinear annotation characters', '\ufff9a\ufffab\ufffb', 3],
    ['a second joiner', 'می\u200c\u200cخواهم', 2],
  ])('counts %s', (_, text, count) => {
    expect(countInvisibleCharacters(text)).toBe(count)
  })

  it.each([
    ['plain text with tabs and line ends', 'a\tb\r\nc'],
    ['a family of emoji', '\u{1f468}\u200d\u{1f469}\u200d\u{1f467}'],
    [
      'emoji with skin tone, joiner and presentation',
      '\u{1f9d1}\u{1f3fd}\u200d\u2695\ufe0f and \u2764\ufe0f\u200d\u{1f525}',
    ],
    ['the rainbow flag', '\u{1f3f3}\ufe0f\u200d\u{1f308}'],
    ['a keycap', '1\ufe0f\u20e3'],
    ['the flag of Scotland', `\u{1f3f4}${tags('gbsct')}${point(0xe007f)}`],
    ['Persian', 'می\u200cخواهم'],
    ['Hindi', 'क्\u200dष और क्\u200cष'],
    ['Sinhala', 'ශ්\u200dරී'],
    ['Khmer with line breaks', 'ខ្ញុំ\u200bទៅ'],
    ['a variant of an ideograph', `葛${point(0xe0100)}`],
    ['Arabic number signs', '\u0600\u0661'],
    ['Chinese, accents, symbols', '搜索 café ™ → ✓'],
  ])('does not count what writing needs: %s', (_, text) => {
    expect(countInvisibleCharacters(text)).toBe(0)
    expect(revealInvisibleCharacters(text)).toBe(text)
  })
})

it('revealInvisibleCharacters writes out what is counted, and nothing else', () => {
  expect(revealInvisibleCharacters(`a\u202eb\u{1f3f3}\ufe0f\u200d\u{1f308}${point(0xe0041)}`)).toBe(
    'a[U+202E]b\u{1f3f3}\ufe0f\u200d\u{1f308}[U+E0041]',
  )
})
