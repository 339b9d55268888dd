import type { TuneData } from '../tune-data.js'
import { element, pageData, section } from './dom.js'
import { curveChart, topKChart } from './tune-charts.js'
import { comparedSection, header, recommendedSection, requirementsSection, warnings } from './tune-summary.js'
import { confusionsSection, curveTable, failuresSection, falseAnswersSection } from './tune-tables.js'

const data = pageData<TuneData>()
const { report } = data

document
  .getElementById('page')!
  .replaceChildren(
    header(data),
    warnings(report),
    recommendedSection(data),
    ...requirementsSection(report),
    section(
      'curves',
      'Curves',
      element(
        'div',
        { class: 'columns' },
        element(
          'div',
          { class: 'card' },
          element('h3', {}, `What minScore changes, at topK ${report.settings.topK}`),
          curveChart(data),
          element(
            'p',
            { class: 'muted note' },
            'Recall is the share of right tools that are returned; precision the share of returned tools that are right. ' +
              'A search returns what scores above minScore.',
          ),
        ),
        element(
          'div',
          { class: 'card' },
          element('h3', {}, 'What topK changes, without a minScore'),
          topKChart(data),
          element('p', { class: 'muted note' }, 'Each further result costs the prompt its name and description.'),
        ),
      ),
      element(
        'details',
        { class: 'card' },
        element('summary', {}, element('span', { class: 'rule' }, 'Curve in figures')),
        curveTable(report),
      ),
    ),
    comparedSection(report),
    failuresSection(report),
    ...falseAnswersSection(report),
    confusionsSection(report),
  )
