import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { documentOfFields } from '../../src/catalog/document.js'
import { vectorIndexName } from '../../src/vector-index-name.js'
import { BUCKETS, metadataOf, rowId, rowOf, type StoreTarget } from '../../src/vector-store/rows.js'
import { listRows } from '../../src/vector-store/store-index.js'
import { type SyncOptions, synchronise } from '../../src/vector-store/synchronise.js'
import { type MemoryStore, memoryStore } from './memory-store.js'

const store = memoryStore()
const target: StoreTarget = { store, index: 'tools', namespace: 'acme', modelId: 'model', dimensions: 2 }
const hashOf = (name: string) => documentOfFields({ name, description: '', parameters: '' }).hash

describe("a row's id", () => {
  it('is a UUID, the same for the same model and text, and another for another', () => {
    const ids = ['a', 'b'].flatMap(model => ['x', 'y'].map(name => rowId(model, hashOf(name))))
    // RFC 9562, section 4: version 8, variant 10xx.
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(new Set(ids).size).toBe(4)
    expect(rowId('a', hashOf('x'))).toBe(ids[0])
  })
})

describe('the index of a namespace', () => {
  it('is the name itself without one', () => {
    expect(vectorIndexName({ store, indexName: 'tools' })).toBe('tools')
  })

  it('shows the namespace, and tells apart what looks alike', () => {
    const names = ['acme', 'ACME', 'ac-me', ' acme', 'acme\u200b', 'ácme', '株式会社'].map(namespace =>
      vectorIndexName({ store, indexName: 'tools', namespace }),
    )
    expect(names[0]).toMatch(/^tools_acme_[0-9a-f]{12}$/)
    expect(names.at(-1)).toMatch(/^tools_[0-9a-f]{12}$/)
    expect(new Set(names).size).toBe(names.length)
  })

  it('has the separator of the store, and is a name that PostgreSQL and Pinecone take', () => {
    const pinecone = Object.assign(memoryStore(), { indexSeparator: '-' })
    expect(vectorIndexName({ store: pinecone, indexName: 'tools', namespace: 'acme' })).toMatch(
      /^tools-acme-[0-9a-f]{12}$/,
    )
    const indexName = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,31}$/)
    fc.assert(
      fc.property(indexName, fc.string({ minLength: 1, maxLength: 200, unit: 'grapheme' }), (name, namespace) => {
        const index = vectorIndexName({ store, indexName: name, namespace })
        expect(index).toMatch(/^[A-Za-z_][A-Za-z0-9_]*$/)
        expect(index.length).toBeLessThanOrEqual(45)
        expect(index.startsWith(`${name}_`)).toBe(true)
      }),
    )
  })
})

describe('vectorIndexName', () => {
  it('is the name that the option gives an index, made of the SHA-256 of the namespace', () => {
    expect(vectorIndexName({ store, indexName: 'tools' })).toBe('tools')
    // printf acme | sha256sum
    expect(vectorIndexName({ store, indexName: 'tools', namespace: 'acme' })).toBe('tools_acme_822b33ad87c1')
    expect(vectorIndexName({ indexName: 'tools', namespace: 'acme' })).toBe('tools_acme_822b33ad87c1')
  })

  it('refuses what the option refuses', () => {
    expect(() => vectorIndexName({ store, indexName: 'my-tools' })).toThrow(/such as "my_tools"/)
    expect(() => vectorIndexName({ store, indexName: 'tools', namespace: ' ' })).toThrow(/namespace/)
  })
})

describe("a row's metadata", () => {
  it('comes back as it was written, with a bucket in range', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme' }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (name, readableShare) => {
          const hash = hashOf(name)
          const metadata = metadataOf(target, { hash, name }, readableShare)
          expect(metadata.name).toBe(name.replaceAll('\0', ''))
          expect(metadata.bucket).toBeGreaterThanOrEqual(0)
          expect(metadata.bucket).toBeLessThan(BUCKETS)
          expect(rowOf({ id: 'x', score: 0.5, metadata: { ...metadata } })?.metadata).toEqual(metadata)
        },
      ),
    )
  })

  it.each([
    undefined,
    {},
    { documentHash: 'x' },
    { documentHash: 7, name: 'a', model: 'm', namespace: '', readableShare: 1 },
    { documentHash: 'x', name: 'a', model: 'm', namespace: '', readableShare: 7 },
    { documentHash: 'x', name: 'a', model: 'm', namespace: '', readableShare: '1' },
    { documentHash: 'x', name: 'a', model: 'm', readableShare: 1 },
  ])('of another writer is none: %j', metadata => {
    expect(rowOf({ id: 'x', score: 0.5, ...(metadata && { metadata }) })).toBeUndefined()
  })
})

