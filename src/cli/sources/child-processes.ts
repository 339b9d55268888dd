import type { ChildProcess } from 'node:child_process'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'

// Node's own channel, which tells of each child process before it is started.
const CHANNEL = 'child_process'

// First what MCP asks for (end of stdin), then what a process may handle, then what it cannot.
const PATIENCE_MS = 2_000

export interface TrackedChildren {
  /** Forgets the child processes, which have ended. */
  release(): void
  /** Ends all child processes, by force where they do not end themselves, and those to come as soon as they start. */
  end(): Promise<void>
}

/** Notes the child processes of a command that are started from now on. */
export function trackChildren(command: readonly string[]): TrackedChildren {
  const children = new Set<ChildProcess>()
  let isOver = false
  const note = (message: unknown) => {
    const child = (message as { process: ChildProcess }).process
    // The message comes before the child knows its command.
    child.once('spawn', () => {
      if (child.spawnargs.length !== command.length || child.spawnargs.some((arg, at) => arg !== command[at])) return
      if (isOver) child.kill('SIGKILL')
      else children.add(child)
    })
  }
  subscribe(CHANNEL, note)
  // A second Ctrl-C waits for nobody.
  const killAll = () => {
    for (const child of children) if (!hasEnded(child)) child.kill('SIGKILL')
  }
  process.once('exit', killAll)
  return {
    release() {
      unsubscribe(CHANNEL, note)
      process.off('exit', killAll)
    },
    async end() {
      isOver = true
      await Promise.all([...children].map(endChild))
    },
  }
}

async function endChild(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return
  const ended = new Promise<void>(resolve => child.once('exit', () => resolve()))
  child.stdin?.end()
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    await Promise.race([ended, after(PATIENCE_MS)])
    if (hasEnded(child)) return
    child.kill(signal)
  }
  await Promise.race([ended, after(PATIENCE_MS)])
}

// Without a pid it was never started.
const hasEnded = (child: ChildProcess) =>
  child.pid === undefined || child.exitCode !== null || child.signalCode !== null

const after = (ms: number) => new Promise<void>(resolve => setTimeout(resolve, ms))
