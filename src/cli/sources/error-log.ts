import type { IOType } from 'node:child_process'
import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Takes what a server writes to stderr: shown when it fails, and no noise when it works. */
export interface ErrorLog {
  /** For `spawn`. A file, as a pipe that nobody reads would stop the server when it is full. */
  readonly target: IOType
  lastLine(): Promise<string | undefined>
  close(): Promise<void>
}

// The end of a long log, in which the last line is.
const TAIL_BYTES = 4_096

export async function openErrorLog(): Promise<ErrorLog> {
  const folder = await mkdtemp(join(tmpdir(), 'tool-search-mcp-'))
  const file = await open(join(folder, 'stderr'), 'w+')
  return {
    // `spawn` takes descriptors; the types of MCPClient's option do not say so.
    target: file.fd as unknown as IOType,
    async lastLine() {
      const { size } = await file.stat()
      const start = Math.max(0, size - TAIL_BYTES)
      const { buffer, bytesRead } = await file.read(Buffer.alloc(TAIL_BYTES), 0, TAIL_BYTES, start)
      const lines = buffer.toString('utf8', 0, bytesRead).split('\n')
      // A stack of Node's ends with its version, and says what happened before its first "at".
      return lines.find(line => /^\w*Error\b/.test(line)) ?? lines.findLast(line => line.trim() !== '')
    },
    async close() {
      await file.close()
      await rm(folder, { recursive: true, force: true, maxRetries: 3 })
    },
  }
}
