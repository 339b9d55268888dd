import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ContextLoadedToolStore } from '../../src/loaded-tools/context-store.js'
import { InMemoryLoadedToolStore } from '../../src/loaded-tools/in-memory-store.js'
import type { LoadedToolStore, RunScope } from '../../src/loaded-tools/loaded-tool-store.js'
import { messagesWith } from './harness.js'

interface Case {
  name: string
  create: () => LoadedToolStore
}
const CASES: Case[] = [
  { name: 'in-memory', create: () => new InMemoryLoadedToolStore({ ttlMs: 0 }) },
  { name: 'context', create: () => new ContextLoadedToolStore() },
]

/** The scope of one agent call; each call of the result is one more step's view of it. */
function runScope(threadId?: string) {
  const shared = { threadId, requestContext: {}, messageList: {}, state: {} }
  return (messages: unknown = []): RunScope => ({ ...shared, messages })
}
const loadedMessage = (...names: string[]) =>
  messagesWith(...names.map(name => ({ toolName: 'load_tool', result: { success: true, loaded: [name] } })))

describe.each(CASES)('every store: $name', ({ create }) => {
  it('starts with nothing loaded', () => {
    expect(create().startStep(runScope('t')())).toEqual([])
  })

  it('has a name from the step after its loading on, while the messages show it', () => {
    const store = create()
    const scope = runScope('t')
    store.startStep(scope())
    store.add(['weather'], scope())
    expect(store.startStep(scope(loadedMessage('weather')))).toEqual(['weather'])
    expect(store.startStep(scope(loadedMessage('weather')))).toEqual(['weather'])
  })

  it('has a name in the step that follows, though the messages do not show it yet', () => {
    const store = create()
    const scope = runScope('t')
    store.startStep(scope())
    store.add(['weather'], scope())
    expect(store.startStep(scope())).toEqual(['weather'])
  })

  it('does so for runs without a thread, too', () => {
    const store = create()
    const scope = runScope()
    store.startStep(scope())
    store.add(['weather'], scope())
    expect(store.startStep(scope())).toEqual(['weather'])
  })

  it('keeps the order of loading and names each once', () => {
    const store = create()
    const scope = runScope('t')
    store.startStep(scope())
    store.add(['b', 'a'], scope())
    store.add(['c', 'b'], scope())
    expect(store.startStep(scope())).toEqual(['b', 'a', 'c'])
  })

  it('keeps threads apart', () => {
    const store = create()
    const [one, two] = [runScope('one'), runScope('two')]
    store.startStep(one())
    store.startStep(two())
    store.add(['weather'], one())
    expect(store.startStep(two())).toEqual([])
    expect(store.startStep(one())).toEqual(['weather'])
  })

  it('adding nothing does nothing', () => {
    const store = create()
    store.add([], runScope('t')())
    expect(store.getStateStats()).toEqual({ threadCount: 0, oldestAccessTime: null })
  })

  it('drops its own state on dispose, which may be called twice', () => {
    const store = create()
    const scope = runScope('t')
    store.startStep(scope())
    store.add(['weather'], scope())
    store.dispose()
    store.dispose()
    expect(store.startStep(scope())).toEqual([])
  })
})

describe('in-memory store', () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: 1_000_000 })
  })
  afterEach(() => {
    vi.useRealTimers()
  })
  const TTL = 600_000
  const at = (threadId?: string): RunScope => ({ threadId })

  it('shares one entry between all callers without a thread', () => {
    const store = new InMemoryLoadedToolStore({ ttlMs: 0 })
    store.add(['weather'], at())
    expect(store.loadedNames(at())).toEqual(['weather'])
    expect(store.loadedNames(at('default'))).toEqual(['weather'])
  })

  it('keeps an entry that is exactly the time to live old, and removes an older one', () => {
    const store = new InMemoryLoadedToolStore({ ttlMs: TTL })
    store.add(['weather'], at('t'))
    vi.setSystemTime(1_000_000 + TTL)
    expect(store.cleanupNow()).toBe(0)
    vi.setSystemTime(1_000_001 + TTL)
    expect(store.cleanupNow()).toBe(1)
    expect(store.loadedNames(at('t'))).toEqual([])
    store.dispose()
  })

  it('revives an expired entry that was not swept yet', () => {
    const store = new InMemoryLoadedToolStore({ ttlMs: TTL })
    store.add(['weather'], at('t'))
    vi.setSystemTime(1_000_000 + 2 * TTL)
    expect(store.startStep(at('t'))).toEqual(['weather'])
    expect(store.cleanupNow()).toBe(0)
    store.dispose()
  })

  it('sweeps on a timer, at half the time to live but not within a minute', () => {
    const store = new InMemoryLoadedToolStore({ ttlMs: TTL })
    store.add(['weather'], at('t'))
    vi.advanceTimersByTime(TTL)
    expect(store.getStateStats().threadCount).toBe(1)
    vi.advanceTimersByTime(TTL / 2)
    expect(store.getStateStats().threadCount).toBe(0)
    store.dispose()
    const quick = new InMemoryLoadedToolStore({ ttlMs: 10 })
    quick.add(['weather'], at('t'))
    vi.advanceTimersByTime(59_999)
    expect(quick.getStateStats().threadCount).toBe(1)
    vi.advanceTimersByTime(1)
    expect(quick.getStateStats().threadCount).toBe(0)
    quick.dispose()
  })

  it('has one timer until disposed, and none with a time to live of 0', () => {
    const store = new InMemoryLoadedToolStore({ ttlMs: TTL })
    expect(vi.getTimerCount()).toBe(1)
    store.dispose()
    expect(vi.getTimerCount()).toBe(0)
    new InMemoryLoadedToolStore({ ttlMs: 0 })
    expect(vi.getTimerCount()).toBe(0)
  })

  it('never sweeps with a time to live of 0', () => {
    const store = new InMemoryLoadedToolStore({ ttlMs: 0 })
    store.add(['weather'], at('t'))
    vi.setSystemTime(10 ** 12)
    expect(store.cleanupNow()).toBe(0)
  })

  it('does not spin on a time to live longer than a timer can be', () => {
    const store = new InMemoryLoadedToolStore({ ttlMs: 10 ** 12 })
    store.add(['weather'], at('t'))
    vi.advanceTimersByTime(1_000)
    expect(store.getStateStats().threadCount).toBe(1)
    store.dispose()
  })

  it('counts threads that only looked, and tells the oldest access', () => {
    const store = new InMemoryLoadedToolStore({ ttlMs: 0 })
    store.startStep(at('old'))
    vi.setSystemTime(2_000_000)
    store.loadedNames(at('new'))
    expect(store.getStateStats()).toEqual({ threadCount: 2, oldestAccessTime: 1_000_000 })
    store.clearState('old')
    expect(store.getStateStats()).toEqual({ threadCount: 1, oldestAccessTime: 2_000_000 })
    store.clearAllState()
    expect(store.getStateStats()).toEqual({ threadCount: 0, oldestAccessTime: null })
  })
})

