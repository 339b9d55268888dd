import { createTool } from '@mastra/core/tools'
import { tool as aiTool, dynamicTool, jsonSchema } from 'ai'
import { describe, expect, it } from 'vitest'
import { z as z3 } from 'zod/v3'
import { z } from 'zod/v4'
import type { ToolLike } from '../../src/catalog/catalog.js'
import { documentOf, type ToolDocument } from '../../src/catalog/document.js'

const documentFor = (tool: ToolLike, name = 'tool'): ToolDocument => documentOf({ name, key: name, tool })
const parametersOf = (inputSchema: unknown) => documentFor({ inputSchema }).parameters
const textOf = (name: string, tool: ToolLike = {}) => documentFor(tool, name).text

describe('the name in a document', () => {
  it.each([
    ['getIssue', 'get Issue'],
    ['get_issue', 'get issue'],
    ['get-issue', 'get issue'],
    ['GET_ISSUE', 'GET ISSUE'],
    ['calendar.events.list', 'calendar events list'],
    ['mcp/server-a/search_documents', 'mcp server a search documents'],
    ['@scope/tool', 'scope tool'],
    ['parseHTMLDocument', 'parse HTML Document'],
    ['getURL', 'get URL'],
    ['s3Upload', 's 3 Upload'],
    ['utf8_to_base64', 'utf 8 to base 64'],
    ['tool17', 'tool 17'],
    ['2faCode', '2 fa Code'],
    ['__private__', 'private'],
    ['été_Ärger', 'été Ärger'],
    ['查询天气', '查询天气'],
    ['날씨_조회', '날씨 조회'],
    ['nai\u0308ve_mode', 'nai\u0308ve mode'],
    ['___', ''],
    ['', ''],
  ])('is split into words: %s', (name, words) => {
    expect(documentFor({}, name).name).toBe(words)
    expect(textOf(name)).toBe(words)
  })

  it('stands before a colon, the description and the parameters', () => {
    const inputSchema = { type: 'object', properties: { cityName: { type: 'string', description: 'Where' } } }
    expect(textOf('getWeather', { description: 'Current weather.', inputSchema })).toBe(
      'get Weather: Current weather. city Name: Where.',
    )
    expect(textOf('getWeather', { inputSchema })).toBe('get Weather: city Name: Where.')
    expect(textOf('___', { description: 'Current weather.' })).toBe('Current weather.')
  })

  it('tells tools apart that differ in any field, and only those', () => {
    const keyOf = (name: string, tool: ToolLike) => documentFor(tool, name).hash
    const key = keyOf('getIssue', { description: 'Reads.' })
    expect(keyOf('get_Issue', { description: 'Reads.' })).toBe(key)
    expect(keyOf('getIssue', { description: 'Writes.' })).not.toBe(key)
    expect(keyOf('getIssues', { description: 'Reads.' })).not.toBe(key)
    expect(keyOf('a', { description: 'b c' })).not.toBe(keyOf('a b', { description: 'c' }))
  })
})

/** One schema in every form in which a Mastra user may have it. */
function everyForm(forms: { zod4: z.ZodType; zod3: z3.ZodType; json: object }): Record<string, ToolLike> {
  const common = { description: 'Does it.', execute: async () => '' }
  return {
    'zod 4': { ...common, inputSchema: forms.zod4 },
    'zod 3': { ...common, inputSchema: forms.zod3 },
    'JSON Schema': { ...common, inputSchema: forms.json },
    'createTool with zod 4': createTool({ id: 'tool', ...common, inputSchema: forms.zod4 as never }) as ToolLike,
    'createTool with zod 3': createTool({ id: 'tool', ...common, inputSchema: forms.zod3 as never }) as ToolLike,
    'AI SDK tool with jsonSchema()': aiTool({ ...common, inputSchema: jsonSchema(forms.json as never) }) as ToolLike,
    'AI SDK tool with zod 4': aiTool({ ...common, inputSchema: forms.zod4 as never }) as ToolLike,
    'AI SDK dynamicTool, as MCP clients make': dynamicTool({
      ...common,
      inputSchema: jsonSchema({ ...forms.json, additionalProperties: false } as never),
    }) as ToolLike,
    'a lazy schema': { ...common, inputSchema: () => jsonSchema(forms.json as never) },
    "an agent's copy": { ...common, parameters: jsonSchema(forms.json as never) },
    'an MCP tool': {
      ...common,
      inputSchema: { $schema: 'http://json-schema.org/draft-07/schema#', additionalProperties: false, ...forms.json },
    },
  }
}

