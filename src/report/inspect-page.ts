import { basename } from 'node:path'
import type { ToolIndex } from '../artifact/tool-index.js'
import { type Finding, RULES, type Rule } from '../inspect/finding.js'
import type { Inspection } from '../inspect/inspect.js'
import type { Projection } from '../inspect/projection.js'
import type { InspectData, RuleFindings } from './inspect-data.js'
import { renderPage } from './shell.js'

const SUMMARY_CHARACTERS = 140

/** The report of an inspection as one HTML file. */
export function inspectPage(index: ToolIndex, inspection: Inspection, projection: Projection): Promise<string> {
  const data = inspectData(index, inspection, projection)
  return renderPage({ name: 'inspect', title: `${data.title}: tool index report`, data })
}

/** What the page shows: no path of the machine, which made it. */
export function inspectData(
  { documents }: ToolIndex,
  inspection: Inspection,
  { method, points }: Projection,
): InspectData {
  const { path, ...facts } = inspection.facts
  return {
    title: basename(path),
    facts,
    checks: inspection.checks,
    findings: findingsByRule(inspection.findings),
    map: method,
    tools: inspection.tools.map((tool, row) => ({
      name: tool.name,
      group: tool.group,
      tokens: tool.tokens,
      isCut: tool.isCut,
      words: tool.descriptionWords,
      readable: tool.readableShare,
      nearest: tool.nearest?.name ?? null,
      cosine: tool.nearest && rounded(tool.nearest.cosineSimilarity),
      x: rounded(points[row * 2]!),
      y: rounded(points[row * 2 + 1]!),
      ...(documents && { summary: shortened(documents[row]!.description) }),
    })),
  }
}

/** In the order of the findings, which is that of gravity. */
export function findingsByRule(findings: readonly Finding[]): RuleFindings[] {
  const byRule = new Map<Rule, Finding[]>()
  for (const finding of findings) {
    const known = byRule.get(finding.rule)
    if (known) known.push(finding)
    else byRule.set(finding.rule, [finding])
  }
  return [...byRule].map(([rule, found]) => ({ ...RULES[rule], findings: found }))
}

// A thousandth of the map is less than a pixel.
const rounded = (value: number) => Math.round(value * 10_000) / 10_000

function shortened(text: string): string {
  return text.length > SUMMARY_CHARACTERS ? `${text.slice(0, SUMMARY_CHARACTERS).toWellFormed().trimEnd()}…` : text
}
