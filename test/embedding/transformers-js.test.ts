import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { resolveModelSource } from '../../src/embedding/model-source.js'
import { createTransformersEmbedder, transformersEmbedder } from '../../src/embedding/transformers-js.js'
import { EmbedderMismatchError, EmbeddingError, InvalidOptionsError, ModelLoadError } from '../../src/errors.js'
import { createFakeRuntime, FAKE_DIMENSIONS, fakeModelFolder, tokenVector } from './fake-model.js'

function setUp(options: Parameters<typeof transformersEmbedder>[0] = {}) {
  const runtime = createFakeRuntime()
  const folder = options.model ?? fakeModelFolder()
  return { runtime, folder, embedder: createTransformersEmbedder({ ...options, model: folder }, runtime.importRuntime) }
}

afterEach(() => {
  vi.unstubAllGlobals()
})

describe('transformersEmbedder: options', () => {
  it.each([
    [{ maxTokens: 2 }, 'maxTokens'],
    [{ maxTokens: 10.5 }, 'maxTokens'],
    [{ dimensions: 0 }, 'dimensions'],
    [{ pooling: 'max' }, 'pooling'],
    [{ normalize: 'yes' }, 'normalize'],
    [{ dtype: 'int4' }, 'dtype'],
    [{ dtyp: 'int8' }, 'dtyp'],
    [{ pooling: Object.create(null) }, 'pooling'],
    [Object.assign(Object.create(null), { pooling: 'max' }), 'pooling'],
    [null, 'the options'],
    [{ model: 'nul\0' }, 'model'],
    [{ model: '/etc/passwd/x' }, 'model'],
    [{ model: 'x'.repeat(100_000) }, 'model'],
    [{ queryPrefix: 7 }, 'queryPrefix'],
    [{ model: '' }, 'model'],
    [{ model: './no-such-folder' }, 'no such folder'],
    [{ model: 'someone/unknown-model' }, 'dimensions'],
  ])('rejects %o at construction, naming %s', (options, named) => {
    expect(() => transformersEmbedder(options as never)).toThrow(InvalidOptionsError)
    expect(() => transformersEmbedder(options as never)).toThrow(named)
  })

  it('ignores a config.json that holds no object or no usable figure', () => {
    const folder = fakeModelFolder()
    for (const config of ['null', '7', '"text"', '{"hidden_size":0}', '{"max_position_embeddings":-1}']) {
      writeFileSync(join(folder, 'config.json'), config)
      expect(() => transformersEmbedder({ model: folder })).toThrow(InvalidOptionsError)
      expect(transformersEmbedder({ model: folder, dimensions: 8 }).maxTokens).toBe(512)
    }
  })

  it('looks for weights where onnx is a file', () => {
    const folder = fakeModelFolder()
    rmSync(join(folder, 'onnx'), { recursive: true })
    writeFileSync(join(folder, 'onnx'), '')
    expect(transformersEmbedder({ model: folder }).modelId).toBe('fake-model@unavailable')
  })

  it('rejects a window longer than the positions of the model', () => {
    expect(() => transformersEmbedder({ model: fakeModelFolder(), maxTokens: 33 })).toThrow(/at most 32/)
  })

  it('takes dimensions and window of an unknown model from its config.json', () => {
    const { embedder } = setUp()
    expect(embedder).toMatchObject({ dimensions: FAKE_DIMENSIONS, maxTokens: 32 })
  })

  it.each(['main', '0123abc', '4f4e4b0a1c2d3e4f5a6b7c8d9e0f1a2b3c4d5e6f'])(
    'takes the card of a download, which lies in owner/name/%s',
    revision => {
      const known = fakeModelFolder(join('multilingual-e5-small', revision), { hidden_size: 384 })
      const unknown = fakeModelFolder(join('multilingual-e5-small', 'mine'), { hidden_size: 384 })
      const prefixes = [known, unknown].map(model => resolveModelSource({ model }).queryPrefix)
      expect(prefixes).toEqual(['query: ', ''])
    },
  )

  it('takes prefixes and pooling of a known model from its card', async () => {
    const { runtime, embedder } = setUp({
      model: fakeModelFolder('e5-small-v2'),
      dimensions: FAKE_DIMENSIONS,
      maxTokens: 32,
    })
    await embedder.embedQueries(['weather'])
    await embedder.embedDocuments(['weather'])
    expect(runtime.tokenized.slice(-2)).toEqual(expect.arrayContaining(['passage: weather']))
    expect(runtime.tokenized).toContain('query: weather')
  })
})

