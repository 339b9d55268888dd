import type { BuildProgress } from '../artifact/tool-index.js'
import type { Progress } from './progress.js'
import type { Terminal } from './terminal.js'

const LABELS: Record<BuildProgress['phase'], string> = {
  embed: 'Embedding tools',
  queries: 'Embedding queries',
  learn: 'Learning from queries',
  graph: 'Linking vectors',
  write: 'Writing files',
}

export interface BuildProgressView {
  readonly onProgress: (progress: BuildProgress) => void
  end(): void
}

/** Shows a build's phases one after the other. */
export function showBuildProgress(terminal: Terminal): BuildProgressView {
  let current: { phase: BuildProgress['phase']; progress: Progress } | undefined
  const end = () => {
    current?.progress.end()
    current = undefined
  }
  return {
    onProgress({ phase, done, total }) {
      if (total === 0) return
      if (current?.phase !== phase) {
        end()
        current = { phase, progress: terminal.progress(LABELS[phase]) }
      }
      current.progress.update(done, total)
    },
    end,
  }
}
