import { describe, expect, it } from 'vitest'
import { namesInMessages } from '../../src/loaded-tools/message-evidence.js'
import { activationOf } from '../../src/meta-tools/activation.js'
import { messagesWith } from './harness.js'

const namesOf = (toolName: string, result: unknown, state?: string) => [
  ...namesInMessages(messagesWith({ toolName, result, ...(state !== undefined && { state }) })),
]

describe('namesInMessages', () => {
  it.each([
    ['loaded of a single load', 'load_tool', { success: true, toolName: 'a', loaded: ['a'] }, ['a']],
    ['loaded of an array load', 'load_tool', { success: true, loadedCount: 2, loaded: ['b', 'a'] }, ['b', 'a']],
    ['what an array load did load', 'load_tool', { success: false, loaded: ['a'], notFound: ['x'] }, ['a']],
    ['toolName of a 1.71.0 success', 'load_tool', { success: true, toolName: 'a', message: '' }, ['a']],
    ['an auto-load receipt', 'search_tools', { results: [], activation: activationOf(['a', 'b']) }, ['a', 'b']],
  ])('reads %s', (_, toolName, result, expected) => {
    expect(namesOf(toolName, result)).toEqual(expected)
  })

  it.each([
    ['a plain search result', 'search_tools', { results: [{ name: 'a', description: '', score: 1 }] }],
    ['alreadyLoaded', 'load_tool', { success: true, loadedCount: 0, alreadyLoaded: ['a'] }],
    ['toolName of a failure', 'load_tool', { success: false, toolName: 'a' }],
    ['toolName beside an empty loaded', 'load_tool', { success: true, toolName: 'a', loaded: [] }],
    ['a receipt of an unknown version', 'search_tools', { activation: { ...activationOf(['a']), version: 2 } }],
    ['a receipt of an unknown type', 'search_tools', { activation: { ...activationOf(['a']), type: 'x' } }],
    ['a receipt in a load_tool result', 'load_tool', { activation: activationOf(['a']) }],
    ['loaded in a search result', 'search_tools', { loaded: ['a'] }],
    ['a result of another tool', 'other_tool', { success: true, loaded: ['a'] }],
    ['a text result', 'load_tool', 'loaded a'],
    ['names that are no text', 'load_tool', { success: true, loaded: [1, null, {}, '', ['a']] }],
    ['a toolName that is no text', 'load_tool', { success: true, toolName: { a: 1 } }],
  ])('reads nothing from %s', (_, toolName, result) => {
    expect(namesOf(toolName, result)).toEqual([])
  })

  it.each(['call', 'partial-call', 'error', 'output-error', 'approval-requested'])(
    'reads nothing from a call in state %s',
    state => {
      expect(namesOf('load_tool', { success: true, loaded: ['a'] }, state)).toEqual([])
    },
  )

  it.each(['user', 'system', 'signal'])('reads nothing from a %s message', role => {
    const messages = messagesWith({ toolName: 'load_tool', result: { success: true, loaded: ['a'] } })
    expect([...namesInMessages(messages.map(message => ({ ...(message as object), role })))]).toEqual([])
  })

  it('joins messages in conversation order, each name once', () => {
    const load = (...loaded: string[]) => ({ toolName: 'load_tool', result: { success: true, loaded } })
    expect([...namesInMessages(messagesWith(load('c'), load('a', 'c'), load('b')))]).toEqual(['c', 'a', 'b'])
  })

  it('survives malformed and hostile messages, and still reads the good one', () => {
    const cyclic: Record<string, unknown> = { role: 'assistant' }
    cyclic.content = { parts: [{ type: 'tool-invocation', toolInvocation: cyclic }] }
    cyclic.result = cyclic
    const throwing = new Proxy(
      {},
      {
        get: () => {
          throw new Error('hostile')
        },
      },
    )
    const [good] = messagesWith({ toolName: 'load_tool', result: { success: true, loaded: ['good'] } })
    const hostile = [
      null,
      undefined,
      7,
      'text',
      [],
      {},
      { content: 'text' },
      { content: null },
      { content: { parts: {} } },
    ]
    const parts = [null, 'x', { type: 'tool-invocation' }, { type: 'tool-invocation', toolInvocation: 'x' }]
    const messages = [...hostile, { role: 'assistant', content: { parts } }, cyclic, throwing, good]
    expect([...namesInMessages(messages)]).toEqual(['good'])
    for (const value of [undefined, null, 'text', {}, 7]) expect(namesInMessages(value).size).toBe(0)
  })

  it('reads a huge list of names in no time', () => {
    const loaded = Array.from({ length: 200_000 }, (_, index) => `t${index}`)
    expect(namesOf('load_tool', { success: true, loaded })).toHaveLength(200_000)
  })
})
