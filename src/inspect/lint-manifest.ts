import type { ManifestTool, ToolIndex } from '../artifact/tool-index.js'
import { isCut, MIN_READABLE_SHARE } from './facts.js'
import type { Finding } from './finding.js'

// A stray one comes with copied text; hidden orders take more.
const MANY_INVISIBLE_CHARACTERS = 10

/** Findings that a tool's entry in the manifest gives by itself. */
export function lintManifest({ manifest: { tools, model } }: ToolIndex): Finding[] {
  return tools.flatMap(tool => [
    ...lintDescription(tool),
    ...lintCharacters(tool),
    ...lintLength(tool, model.maxTokens),
  ])
}

function lintDescription({ name, descriptionWords }: ManifestTool): Finding[] {
  if (descriptionWords > 1) return []
  const isMissing = descriptionWords === 0
  return [
    {
      rule: isMissing ? 'missing-description' : 'one-word-description',
      severity: 'warning',
      tools: [name],
      message: isMissing ? 'No description.' : 'One word.',
      value: descriptionWords,
    },
  ]
}

function lintCharacters({ name, invisibleCharacters, readableShare }: ManifestTool): Finding[] {
  const findings: Finding[] = []
  if (invisibleCharacters > 0) {
    findings.push({
      rule: 'invisible-characters',
      severity: invisibleCharacters >= MANY_INVISIBLE_CHARACTERS ? 'error' : 'warning',
      tools: [name],
      message: invisibleCharacters === 1 ? '1 character.' : `${invisibleCharacters} characters.`,
      value: invisibleCharacters,
    })
  }
  if (readableShare < MIN_READABLE_SHARE) {
    findings.push({
      rule: 'unreadable',
      severity: 'warning',
      tools: [name],
      message: `${Math.round(readableShare * 100)} % readable.`,
      value: readableShare,
    })
  }
  return findings
}

function lintLength(tool: ManifestTool, maxTokens: number): Finding[] {
  if (!isCut(tool, maxTokens)) return []
  const { name, tokens } = tool
  const message =
    tokens !== null && tokens > maxTokens
      ? `${tokens} tokens; the model reads ${maxTokens}.`
      : 'The description or the parameters exceed what a document takes of them.'
  return [{ rule: 'cut-document', severity: 'note', tools: [name], message, value: tokens }]
}
