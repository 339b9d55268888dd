import type { ToolSearchProcessorOptions } from '@mastra/core/processors'
import { describe, expect, it } from 'vitest'
import { InvalidOptionsError } from '../../src/errors.js'
import { resolveOptions, type SemanticToolSearchOptions } from '../../src/options.js'
import { DEFAULT_MIN_SCORE } from '../../src/ranking/score.js'
import { memoryStore } from '../vector-store/memory-store.js'
import { makeTool } from './harness.js'

const resolve = (options: unknown) => resolveOptions(options as SemanticToolSearchOptions)
const messageOf = (options: unknown): string => {
  try {
    resolve(options)
  } catch (error) {
    expect(error).toBeInstanceOf(InvalidOptionsError)
    return (error as Error).message
  }
  throw new Error('expected an error')
}

describe('resolveOptions', () => {
  it('fills in every default', () => {
    const tools = {}
    expect(resolve({ tools })).toEqual({
      tools,
      includeResolvedTools: false,
      index: undefined,
      onStale: 'update',
      injectCatalog: false,
      topK: 5,
      minScore: DEFAULT_MIN_SCORE,
      autoLoad: false,
      storage: 'in-memory',
      ttlMs: 3_600_000,
      filter: undefined,
      embedder: undefined,
      strict: false,
      vectorStore: undefined,
    })
  })

  it('takes undefined for an absent option', () => {
    const undefinedSearch = { topK: undefined, minScore: undefined, autoLoad: undefined }
    const options = { tools: {}, ttl: undefined, filter: undefined, search: undefined, embedder: undefined }
    expect(resolve(options)).toEqual(resolve({ tools: {} }))
    expect(resolve({ tools: {}, search: undefinedSearch })).toEqual(resolve({ tools: {} }))
  })

  it('hands the record of tools and the filter through untouched', () => {
    const tools = { weather: makeTool('weather') }
    const filter = () => true
    expect(resolve({ tools, filter }).tools).toBe(tools)
    expect(resolve({ tools, filter }).filter).toBe(filter)
  })

  it("takes what Mastra's own class takes", () => {
    const official: ToolSearchProcessorOptions = {
      tools: { weather: makeTool('weather') },
      search: { topK: 3, minScore: 0, autoLoad: true },
      storage: 'context',
      ttl: 0,
      injectCatalog: true,
      includeResolvedTools: true,
      filter: ({ tool, phase }) => phase !== 'load' || tool.id !== 'x',
    }
    const ours: SemanticToolSearchOptions = official
    expect(resolve(ours)).toMatchObject({ topK: 3, minScore: 0, autoLoad: true, storage: 'context', ttlMs: 0 })
  })

  it.each([
    [undefined, 'Expected the options to be an object with at least `tools`, got undefined'],
    [{}, 'Expected tools to be a record of tools, got undefined'],
    [{ tools: [] }, 'Expected tools to be a record of tools, got an array'],
    [{ tools: null }, 'Expected tools to be a record of tools, got null'],
    [{ tools: {}, search: { topK: 0 } }, 'Expected search.topK to be a whole number ≥ 1, got 0'],
    [{ tools: {}, search: { topK: 1.5 } }, 'Expected search.topK to be a whole number ≥ 1, got 1.5'],
    [{ tools: {}, search: { topK: '5' } }, 'Expected search.topK to be a whole number ≥ 1, got "5"'],
    [{ tools: {}, search: { topK: Infinity } }, 'Expected search.topK to be a whole number ≥ 1, got Infinity'],
    [{ tools: {}, search: { minScore: 1.1 } }, 'Expected search.minScore to be a number from 0 to 1, got 1.1'],
    [{ tools: {}, search: { minScore: Number.NaN } }, 'Expected search.minScore to be a number from 0 to 1, got NaN'],
    [{ tools: {}, search: { autoLoad: 'yes' } }, 'Expected search.autoLoad to be true or false, got "yes"'],
    [{ tools: {}, search: null }, 'Expected search to be an object with topK, minScore or autoLoad, got null'],
    [{ tools: {}, storage: 'redis' }, `Expected storage to be 'in-memory' or 'context', got "redis"`],
    [{ tools: {}, ttl: -1 }, 'Expected ttl to be a number of milliseconds ≥ 0 (0 = never), got -1'],
    [{ tools: {}, ttl: Infinity }, 'Expected ttl to be a number of milliseconds ≥ 0 (0 = never), got Infinity'],
    [{ tools: {}, filter: true }, 'Expected filter to be a function, got true'],
    [{ tools: {}, strict: 1 }, 'Expected strict to be true or false, got 1'],
    [{ tools: {}, includeResolvedTools: 'no' }, 'Expected includeResolvedTools to be true or false, got "no"'],
    [
      { tools: {}, embedder: { modelId: 'x' } },
      'Expected embedder to be an object with modelId, dimensions, embedQueries and embedDocuments, got an object',
    ],
  ])('refuses %j', (options, message) => {
    expect(messageOf(options)).toBe(message)
  })

  it('refuses an unknown option and names the nearest valid one', () => {
    expect(messageOf({ tools: {}, serch: {} })).toBe('Unknown option serch. Did you mean search?')
    expect(messageOf({ tools: {}, search: { topk: 3 } })).toBe('Unknown option search.topk. Did you mean search.topK?')
    expect(messageOf({ tools: {}, colour: 1 })).toMatch(/^Unknown option colour\. Valid names: tools, /)
  })
})

