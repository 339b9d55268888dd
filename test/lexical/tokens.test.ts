import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { nameWords, tokenize } from '../../src/lexical/tokens.js'

describe('tokenize', () => {
  it.each<[string, string, string[]]>([
    ['lower-cases words', 'Weather FORECAST', ['weather', 'forecast']],
    ['drops English stop words', 'please show me the weather of a city', ['show', 'weather', 'citi']],
    ['keeps the verbs of tools', 'get find list', ['get', 'find', 'list']],
    ['keeps repeats, in order', 'red blue red', ['red', 'blue', 'red']],
    ['folds plurals', 'cats dogs', ['cat', 'dog']],
    ['gives an identifier and its words', 'getIssue', ['getissu', 'get', 'issu']],
    ['gives the words of a snake_case name', 'red_green-blue.cat', ['red', 'green', 'blue', 'cat']],
    ['splits digits from letters', 's3 2fa', ['s3', 's', '3', '2fa', '2', 'fa']],
    ['keeps numbers', '12306 2024', ['12306', '2024']],
    ['gives acronyms within identifiers', 'parseHTML', ['parsehtml', 'pars', 'html']],
    ['reads accents as their letters', 'Café Zürich', ['cafe', 'zurich']],
    ['reads decomposed accents alike', 'Cafe\u0301', ['cafe']],
    ['reads full-width letters as the usual ones', 'ＧｉｔＨｕｂ ＡＢＣ', ['github', 'git', 'hub', 'abc']],
    ['reads half-width kana as the usual ones', 'ﾃｽﾄ', ['テスト']],
    ['gives Chinese words and their Han characters', '天气', ['天气', '天', '气']],
    ['gives a single Han character once', '天', ['天']],
    ['gives kana words whole', 'カレンダー', ['カレンダー']],
    ['gives Japanese words and their Han characters', '東京の天気', ['東京', '東', '京', 'の', '天気', '天', '気']],
    ['separates Latin words from Han', '用GitHub查询', ['用', 'github', 'git', 'hub', '查询', '查', '询']],
    ['gives Hangul words and their pairs', '날씨를 알려', ['날씨를', '날씨', '씨를', '알려']],
    ['gives Cyrillic words', 'Погода завтра', ['погода', 'завтра']],
    ['gives nothing for punctuation', ' .,;:!?-_/()[]{} …、。「」', []],
    ['gives nothing for an empty text', '', []],
    ['gives nothing for emoji', '🎉👍', []],
    ['gives nothing for emoji with a variation selector', '❤️⚠️', []],
    ['gives nothing for a vowel sign without its consonant', '\u0e48\u0e31', []],
    ['reads Chinese words behind such an emoji', '⚠️删除文件', ['删除', '删', '除', '文件', '文', '件']],
    ['reads Thai words behind it', '☁️ค้นหา', ['ค้นหา']],
    ['reads Hangul words behind it', '☎️날씨', ['날씨']],
    ['reads English words behind it', '❤️send mail', ['send', 'mail']],
    ['reads a number in a keycap as the number', '1️⃣ city', ['1', 'citi']],
    ['reads kana behind a stray mark', '\u3099かく', ['かく']],
    ['reads a variant of a Han character as that', '葛\u{e0100}城', ['葛城', '葛', '城']],
    ['keeps Thai words with am whole', 'คำนวณ', ['คำนวณ']],
    ['keeps such a word with a tone mark whole', 'น้ำ', ['น้ำ']],
    ['keeps Lao words with am whole', 'ຄຳ', ['ຄຳ']],
    ['keeps the marks within Hindi words', 'हिन्दी मौसम', ['हिन्दी', 'मौसम']],
  ])('%s: %s', (_, text, tokens) => {
    expect(tokenize(text)).toEqual(tokens)
  })

  // Examples of the paper itself: M. F. Porter, An algorithm for suffix stripping, Program 14(3), 1980.
  it.each([
    ['caresses', 'caress'],
    ['ponies', 'poni'],
    ['cats', 'cat'],
    ['plastered', 'plaster'],
    ['motoring', 'motor'],
    ['hopping', 'hop'],
    ['happy', 'happi'],
    ['relational', 'relat'],
    ['conditional', 'condit'],
    ['formalize', 'formal'],
    ['adjustment', 'adjust'],
    ['controll', 'control'],
    ['generalizations', 'gener'],
  ])('stems English words as Porter does: %s', (word, stem) => {
    expect(tokenize(word)).toEqual([stem])
  })

  it.each([
    ['translate', 'translation', 'translating'],
    ['issue', 'issues', 'Issues'],
    ['repository', 'repositories', 'REPOSITORY'],
  ])('gives one token to %s, %s and %s', (...words) => {
    expect(new Set(words.flatMap(tokenize)).size).toBe(1)
  })

  it('gives equal tokens to equal words in any script mixture around them', () => {
    const alone = tokenize('weather')
    for (const text of ['weather 天气', '天气weather', 'wéather', 'WEATHER — météo']) {
      expect(tokenize(text)).toContain(alone[0])
    }
  })

  it('reads any text without throwing, and never gives an empty token', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), text => {
        expect(tokenize(text).every(token => token !== '')).toBe(true)
      }),
      { numRuns: 300 },
    )
    expect(() => tokenize('\ud800 lone \udc00 天\ud800')).not.toThrow()
  })

  it.each([
    ['one word', 'a'.repeat(1_000_000)],
    ['capitals', 'aB'.repeat(500_000)],
    ['words', 'weather '.repeat(125_000)],
    // Intl.Segmenter is quadratic; no caller gives more than 4,000 characters.
    ['Han characters', '天气预报'.repeat(1_000)],
    ['Hangul characters', '날씨'.repeat(50_000)],
    ['combining marks', `e${'\u0301'.repeat(100_000)}`],
    ['digits between letters', 'a1'.repeat(100_000)],
  ])('takes bounded time for very long %s', (_, text) => {
    const started = performance.now()
    tokenize(text)
    // Some 0.3 s on a quiet machine for the slowest.
    expect(performance.now() - started).toBeLessThan(3_000)
  })
})

describe('nameWords', () => {
  it('loses no letter or digit of any name', () => {
    const letters = (text: string) => text.replace(/[^\p{L}\p{M}\p{N}]/gu, '')
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), name => {
        expect(nameWords(name).join('')).toBe(letters(name))
      }),
    )
  })

  it('gives the same words for the usual ways to write one name', () => {
    const lower = (name: string) => nameWords(name).map(word => word.toLowerCase())
    for (const name of [
      'getUserById',
      'GetUserById',
      'get_user_by_id',
      'get-user-by-id',
      'get.user.by.id',
      'get/user/by/id',
    ]) {
      expect(lower(name)).toEqual(['get', 'user', 'by', 'id'])
    }
  })
})
