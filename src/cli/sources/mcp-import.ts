import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { messageOf } from '../../show.js'
import { CliError } from '../failure.js'

const PACKAGE = '@mastra/mcp'

/**
 * Mastra's MCP client, an optional peer: beside this package, else in the project that the command runs in (npx may
 * have put this package elsewhere).
 */
export async function importMcp() {
  const [mcp, { noopLogger }] = await Promise.all([
    import('@mastra/mcp').catch(importFromProject),
    import('@mastra/core/logger'),
  ])
  return { MCPClient: mcp.MCPClient, noopLogger }
}

async function importFromProject(error: unknown): Promise<typeof import('@mastra/mcp')> {
  if (!isMissing(error)) {
    throw new CliError('MCP_UNAVAILABLE', `${PACKAGE} cannot be loaded: ${messageOf(error)}`, { cause: error })
  }
  let path: string
  try {
    path = createRequire(join(process.cwd(), 'package.json')).resolve(PACKAGE)
  } catch {
    throw new CliError('MCP_UNAVAILABLE', `--mcp needs ${PACKAGE}, which is not installed: npm install ${PACKAGE}`)
  }
  return import(pathToFileURL(path).href)
}

const isMissing = (error: unknown) =>
  error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND' && error.message.includes(PACKAGE)