describe('vectorStore', () => {
  const store = memoryStore()
  const withStore = (vectorStore: unknown, more = {}) => messageOf({ tools: {}, vectorStore, ...more })

  it('fills in every default', () => {
    expect(resolve({ tools: {}, vectorStore: { store, indexName: 'tools' } }).vectorStore).toEqual({
      store,
      indexName: 'tools',
      namespace: undefined,
      timeoutMs: 1_000,
      sync: true,
      removeAfterMs: 86_400_000,
    })
  })

  it.each([
    [{ indexName: 'tools' }, 'Expected vectorStore.store to be a MastraVector, such as a PgVector, got undefined'],
    [
      { store: { query() {} }, indexName: 'tools' },
      'Expected vectorStore.store to be a MastraVector, such as a PgVector, got an object',
    ],
    [
      { store, indexName: '' },
      'Expected vectorStore.indexName to be 1 to 32 letters (A-Z, a-z), digits and _, the first no digit, got ""',
    ],
    [
      { store, indexName: 'my-tools' },
      'Expected vectorStore.indexName to be 1 to 32 letters (A-Z, a-z), digits and _, the first no digit (such as "my_tools"), got "my-tools"',
    ],
    [{ store, indexName: '1tools' }, /the first no digit \(such as "_1tools"\), got "1tools"/],
    [{ store, indexName: 'tools"; drop' }, /\(such as "tools_drop"\), got "tools\\"; drop"/],
    [{ store, indexName: 'x'.repeat(33) }, /1 to 32/],
    [{ store, indexName: 7 }, /the first no digit, got 7$/],
    [
      { store, indexName: 'tools', namespace: ' ' },
      'Expected vectorStore.namespace to be a text of 1 to 200 characters, well-formed and without NUL, got " "',
    ],
    [{ store, indexName: 'tools', namespace: 'half \ud800' }, /namespace to be a text .* well-formed/],
    [{ store, indexName: 'tools', namespace: 'a\0b' }, /namespace to be a text .* without NUL/],
    [{ store, indexName: 'tools', namespace: 'x'.repeat(201) }, /namespace to be a text of 1 to 200 characters/],
    [
      { store, indexName: 'tools', timeoutMs: 0 },
      'Expected vectorStore.timeoutMs to be a number of milliseconds > 0, got 0',
    ],
    [
      { store, indexName: 'tools', timeoutMs: Number.POSITIVE_INFINITY },
      /timeoutMs to be a number of milliseconds > 0, got Infinity/,
    ],
    [{ store, indexName: 'tools', removeAfterMs: -1 }, /removeAfterMs to be a number of milliseconds ≥ 0/],
    [{ store, indexName: 'tools', sync: 'no' }, 'Expected vectorStore.sync to be true or false, got "no"'],
    [
      { store, indexName: 'tools', timeout: 5 },
      'Unknown option vectorStore.timeout. Did you mean vectorStore.timeoutMs?',
    ],
    ['postgres', 'Expected vectorStore to be an object with store and indexName, got "postgres"'],
  ])('refuses %o', (vectorStore, message) => {
    expect(withStore(vectorStore)).toMatch(message)
  })

  it('refuses an index beside it, with the command that moves one into the other', () => {
    const message = withStore({ store, indexName: 'tools' }, { index: './tool-index' })
    expect(message).toMatch(/Expected index or vectorStore, got both.*push <tool-index>/)
  })
})
