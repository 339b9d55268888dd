import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { InMemoryStore } from '@mastra/core/storage'
import { LibSQLStore } from '@mastra/libsql'
import { Memory } from '@mastra/memory'
import { expect, it } from 'vitest'
import { queriesFromTraces } from '../../src/tuning/traces.js'
import { CALL_WEATHER, LOAD_WEATHER, makeScene, SEARCH_FORECAST } from './agent-harness.js'

it.each(['InMemoryStore', 'LibSQLStore'])('messages out of %s tell which tools served a query', async kind => {
  const folder = await mkdtemp(join(tmpdir(), 'tool-search-traces-'))
  const storage =
    kind === 'InMemoryStore' ? new InMemoryStore() : new LibSQLStore({ id: 's', url: `file:${folder}/a.db` })
  const { agent, play } = makeScene({ storage, agent: { memory: new Memory({ storage }) } })
  for (const thread of ['a', 'b']) {
    play(SEARCH_FORECAST, LOAD_WEATHER, CALL_WEATHER, 'done')
    await agent.generate('Weather?', { memory: { thread, resource: 'user' } })
  }

  // As the README has it.
  const memory = (await storage.getStore('memory'))!
  const lines: string[] = []
  for (const { id: threadId } of (await memory.listThreads({ perPage: false })).threads) {
    const { messages } = await memory.listMessages({ threadId, perPage: false })
    lines.push(...messages.map(message => `${JSON.stringify(message)}\n`))
  }
  expect(queriesFromTraces(lines.join(''))).toMatchObject({
    queries: [{ query: 'forecast', relevant: ['weather'] }],
    repeated: 1,
    unanswered: 0,
    badLines: [],
  })
  await rm(folder, { recursive: true, force: true })
})
