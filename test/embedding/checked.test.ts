import { describe, expect, it } from 'vitest'
import { checkedEmbedder } from '../../src/embedding/checked.js'
import type { Embedder } from '../../src/embedding/embedder.js'
import { EmbedderMismatchError, EmbeddingError, InvalidOptionsError, ModelLoadError } from '../../src/errors.js'

function embedderOf(members: Partial<Embedder> = {}): Embedder {
  const embed = async (texts: readonly string[]) => texts.map(() => [3, 4])
  return { modelId: 'mine', dimensions: 2, embedQueries: embed, embedDocuments: embed, ...members }
}

describe('checkedEmbedder: the embedder', () => {
  it.each([
    [undefined, 'got undefined'],
    [null, 'got null'],
    ['openai/text-embedding-3-small', 'got string'],
    [{ ...embedderOf(), modelId: ' ' }, 'modelId'],
    [{ ...embedderOf(), modelId: undefined }, 'modelId'],
    [{ ...embedderOf(), dimensions: 0 }, 'dimensions'],
    [{ ...embedderOf(), dimensions: 1.5 }, 'dimensions'],
    [{ ...embedderOf(), dimensions: '384' }, 'dimensions'],
    [{ ...embedderOf(), dimensions: Object.create(null) }, 'dimensions'],
    [{ ...embedderOf(), modelId: 1n }, 'modelId'],
    [{ ...embedderOf(), embedQueries: undefined }, 'embedQueries'],
    [{ ...embedderOf(), embedDocuments: [] }, 'embedDocuments'],
    [{ ...embedderOf(), load: true }, 'load'],
    [{ ...embedderOf(), readableShares: {} }, 'readableShares'],
    [{ ...embedderOf(), maxTokens: 0 }, 'maxTokens'],
  ])('rejects %o at once: %s', (embedder, named) => {
    expect(() => checkedEmbedder(embedder as Embedder)).toThrow(InvalidOptionsError)
    expect(() => checkedEmbedder(embedder as Embedder)).toThrow(named)
  })

  it('wraps once only', () => {
    const checked = checkedEmbedder(embedderOf())
    expect(checkedEmbedder(checked)).toBe(checked)
  })

  it('calls methods of class instances on the instance', async () => {
    class Mine {
      readonly modelId = 'class'
      readonly dimensions = 2
      readonly #vector = [0, 2]
      async embedQueries(texts: readonly string[]) {
        return texts.map(() => this.#vector)
      }
      embedDocuments(texts: readonly string[]) {
        return this.embedQueries(texts)
      }
    }
    expect(await checkedEmbedder(new Mine()).embedDocuments(['a'])).toEqual([Float32Array.of(0, 1)])
  })

  it('fills in what is optional', async () => {
    const checked = checkedEmbedder(embedderOf())
    expect(checked.maxTokens).toBe(256)
    await checked.load()
    expect(await checked.readableShares(['a', 'b'])).toEqual([1, 1])
  })
})

describe('checkedEmbedder: results', () => {
  it('scales to unit length without touching what the embedder returned', async () => {
    const own = Float32Array.of(3, 4)
    const checked = checkedEmbedder(embedderOf({ embedQueries: async () => [own] }))
    expect(await checked.embedQueries(['a'])).toEqual([Float32Array.of(0.6, 0.8)])
    expect([...own]).toEqual([3, 4])
  })

  it.each([
    ['too few', [[1, 0]], '2 embeddings'],
    [
      'too many',
      [
        [1, 0],
        [1, 0],
        [1, 0],
      ],
      '2 embeddings',
    ],
    ['no array', 'vectors', '2 embeddings'],
    ['nothing', undefined, '2 embeddings'],
    [
      'a wrong dimension',
      [
        [1, 0],
        [1, 0, 0],
      ],
      '2 numbers',
    ],
    ['a missing one', [[1, 0], undefined], '2 numbers'],
    ['an array of holes', new Array(2), '2 numbers'],
    ['an embedding of holes', [[1, 0], new Array(2)], 'finite'],
    ['an embedding whose length is no number', [[1, 0], { length: Object.create(null) }], 'an object at index 1'],
    [
      'NaN',
      [
        [1, 0],
        [Number.NaN, 0],
      ],
      'finite',
    ],
    [
      'an infinite number',
      [
        [1, 0],
        [Number.NEGATIVE_INFINITY, 0],
      ],
      'finite',
    ],
    [
      'strings',
      [
        [1, 0],
        ['1', '0'],
      ],
      'finite',
    ],
    [
      'zeros',
      [
        [1, 0],
        [0, 0],
      ],
      'direction',
    ],
  ])('rejects %s', async (_, returned, named) => {
    const checked = checkedEmbedder(embedderOf({ embedDocuments: async () => returned as never }))
    const embedding = checked.embedDocuments(['a', 'b'])
    await expect(embedding).rejects.toThrow(EmbedderMismatchError)
    await expect(embedding).rejects.toThrow(named)
  })

  it.each([
    [[1e200, 1e200]],
    [[Number.MAX_VALUE, Number.MAX_VALUE]],
    [[1e-200, 1e-200]],
    [[Number.MIN_VALUE, Number.MIN_VALUE]],
  ])('scales %o, whose squares are no finite numbers above 0, to unit length', async embedding => {
    const [vector] = await checkedEmbedder(embedderOf({ embedQueries: async () => [embedding] })).embedQueries(['a'])
    expect(vector).toEqual(Float32Array.of(Math.SQRT1_2, Math.SQRT1_2))
  })

  it.each([
    ['modelId', 'other'],
    ['modelId', Object.create(null)],
    ['dimensions', 3],
    ['dimensions', Object.create(null)],
  ])('rejects a changed %s', async (name, changed) => {
    const embedder = embedderOf()
    const checked = checkedEmbedder(embedder)
    Object.assign(embedder, { [name]: changed })
    await expect(checked.embedQueries(['a'])).rejects.toThrow(EmbedderMismatchError)
  })

  it.each([[[0.5]], [[0.5, 2]], [[Number.NaN, 1]], [new Array(2)], [[1, Object.create(null)]], ['shares']])(
    'rejects the readable shares %o',
    async returned => {
      const checked = checkedEmbedder(embedderOf({ readableShares: async () => returned as never }))
      await expect(checked.readableShares(['a', 'b'])).rejects.toThrow(EmbedderMismatchError)
    },
  )
})

describe('checkedEmbedder: failures', () => {
  it.each([
    ['a string'],
    [undefined],
    [{ status: 500 }],
    [Object.create(null)],
    [{ message: Object.create(null) }],
    [new TypeError('fetch failed')],
  ])('wraps a thrown %o, which it keeps as cause', async thrown => {
    const checked = checkedEmbedder(embedderOf({ embedQueries: () => Promise.reject(thrown) }))
    const failure: unknown = await checked.embedQueries(['a']).catch(error => error)
    expect(failure).toBeInstanceOf(EmbeddingError)
    expect((failure as EmbeddingError).cause).toBe(thrown)
  })

  it.each(['embedQueries', 'embedDocuments', 'load', 'readableShares'] as const)(
    'wraps what %s throws before it returns a promise',
    async method => {
      const atOnce = () => {
        throw new Error('at once')
      }
      const call = checkedEmbedder(embedderOf({ [method]: atOnce }))[method](['a'])
      await expect(call).rejects.toThrow(EmbeddingError)
      await expect(call).rejects.toThrow('at once')
    },
  )

  it('takes results that come without a promise, and rejects what is no result', async () => {
    const plain = (texts: readonly string[]) => texts.map(() => [0, 2])
    const members = { embedQueries: plain, readableShares: () => [0.5], load: () => 7 } as unknown as Partial<Embedder>
    const checked = checkedEmbedder(embedderOf({ ...members, embedDocuments: (() => 42) as never }))
    await checked.load()
    expect(await checked.embedQueries(['a'])).toEqual([Float32Array.of(0, 1)])
    expect(await checked.readableShares(['a'])).toEqual([0.5])
    await expect(checked.embedDocuments(['a'])).rejects.toThrow(EmbedderMismatchError)
  })

  it('passes errors of this package', async () => {
    const failure = new ModelLoadError('mine', 'no file')
    const checked = checkedEmbedder(embedderOf({ load: () => Promise.reject(failure) }))
    await expect(checked.load()).rejects.toBe(failure)
  })
})

describe('checkedEmbedder: queries read for ranking', () => {
  it('are the embeddings themselves and no small talk where the embedder does not read', async () => {
    const [read] = await checkedEmbedder(embedderOf()).readQueries(['a'])
    expect(read).toEqual({ embedding: Float32Array.of(0.6, 0.8), smallTalk: 0 })
  })

  it('get the embedding at unit length, and scale what comes back', async () => {
    const seen: number[][] = []
    const readQuery: Embedder['readQuery'] = async embedding => {
      seen.push([...embedding])
      return { embedding: [0, 5], smallTalk: 0.25 }
    }
    const [read] = await checkedEmbedder(embedderOf({ readQuery })).readQueries(['a'])
    expect(seen).toEqual([[...Float32Array.of(0.6, 0.8)]])
    expect(read).toEqual({ embedding: Float32Array.of(0, 1), smallTalk: 0.25 })
  })

  it.each([
    [{ embedding: [1, 0], smallTalk: 1.5 }],
    [{ embedding: [1, 0], smallTalk: Number.NaN }],
    [{ embedding: [1, 0] }],
    [{ embedding: [1], smallTalk: 0 }],
    [{ embedding: [0, 0], smallTalk: 0 }],
    [undefined],
  ])('are an EmbedderMismatchError where they come back as %o', async returned => {
    const embedder = embedderOf({ readQuery: async () => returned as never })
    await expect(checkedEmbedder(embedder).readQueries(['a'])).rejects.toThrow(EmbedderMismatchError)
  })

  it('are read in a way that the embedder names, or does not; without readQuery, as they are', async () => {
    const readQuery: Embedder['readQuery'] = async embedding => ({ embedding, smallTalk: 0 })
    const idOf = (members: Partial<Embedder>) => checkedEmbedder(embedderOf(members)).knownReadQueryId()
    expect(await idOf({ readQuery, readQueryId: async () => 'map 2' })).toBe('map 2')
    expect(await idOf({ readQuery })).toBeUndefined()
    expect(await idOf({})).toBe('none')
    for (const wrong of ['', 5, null]) {
      await expect(idOf({ readQuery, readQueryId: async () => wrong as never })).rejects.toThrow(EmbedderMismatchError)
    }
  })

  it('are an EmbeddingError where reading throws', async () => {
    const embedder = embedderOf({
      readQuery: async () => {
        throw new Error('no heads')
      },
    })
    await expect(checkedEmbedder(embedder).readQueries(['a'])).rejects.toThrow(EmbeddingError)
  })
})
