import type { CatalogFacts } from '../../inspect/facts.js'
import { byMessage, type Finding, RULES, type Severity } from '../../inspect/finding.js'
import type { Inspection } from '../../inspect/inspect.js'
import { limitsOf } from '../../inspect/limits.js'
import { adaptationText, calibrationText } from '../learnt-text.js'
import { printRows, printText } from '../plain-table.js'
import { byteSize, scoreBar, shown, type Terminal, whole } from '../terminal.js'

// What fits a screen; `--json` and `--html` have all.
const GROUPS_SHOWN = 8
const FINDINGS_SHOWN = 8
const NAMES_SHOWN = 30
const BAR_CELLS = 30

const FINDING_INDENT = 2

/** Prints facts and findings for people. */
export function printInspection({ facts, findings, checks }: Inspection, terminal: Terminal): void {
  printFacts(facts, terminal)
  printLengths(facts, terminal)
  printFindings(findings, terminal)
  for (const limit of limitsOf(checks)) printText(limit, 0, terminal, terminal.colors.gray)
}

function printFacts(facts: CatalogFacts, terminal: Terminal): void {
  const { print, colors, width } = terminal
  const { model, groups } = facts
  print(`${colors.bold(shown(facts.path))}  ${whole(facts.tools)} ${facts.tools === 1 ? 'tool' : 'tools'}`)
  const named = groups.slice(0, GROUPS_SHOWN).map(({ name, tools }) => `${shown(name)} ${whole(tools)}`)
  const more = groups.length > GROUPS_SHOWN ? [`${groups.length - GROUPS_SHOWN} more`] : []
  const rows = [
    ['Model', `${model.id}, ${whole(model.dimensions)} dimensions, reads ${whole(model.maxTokens)} tokens`],
    ['Built', `${facts.builtAt}, version ${facts.packageVersion}, format ${facts.formatVersion}`],
    [
      'Size',
      `${byteSize(facts.bytes)}, ${facts.hasGraph ? 'with' : 'without'} a graph, ${facts.hasDocuments ? 'with' : 'without'} texts`,
    ],
    ['Adapted', facts.adaptation ? adaptationText(facts.adaptation) : 'no'],
    ['Calibrated', facts.calibration ? calibrationText(facts.calibration) : 'no'],
    ['Groups', [...named, ...more].join(', ')],
    ['Cut texts', whole(facts.cut.length)],
    ['Unreadable', `${whole(facts.unreadable.length)} (the model knows less than half of the text)`],
  ]
  const head = 12
  for (const [name, value] of rows) printRows([[name!, value!]], [head, width - head], terminal)
}

function printLengths({ tokens }: CatalogFacts, terminal: Terminal): void {
  if (!tokens) return
  const { print, colors, width } = terminal
  const { histogram, longest, min, median, p95, max } = tokens
  print(`\n${colors.bold('Length of texts in tokens')}  ${min} to ${max}, median ${median}, 95 % up to ${p95}`)
  const most = Math.max(...histogram.map(({ tools }) => tools))
  const range = Math.max(...histogram.map(({ from, to }) => `${from}-${to}`.length)) + 2
  const count = whole(most).length + 2
  for (const { from, to, tools } of histogram) {
    print(
      `${`${from}-${to}`.padEnd(range)}${whole(tools).padStart(count - 2)}  ${colors.cyan(scoreBar(tools / most, BAR_CELLS))}`,
    )
  }
  print(`\n${colors.bold('Longest texts')}`)
  for (const tool of longest) {
    printRows([[whole(tool.tokens), tool.isCut ? 'cut' : '', shown(tool.name)]], [8, 5, width - 13], terminal)
  }
}

function printFindings(findings: readonly Finding[], terminal: Terminal): void {
  const { print, colors } = terminal
  print(`\n${colors.bold('Findings')}`)
  if (findings.length === 0) print(`${colors.green('✓')} none`)
  for (const rule of new Set(findings.map(found => found.rule))) {
    const ofRule = findings.filter(found => found.rule === rule)
    const severities = [...new Set(ofRule.map(({ severity }) => paint(severity, terminal)(severity)))].join(', ')
    print(`${severities}  ${colors.bold(RULES[rule].title)}  ${whole(ofRule.length)}`)
    printText(RULES[rule].advice, FINDING_INDENT, terminal, colors.gray)
    printRule(ofRule, terminal)
  }
}

function printRule(findings: readonly Finding[], terminal: Terminal): void {
  const lines = byMessage(findings)
  for (const { message, tools } of lines.slice(0, FINDINGS_SHOWN)) {
    const names = tools.slice(0, NAMES_SHOWN).map(shown).join(', ')
    const more = tools.length > NAMES_SHOWN ? ` and ${whole(tools.length - NAMES_SHOWN)} more` : ''
    printText(`${names}${more}: ${shown(message)}`, FINDING_INDENT, terminal)
  }
  const left = lines.length - FINDINGS_SHOWN
  if (left > 0) printText(`... and ${whole(left)} more; --json and --html have them.`, FINDING_INDENT, terminal)
}

const paint = (severity: Severity, { colors }: Terminal) =>
  ({ error: colors.red, warning: colors.yellow, note: colors.cyan })[severity]
