import { readFileSync } from 'node:fs'

export interface SmallTalkLine {
  text: string
  language: string
  /** Set where a tool of some catalog really serves the line. */
  servedBy?: string
}

/** Lines of small talk that no tool serves. */
export function smallTalk(): SmallTalkLine[] {
  const file = new URL('../test/fixtures/small-talk.json', import.meta.url)
  const { lines } = JSON.parse(readFileSync(file, 'utf8')) as { lines: SmallTalkLine[] }
  return lines.filter(line => line.servedBy === undefined)
}
