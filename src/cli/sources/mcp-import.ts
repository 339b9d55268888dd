import { importPeer } from '../optional-peer.js'

/** Mastra's MCP client, an optional peer. */
export async function importMcp() {
  const peer = { name: '@mastra/mcp', load: () => import('@mastra/mcp'), neededBy: '--mcp' }
  const [mcp, { noopLogger }] = await Promise.all([
    importPeer({ ...peer, code: 'MCP_UNAVAILABLE' }),
    import('@mastra/core/logger'),
  ])
  return { MCPClient: mcp.MCPClient, noopLogger }
}
