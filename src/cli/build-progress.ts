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

export interface ProgressView<Phase extends string> {
  readonly onProgress: (progress: { readonly phase: Phase; readonly done: number; readonly total: number }) => void
  end(): void
}

/** Shows a build's phases one after the other. */
export const showBuildProgress = (terminal: Terminal) => showProgress(terminal, LABELS)

/** Shows the phases of a work one after the other, under these labels. */
export function showProgress<Phase extends string>(
  terminal: Terminal,
  labels: Readonly<Record<Phase, string>>,
): ProgressView<Phase> {
  let current: { phase: Phase; progress: Progress } | undefined
  const end = () => {
    current?.progress.end()
    current = undefined
  }
  return {
    onProgress({ phase, done, total }) {
      if (total === 0) return
      if (current?.phase !== phase) {
        end()
        current = { phase, progress: terminal.progress(labels[phase]) }
      }
      current.progress.update(done, total)
    },
    end,
  }
}
