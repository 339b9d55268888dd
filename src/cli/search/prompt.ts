import { createInterface } from 'node:readline/promises'
import { Interrupted } from '../failure.js'
import type { Terminal } from '../terminal.js'

/** Calls `search` with each line of stdin, until its end; on a terminal with a prompt. Ctrl-C rejects. */
export async function searchLines(terminal: Terminal, search: (query: string) => Promise<void>): Promise<void> {
  const { stdin, stdout, abortSignal, colors, json } = terminal
  const isAsked = stdin.isTTY === true && terminal.isTTY && !json
  const lines = createInterface({
    input: stdin,
    ...(isAsked && { output: stdout }),
    terminal: isAsked,
    prompt: colors.cyan('search> '),
  })
  let interrupted: Interrupted | undefined
  // On a terminal, readline takes Ctrl-C before it becomes a signal.
  lines.on('SIGINT', () => {
    interrupted = new Interrupted('SIGINT')
    lines.close()
  })
  const close = () => lines.close()
  abortSignal.addEventListener('abort', close, { once: true })
  try {
    if (isAsked) terminal.print(colors.gray('Say what a tool should do; Ctrl-D ends.'))
    if (isAsked) lines.prompt()
    for await (const line of lines) {
      const query = line.trim()
      if (query !== '') await search(query)
      abortSignal.throwIfAborted()
      if (interrupted) break
      if (isAsked) lines.prompt()
    }
    if (isAsked) terminal.print()
    abortSignal.throwIfAborted()
    if (interrupted) throw interrupted
  } finally {
    abortSignal.removeEventListener('abort', close)
    lines.close()
  }
}
