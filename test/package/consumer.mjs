// Runs inside an empty project that has installed the packed tarball, @mastra/core and zod: `node consumer.mjs`.
// Prints one line of JSON for package.test.ts.
import { createRequire } from 'node:module'
import { MessageList } from '@mastra/core/agent'
import { RequestContext } from '@mastra/core/request-context'
import { createTool } from '@mastra/core/tools'
import * as api from 'mastra-semantic-tool-search'
import { z } from 'zod'

const require = createRequire(import.meta.url)
const manifest = require('mastra-semantic-tool-search/package.json')

const nativeBefore = Object.keys(require.cache).filter(path => path.endsWith('.node'))

// Every entry of the exports map can be imported.
const entries = Object.keys(manifest.exports).filter(entry => !entry.endsWith('.json'))
for (const entry of entries) await import(`mastra-semantic-tool-search${entry.slice(1)}`)

const warnings = []
console.warn = message => warnings.push(String(message))

function tools(descriptions) {
  const make = ([id, description]) => [
    id,
    createTool({ id, description, inputSchema: z.object({ input: z.string() }), execute: async () => id }),
  ]
  return Object.fromEntries(Object.entries(descriptions).map(make))
}

async function search(options, query) {
  const processor = new api.SemanticToolSearchProcessor(options)
  const step = await processor.processInputStep({
    messages: [],
    messageList: new MessageList({}),
    requestContext: new RequestContext(),
    state: {},
    tools: {},
    stepNumber: 0,
  })
  const { results } = await step.tools.search_tools.execute({ query }, {})
  return results.map(({ name }) => name)
}

// A query without a word of the tool's text: only the model can find it. `minScore: 0`, since this is about the model
// being there and read, not about where the scores are cut.
const smallCatalog = tools({
  get_weather: 'Current conditions and forecast for a place',
  create_invoice: 'Bills a customer for goods or services',
  open_issue: 'Reports a bug in a repository',
  send_email: 'Sends a message to a recipient',
})
const query = 'will it rain tomorrow'
const bundledModel = await search({ tools: smallCatalog, search: { topK: 1, minScore: 0 } }, query)
const { mode, results } = await api.createToolSearcher({ tools: smallCatalog }).search(query, { topK: 1, minScore: 0 })
const withoutAgent = { mode, names: results.map(({ name }) => name) }

// A catalog so large that HNSW is worth it (2,000 tools and more), with vectors that cost nothing.
const embed = async texts =>
  texts.map(text => Array.from({ length: 32 }, (_, i) => Math.sin((Number(text.match(/\d+/)?.[0] ?? 0) + 1) * (i + 1))))
const largeCatalog = await search(
  {
    tools: tools(Object.fromEntries(Array.from({ length: 3_000 }, (_, i) => [`tool_${i}`, `Does number ${i}`]))),
    embedder: { modelId: 'sines', dimensions: 32, embedQueries: embed, embedDocuments: embed },
    search: { topK: 3 },
  },
  'number 1234',
)

console.log(
  JSON.stringify({
    names: Object.keys(api),
    entries,
    nativeBefore,
    bundledModel,
    withoutAgent,
    largeCatalog,
    warnings,
  }),
)