const FORMS = Object.keys(everyForm({ zod4: z.object({}), zod3: z3.object({}), json: {} }))

describe.each(FORMS)('the parameters of %s', form => {
  const textFrom = (forms: Parameters<typeof everyForm>[0]) => documentFor(everyForm(forms)[form]!).parameters

  it('are their names, descriptions and enum values', () => {
    const text = textFrom({
      zod4: z.object({ cityName: z.string().describe('Name of the city'), unit: z.enum(['metric', 'imperial']) }),
      zod3: z3.object({ cityName: z3.string().describe('Name of the city'), unit: z3.enum(['metric', 'imperial']) }),
      json: {
        type: 'object',
        properties: {
          cityName: { type: 'string', description: 'Name of the city' },
          unit: { type: 'string', enum: ['metric', 'imperial'] },
        },
        required: ['cityName', 'unit'],
      },
    })
    expect(text).toBe('city Name: Name of the city. unit (metric, imperial).')
  })

  it('include those of nested objects, breadth first', () => {
    const text = textFrom({
      zod4: z.object({
        filter: z.object({ owner: z.object({ login: z.string() }), state: z.string() }).describe('What to keep.'),
        page_size: z.number(),
      }),
      zod3: z3.object({
        filter: z3.object({ owner: z3.object({ login: z3.string() }), state: z3.string() }).describe('What to keep.'),
        page_size: z3.number(),
      }),
      json: {
        type: 'object',
        properties: {
          filter: {
            type: 'object',
            description: 'What to keep.',
            properties: {
              owner: { type: 'object', properties: { login: { type: 'string' } } },
              state: { type: 'string' },
            },
          },
          page_size: { type: 'number' },
        },
      },
    })
    expect(text).toBe('filter: What to keep. page size. owner. state. login.')
  })

  it('include those of array items, and enums of array items', () => {
    const text = textFrom({
      zod4: z.object({ to: z.array(z.object({ email: z.string() })), labels: z.array(z.enum(['bug', 'docs'])) }),
      zod3: z3.object({ to: z3.array(z3.object({ email: z3.string() })), labels: z3.array(z3.enum(['bug', 'docs'])) }),
      json: {
        type: 'object',
        properties: {
          to: { type: 'array', items: { type: 'object', properties: { email: { type: 'string' } } } },
          labels: { type: 'array', items: { type: 'string', enum: ['bug', 'docs'] } },
        },
      },
    })
    expect(text).toBe('to. labels (bug, docs). email.')
  })

  it('include those of alternatives', () => {
    const text = textFrom({
      zod4: z.object({ target: z.union([z.object({ channel: z.string() }), z.object({ user: z.string() })]) }),
      zod3: z3.object({ target: z3.union([z3.object({ channel: z3.string() }), z3.object({ user: z3.string() })]) }),
      json: {
        type: 'object',
        properties: {
          target: {
            anyOf: [
              { type: 'object', properties: { channel: { type: 'string' } } },
              { type: 'object', properties: { user: { type: 'string' } } },
            ],
          },
        },
      },
    })
    expect(text).toBe('target. channel. user.')
  })

  it('keep descriptions and enum values of optional and nullable ones', () => {
    const text = textFrom({
      zod4: z.object({
        since: z.string().describe('Start day').nullable(),
        sort: z.enum(['newest', 'oldest']).nullable().optional(),
      }),
      zod3: z3.object({
        since: z3.string().describe('Start day').nullable(),
        sort: z3.enum(['newest', 'oldest']).nullable().optional(),
      }),
      json: {
        type: 'object',
        properties: {
          since: { anyOf: [{ type: 'string', description: 'Start day' }, { type: 'null' }] },
          sort: { anyOf: [{ type: 'string', enum: ['newest', 'oldest'] }, { type: 'null' }] },
        },
      },
    })
    expect(text).toBe('since: Start day. sort (newest, oldest).')
  })
})

