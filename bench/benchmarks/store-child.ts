import { PgVector } from '@mastra/pg'
import { SemanticToolSearchProcessor } from '../../src/processor.js'
import { manyTools } from '../many-tools.js'
import { stepOf } from '../step.js'

/** What one process of the store benchmark does: it starts, searches once, and prints its resident set in MiB. */
export interface StoreTask {
  readonly size: number
  /** Folder of the local index. */
  readonly index?: string
  readonly store?: { readonly url: string; readonly indexName: string }
}

const { size, index, store } = JSON.parse(process.argv[2]!) as StoreTask
const vectorStore = store && {
  store: new PgVector({ id: 'bench', connectionString: store.url }),
  indexName: store.indexName,
  timeoutMs: 60_000,
}
const processor = new SemanticToolSearchProcessor({ tools: manyTools(size), index, vectorStore, strict: true })
await processor.warmup()
await (await stepOf(processor)).search_tools.execute({ query: 'current weather' }, {})
for (let i = 0; i < 5; i++) {
  await new Promise(resolve => setTimeout(resolve, 50))
  globalThis.gc!()
}
const { rss, arrayBuffers } = process.memoryUsage()
console.log(JSON.stringify({ rss: rss / 2 ** 20, buffers: arrayBuffers / 2 ** 20 }))
process.exit()
