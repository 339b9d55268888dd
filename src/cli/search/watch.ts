import { type FSWatcher, watch } from 'node:fs'
import { basename, dirname, extname } from 'node:path'
import { MANIFEST_FILE } from '../../artifact/tool-index.js'
import { isFolder, parseSource } from '../sources/source-spec.js'

// An editor writes a file in several steps, and a build several files.
const SETTLE_MS = 150

export interface Changes {
  /** Resolves with the name of a file that changed since the last call; rejects when the signal aborts. */
  next(): Promise<string>
  close(): void
}

/**
 * Watches the index, and the files of the sources with the modules beside them. Folders are watched, as editors and
 * builds replace files.
 */
export function watchChanges(
  { index, files }: { index: string | undefined; files: readonly string[] },
  abortSignal: AbortSignal,
): Changes {
  let changed: string | undefined
  let wake = () => {}
  let timer: NodeJS.Timeout | undefined
  const note = (name: string) => {
    clearTimeout(timer)
    timer = setTimeout(() => {
      changed = name
      wake()
    }, SETTLE_MS)
  }
  const watchers: FSWatcher[] = []
  const watchFolder = (folder: string, concerns: (name: string) => boolean) => {
    const watcher = watch(folder, (_event, name) => {
      if (name !== null && concerns(name)) note(name)
    })
    // The folder went away: what is searched stays as it is.
    watcher.on('error', () => watcher.close())
    watchers.push(watcher)
  }
  if (index !== undefined && isFolder(index)) watchFolder(index, name => name === MANIFEST_FILE)
  for (const spec of files.map(parseSource)) {
    if (spec.path === undefined) continue
    const { path, kind } = spec
    const concerns = (name: string) =>
      name === basename(path) || (kind === 'module' && /^\.(json|[cm]?[jt]sx?)$/.test(extname(name)))
    watchFolder(dirname(path), concerns)
  }
  const onAbort = () => wake()
  abortSignal.addEventListener('abort', onAbort)
  return {
    async next() {
      while (changed === undefined) {
        abortSignal.throwIfAborted()
        await new Promise<void>(resolve => {
          wake = resolve
        })
      }
      const name = changed
      changed = undefined
      return name
    },
    close() {
      clearTimeout(timer)
      abortSignal.removeEventListener('abort', onAbort)
      for (const watcher of watchers) watcher.close()
    },
  }
}