describe('equal schemas in different forms', () => {
  it('have equal texts, also where one part is used twice', () => {
    const address4 = z.object({ street: z.string() })
    const address3 = z3.object({ street: z3.string() })
    const address = { type: 'object', properties: { street: { type: 'string' } } }
    const tools = everyForm({
      zod4: z.object({ sender: address4, receiver: address4 }),
      zod3: z3.object({ sender: address3, receiver: address3 }),
      json: { type: 'object', properties: { sender: address, receiver: address } },
    })
    const texts = new Set(Object.values(tools).map(tool => documentFor(tool).parameters))
    expect([...texts]).toHaveLength(1)
    expect([...texts][0]).toMatch(/^sender\. receiver\. street\./)
  })
})

describe('the parameters of JSON Schema', () => {
  it('follow $ref into $defs and definitions, with the description and enum found there', () => {
    // The shape in which Pydantic (most Python MCP servers) writes nested models and enums.
    const schema = {
      type: 'object',
      properties: {
        owner: { $ref: '#/$defs/Person' },
        priority: { $ref: '#/$defs/Priority' },
        due: { anyOf: [{ $ref: '#/definitions/Date' }, { type: 'null' }] },
      },
      $defs: {
        Person: { type: 'object', properties: { fullName: { type: 'string' } } },
        Priority: { type: 'string', enum: ['low', 'high'], description: 'How urgent it is' },
      },
      definitions: { Date: { type: 'object', properties: { day: { type: 'string' } } } },
    }
    expect(parametersOf(schema)).toBe('owner. priority: How urgent it is (low, high). due. full Name. day.')
  })

  it('follow escaped and missing references without harm', () => {
    const schema = {
      properties: {
        a: { $ref: '#/$defs/x~1y~0z' },
        b: { $ref: '#/$defs/none' },
        c: { $ref: 'https://example.com/schema' },
        d: { $ref: '#/__proto__/toString' },
      },
      $defs: { 'x/y~z': { properties: { found: {} } } },
    }
    expect(parametersOf(schema)).toBe('a. b. c. d. found.')
  })

  it('end at cycles, by reference and by object', () => {
    const byReference = {
      type: 'object',
      properties: { label: { type: 'string' }, children: { type: 'array', items: { $ref: '#' } } },
    }
    expect(parametersOf(byReference)).toMatch(/^label\. children\./)
    const byObject: Record<string, unknown> = { type: 'object' }
    byObject.properties = { label: { type: 'string' }, self: byObject }
    expect(parametersOf(byObject)).toMatch(/^label\. self\./)
    expect(parametersOf({ $ref: '#' })).toBe('')
  })

  it('are read from a recursive zod schema', () => {
    const node: z.ZodType = z.lazy(() => z.object({ label: z.string(), children: z.array(node) }))
    expect(parametersOf(z.object({ tree: node }))).toMatch(/^tree\. label\. children\./)
  })

  it('take a boolean property schema by its name', () => {
    expect(parametersOf({ type: 'object', properties: { anything: true } })).toBe('anything.')
  })

  it.each([
    ['zod 4', z.object({ title: z.string(), when: z.date(), size: z.bigint(), run: z.custom<() => void>() })],
    [
      'createTool',
      createTool({
        id: 'x',
        description: 'x',
        inputSchema: z.object({ title: z.string(), when: z.date() }),
        execute: async () => '',
      }).inputSchema,
    ],
    ['zod 3', z3.object({ title: z3.string(), when: z3.date(), size: z3.bigint() })],
    ['zod 4 with a transform', z.object({ title: z.string().transform(Number), when: z.coerce.date() })],
  ])('keep their names where JSON Schema has no word for one type: %s', (_, schema) => {
    expect(parametersOf(schema)).toMatch(/^title\. when\./)
  })
})

