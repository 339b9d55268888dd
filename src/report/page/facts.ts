import type { InspectData } from '../inspect-data.js'
import { element, foreign, pageHeader, section, tiles } from './dom.js'
import { byteSize, dateTime, plural, whole } from './format.js'

/** The heading of the page: what the index is. */
export function header({ title, facts }: InspectData): HTMLElement {
  return pageHeader(
    'Tool index report',
    title,
    `Built ${dateTime(facts.builtAt)} with `,
    foreign(facts.model.id),
    `, version ${facts.packageVersion}`,
  )
}

export function factsSection({ facts, checks }: InspectData): HTMLElement {
  const { model, tokens } = facts
  const figures: [string, string, string?][] = [
    ['Tools', whole(facts.tools), plural(facts.groups.length, 'group')],
    ['Size', byteSize(facts.bytes), facts.hasDocuments ? 'with texts' : 'without texts'],
    ['Vectors', whole(model.dimensions), 'dimensions'],
    ['Search', facts.hasGraph ? 'HNSW' : 'Exact', facts.hasGraph ? 'graph stored' : 'no graph stored'],
    ['Median length', tokens ? whole(tokens.median) : '–', tokens ? 'tokens' : 'not counted'],
    ['Cut', whole(facts.cut.length), `texts; the model reads ${whole(model.maxTokens)} tokens`],
    ['Near-duplicates', whole(checks.duplicatePairs), 'pairs, cosine from 0.95'],
    ['Adapted', facts.adaptation ? whole(facts.adaptation.queries) : 'No', 'queries learnt from'],
    ['Calibrated', facts.calibration ? whole(facts.calibration.queries) : 'No', 'queries that scores fit'],
    ['Unreadable', whole(facts.unreadable.length), 'texts, by half or more'],
  ]
  return section('facts', 'Facts', tiles(figures), tokens && lengths(tokens, model.maxTokens))
}

type TokenLengths = NonNullable<InspectData['facts']['tokens']>

function lengths({ histogram, longest }: TokenLengths, maxTokens: number): HTMLElement {
  const most = Math.max(...histogram.map(({ tools }) => tools))
  const bars = histogram.map(({ from, to, tools }) => {
    const bar = element('span', { class: from > maxTokens ? 'bar beyond' : 'bar' })
    bar.style.inlineSize = `${(tools / most) * 100}%`
    return element(
      'li',
      {},
      element('span', { class: 'muted number' }, `${whole(from)}–${whole(to)}`),
      element('span', { class: 'track', 'aria-hidden': 'true' }, bar),
      element('span', { class: 'number' }, whole(tools)),
    )
  })
  const rows = longest.map(({ name, tokens, isCut }) =>
    element(
      'li',
      {},
      element('span', { class: 'name' }, foreign(name)),
      isCut ? element('span', { class: 'badge warning' }, 'cut') : null,
      element('span', { class: 'number' }, whole(tokens)),
    ),
  )
  return element(
    'div',
    { class: 'columns' },
    element(
      'div',
      { class: 'card' },
      element('h3', {}, 'Length of texts, in tokens'),
      element('ol', { class: 'histogram' }, ...bars),
      element('p', { class: 'muted note' }, `Orange: beyond the ${whole(maxTokens)} tokens that the model reads.`),
    ),
    element('div', { class: 'card' }, element('h3', {}, 'Longest texts'), element('ol', { class: 'longest' }, ...rows)),
  )
}
