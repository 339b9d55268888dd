import { byMessage, type Finding } from '../../inspect/finding.js'
import { limitsOf } from '../../inspect/limits.js'
import type { InspectData, RuleFindings } from '../inspect-data.js'
import { button, element, foreign, section } from './dom.js'
import { plural } from './format.js'

// What opens at once; the rest follows on a click.
const SHOWN = 20
const TOOLS_SHOWN = 12

/** The lint's findings by rule. `select` shows a tool on the map and in the table. */
export function findingsSection(data: InspectData, select: (name: string) => void): HTMLElement {
  const { findings } = data
  const body =
    findings.length === 0
      ? [element('p', { class: 'card' }, element('span', { class: 'badge good' }, 'ok'), ' The lint found nothing.')]
      : findings.map((found, at) => ruleDetails(found, at === 0, select))
  return section('findings', 'Findings', ...body, ...limits(data))
}

function ruleDetails(
  { title, advice, findings }: RuleFindings,
  isOpen: boolean,
  select: (name: string) => void,
): HTMLElement {
  const severities = [...new Set(findings.map(({ severity }) => severity))]
  return element(
    'details',
    { class: 'card', open: isOpen },
    element(
      'summary',
      {},
      ...severities.map(severity => element('span', { class: `badge ${severity}` }, severity)),
      element('span', { class: 'rule' }, title),
      element('span', { class: 'count number' }, findings.length),
    ),
    element('p', { class: 'advice' }, advice),
    inParts(items(findings, select), SHOWN, 'ul'),
  )
}

function items(findings: readonly Finding[], select: (name: string) => void): (() => HTMLElement)[] {
  return byMessage(findings).map(({ message, tools }) => () => {
    const chips = tools.map(name => () => button({ class: 'chip' }, () => select(name), foreign(name)))
    return element('li', {}, inParts(chips, TOOLS_SHOWN, 'div', 'chips'), element('p', {}, foreign(message)))
  })
}

/** The first parts, and a button that adds the others. */
function inParts(make: readonly (() => HTMLElement)[], shown: number, tag: 'ul' | 'div', name?: string): HTMLElement {
  const holder = element(tag, { class: name }, ...make.slice(0, shown).map(one => one()))
  const rest = make.slice(shown)
  if (rest.length === 0) return holder
  const more = button(
    { class: 'more' },
    () => {
      const [first, ...others] = rest.map(one => one())
      const place = tag === 'ul' ? more.parentElement! : more
      place.replaceWith(first!, ...others)
      // The button that had the focus is gone.
      const target = first!.matches('button') ? first! : first!.querySelector('button')
      target?.focus()
    },
    `Show ${plural(rest.length, 'more', 'more')}`,
  )
  holder.append(tag === 'ul' ? element('li', {}, more) : more)
  return holder
}

function limits({ checks }: InspectData): HTMLElement[] {
  const sentences = limitsOf(checks)
  return sentences.length === 0 ? [] : [element('p', { class: 'muted note' }, sentences.join(' '))]
}