describe('the budget of a document', () => {
  // 256 tokens of all-MiniLM-L6-v2 are some 1,000 characters of English; 800 leaves room for dense text.
  const WINDOW = 800
  const FIRST = 'Creates a calendar event and invites its guests.'

  it('keeps the name and the first sentence of a 20,000-character description, and cuts the parameters first', () => {
    const description = `${FIRST} ${'More words about it. '.repeat(1_000)}`.slice(0, 20_000)
    const inputSchema = z.object({ hiddenParameter: z.string() })
    const { text } = documentFor({ description, inputSchema }, 'calendar_create_event')
    const window = text.slice(0, WINDOW)
    expect(window.startsWith(`calendar create event: ${FIRST}`)).toBe(true)
    expect(window).not.toContain('hidden Parameter')
    expect(text.length).toBeLessThan(5_000)
  })

  it('keeps the whole description before 100,000 parameters', () => {
    const properties = Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [`field${at}`, {}]))
    const { text } = documentFor({ description: FIRST, inputSchema: { type: 'object', properties } }, 'make')
    expect(text.startsWith(`make: ${FIRST} field 0. field 1.`)).toBe(true)
    expect(text.length).toBeLessThan(5_000)
  })

  it('keeps a first sentence that follows 10,000 white-space characters', () => {
    expect(documentFor({ description: `${' \n'.repeat(5_000)}${FIRST}` }).description).toBe(FIRST)
  })

  it('folds white space', () => {
    expect(documentFor({ description: '  One\n\n two\tthree  ' }).description).toBe('One two three')
  })

  it('lets one huge parameter not hide those after it', () => {
    const inputSchema = {
      properties: { huge: { description: 'x'.repeat(100_000), enum: ['y'.repeat(100_000)] }, small: {} },
    }
    expect(parametersOf(inputSchema)).toMatch(/ small\.$/)
  })
})

/** A schema of `depth` objects within each other. */
function nested(depth: number): object {
  let schema: object = { type: 'string' }
  for (let i = 0; i < depth; i++) schema = { type: 'object', properties: { a: schema } }
  return schema
}

const throwing = (key: string): object =>
  Object.defineProperty({ type: 'object' }, key, {
    enumerable: true,
    get() {
      throw new Error(`no ${key}`)
    },
  })

const refusing = (trapped: object = {}): object =>
  new Proxy(trapped, {
    get: () => {
      throw new Error('get')
    },
    has: () => {
      throw new Error('has')
    },
    ownKeys: () => {
      throw new Error('ownKeys')
    },
    getOwnPropertyDescriptor: () => {
      throw new Error('getOwnPropertyDescriptor')
    },
  })

const endless: object = new Proxy({}, { get: (_, key) => (key === 'description' ? 'again' : endless), has: () => true })

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  return proxy
}

const manyProperties = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`p${at}`, {}]))

// Some 0.3 s for the slowest on a quiet machine: the bound catches what grows without end.
const MAX_MS = 3_000