describe('transformersEmbedder: modelId', () => {
  it('changes with the weights, the tokenizer and the settings that change document vectors', () => {
    const folder = fakeModelFolder()
    const id = (options = {}) => transformersEmbedder({ model: folder, ...options }).modelId
    const first = id()
    expect(first).toMatch(/^fake-model@[0-9a-f]{12}$/)
    expect(id({ queryPrefix: 'q: ' })).toBe(first)
    const others = [id({ pooling: 'cls' }), id({ documentPrefix: 'd: ' }), id({ maxTokens: 16 })]
    writeFileSync(join(folder, 'onnx/model_quantized.onnx'), 'other weights')
    others.push(id())
    writeFileSync(join(folder, 'tokenizer.json'), '{"other":1}')
    others.push(id())
    expect(new Set([first, ...others]).size).toBe(6)
  })

  it('names the revision of a hub model', () => {
    const { modelId } = transformersEmbedder({ model: 'Xenova/bge-small-en-v1.5', revision: 'abc123' })
    expect(modelId).toMatch(/^Xenova\/bge-small-en-v1\.5@abc123:int8:/)
  })
})

describe('transformersEmbedder: embedding', () => {
  it('returns unit-length means over the tokens of a text, padding left out', async () => {
    const { embedder, runtime } = setUp()
    const [short] = await embedder.embedQueries(['one', 'one two three four'])
    const ids = runtime.runs[0]!.ids.slice(0, 3)
    const sum = ids.map(tokenVector).reduce((a, b) => a.map((value, i) => value + b[i]!))
    const norm = Math.hypot(...sum)
    sum.forEach((value, i) => {
      expect(short![i]).toBeCloseTo(value / norm, 5)
    })
  })

  it("returns the first token's vector with cls pooling, as it is with normalize: false", async () => {
    const { embedder } = setUp({ pooling: 'cls', normalize: false })
    const [vector] = await embedder.embedQueries(['one two'])
    tokenVector(2).forEach((value, i) => {
      expect(vector![i]).toBeCloseTo(value, 5)
    })
  })

  it('cuts a long text to maxTokens and keeps the final special token', async () => {
    const { embedder, runtime } = setUp({ maxTokens: 6 })
    await embedder.embedDocuments(['a b c d e f g h i'])
    const { shape, ids } = runtime.runs[0]!
    expect(shape).toEqual([1, 6])
    expect([ids[0], ids[5]]).toEqual([2, 3])
  })

  it('hands the tokenizer no more characters than the window can hold', async () => {
    const { embedder, runtime } = setUp({ maxTokens: 10 })
    await embedder.embedDocuments(['x'.repeat(1_000_000), `${' '.repeat(500)}late`])
    expect(Math.max(...runtime.tokenized.map(text => text.length))).toBe(200)
    expect(runtime.tokenized.at(-1)).toContain('late')
  })

  it('treats what is no string as empty and a lone surrogate as a space', async () => {
    const { embedder, runtime } = setUp()
    const texts = [undefined, null, 42, {}, Symbol('s')] as unknown as string[]
    expect(await embedder.embedDocuments(texts)).toHaveLength(5)
    await embedder.embedDocuments(['a\ud800b'])
    expect(runtime.tokenized.at(-1)).toBe('a b')
  })

  it('keeps batches within 32 texts and 1,024 padded tokens', async () => {
    const { embedder, runtime } = setUp({ model: fakeModelFolder('fake-long', { max_position_embeddings: 512 }) })
    const texts = Array.from({ length: 200 }, (_, i) => 'w '.repeat((i * 37) % 300))
    await embedder.embedDocuments(texts)
    for (const { shape } of runtime.runs) {
      expect(shape[0]).toBeLessThanOrEqual(32)
      expect(shape[0] * shape[1]).toBeLessThanOrEqual(1024)
    }
    expect(runtime.runs.reduce((sum, { shape }) => sum + shape[0], 0)).toBe(200)
  })

  it('lets timers run between batches and stops at an abort', async () => {
    const { embedder, runtime } = setUp()
    const abort = new AbortController()
    runtime.onRun = () => {
      if (runtime.runs.length === 1) setImmediate(() => abort.abort(new Error('enough')))
    }
    const texts = Array.from({ length: 320 }, (_, i) => `text ${i}`)
    const embedding = embedder.embedDocuments(texts, { abortSignal: abort.signal })
    await expect(embedding).rejects.toThrow(EmbeddingError)
    await expect(embedding).rejects.toMatchObject({ cause: expect.objectContaining({ message: 'enough' }) })
    expect(runtime.runs.length).toBeLessThan(10)
  })

  it('rejects with an EmbeddingError that keeps the cause when a run fails', async () => {
    const { embedder, runtime } = setUp()
    runtime.runError = new Error('out of memory')
    await expect(embedder.embedQueries(['a'])).rejects.toMatchObject({
      code: 'EMBEDDING_FAILED',
      cause: runtime.runError,
    })
    runtime.runError = undefined
    expect(await embedder.embedQueries(['a'])).toHaveLength(1)
  })

  it('rejects with an EmbeddingError when a run throws what has no message', async () => {
    const { embedder, runtime } = setUp()
    runtime.runError = Object.create(null)
    await expect(embedder.embedQueries(['a'])).rejects.toMatchObject({ code: 'EMBEDDING_FAILED' })
  })

  it('rejects when the model has other dimensions than promised', async () => {
    const { embedder } = setUp({ dimensions: 4 })
    await expect(embedder.embedQueries(['a'])).rejects.toThrow(EmbedderMismatchError)
  })
})

