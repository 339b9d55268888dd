import type { Estimate } from '../../tuning/intervals.js'
import type { ComparedSettings, TuneReport } from '../../tuning/report.js'
import type { TuneData } from '../tune-data.js'
import { element, pageHeader, section, tiles } from './dom.js'
import { plural, whole } from './format.js'
import { decimals, share, shareRange } from './format-share.js'

/** The heading of the page: what was asked, and of how many tools. */
export function header({ title, report }: TuneData): HTMLElement {
  const { queries, tools, aim, seed } = report
  const drafts = queries.drafts > 0 ? `, ${whole(queries.drafts)} of them drafts` : ''
  return pageHeader(
    'Tool search tuning report',
    title,
    `${plural(queries.total, 'query', 'queries')}${drafts}, on ${plural(tools, 'tool')}: ${whole(queries.answerable)} that ` +
      `${plural(queries.tools, 'tool')} answer, ${whole(queries.unanswerable)} that nothing fits. Aim ${aim}, seed ${seed}.`,
  )
}

/** What keeps the figures from meaning what they seem to. */
export function warnings({ warnings: sentences }: TuneReport): HTMLElement {
  return element(
    'ul',
    { class: 'notices', hidden: sentences.length === 0 },
    ...sentences.map(sentence =>
      element(
        'li',
        { class: 'card' },
        element('span', { class: 'badge warning' }, 'note'),
        element('span', {}, sentence),
      ),
    ),
  )
}

/** Settings, how sure they are, and what to expect of them. */
export function recommendedSection({ report, options }: TuneData): HTMLElement {
  const { recommended, queries } = report
  const { onNewQueries, folds, intervals } = recommended
  const range = ({ low, high }: Estimate, digits: number) =>
    low === high ? `always ${low.toFixed(digits)}` : `${low.toFixed(digits)} to ${high.toFixed(digits)}`
  const expected = (name: string, estimate: Estimate | null | undefined): [string, string, string] => [
    name,
    share(estimate?.value ?? null),
    estimate ? shareRange(estimate) : 'not measured',
  ]
  const figures: [string, string, string][] = [
    ['topK', String(recommended.topK), range(intervals.topK, 0)],
    ['minScore', String(recommended.minScore), range(intervals.minScore, 3)],
    expected('Recall', onNewQueries?.recall),
    expected('Of recall without minScore', onNewQueries?.keptRecall),
    expected('Precision', onNewQueries?.precision),
    expected('F1', onNewQueries?.f1),
    expected('Empty when nothing fits', queries.unanswerable > 0 ? onNewQueries?.noAnswer : null),
  ]
  const minScores = folds.map(({ minScore }) => minScore)
  const spread =
    folds.length === 0
      ? 'Below each value its 95 % interval. Too few queries to tell what new ones would give.'
      : `Below each value its 95 % interval. Figures are those of ${folds.length}-fold cross-validation: what to expect on new ` +
        `queries of this kind. ` +
        `The folds recommend a minScore from ${Math.min(...minScores)} to ${Math.max(...minScores)}.`
  return section(
    'recommended',
    'Recommended',
    tiles(figures),
    element('p', { class: 'muted note' }, spread),
    element('pre', { class: 'card', tabindex: 0, 'aria-label': 'Options to paste' }, element('code', {}, options)),
  )
}

export function requirementsSection({ requirements }: TuneReport): HTMLElement[] {
  if (requirements.length === 0) return []
  const items = requirements.map(({ text, value, isMet, missing }) =>
    element(
      'li',
      { class: 'card' },
      element('span', { class: isMet ? 'badge good' : 'badge error' }, isMet ? 'met' : 'missed'),
      element(
        'span',
        {},
        `${text}: ${decimals(value, 4)}${isMet || missing === null ? '' : `, missed by ${decimals(missing, 4)}`}`,
      ),
    ),
  )
  return [section('required', 'Required', element('ul', { class: 'notices' }, ...items))]
}

const LABELS: Record<ComparedSettings['label'], string> = {
  none: 'No minScore',
  default: 'The defaults',
  recommended: 'Recommended',
  given: 'Given',
}

/** Settings side by side, on all queries; and the ranking alone. */
export function comparedSection({ compared, ranking }: TuneReport): HTMLElement {
  const heads = ['Settings', 'topK', 'minScore', 'Recall', 'Precision', 'F1', 'Empty when nothing fits']
  const rows = compared.map(({ label, topK, minScore, reached }) => {
    const figures = [reached.recall, reached.precision, reached.f1, reached.noAnswer]
    return element(
      'tr',
      {},
      element('th', { scope: 'row' }, LABELS[label]),
      element('td', { class: 'number' }, topK),
      element('td', { class: 'number' }, decimals(minScore)),
      ...figures.map(estimate => element('td', { class: 'number' }, interval(estimate))),
    )
  })
  const table = element(
    'table',
    {},
    element('caption', { class: 'hidden' }, 'Settings compared'),
    element(
      'thead',
      {},
      element(
        'tr',
        {},
        ...heads.map((head, at) => element('th', { scope: 'col', class: at > 0 ? 'plain number' : 'plain' }, head)),
      ),
    ),
    element('tbody', {}, ...rows),
  )
  const figures = Object.entries(ranking).map(
    ([name, { value, low, high }]) =>
      [
        name === 'ndcg@10' ? 'nDCG@10' : name === 'mrr' ? 'MRR' : name,
        decimals(value),
        `${decimals(low)} to ${decimals(high)}`,
      ] as const,
  )
  return section(
    'compared',
    'Compared on these queries',
    element(
      'div',
      { class: 'table card' },
      element('div', { class: 'scroller', tabindex: 0, role: 'region', 'aria-label': 'Settings compared' }, table),
    ),
    element('h3', {}, 'The ranking alone'),
    tiles(figures),
  )
}

function interval(estimate: Estimate | null): HTMLElement {
  if (!estimate) return element('span', {}, '–')
  return element('span', {}, share(estimate.value), element('span', { class: 'muted interval' }, shareRange(estimate)))
}