describe('a hostile tool', () => {
  const cases: [string, () => unknown][] = [
    ['null', () => null],
    ['a number', () => 7],
    ['a string', () => 'object'],
    ['an array', () => [{ type: 'object' }]],
    ['a throwing getter `properties`', () => throwing('properties')],
    ['a throwing getter `~standard`', () => throwing('~standard')],
    ['a throwing getter within `properties`', () => ({ type: 'object', properties: throwing('a') })],
    ['a throwing getter `description` of a property', () => ({ properties: { a: throwing('description') } })],
    ['a throwing getter `enum` of a property', () => ({ properties: { a: throwing('enum') } })],
    ['a throwing getter `anyOf` of a property', () => ({ properties: { a: throwing('anyOf') } })],
    [
      'a throwing getter at the end of a $ref',
      () => ({ properties: { a: { $ref: '#/$defs/x' } }, $defs: throwing('x') }),
    ],
    ['a proxy that refuses everything', () => refusing()],
    ['a proxy that refuses everything, as `properties`', () => ({ properties: refusing() })],
    ['a proxy that refuses everything, as a property', () => ({ properties: { a: refusing() } })],
    ['a revoked proxy', revoked],
    ['a revoked proxy as a property', () => ({ properties: { a: revoked() } })],
    ['a proxy without end', () => endless],
    ['a proxy without end as a property', () => ({ properties: { a: endless } })],
    [
      'a function that throws',
      () => () => {
        throw new Error('lazy')
      },
    ],
    ['a function that returns itself', () => Object.assign(() => cases, {})],
    ['a class', () => class {}],
    ['a promise as jsonSchema', () => ({ jsonSchema: Promise.resolve({}) })],
    ['100,000 properties', () => ({ properties: manyProperties(100_000) })],
    [
      '10,000 properties in zod 4',
      () => z.object(Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`p${at}`, z.string()]))),
    ],
    ['10,000 nested objects', () => nested(10_000)],
    [
      '100,000 alternatives',
      () => ({ anyOf: Array.from({ length: 100_000 }, (_, at) => ({ properties: { [`a${at}`]: {} } })) }),
    ],
    [
      '100,000 enum values',
      () => ({ properties: { a: { enum: Array.from({ length: 100_000 }, (_, at) => `v${at}`) } } }),
    ],
    ['enum values that are no strings', () => ({ properties: { a: { enum: [null, 1, {}, Symbol('s'), () => 0] } } })],
    ['a property name of 1,000,000 characters', () => ({ properties: { ['aB'.repeat(500_000)]: {} } })],
    ['descriptions that are no strings', () => ({ properties: { a: { description: 7 }, b: { description: {} } } })],
    ['a $ref of 100,000 steps', () => ({ $ref: `#/${'a/'.repeat(100_000)}` })],
    ['a zod schema that is broken', () => ({ _zod: {}, '~standard': {} })],
    ['a zod 3 schema that is broken', () => ({ _def: { typeName: 'ZodObject' } })],
  ]

  it.each(cases)('with %s as its schema gives a document in bounded time', (_, schema) => {
    const inputSchema = schema()
    const started = performance.now()
    const { name, description, text } = documentFor({ description: 'Reads files.', inputSchema }, 'readFile')
    expect(performance.now() - started).toBeLessThan(MAX_MS)
    expect([name, description]).toEqual(['read File', 'Reads files.'])
    expect(text.startsWith('read File: Reads files.')).toBe(true)
    expect(text.length).toBeLessThan(5_000)
  })

  it('keeps the parameters that were read before one that throws', () => {
    const properties = { first: {}, second: throwing('description') }
    expect(parametersOf({ type: 'object', properties })).toMatch(/^first\./)
  })

  it.each([
    ['a throwing getter', throwing('description')],
    ['a number', { description: 7 }],
    ['null', { description: null }],
    ['an object', { description: { toString: () => 'text' } }],
  ])('with %s as its description is described by its name', (_, tool) => {
    expect(documentFor(tool as ToolLike, 'readFile').text).toBe('read File')
  })

  it.each([
    ['schema', throwing('inputSchema')],
    ['everything', refusing()],
  ])('that refuses %s is described by its name', (_, tool) => {
    expect(documentFor(tool as ToolLike, 'readFile').text).toBe('read File')
  })

  it('with lone surrogates gives well-formed text', () => {
    const { text } = documentFor({
      description: `Half \ud83d of an emoji${'x'.repeat(1_978)}\ud83d\ude00 tail`,
      inputSchema: { properties: { 'a\udc00b': { description: '\ud800', enum: ['\udfff'] } } },
    })
    expect(text.isWellFormed()).toBe(true)
    expect(documentFor({ description: 'y' }, '\ud83dname').text.isWellFormed()).toBe(true)
  })

  it('with a description of 10,000,000 characters is read in bounded time', () => {
    const started = performance.now()
    expect(documentFor({ description: 'word '.repeat(2_000_000) }).description.length).toBeLessThanOrEqual(2_000)
    expect(performance.now() - started).toBeLessThan(MAX_MS)
  })
})

describe('documentOf', () => {
  it('makes one document for what a tool says, and one more for each other name of it', () => {
    const tool = { description: 'Reads.' }
    const document = documentFor(tool, 'read')
    expect(documentFor(tool, 'read')).toBe(document)
    expect(documentFor(tool, 'load').name).toBe('load')
    expect(documentFor(tool, 'read')).toBe(document)
    expect(documentFor({ description: 'Reads.' }, 'read')).toEqual(document)
  })

  it('reads a schema object once, however many tools share it', () => {
    let reads = 0
    const inputSchema = {
      get properties() {
        reads++
        return { a: {} }
      },
    }
    documentFor({ inputSchema })
    const once = reads
    expect(once).toBeGreaterThan(0)
    for (let i = 0; i < 10; i++) expect(documentFor({ inputSchema }).parameters).toBe('a.')
    expect(reads).toBe(once)
  })
})