describe('context store', () => {
  const store = () => new ContextLoadedToolStore()

  it('reads a conversation that another process had', () => {
    expect(store().startStep(runScope('t')(loadedMessage('a', 'b')))).toEqual(['a', 'b'])
  })

  it('unloads a name whose message is trimmed', () => {
    const context = store()
    const scope = runScope('t')
    context.startStep(scope())
    context.add(['weather'], scope())
    expect(context.startStep(scope(loadedMessage('weather')))).toEqual(['weather'])
    expect(context.startStep(scope())).toEqual([])
  })

  it('ends a bridged name after one step when its message never arrives', () => {
    const context = store()
    const scope = runScope('t')
    context.startStep(scope())
    context.add(['weather'], scope())
    expect(context.startStep(scope())).toEqual(['weather'])
    expect(context.startStep(scope())).toEqual([])
  })

  it('bridges nothing into another run on the same thread', () => {
    const context = store()
    const first = runScope('t')
    context.startStep(first())
    context.add(['weather'], first())
    expect(context.startStep(runScope('t')())).toEqual([])
  })

  it('bridges nothing between anonymous callers, even of one shared request context', () => {
    const context = store()
    const requestContext = {}
    const one = { threadId: undefined, requestContext, messageList: {}, state: {}, messages: [] }
    const two = { threadId: undefined, requestContext, messageList: {}, state: {}, messages: [] }
    context.startStep(one)
    context.startStep(two)
    context.add(['weather'], one)
    expect(context.startStep(two)).toEqual([])
    expect(context.startStep(one)).toEqual(['weather'])
  })

  it('knows a run by state and request context when each step has its own message list (durable agents)', () => {
    const context = store()
    const shared = { threadId: 't', requestContext: {}, state: {}, messages: [] }
    context.startStep({ ...shared, messageList: {} })
    context.add(['weather'], { ...shared, messageList: {} })
    expect(context.startStep({ ...shared, messageList: {} })).toEqual(['weather'])
  })

  it('knows no run on another thread, though all objects are the same', () => {
    const context = store()
    const objects = { requestContext: {}, state: {}, messageList: {}, messages: [] }
    context.startStep({ ...objects, threadId: 'one' })
    context.add(['weather'], { ...objects, threadId: 'one' })
    expect(context.startStep({ ...objects, threadId: 'two' })).toEqual([])
  })

  it('answers a resume of the same request with the names of its last step', () => {
    const context = store()
    const scope = runScope('t')
    context.startStep(scope(loadedMessage('weather')))
    const { requestContext } = scope()
    expect(context.loadedNames({ threadId: 't', requestContext })).toEqual(['weather'])
    expect(context.loadedNames({ threadId: 'other', requestContext })).toEqual([])
    expect(context.loadedNames({ threadId: 't', requestContext: {} })).toEqual([])
    context.startStep(scope())
    expect(context.loadedNames({ threadId: 't', requestContext })).toEqual([])
  })

  it('answers a resume that has messages from them alone', () => {
    const scope = { threadId: 't', requestContext: {}, messages: loadedMessage('a') }
    expect(store().loadedNames(scope)).toEqual(['a'])
  })

  it('has nothing to clear, count or sweep', () => {
    const context = store()
    const scope = runScope('t')
    context.startStep(scope())
    context.add(['weather'], scope())
    context.clearState()
    context.clearAllState()
    expect(context.cleanupNow()).toBe(0)
    expect(context.getStateStats()).toEqual({ threadCount: 0, oldestAccessTime: null })
    expect(context.startStep(scope())).toEqual(['weather'])
  })
})
