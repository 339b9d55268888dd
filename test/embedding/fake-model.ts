import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Session, Tokenizer, TransformersRuntime } from '../../src/embedding/transformers-runtime.js'

export const FAKE_DIMENSIONS = 8

const folders = mkdtempSync(join(tmpdir(), 'embedding-test-'))
process.on('exit', () => rmSync(folders, { recursive: true, force: true }))

/** A folder in transformers.js layout whose files only the fake runtime can use. */
export function fakeModelFolder(name = 'fake-model', config: object = {}): string {
  const folder = join(mkdtempSync(join(folders, 'model-')), name)
  mkdirSync(join(folder, 'onnx'), { recursive: true })
  writeFileSync(
    join(folder, 'config.json'),
    JSON.stringify({ hidden_size: FAKE_DIMENSIONS, max_position_embeddings: 32, ...config }),
  )
  writeFileSync(join(folder, 'tokenizer.json'), '{}')
  writeFileSync(join(folder, 'onnx/model_quantized.onnx'), `weights of ${name}`)
  return folder
}

export interface FakeRuntime extends TransformersRuntime {
  /** Import function to hand to `createTransformersEmbedder`. */
  importRuntime: () => Promise<TransformersRuntime>
  /** Paths of the sessions that were created. */
  sessions: string[]
  /** Texts that were tokenized. */
  tokenized: string[]
  /** Shape and ids of each run. */
  runs: { shape: [number, number]; ids: number[] }[]
  /** Called before each run. */
  onRun: (() => void) | undefined
  /** Thrown by the next imports, sessions or runs. */
  importError: Error | undefined
  sessionError: Error | undefined
  runError: Error | undefined
  outputNames: string[]
}

/** [CLS] words [SEP], a word a token; token vectors that depend on the id alone. */
export function createFakeRuntime(): FakeRuntime {
  const vocab = ['[PAD]', '[UNK]', '[CLS]', '[SEP]']
  const idOf = (word: string) => {
    if (word === 'unknown') return 1
    const known = vocab.indexOf(word)
    return known >= 0 ? known : vocab.push(word) - 1
  }
  const runtime: FakeRuntime = {
    sessions: [],
    tokenized: [],
    runs: [],
    onRun: undefined,
    importError: undefined,
    sessionError: undefined,
    runError: undefined,
    outputNames: ['last_hidden_state'],
    importRuntime: async () => {
      if (runtime.importError) throw runtime.importError
      return runtime
    },
    createTokenizer() {
      const call: Pick<Tokenizer, never> & ((text: string, options: { add_special_tokens: boolean }) => object) = (
        text,
        options,
      ) => {
        runtime.tokenized.push(text)
        const ids = text.split(/\s+/).filter(Boolean).map(idOf)
        return { input_ids: options.add_special_tokens ? [2, ...ids, 3] : ids }
      }
      const properties = { model: { vocab }, all_special_ids: [0, 1, 2, 3], pad_token_id: 0, unk_token_id: 1 }
      return Object.assign(call, properties) as unknown as Tokenizer
    },
    async createSession(path): Promise<Session> {
      runtime.sessions.push(path)
      await new Promise(resolve => setTimeout(resolve, 5))
      if (runtime.sessionError) throw runtime.sessionError
      return {
        inputNames: ['input_ids', 'attention_mask'],
        outputNames: runtime.outputNames,
        async run(inputs, shape) {
          runtime.onRun?.()
          if (runtime.runError) throw runtime.runError
          const ids = Array.from(inputs.input_ids!, Number)
          runtime.runs.push({ shape, ids })
          return { data: Float32Array.from(ids.flatMap(tokenVector)), dims: [...shape, FAKE_DIMENSIONS] }
        },
      }
    },
  }
  return runtime
}

export function tokenVector(id: number): number[] {
  return Array.from({ length: FAKE_DIMENSIONS }, (_, i) => Math.sin(1 + id * (i + 1)))
}
