import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** What one process of the memory benchmark does. Prints resident sets in MiB, as JSON, at its end. */
export interface MemoryTask {
  /** `ours`, `mastra`: a processor over `size` tools; `use`: then searches and threads, with ours. */
  readonly task: 'ours' | 'mastra' | 'use'
  readonly size: number
  readonly searches?: number
  readonly threads?: number
}

const { task, size, searches = 0, threads = 0 } = JSON.parse(process.argv[2]!) as MemoryTask
const figures: Record<string, unknown> = {}

/** After a collection of garbage, so that what is left is what is held. */
async function note(name: string) {
  for (let i = 0; i < 3; i++) {
    await new Promise(resolve => setTimeout(resolve, 20))
    globalThis.gc!()
  }
  figures[name] = process.memoryUsage.rss() / 2 ** 20
}

const { MessageList } = await import('@mastra/core/agent')
const { ToolSearchProcessor } = await import('@mastra/core/processors')
const { MASTRA_THREAD_ID_KEY, RequestContext } = await import('@mastra/core/request-context')

interface Meta {
  search_tools: { execute(input: { query: string }, context: object): Promise<{ results: { name: string }[] }> }
  load_tool: { execute(input: { toolName: string }, context: object): Promise<unknown> }
}

async function metaToolsOf(processor: { processInputStep(args: never): Promise<unknown> }, thread?: string) {
  const requestContext = new RequestContext()
  if (thread !== undefined) requestContext.set(MASTRA_THREAD_ID_KEY, thread)
  const args = { messages: [], messageList: new MessageList({}), requestContext, state: {}, tools: {}, stepNumber: 0 }
  return ((await processor.processInputStep(args as never)) as { tools: Meta }).tools
}

if (task === 'mastra') {
  await note('start')
  if (size > 0) {
    const { manyTools } = await import('../many-tools.js')
    const processor = new ToolSearchProcessor({ tools: manyTools(size) as never })
    await (await metaToolsOf(processor)).search_tools.execute({ query: 'current weather' }, {})
    await note('indexed')
  }
} else {
  const { SemanticToolSearchProcessor } = await import('../../src/processor.js')
  await note('start')
  const { defaultEmbedder } = await import('../../src/embedding/default-embedder.js')
  const embedder = defaultEmbedder()
  await embedder.load!()
  await embedder.embedQueries(['a first query'])
  figures.modelId = embedder.modelId
  await note('model')
  if (size > 0) {
    const { buildToolIndex } = await import('../../src/artifact/build.js')
    const { manyTools, variantEmbedder } = await import('../many-tools.js')
    const folder = mkdtempSync(join(tmpdir(), 'bench-memory-'))
    const out = join(folder, 'index')
    const fast = { ...variantEmbedder(embedder), embedDocuments: fakeDocuments(embedder.dimensions) }
    // Built by another process, so that only opening counts here.
    if (process.argv[3] === 'build')
      await buildToolIndex({ tools: manyTools(size), out: process.argv[4]!, embedder: fast })
    else {
      const { execFileSync } = await import('node:child_process')
      const child = [...process.execArgv, process.argv[1]!, process.argv[2]!, 'build', out]
      execFileSync(process.execPath, child, { stdio: ['ignore', 'ignore', 'inherit'] })
      await measureOurs(out)
    }
    rmSync(folder, { recursive: true, force: true })
  }

  async function measureOurs(index: string) {
    const { manyTools } = await import('../many-tools.js')
    const processor = new SemanticToolSearchProcessor({ tools: manyTools(size), index, embedder, strict: true })
    const { search_tools } = await metaToolsOf(processor)
    await search_tools.execute({ query: 'current weather' }, {})
    await note('indexed')
    if (task !== 'use') return
    await note('before')
    for (let at = 0; at < searches; at++) {
      await search_tools.execute({ query: `weather ${at % 97} in city ${at}` }, {})
      if (at === Math.floor(searches / 10)) await note('tenth')
    }
    await note('searched')
    for (let at = 0; at < threads; at++) {
      const meta = await metaToolsOf(processor, `thread-${at}`)
      const { results } = await meta.search_tools.execute({ query: `weather in city ${at % 50}` }, {})
      if (results[0]) await meta.load_tool.execute({ toolName: results[0].name }, {})
    }
    await note('threads')
    processor.dispose()
  }
}

/** Unit vectors by text, without the model: only their number counts. */
function fakeDocuments(dimensions: number) {
  return async (texts: readonly string[]) =>
    texts.map(text => {
      let state = 7
      for (let i = 0; i < text.length; i++) state = Math.imul(state ^ text.charCodeAt(i), 16_777_619)
      const vector = new Float32Array(dimensions)
      for (let i = 0; i < dimensions; i++) {
        state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0
        vector[i] = state / 2 ** 31
      }
      return vector
    })
}

console.log(JSON.stringify(figures))
