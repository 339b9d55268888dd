import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'

/** Paths of folders that do not exist yet, and go after the file's tests. */
export function newFolders(): () => string {
  const parent = mkdtempSync(join(tmpdir(), 'tool-index-test-'))
  afterAll(() => rmSync(parent, { recursive: true, force: true }))
  let count = 0
  return () => join(parent, `index-${++count}`)
}
