import { createRequire } from 'node:module'
import { MCPClient } from '@mastra/mcp'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeProcessor } from '../processor/harness.js'
import { META, makeScene, resultsOf, STORES } from './agent-harness.js'

// A real MCP server over stdio, from npm.
const SERVER = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/dist/index.js')

let client: MCPClient
let tools: Awaited<ReturnType<MCPClient['listTools']>>

beforeAll(async () => {
  client = new MCPClient({
    id: 'tool-search-test',
    servers: { everything: { command: process.execPath, args: [SERVER, 'stdio'], stderr: 'ignore' } },
  })
  tools = await client.listTools()
}, 60_000)

afterAll(async () => {
  await client?.disconnect()
})

describe('tools of an MCP server', () => {
  it('are many', () => {
    expect(Object.keys(tools).length).toBeGreaterThan(5)
    expect(tools).toHaveProperty('everything_echo')
  })

  it.each(STORES)('are withheld, found, loaded and called with includeResolvedTools (%s)', async storage => {
    const { agent, offered } = makeScene({
      processor: makeProcessor({ storage, includeResolvedTools: true, tools: {}, search: { topK: 3 } }),
      script: [
        [{ tool: 'search_tools', input: { query: 'echoes back the input string' } }],
        [{ tool: 'load_tool', input: { toolName: 'everything_echo' } }],
        [{ tool: 'everything_echo', input: { message: 'hello there' } }],
        'Echoed.',
      ],
      agent: { tools: () => tools },
    })
    const output = await agent.generate('Echo hello there')
    const [search, load, echo] = resultsOf(output)
    expect(search).toMatchObject({
      results: expect.arrayContaining([expect.objectContaining({ name: 'everything_echo' })]),
    })
    expect(load).toMatchObject({ success: true, loaded: ['everything_echo'] })
    expect(JSON.stringify(echo)).toContain('hello there')
    expect(offered).toEqual([META, META, [...META, 'everything_echo'], [...META, 'everything_echo']])
  })

  it('are found as toolsets and as static tools, too', async () => {
    const asToolset = makeScene({
      processor: makeProcessor({ includeResolvedTools: true, tools: {} }),
      script: [[{ tool: 'load_tool', input: { toolNames: ['echo', 'everything_echo'] } }], 'ok'],
    })
    await asToolset.agent.generate('Load', { toolsets: await client.listToolsets() })
    const asStatic = makeScene({
      processor: makeProcessor({ tools }),
      script: [[{ tool: 'load_tool', input: { toolName: 'everything_echo' } }], 'ok'],
    })
    await asStatic.agent.generate('Load')
    expect(asToolset.offered.at(-1)?.length).toBeGreaterThan(META.length)
    expect(asStatic.offered.at(-1)).toEqual([...META, 'everything_echo'])
  })
})
