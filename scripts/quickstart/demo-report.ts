import type { DemoRequest } from './requests.js'
import { type Found, foundTools, lastToolResult, type ModelStep, textOf } from './scripted-model.js'
import {
  BAR_WIDTH,
  colors,
  oneLine,
  print,
  printBlank,
  printColumns,
  printHeading,
  printText,
  scoreBar,
  seconds,
  whole,
} from './terminal.js'
import { promptTokens, TOKENIZER } from './tokens.js'

/** One request, served with tool search and with every tool in the prompt. */
export interface Comparison {
  readonly request: DemoRequest
  readonly searched: readonly ModelStep[]
  readonly direct: readonly ModelStep[]
}

interface RequestReport {
  readonly number: number
  readonly of: number
  readonly request: DemoRequest
  readonly steps: readonly ModelStep[]
  readonly tookMs: number
}

const MAX_NAME_WIDTH = 32
const RESULT_INDENT = 11
const STEP_LAYOUT = [
  { width: 1 },
  { width: 6 },
  { width: 'rest' },
  { width: 7, align: 'right' },
  { width: 12, align: 'right' },
] as const

/** Prints one request step by step: what the model did, what came of it, and the tokens that it was sent. */
export function printRequest({ number, of, request, steps, tookMs }: RequestReport): void {
  printHeading(`Request ${number} of ${of}`)
  printText(colors.bold(`“${request.text}”`))
  printBlank()
  for (const [at, step] of steps.entries()) {
    const { verb, detail } = describe(step)
    const toolCount = step.received.tools?.length ?? 0
    printColumns(
      [
        [
          colors.gray(String(at + 1)),
          colors.green(verb),
          detail,
          colors.gray(`${toolCount} tools`),
          colors.gray(`${whole(promptTokens(step.received))} tokens`),
        ],
      ],
      STEP_LAYOUT,
      { wrap: true },
    )
    const next = steps[at + 1]
    if (next) printResult(next)
  }
  print(colors.gray(`${steps.length} steps in ${seconds(tookMs)}`))
  printBlank()
}

function describe({ decision }: ModelStep): { verb: string; detail: string } {
  if ('answer' in decision) return { verb: 'answer', detail: decision.answer }
  const { call, input } = decision
  if (call === 'search_tools') return { verb: 'search', detail: `“${input.query}”` }
  if (call === 'load_tool') return { verb: 'load', detail: colors.bold(String(input.toolName)) }
  const values = Object.entries(input).map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
  return { verb: 'call', detail: `${colors.bold(call)} ${values.join(', ')}` }
}

/** Prints what a step's tool call brought, as the next step's prompt has it. */
function printResult({ received }: ModelStep): void {
  const result = lastToolResult(received)
  if (result?.toolName === 'search_tools') printFound(foundTools(result))
  else if (result && result.toolName !== 'load_tool') printText(colors.gray(`→ ${textOf(result)}`), RESULT_INDENT)
}

function printFound(found: readonly Found[]): void {
  const nameWidth = Math.min(MAX_NAME_WIDTH, Math.max(1, ...found.map(({ name }) => name.length)))
  const rows = found.map(({ name, description, score }, at) => [
    score.toFixed(2),
    scoreBar(score),
    at === 0 ? colors.bold(name) : name,
    colors.gray(oneLine(description)),
  ])
  if (rows.length === 0) print(colors.yellow('   nothing found'))
  else printColumns(rows, [{ width: 4 }, { width: BAR_WIDTH }, { width: nameWidth }, { width: 'rest' }], { indent: 3 })
}

const sum = (steps: readonly ModelStep[]) => steps.reduce((total, { received }) => total + promptTokens(received), 0)

const percentSaved = (searched: number, direct: number) => `${(100 * (1 - searched / direct)).toFixed(1)} %`

/** Prints the prompt tokens of all steps with tool search against those with every tool in the prompt. */
export function printSavings(comparisons: readonly Comparison[], toolCount: number): void {
  const rows = comparisons.map(({ request, searched, direct }) => ({
    text: request.text,
    searched: sum(searched),
    searchedSteps: searched.length,
    direct: sum(direct),
    directSteps: direct.length,
  }))
  const searched = rows.reduce((total, row) => total + row.searched, 0)
  const direct = rows.reduce((total, row) => total + row.direct, 0)
  const steps = (count: number) => colors.gray(`${count} steps`)
  printHeading('Prompt tokens sent')
  printColumns(
    [
      ['request', '', 'tool search', '', `all ${toolCount} tools`, 'saved'].map(colors.gray),
      ...rows.map(row => [
        row.text,
        steps(row.searchedSteps),
        whole(row.searched),
        steps(row.directSteps),
        whole(row.direct),
        percentSaved(row.searched, row.direct),
      ]),
      ['together', '', whole(searched), '', whole(direct), percentSaved(searched, direct)].map(colors.bold),
    ],
    [
      { width: 'rest' },
      { width: 7, align: 'right' },
      { width: 11, align: 'right' },
      { width: 7, align: 'right' },
      { width: 13, align: 'right' },
      { width: 6, align: 'right' },
    ],
  )
  printBlank()
  const saved = `${percentSaved(searched, direct)} fewer prompt tokens`
  print(`${colors.bold(colors.green(saved))}: ${whole(searched)} instead of ${whole(direct)}`)
  printText(
    colors.gray(
      `Counted (${TOKENIZER}) over the messages and tool definitions that the model was given in every step. ` +
        `"All ${toolCount} tools" is the same agent without the processor; its model calls the right tool at once.`,
    ),
  )
  printBlank()
  print(`Now with your own words:  ${colors.cyan('npm run quickstart -- "merge two PDF files"')}`)
  printBlank()
}
