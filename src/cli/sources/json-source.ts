import { readFile } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import { messageOf } from '../../show.js'
import { untilAborted } from '../../wait.js'
import { decodeText } from '../decode-text.js'
import { CliError } from '../failure.js'
import { toolsInJson } from './json-formats.js'
import type { JsonSpec } from './source-spec.js'
import type { LoadedSource } from './tool-source.js'

export interface JsonOptions {
  readonly stdin: NodeJS.ReadableStream
  readonly abortSignal: AbortSignal
}

/**
 * The tools of a JSON file or of stdin; with a server's name in front of each, as Mastra's MCPClient names them.
 * @throws {CliError} naming the file where it cannot be read, is no JSON, or has no tools in it.
 */
export async function loadJson(spec: JsonSpec, { stdin, abortSignal }: JsonOptions): Promise<LoadedSource> {
  const { label, path, server } = spec
  const bytes = await untilAborted(readBytes(label, path, stdin), abortSignal)
  const tools = toolsInJson(parseJson(decode(bytes, label), label), label)
  if (server === undefined) return { label, tools }
  return { label, tools: tools.map(({ key, tool }) => ({ key: `${server}_${key}`, tool })) }
}

async function readBytes(label: string, path: string | undefined, stdin: NodeJS.ReadableStream): Promise<Buffer> {
  try {
    return path === undefined ? await buffer(stdin) : await readFile(path)
  } catch (error) {
    throw new CliError('SOURCE_INVALID', `${label} cannot be read: ${messageOf(error)}`, { cause: error })
  }
}

function decode(bytes: Buffer, label: string): string {
  const text = decodeText(bytes)
  if (text !== undefined) return text
  throw new CliError('SOURCE_INVALID', `${label} is not text in UTF-8, so it is no JSON. Is it the right file?`)
}

function parseJson(text: string, label: string): unknown {
  if (text.trim() === '') throw new CliError('SOURCE_INVALID', `${label} is empty. Expected tools as JSON.`)
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new CliError('SOURCE_INVALID', `${label} is no valid JSON: ${messageOf(error)}`, { cause: error })
  }
}
