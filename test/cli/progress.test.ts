import { Writable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { startProgress } from '../../src/cli/progress.js'
import { byteSize, printable, scoreBar } from '../../src/cli/terminal.js'

function written(isRedrawn: boolean) {
  let text = ''
  let nowMs = 0
  const stream = Object.assign(
    new Writable({
      write(chunk, _encoding, done) {
        text += String(chunk)
        done()
      },
    }),
    { isTTY: isRedrawn, columns: 80, cursorTo: () => true },
  )
  const progress = startProgress({ label: 'Embedding', stream, isRedrawn, now: () => nowMs })
  return {
    update(atMs: number, done: number, total: number) {
      nowMs = atMs
      progress.update(done, total)
    },
    end(atMs: number) {
      nowMs = atMs
      progress.end()
      return text
    },
  }
}

describe('progress', () => {
  it('in a log is a line each tenth or 5 s, not within 1 s of the last, and one at the end', () => {
    const log = written(false)
    log.update(0, 0, 1000)
    log.update(900, 90, 1000)
    log.update(2_000, 200, 1000)
    log.update(2_500, 500, 1000)
    log.update(4_000, 510, 1000)
    log.update(8_000, 515, 1000)
    log.update(9_500, 520, 1000)
    log.update(13_000, 521, 1000)
    log.update(20_000, 1000, 1000)
    expect(log.end(20_000).trim().split('\n')).toEqual([
      'Embedding: 200 of 1000 (20 %), 100/s, 8 s left',
      'Embedding: 510 of 1000 (51 %), 128/s, 4 s left',
      'Embedding: 520 of 1000 (52 %), 55/s, 9 s left',
      'Embedding: 1000 of 1000 in 20.0 s',
    ])
  })

  it('in a log is nothing for short work', () => {
    const log = written(false)
    log.update(100, 3, 3)
    expect(log.end(200)).toBe('')
  })

  it('tells long times in minutes and hours, and slow rates in two digits', () => {
    const log = written(false)
    log.update(100_000, 10, 100)
    log.update(1_000_000, 20, 1000)
    expect(log.end(1_000_000)).toContain(
      '0.10/s, 15 min 0 s left\nEmbedding: 20 of 1000 (2 %), 0.020/s, 13 h 36 min left',
    )
  })

  it('on a terminal is a bar with counts, rate and time left, which is removed at the end', () => {
    const bar = written(true)
    bar.update(0, 0, 100)
    bar.update(1_000, 50, 100)
    const text = bar.end(1_000)
    expect(text).toContain('Embedding ━━━━━━━━━━────────── 50 %  50/100  50/s  1 s left')
    expect(text).not.toContain('\n')
    // The cursor is shown again.
    expect(text).toContain('\u001b[?25h')
  })
})

describe('texts', () => {
  it('show a score as a bar to an eighth of a cell', () => {
    expect(scoreBar(0, 4)).toBe('    ')
    expect(scoreBar(0.5, 4)).toBe('██  ')
    expect(scoreBar(0.53125, 4)).toBe('██▏ ')
    expect(scoreBar(1, 4)).toBe('████')
    expect(scoreBar(7, 4)).toBe('████')
  })

  it('show sizes', () => {
    expect([512, 1536, 3 * 1024 ** 2].map(byteSize)).toEqual(['512 bytes', '1.5 KiB', '3.0 MiB'])
  })

  it('of others are one line without control and format characters', () => {
    expect(printable(' a\n\tb\u001b[31m\u202ec\u200b\ud800 ')).toBe('a b[31mc')
  })
})
