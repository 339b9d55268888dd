import { SingleBar } from 'cli-progress'

/** How far a long work has come. */
export interface Progress {
  update(done: number, total: number): void
  /** Removes the bar, or writes the last line. May be called twice. */
  end(): void
}

export interface ProgressOptions {
  readonly label: string
  readonly stream: NodeJS.WritableStream
  /** True on a terminal: a bar in place. Otherwise lines, for logs. */
  readonly isRedrawn: boolean
  /** Milliseconds; for tests. */
  readonly now?: (() => number) | undefined
}

export function startProgress(options: ProgressOptions): Progress {
  return options.isRedrawn ? bar(options) : lines(options)
}

// With label, counts and times it fits 80 columns.
const BAR_CELLS = 20

function bar({ label, stream, now = performance.now.bind(performance) }: ProgressOptions): Progress {
  const single = new SingleBar({
    stream,
    format: `${label} {bar} {percentage} %  {value}/{total}  {rate}/s  {left} left`,
    barCompleteChar: '━',
    barIncompleteChar: '─',
    barsize: BAR_CELLS,
    hideCursor: true,
    clearOnComplete: true,
  })
  const start = now()
  let isShown = false
  return {
    update(done, total) {
      const payload = paceOf(done, total, now() - start)
      if (isShown) single.update(done, payload)
      else single.start(total, done, payload)
      isShown = true
      single.setTotal(total)
    },
    end() {
      if (isShown) single.stop()
      isShown = false
    },
  }
}

// A log needs to show that the work goes on, and no more.
const LINE_EVERY_MS = 5_000
const LINE_EVERY_SHARE = 0.1
const LINE_NOT_BEFORE_MS = 1_000

function lines({ label, stream, now = performance.now.bind(performance) }: ProgressOptions): Progress {
  const start = now()
  let written = { atMs: start, share: 0 }
  let latest: { done: number; total: number } | undefined
  const write = (text: string) => stream.write(`${label}: ${text}\n`)
  return {
    update(done, total) {
      latest = { done, total }
      const atMs = now()
      const share = total === 0 ? 1 : done / total
      const sinceMs = atMs - written.atMs
      if (done >= total || sinceMs < LINE_NOT_BEFORE_MS) return
      if (sinceMs < LINE_EVERY_MS && share - written.share < LINE_EVERY_SHARE) return
      written = { atMs, share }
      const { rate, left } = paceOf(done, total, atMs - start)
      write(`${done} of ${total} (${Math.floor(share * 100)} %), ${rate}/s, ${left} left`)
    },
    end() {
      const tookMs = now() - start
      const isWorthALine = tookMs >= LINE_NOT_BEFORE_MS
      if (latest && isWorthALine) write(`${latest.done} of ${latest.total} in ${(tookMs / 1000).toFixed(1)} s`)
      latest = undefined
    },
  }
}

/** The rate so far, and the time that the rest takes at that rate, as texts. */
function paceOf(done: number, total: number, elapsedMs: number): { rate: string; left: string } {
  if (done === 0 || elapsedMs <= 0) return { rate: '-', left: '-' }
  const perSecond = (done / elapsedMs) * 1000
  const rate = perSecond < 10 ? perSecond.toPrecision(2) : Math.round(perSecond).toString()
  return { rate, left: duration((total - done) / perSecond) }
}

function duration(inSeconds: number): string {
  const rounded = Math.ceil(inSeconds)
  if (rounded < 60) return `${rounded} s`
  const minutes = Math.floor(rounded / 60)
  if (minutes < 60) return `${minutes} min ${rounded % 60} s`
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}