describe('listing', () => {
  it.each([0, 12_000, 1_000_000, -1, Number.NaN, Number.POSITIVE_INFINITY])(
    'gives each of 12,000 rows once, where the store counts %s',
    async count => {
      const large = memoryStore()
      const documents = Array.from({ length: 12_000 }, (_, at) => ({ hash: hashOf(`tool ${at}`), name: `tool_${at}` }))
      const vector = Float32Array.from([1, 0])
      await synchronise(
        { ...target, store: large },
        {
          documents,
          vectorsOf: async batch => batch.map(() => ({ vector, readableShare: 1 })),
          isEmbedding: false,
          writes: true,
          removeAfterMs: 0,
        },
      )
      // No store gives more than it is asked for.
      large.maxTopK = 5_000
      large.calls.length = 0
      const hashes: string[] = []
      for await (const page of listRows({ ...target, store: large }, count)) {
        expect(page.length).toBeLessThanOrEqual(5_000)
        hashes.push(...page.map(({ metadata }) => metadata.documentHash))
      }
      expect(hashes.sort()).toEqual(documents.map(({ hash }) => hash).sort())
      expect(large.calls.length).toBeLessThan(300)
    },
  )

  it('ends with an error where the store gives all rows whatever it is asked for', async () => {
    const documents = Array.from({ length: 6_000 }, (_, at) => ({ hash: hashOf(`tool ${at}`), name: `tool_${at}` }))
    const heedless = memoryStore()
    const options: SyncOptions = {
      documents,
      vectorsOf: async batch => batch.map(() => ({ vector: Float32Array.from([1, 0]), readableShare: 1 })),
      isEmbedding: false,
      writes: true,
      removeAfterMs: 0,
    }
    await synchronise({ ...target, store: heedless }, options)
    const query = heedless.query
    heedless.query = params => query({ ...params, filter: undefined })
    heedless.calls.length = 0
    const few = { ...options, documents: documents.slice(0, 1) }
    await expect(synchronise({ ...target, store: heedless }, few)).rejects.toThrow(/does not heed filters.*"tools"/)
    expect(heedless.calls.length).toBeLessThan(10)
    expect(heedless.indexes.get('tools')!.rows.size).toBe(6_000)
  })
})

describe('rows of another namespace in one index', () => {
  const syncOf = (namespace: string | undefined, own: MemoryStore, removeAfterMs = 0) => {
    const documents = ['a', 'b'].map(name => ({ hash: hashOf(`${namespace} ${name}`), name }))
    return synchronise(
      { ...target, store: own, namespace },
      {
        documents,
        vectorsOf: async batch => batch.map(() => ({ vector: Float32Array.from([1, 0]), readableShare: 1 })),
        isEmbedding: false,
        writes: true,
        removeAfterMs,
      },
    )
  }

  it.each([undefined, 'umbrella'])('are refused, neither deleted nor marked: asked as %s', async namespace => {
    const own = memoryStore()
    await syncOf('acme', own)
    const before = structuredClone([...own.indexes.get('tools')!.rows])
    await expect(syncOf(namespace, own)).rejects.toMatchObject({
      code: 'VECTOR_STORE_MISMATCH',
      property: 'namespace',
      expected: JSON.stringify(namespace ?? ''),
      got: '"acme"',
    })
    expect([...own.indexes.get('tools')!.rows]).toEqual(before)
  })

  it('are not seen where the first rows are of the own one', async () => {
    const own = memoryStore()
    await syncOf('acme', own)
    const others = structuredClone(own.indexes.get('tools')!.rows)
    own.indexes.clear()
    for (let at = 0; at < 20; at++) await syncOf('umbrella', own, 86_400_000)
    const { rows } = own.indexes.get('tools')!
    // Behind those of the own namespace, so that the look at a few does not meet them.
    for (const [id, row] of others) rows.set(id, { ...row, vector: [-1, 0] })
    const query = own.query
    own.query = params => query({ ...params, topK: params.filter ? params.topK! : 2 })
    expect(await syncOf('umbrella', own)).toMatchObject({ kept: 2, removed: 0, leaving: 0 })
    expect(rows.size).toBe(4)
  })
})

describe('several that synchronise at once', () => {
  it('count what the others wrote as kept', async () => {
    const own = memoryStore()
    const documents = Array.from({ length: 600 }, (_, at) => ({ hash: hashOf(`tool ${at}`), name: `tool_${at}` }))
    const start = () =>
      synchronise(
        { ...target, store: own },
        {
          documents,
          async vectorsOf(batch) {
            await new Promise(resolve => setTimeout(resolve, 1))
            return batch.map(() => ({ vector: Float32Array.from([1, 0]), readableShare: 1 }))
          },
          isEmbedding: true,
          writes: true,
          removeAfterMs: 0,
        },
      )
    for (const { kept, added } of await Promise.all([start(), start(), start()])) expect(kept + added).toBe(600)
  })
})
