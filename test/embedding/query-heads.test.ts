import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { checkedEmbedder } from '../../src/embedding/checked.js'
import { findPackageRoot } from '../../src/embedding/package-root.js'
import { QUERY_HEAD_FILES, queryMapId, readQueryHeads } from '../../src/embedding/query-heads.js'
import { transformersEmbedder } from '../../src/embedding/transformers-js.js'
import { ModelLoadError } from '../../src/errors.js'
import { createToolSearcher } from '../../src/searcher.js'

const { map, smallTalk } = QUERY_HEAD_FILES

describe('readQueryHeads', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'heads-'))
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  const write = (name: string, floats: readonly number[]) => {
    const bytes = Buffer.alloc(floats.length * 4)
    floats.forEach((value, at) => {
      bytes.writeFloatLE(value, at * 4)
    })
    writeFileSync(join(folder, name), bytes)
  }

  it('gives nothing for a folder without heads', () => {
    expect(readQueryHeads(folder, 2)).toBeUndefined()
  })

  it('multiplies a query by the matrix, row by row, and scales it to unit length', () => {
    write(map, [0, 2, 0, 1])
    const { embedding, smallTalk } = readQueryHeads(folder, 2)!(Float32Array.of(0.6, 0.8))
    // (1.6, 0.8), of length √3.2.
    expect(embedding[0]).toBeCloseTo(1.6 / Math.sqrt(3.2), 6)
    expect(embedding[1]).toBeCloseTo(0.8 / Math.sqrt(3.2), 6)
    expect(smallTalk).toBe(0)
  })

  it('tells small talk by the mapped query: weights, then the bias', () => {
    write(map, [0, 1, 1, 0])
    write(smallTalk, [2, 0, -1])
    const { smallTalk: likely } = readQueryHeads(folder, 2)!(Float32Array.of(0.6, 0.8))
    expect(likely).toBeCloseTo(1 / (1 + Math.exp(-(2 * 0.8 - 1))), 6)
  })

  it('are identified by the hash of the map, whatever tells small talk', () => {
    expect(queryMapId(folder)).toBeUndefined()
    write(map, [1, 0, 0, 1])
    const sum = createHash('sha256')
      .update(readFileSync(join(folder, map)))
      .digest('hex')
    expect(queryMapId(folder)).toBe(sum)
    write(smallTalk, [2, 0, -1])
    expect(queryMapId(folder)).toBe(sum)
  })

  it.each([
    ['too short', [1, 0, 0]],
    ['too long', [1, 0, 0, 1, 0]],
    ['empty', []],
    ['not finite', [1, 0, Number.NaN, 1]],
  ])('is a ModelLoadError that names the file where it is %s', (_, floats) => {
    write(map, floats)
    expect(() => readQueryHeads(folder, 2)).toThrow(ModelLoadError)
    expect(() => readQueryHeads(folder, 2)).toThrow(join(folder, map))
  })
})

describe("the bundled model's query heads", () => {
  it('are the files whose sums its folder records', () => {
    const folder = join(findPackageRoot()!, 'models/all-MiniLM-L6-v2')
    const { heads } = JSON.parse(readFileSync(join(folder, 'checksums.json'), 'utf8'))
    for (const name of [map, smallTalk]) {
      const bytes = readFileSync(join(folder, name))
      expect(heads[name]).toEqual({ bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') })
    }
  })

  it('are named by the embedder that reads queries with them', async () => {
    const folder = join(findPackageRoot()!, 'models/all-MiniLM-L6-v2')
    const { heads } = JSON.parse(readFileSync(join(folder, 'checksums.json'), 'utf8'))
    expect(await checkedEmbedder(transformersEmbedder()).knownReadQueryId()).toBe(heads[map].sha256)
  })

  // None of these lines is in the files of models/training/heads.
  it('tell small talk from requests, short ones too', async () => {
    const embedder = checkedEmbedder(transformersEmbedder())
    const likely = async (texts: string[]) => (await embedder.readQueries(texts)).map(({ smallTalk }) => smallTalk)
    const talk = ['hey there!', 'thank you so much, you are great', 'how was your day?', 'pleasure talking to you']
    for (const likelihood of await likely(talk)) expect(likelihood).toBeGreaterThan(0.5)
    const requests = ['create a calendar event', 'rename file', 'weather in Lisbon tomorrow', 'list open pull requests']
    for (const likelihood of await likely(requests)) expect(likelihood).toBeLessThan(0.5)
  })

  // Personal and short, as small talk is.
  it.each([
    'will it rain tomorrow',
    'wake me up at 7',
    'tell me a joke',
    'play some music',
    'call my mom',
    'I am hungry, order a pizza',
    'is it cold outside',
    'remind me to buy milk',
  ])('take "%s" for a request', async text => {
    const [read] = await checkedEmbedder(transformersEmbedder()).readQueries([text])
    expect(read!.smallTalk).toBeLessThan(0.4)
  })

  it('lower the scores of small talk, and leave the order of its results as it is', async () => {
    const tools = {
      greet: { id: 'heygen_video', description: 'Makes a video of an avatar that says hey there' },
      weather: { id: 'get_weather', description: 'Weather and forecast of a place' },
    }
    const query = 'hey there!'
    const inner = transformersEmbedder()
    const names = async (embedder: typeof inner) => {
      const { results } = await createToolSearcher({ tools, embedder }).search(query, { minScore: 0 })
      return results.map(({ name, score }) => ({ name, score }))
    }
    const with_ = await names(inner)
    const without = await names({
      ...inner,
      readQuery: async embedding => ({ ...(await inner.readQuery!(embedding)), smallTalk: 0 }),
    })
    expect(with_.map(({ name }) => name)).toEqual(without.map(({ name }) => name))
    with_.forEach(({ score }, at) => {
      expect(score).toBeLessThan(without[at]!.score)
    })
  })
})
