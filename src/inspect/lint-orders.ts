import type { ToolIndex } from '../artifact/tool-index.js'
import type { DocumentFields } from '../catalog/document.js'
import type { Finding } from './finding.js'

const SENTENCE = /[^.!?\n。！？]+/g

// A claim on requests or over tools that are not this tool's own ...
const CLAIM =
  /\b(?:for|to|on|over|than|before|at|answer|complete)\s+(?:the\s+start\s+of\s+)?(?:every|any|all)\s+(?:\w+\s+){0,2}(?:requests?|quer(?:y|ies)|tasks?|questions?|conversations?|prompts?|tools?)\b|\b(?:whatever|anything|everything)\s+(?:the\s+)?user\b|\b(?:the|any|all)\s+other\s+tools?\b/i

// ... together with an order.
const ORDER = /\b(?:always|must|first|prefer(?:red)?|instead|ignore|required?|before|use (?:this|it|me)|should use)\b/i

// What only the model is told, and the user is not to know.
const SECRET =
  /\bdo(?:n't| not) (?:tell|inform|mention|reveal)\b.*\buser|\bwithout (?:telling|informing) the user\b|<\s*(?:important|system|instructions?)\s*>|\bignore (?:all |any )?(?:previous|prior|earlier) (?:instructions|prompts|messages)\b/i

const MAX_QUOTED = 120

/**
 * Descriptions that put their tool before all others or tell the model to hide something; English only. On bench/data
 * (9,117 tools) it finds one: "REQUIRED FIRST STEP: ... for ANY biomedical research task".
 */
export function lintOrders({ manifest, documents }: ToolIndex): Finding[] {
  return manifest.tools.flatMap(({ name, givesOrders }, row): Finding[] => {
    if (!givesOrders) return []
    const order = documents && orderOf(documents[row]!)
    const message = order === undefined ? UNQUOTED : `"${shortened(order)}"`
    return [{ rule: 'orders-the-model', severity: 'warning', tools: [name], message, value: null }]
  })
}

const UNQUOTED = 'The index does not store the text; read it in the tool.'

const shortened = (text: string) => (text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}…` : text)

/** The first sentence that gives an order, if one does. */
export function orderOf({ description, parameters }: Pick<DocumentFields, 'description' | 'parameters'>) {
  const sentences = `${description}\n${parameters}`.match(SENTENCE) ?? []
  return sentences.find(sentence => (CLAIM.test(sentence) && ORDER.test(sentence)) || SECRET.test(sentence))?.trim()
}