describe('transformersEmbedder: loading', () => {
  it('loads nothing for no texts', async () => {
    const { embedder, runtime } = setUp()
    await embedder.embedDocuments([])
    await embedder.readableShares?.([])
    expect(runtime.sessions).toEqual([])
  })

  it('loads one session for any number of embedders and concurrent calls', async () => {
    const { embedder, runtime, folder } = setUp()
    const other = createTransformersEmbedder({ model: folder, pooling: 'cls' }, runtime.importRuntime)
    await Promise.all([embedder.load?.(), other.embedQueries(['a']), embedder.embedDocuments(['b']), other.load?.()])
    expect(runtime.sessions).toHaveLength(1)
  })

  it('forgets a failed load, so that the next call tries again', async () => {
    const { embedder, runtime } = setUp()
    runtime.sessionError = new Error('Protobuf parsing failed.')
    const failures = await Promise.allSettled([embedder.load?.(), embedder.embedQueries(['a'])])
    expect(failures.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(runtime.sessions).toHaveLength(1)
    runtime.sessionError = undefined
    expect(await embedder.embedQueries(['a'])).toHaveLength(1)
    expect(runtime.sessions).toHaveLength(2)
  })

  it('lets a caller leave while the model loads, and the load go on for the others', async () => {
    const { embedder, runtime } = setUp()
    const abort = new AbortController()
    const leaving = embedder.embedQueries(['a'], { abortSignal: abort.signal })
    const staying = embedder.embedQueries(['a'])
    abort.abort()
    await expect(leaving).rejects.toThrow(EmbeddingError)
    expect(await staying).toHaveLength(1)
    expect(runtime.sessions).toHaveLength(1)
  })

  it.each(['tokenizer.json', 'onnx/model_quantized.onnx'])('names the missing file %s', async file => {
    const folder = fakeModelFolder()
    rmSync(join(folder, file))
    const { embedder } = setUp({ model: folder })
    expect(embedder.modelId).toBe('fake-model@unavailable')
    const loading = embedder.load?.()
    await expect(loading).rejects.toThrow(ModelLoadError)
    await expect(loading).rejects.toThrow(file)
  })

  it('asks for a new embedder when the files came after it', async () => {
    const folder = fakeModelFolder()
    const weights = join(folder, 'onnx/model_quantized.onnx')
    rmSync(weights)
    const { embedder, runtime } = setUp({ model: folder })
    writeFileSync(weights, 'late')
    await expect(embedder.load?.()).rejects.toThrow(/create the embedder again/)
    await createTransformersEmbedder({ model: folder }, runtime.importRuntime).load?.()
  })

  it('says which file is broken', async () => {
    const { embedder, folder } = setUp()
    writeFileSync(join(folder, 'tokenizer.json'), '{ broken')
    await expect(embedder.load?.()).rejects.toThrow(/tokenizer\.json" is not JSON/)
  })

  it.each([
    [
      'Module did not self-register: onnxruntime_binding.node',
      /Another thread of this process loaded onnxruntime-node first: import it in the main thread/,
    ],
    ["Cannot find package 'onnxruntime-node' imported from x", /npm install onnxruntime-node/],
    ['Error loading shared library ld-linux-x86-64.so.2', /glibc/],
  ])('names the cure of the runtime error "%s"', async (message, cure) => {
    const { embedder, runtime } = setUp()
    runtime.importError = new Error(message)
    await expect(embedder.load?.()).rejects.toThrow(ModelLoadError)
    await expect(embedder.load?.()).rejects.toThrow(cure)
  })

  it('rejects a model without token vectors', async () => {
    const { embedder, runtime } = setUp()
    runtime.outputNames = ['logits']
    await expect(embedder.load?.()).rejects.toThrow(/expected an output named last_hidden_state/)
  })
})

describe('transformersEmbedder: hub models', () => {
  const hub = (cacheDir: string, allowDownload: boolean) => {
    const runtime = createFakeRuntime()
    const options = { model: 'someone/fake', dimensions: FAKE_DIMENSIONS, maxTokens: 32, cacheDir, allowDownload }
    return { runtime, embedder: createTransformersEmbedder(options, runtime.importRuntime) }
  }
  const files: Record<string, string> = {
    'config.json': '{}',
    'tokenizer.json': '{}',
    'onnx/model_quantized.onnx': 'w',
  }

  it('never reaches the network without allowDownload', async () => {
    const fetch = vi.fn()
    vi.stubGlobal('fetch', fetch)
    const { embedder } = hub(fakeModelFolder(), false)
    await expect(embedder.embedQueries(['a'])).rejects.toThrow(/allowDownload: true/)
    expect(fetch).not.toHaveBeenCalled()
  })

  it('says that it cannot download to a folder that cannot be', async () => {
    vi.stubGlobal('fetch', async () => new Response('{}'))
    await expect(hub('nul\0', true).embedder.load?.()).rejects.toThrow(ModelLoadError)
  })

  it('downloads each file once, tries again after a failure, then works offline', async () => {
    const cacheDir = fakeModelFolder()
    let broken = true
    const fetch = vi.fn(async (url: string) => {
      const file = url.split('/resolve/main/')[1]!
      if (file.endsWith('.onnx') && broken) throw new TypeError('fetch failed')
      return file in files ? new Response(files[file]!) : new Response('', { status: 404 })
    })
    vi.stubGlobal('fetch', fetch)
    const { embedder } = hub(cacheDir, true)
    await expect(embedder.load?.()).rejects.toThrow(/Could not download .*model_quantized\.onnx.*fetch failed/)
    broken = false
    expect(await embedder.embedQueries(['a'])).toHaveLength(1)
    expect(fetch.mock.calls.filter(([url]) => url.endsWith('tokenizer.json'))).toHaveLength(1)

    vi.stubGlobal('fetch', () => Promise.reject(new Error('offline')))
    expect(await hub(cacheDir, false).embedder.embedQueries(['a'])).toHaveLength(1)
  })
})

describe('transformersEmbedder: readable shares', () => {
  it('counts unknown tokens as unreadable and punctuation not at all', async () => {
    const { embedder } = setUp()
    expect(await embedder.readableShares?.(['é unknown', 'é 123 ¿?', '¡ 42', '', 'é unknown unknown é'])).toEqual([
      0.5, 1, 1, 1, 0.5,
    ])
  })

  it('counts other scripts as unreadable for models that read Latin only', async () => {
    const latin = setUp({ scripts: 'latin' }).embedder
    const any = setUp({ scripts: 'any' }).embedder
    const texts = ['日 本', 'café', 'привет hello', '日 hello naïve 42']
    expect(await latin.readableShares?.(texts)).toEqual([0, 1, 0.5, 2 / 3])
    expect(await any.readableShares?.(texts)).toEqual([1, 1, 1, 1])
  })
})
