import { mkdtempSync, rmSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { PassThrough, Readable, Writable } from 'node:stream'
import { afterAll } from 'vitest'
import { run } from '../../src/cli/run.js'
import type { Embedder } from '../../src/embedding/embedder.js'
import { wordEmbedder } from '../searcher/word-embedder.js'

export interface CliResult {
  code: number
  out: string
  err: string
}

export interface CliOptions {
  stdin?: string | Readable
  embedder?: Embedder | null
  abortSignal?: AbortSignal
  env?: Record<string, string>
  columns?: number
  isTTY?: boolean
  onOutput?: (out: string) => void
}

/** Runs one command line in this process; with an embedder of words, unless `embedder` is null (the bundled model). */
export async function cli(args: string[], options: CliOptions = {}): Promise<CliResult> {
  const { stdin = '', embedder = wordEmbedder(), abortSignal = new AbortController().signal, columns = 80 } = options
  let out = ''
  let err = ''
  const collect = (take: (text: string) => void) =>
    Object.assign(
      new Writable({
        write(chunk, _encoding, done) {
          take(String(chunk))
          done()
        },
      }),
      { columns, isTTY: options.isTTY ?? false },
    )
  const stdout = collect(text => {
    out += text
    options.onOutput?.(out)
  })
  const stderr = collect(text => {
    err += text
  })
  const input = typeof stdin === 'string' ? Readable.from(stdin === '' ? [] : [Buffer.from(stdin)]) : stdin
  const streams = { stdin: input, stdout, stderr, env: options.env ?? {}, abortSignal }
  const code = await run(args, streams, embedder ? { embedder } : {})
  return { code, out, err }
}

/** A folder of this test file, removed after it. */
export function workFolder() {
  const root = mkdtempSync(join(tmpdir(), 'tool-search-cli-'))
  afterAll(() => rmSync(root, { recursive: true, force: true }))
  return {
    root,
    path: (name: string) => join(root, name),
    /** Writes a file, objects as JSON, and gives its path. */
    async file(name: string, content: unknown): Promise<string> {
      const path = join(root, name)
      await mkdir(dirname(path), { recursive: true })
      const isRaw = typeof content === 'string' || content instanceof Uint8Array
      await writeFile(path, isRaw ? content : JSON.stringify(content))
      return path
    },
  }
}

export const jsonOf = ({ out }: CliResult) => JSON.parse(out) as Record<string, unknown>

/** A stdin that a test writes to while the command runs. */
export const openStdin = () => new PassThrough()
