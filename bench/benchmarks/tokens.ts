import { Mastra } from '@mastra/core'
import { Agent } from '@mastra/core/agent'
import { ToolSearchProcessor } from '@mastra/core/processors'
import { MASTRA_THREAD_ID_KEY, RequestContext } from '@mastra/core/request-context'
import { InMemoryStore } from '@mastra/core/storage'
import { createTool } from '@mastra/core/tools'
import type { Command } from 'commander'
import { mastraTools, readCatalog } from '../../scripts/quickstart/catalog.js'
import { REQUESTS } from '../../scripts/quickstart/requests.js'
import { type Script, scriptedModel } from '../../scripts/quickstart/scripted-model.js'
import { promptTokens, TOKENIZER } from '../../scripts/quickstart/tokens.js'
import { defaultEmbedder } from '../../src/embedding/default-embedder.js'
import { SemanticToolSearchProcessor } from '../../src/processor.js'
import { type Benchmark, type BenchmarkResult, wholeNumber } from '../benchmark.js'
import { cachedEmbedder } from '../cached-embedder.js'
import { loadCorpus, sample } from '../corpora.js'
import { type Metric, meanMetric } from '../metric.js'
import { printTable } from '../table.js'

interface Options {
  tasks: number
}

export const tokens: Benchmark<Options> = {
  name: 'tokens',
  summary: "How many prompt tokens does a task take: all tools in the prompt, ours, Mastra's class? Results included.",
  configure: (command: Command) => command.option('--tasks <count>', 'tasks of the corpus', wholeNumber(1), 50),
  run,
}

const MAX_STEPS = 8

type Tools = Record<string, ReturnType<typeof createTool>>
type Task = Script & { readonly text: string; readonly right?: readonly string[] }

async function run({ tasks }: Options): Promise<BenchmarkResult> {
  const embedder = cachedEmbedder(defaultEmbedder())
  const corpus = loadCorpus('bfcl', Number.POSITIVE_INFINITY, 'test')
  const corpusTools = toolsOf(corpus.tools)
  const single = corpus.queries.filter(({ relevant }) => relevant.length === 1)
  const corpusTasks = sample(single, tasks).map(
    ({ query, relevant }): Task => ({ text: query, searchWords: query, facts: {}, right: relevant.map(agentName) }),
  )
  const sets: Record<string, { tools: Tools; tasks: readonly Task[] }> = {
    quickstart: { tools: mastraTools(readCatalog()), tasks: REQUESTS },
    bfcl: { tools: corpusTools, tasks: corpusTasks },
  }
  const metrics: Record<string, Metric> = {}
  for (const [name, set] of Object.entries(sets)) {
    const { length } = Object.keys(set.tools)
    for (const [figure, metric] of Object.entries(await measureSet(set, embedder))) {
      metrics[`${name} (${length} tools)/${figure}`] = metric
    }
  }
  embedder.save()
  printTable(
    ['figure', 'mean', 'low', 'high'],
    Object.entries(metrics).map(([name, { value, low, high }]) => [name, value, low, high]),
  )
  return { model: embedder.modelId, metrics, details: { tokenizer: TOKENIZER } }
}

/** As Mastra writes a tool's name for a model; of two that it writes alike, an agent takes only one. */
const agentName = (name: string) => name.replace(/[^\w-]/g, '_')

function toolsOf(tools: Readonly<Record<string, object>>): Tools {
  return Object.fromEntries(
    Object.entries(tools).map(([name, tool]) => {
      const id = agentName(name)
      const execute = async () => `${id} did what it was asked.`
      return [id, createTool({ ...tool, id, execute } as unknown as Parameters<typeof createTool>[0])]
    }),
  )
}

async function measureSet(
  { tools, tasks }: { tools: Tools; tasks: readonly Task[] },
  embedder: ReturnType<typeof cachedEmbedder>,
): Promise<Record<string, Metric>> {
  const ours = new SemanticToolSearchProcessor({ tools, embedder, strict: true })
  const mastra = new ToolSearchProcessor({ tools: tools as never })
  const sums: Record<string, number[]> = { 'all tools': [], ours: [], mastra: [] }
  const served: Record<string, number[]> = { ours: [], mastra: [] }
  for (const task of tasks) {
    const bySearch = { ours: await serve(task, [ours]), mastra: await serve(task, [mastra]) }
    for (const [name, { total, called }] of Object.entries(bySearch)) {
      sums[name]!.push(total)
      if (task.right) served[name]!.push(task.right.includes(called) ? 1 : 0)
    }
    // With all tools in the prompt nothing is searched: the model calls the tool that it would have found.
    const directTool = task.right?.[0] ?? bySearch.ours.called
    sums['all tools']!.push((await serve({ ...task, directTool }, undefined, tools)).total)
  }
  ours.dispose()
  const metrics = Object.fromEntries(
    Object.entries(sums).map(([name, values]) => [
      `${name}: tokens a task`,
      meanMetric(values, { unit: 'tokens', better: name === 'ours' ? 'lower' : null }),
    ]),
  )
  for (const [name, values] of Object.entries(served)) {
    if (values.length === 0) continue
    metrics[`${name}: first tool loaded is right`] = meanMetric(values, {
      unit: 'share',
      better: name === 'ours' ? 'higher' : null,
    })
  }
  return metrics
}

/** Lets an agent with a scripted model do the task, and sums up the tokens of all its prompts. */
async function serve(
  task: Task,
  inputProcessors: (SemanticToolSearchProcessor | ToolSearchProcessor)[] | undefined,
  tools?: Tools,
): Promise<{ total: number; called: string }> {
  const { model, steps } = scriptedModel(task)
  const setting = tools ? { tools } : { inputProcessors }
  const agent = new Agent({
    id: 'assistant',
    name: 'Assistant',
    instructions: 'Help the user.',
    model,
    ...(setting as object),
  })
  new Mastra({ agents: { assistant: agent }, logger: false, storage: new InMemoryStore() })
  const requestContext = new RequestContext()
  requestContext.set(MASTRA_THREAD_ID_KEY, `${task.text} ${tools ? 'all' : inputProcessors![0]!.constructor.name}`)
  await agent.generate(task.text, { requestContext, maxSteps: MAX_STEPS })
  const calls = steps.flatMap(({ decision }) => ('call' in decision ? [decision.call] : []))
  return { total: steps.reduce((sum, { received }) => sum + promptTokens(received), 0), called: calls.at(-1) ?? '' }
}
