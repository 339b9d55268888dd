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

const { stepOf } = await import('../step.js')
const { ToolSearchProcessor } = await import('@mastra/core/processors')

if (task === 'mastra') {
  await note('start')
  if (size > 0) {
    const { manyTools } = await import('../many-tools.js')
    const processor = new ToolSearchProcessor({ tools: manyTools(size) as never })
    await (await stepOf(processor)).search_tools.execute({ query: 'current weather' }, {})
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
    const { manyTools } = await import('../many-tools.js')
    const { SEED, seededRandom } = await import('../corpora.js')
    const folder = mkdtempSync(join(tmpdir(), 'bench-memory-'))
    const out = join(folder, 'index')
    const random = seededRandom(SEED)
    const drawn = () => Float32Array.from({ length: embedder.dimensions }, () => random() - 0.5)
    // Vectors without the model: only their number counts.
    const fast = { ...embedder, embedDocuments: async (texts: readonly string[]) => texts.map(drawn) }
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
    const { search_tools } = await stepOf(processor)
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
      const meta = await stepOf(processor, { threadId: `thread-${at}` })
      const { results } = await meta.search_tools.execute({ query: `weather in city ${at % 50}` }, {})
      if (results[0]) await meta.load_tool.execute({ toolName: results[0].name }, {})
    }
    await note('threads')
    processor.dispose()
  }
}

console.log(JSON.stringify(figures))
