export const SEVERITIES = ['error', 'warning', 'note'] as const

/** `error`: tools cannot be told apart, or one lures the agent; `warning`: searches suffer; `note`: worth knowing. */
export type Severity = (typeof SEVERITIES)[number]

/** What each rule looks for, and the cure; the gravest first. */
export const RULES = {
  'matches-everything': {
    title: 'Descriptions that match almost everything',
    advice: 'They may be chosen for requests that are not theirs. Say what the tool does, and nothing else.',
  },
  'same-document': {
    title: 'Tools of the same text',
    advice: 'No search tells them apart. Reword or drop one.',
  },
  'invisible-characters': {
    title: 'Invisible or bidirectional control characters',
    advice: 'The model reads what people do not see. Remove them from names, descriptions and parameters.',
  },
  'orders-the-model': {
    title: 'Descriptions that give the model orders',
    advice: 'They speak of other requests or tools. Say what the tool does instead.',
  },
  'near-duplicate': {
    title: 'Near-duplicate tools',
    advice: 'Hardly any search tells them apart. Say in each description what the others do not.',
  },
  'missing-description': {
    title: 'Tools without a description',
    advice: 'Only their names and parameters are searched. Say in a sentence what each does.',
  },
  'one-word-description': {
    title: 'Descriptions of a single word',
    advice: 'Say in a sentence what the tool does, and with what.',
  },
  unreadable: {
    title: 'Texts that the model can hardly read',
    advice: 'They are mostly found by their words. Describe them in a language of the model, or use another model.',
  },
  'cut-document': {
    title: 'Texts that are cut',
    advice: 'What comes last is not searched by meaning. Put what the tool does first, and shorten the rest.',
  },
} as const

export type Rule = keyof typeof RULES

/** What a rule of the lint says about one or more tools. */
export interface Finding {
  readonly rule: Rule
  readonly severity: Severity
  /** Callable names. */
  readonly tools: readonly string[]
  /** What was found, as a short sentence; the rule says what to do. */
  readonly message: string
  /** The rule's measure: a cosine similarity, a count, a share; null where there is none. */
  readonly value: number | null
}

/** What is told once: one message of many tools; but tools that belong together are a set of their own. */
export function byMessage(findings: readonly Finding[]): { message: string; tools: readonly string[] }[] {
  const shared = new Map<string, string[]>()
  return findings.flatMap(({ message, tools }) => {
    if (tools.length > 1) return [{ message, tools }]
    const known = shared.get(message)
    if (known) {
      known.push(...tools)
      return []
    }
    const names = [...tools]
    shared.set(message, names)
    return [{ message, tools: names }]
  })
}

/** Whether a severity is at least as grave as another. */
export function isAtLeast(severity: Severity, least: Severity): boolean {
  return SEVERITIES.indexOf(severity) <= SEVERITIES.indexOf(least)
}
