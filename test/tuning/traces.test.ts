import { describe, expect, it } from 'vitest'
import { activationOf } from '../../src/meta-tools/activation.js'
import { queriesFromTraces } from '../../src/tuning/traces.js'
import { messagesWith } from '../processor/harness.js'

interface Call {
  toolName: string
  args?: Record<string, unknown>
  result?: unknown
  state?: string
}

const search = (query: string, ...names: string[]): Call => ({
  toolName: 'search_tools',
  args: { query },
  result: { results: names.map(name => ({ name, description: '', score: 0.5 })), message: '' },
})
const load = (...loaded: string[]): Call => ({
  toolName: 'load_tool',
  args: { toolNames: loaded },
  result: { success: true, loaded },
})
const call = (toolName: string): Call => ({ toolName, args: {}, result: 'done' })

/** One Mastra message a call, as JSONL; each of one thread, a minute apart. */
function thread(threadId: string, calls: readonly Call[], start = 0): string {
  const messages = messagesWith(
    ...calls.map(({ toolName, result, state }) => ({ toolName, result, ...(state && { state }) })),
  )
  return messages
    .map((message, at) => {
      const { content, ...rest } = message as { content: { parts: [{ toolInvocation: object }] } }
      Object.assign(content.parts[0].toolInvocation, { args: calls[at]!.args ?? {} })
      return JSON.stringify({ ...rest, content, threadId, createdAt: new Date(start + at * 60_000) })
    })
    .join('\n')
}

const queriesOf = (text: string, names?: ReadonlySet<string>) => queriesFromTraces(text, names).queries

describe('queriesFromTraces', () => {
  it('pairs each search with the tools that were called until the next one', () => {
    const text = thread('t', [
      search('weather', 'get_weather', 'get_tides'),
      load('get_weather'),
      call('get_weather'),
      call('get_weather'),
      search('mail somebody', 'send_email', 'find_contact'),
      load('send_email', 'find_contact'),
      call('find_contact'),
      call('send_email'),
    ])
    expect(queriesOf(text)).toEqual([
      { query: 'weather', relevant: ['get_weather'] },
      { query: 'mail somebody', relevant: ['find_contact', 'send_email'] },
    ])
  })

  it('takes what was called rather than what was loaded, and what was loaded where nothing was called', () => {
    const text = thread('t', [search('one', 'a', 'b'), load('a', 'b'), call('b'), search('two', 'c', 'd'), load('d')])
    expect(queriesFromTraces(text)).toMatchObject({
      queries: [
        { query: 'one', relevant: ['b'] },
        { query: 'two', relevant: ['d'] },
      ],
      onlyLoaded: 1,
    })
  })

  it('skips and counts searches that no call followed', () => {
    const text = thread('t', [search('poem'), search('weather', 'a'), call('a'), search('song', 'b')])
    expect(queriesFromTraces(text)).toMatchObject({ queries: [{ query: 'weather', relevant: ['a'] }], unanswered: 2 })
  })

  it('does not credit a search with tools that were at hand before, unless it found them again', () => {
    const text = thread('t', [
      search('one', 'a'),
      call('a'),
      search('two', 'b'),
      call('a'),
      call('b'),
      search('three', 'a'),
      call('a'),
    ])
    expect(queriesOf(text)).toEqual([
      { query: 'one', relevant: ['a'] },
      { query: 'two', relevant: ['b'] },
      { query: 'three', relevant: ['a'] },
    ])
  })

  it('does not credit a search with tools that it did not find, such as always-available ones', () => {
    expect(queriesOf(thread('t', [search('one', 'a'), call('memory'), call('a')]))).toEqual([
      { query: 'one', relevant: ['a'] },
    ])
  })

  it('counts a tool that was loaded by its name after a search that missed it: the search should have found it', () => {
    expect(queriesOf(thread('t', [search('one', 'a'), load('b'), call('b')]))).toEqual([
      { query: 'one', relevant: ['b'] },
    ])
  })

  it('keeps threads apart that are mixed in the file, and orders each by time', () => {
    const first = thread('1', [search('one', 'a'), call('a')]).split('\n')
    const second = thread('2', [search('two', 'b'), call('b')]).split('\n')
    const text = [first[1], second[0], first[0], second[1]].join('\n')
    expect(queriesOf(text)).toHaveLength(2)
    expect(queriesOf(text)).toEqual(
      expect.arrayContaining([
        { query: 'one', relevant: ['a'] },
        { query: 'two', relevant: ['b'] },
      ]),
    )
  })

  it('joins searches of one text', () => {
    const text = `${thread('1', [search('one', 'a', 'b'), call('a')])}\n${thread('2', [search('one', 'a', 'b'), call('b')])}`
    expect(queriesFromTraces(text)).toMatchObject({ queries: [{ query: 'one', relevant: ['a', 'b'] }], repeated: 1 })
  })

  it('reads plain lines, several parts of one message, UI parts, arrays and exports with messages', () => {
    const plain = [
      { toolName: 'search_tools', args: { query: 'plain' } },
      { toolName: 'load_tool', args: { toolName: 'a' } },
      { toolName: 'a', args: {} },
    ]
    expect(queriesOf(plain.map(line => JSON.stringify(line)).join('\n'))).toEqual([{ query: 'plain', relevant: ['a'] }])
    expect(queriesOf(JSON.stringify(plain))).toHaveLength(1)
    const ui = {
      role: 'assistant',
      parts: [
        { type: 'text', text: 'Let me see' },
        {
          type: 'tool-search_tools',
          state: 'output-available',
          input: { query: 'ui' },
          output: { results: [{ name: 'b' }] },
        },
        { type: 'tool-b', state: 'input-streaming', input: {} },
        { type: 'dynamic-tool', toolName: 'b', state: 'output-available', input: {}, output: 1 },
      ],
    }
    expect(queriesOf(JSON.stringify({ messages: [ui] }))).toEqual([{ query: 'ui', relevant: ['b'] }])
  })

  it('takes no credit from auto-load receipts: only calls say what was wanted', () => {
    const found = { ...search('one', 'a', 'b') }
    found.result = { ...(found.result as object), activation: activationOf(['a', 'b']) }
    expect(queriesOf(thread('t', [found, call('b')]))).toEqual([{ query: 'one', relevant: ['b'] }])
  })

  it('counts a load only for what it did load', () => {
    const failed = { toolName: 'load_tool', args: { toolName: 'x' }, result: { success: false, message: '' } }
    expect(queriesFromTraces(thread('t', [search('one', 'a'), failed]))).toMatchObject({ queries: [], unanswered: 1 })
  })

  it('ignores calls that are still streamed', () => {
    const calls = [search('one', 'a'), { ...call('a'), state: 'partial-call' }]
    expect(queriesFromTraces(thread('t', calls)).queries).toEqual([])
  })

  it('leaves out tools that the catalog does not have, and counts their calls', () => {
    const calls = [search('one'), call('gone'), call('a')].map(({ result: _, ...rest }) => rest)
    expect(queriesFromTraces(thread('t', calls), new Set(['a']))).toMatchObject({
      queries: [{ query: 'one', relevant: ['a'] }],
      unknownCalls: 1,
    })
  })

  it('lists lines that are no JSON, and passes over those that are no calls', () => {
    const text = `no json\n${thread('t', [search('one', 'a'), call('a')])}\n{"role":"user","content":"hello"}\n42\nnull`
    expect(queriesFromTraces(text)).toMatchObject({
      queries: [{ query: 'one' }],
      badLines: [{ line: 1, reason: 'no valid JSON: "no json"' }],
    })
  })
})
