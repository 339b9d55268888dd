import { revealInvisibleCharacters } from '../../inspect/invisible-characters.js'
import type { InspectData, PageTool } from '../inspect-data.js'
import { button, element, foreign, pageData, section } from './dom.js'
import { factsSection, header } from './facts.js'
import { findingsSection } from './findings.js'
import { cosine, percent, plural, whole } from './format.js'
import { createMap } from './map.js'
import { type Column, createTable } from './table.js'
import { SERIES } from './theme.js'

const OTHER_GROUP = 'other'

const data = pageData<InspectData>()

// The largest groups have a colour each; all others share one.
const coloured = data.facts.groups.filter(({ name }) => name !== OTHER_GROUP).slice(0, SERIES)
const colorByGroup = new Map(coloured.map(({ name }, at) => [name, at]))
const colorOf = ({ group }: PageTool) => colorByGroup.get(group) ?? SERIES

let query = ''
let color: number | undefined

const search = element('input', {
  type: 'search',
  id: 'search',
  placeholder: 'Search names',
  autocomplete: 'off',
  spellcheck: 'false',
  'aria-describedby': 'found',
})
search.addEventListener('input', () => {
  query = search.value
  show()
})
const found = element('p', { id: 'found', class: 'muted number', role: 'status' })

const map = createMap({ tools: data.tools, colorOf, onSelect: ({ name }) => setQuery(name) })
const legend = element('div', { class: 'legend', role: 'group', 'aria-label': 'Groups: press to show one alone' })
for (const [at, { name, tools }] of legendEntries().entries()) {
  const chip = button({ 'aria-pressed': 'false', class: 'chip' }, () => setColor(at), foreign(name))
  const dot = element('span', {
    class: `dot series-${at === coloured.length ? 'other' : at + 1}`,
    'aria-hidden': 'true',
  })
  chip.prepend(dot)
  chip.append(element('span', { class: 'muted number' }, whole(tools)))
  chip.dataset.color = String(at === coloured.length ? SERIES : at)
  legend.append(chip)
}

const columns: readonly Column<PageTool>[] = [
  { title: 'Name', value: tool => tool.name, cell: tool => foreign(tool.name) },
  { title: 'Group', value: tool => tool.group, cell: tool => foreign(tool.group) },
  {
    title: 'Tokens',
    isNumber: true,
    value: tool => tool.tokens,
    cell: tool => (tool.tokens === null ? '–' : whole(tool.tokens)),
  },
  {
    title: 'Cut',
    value: tool => (tool.isCut ? 0 : 1),
    cell: tool => (tool.isCut ? element('span', { class: 'badge warning' }, 'cut') : ''),
  },
  { title: 'Words', isNumber: true, value: tool => tool.words, cell: tool => whole(tool.words) },
  { title: 'Readable', isNumber: true, value: tool => tool.readable, cell: tool => percent(tool.readable) },
  {
    title: 'Nearest',
    value: tool => tool.nearest,
    cell: tool => (tool.nearest === null ? '–' : foreign(tool.nearest)),
  },
  {
    title: 'Cosine',
    isNumber: true,
    value: tool => tool.cosine,
    cell: tool => (tool.cosine === null ? '–' : cosine(tool.cosine)),
  },
]
const table = createTable('All tools', columns)

document.getElementById('page')!.replaceChildren(
  header(data),
  factsSection(data),
  findingsSection(data, name => {
    setQuery(name)
    document.getElementById('tools')!.scrollIntoView()
  }),
  section(
    'tools',
    'Tools',
    element(
      'div',
      { class: 'toolbar' },
      element('label', { for: 'search', class: 'hidden' }, 'Search names'),
      search,
      found,
    ),
    element(
      'div',
      { class: 'card map-card' },
      element('h3', {}, 'Map of the catalog'),
      element(
        'p',
        { class: 'muted note' },
        data.map === 'umap'
          ? 'Tools that are alike lie together (UMAP); distances between far regions mean little. '
          : 'Tools on the two axes along which they differ most (PCA). ',
        'Point at a dot to see its tool, press it to search for it.',
      ),
      legend,
      map.element,
    ),
    element('h3', {}, 'All tools'),
    table.element,
  ),
)
show()

function legendEntries() {
  const rest = data.tools.filter(tool => colorOf(tool) === SERIES).length
  return rest > 0 ? [...coloured, { name: OTHER_GROUP, tools: rest }] : coloured
}

function setQuery(text: string): void {
  query = revealInvisibleCharacters(text)
  search.value = query
  setColor(undefined)
}

function setColor(at: number | undefined): void {
  const chosen = at === coloured.length ? SERIES : at
  color = chosen === color ? undefined : chosen
  for (const chip of legend.children) {
    const isPressed = (chip as HTMLElement).dataset.color === String(color)
    chip.setAttribute('aria-pressed', String(isPressed))
  }
  show()
}

/** Shows what fits the search box and the pressed group, on the map and in the table. */
function show(): void {
  // Names as they are shown, so that what is read on the page is found.
  const words = revealInvisibleCharacters(query).toLowerCase().split(/\s+/).filter(Boolean)
  const fitting = data.tools.filter(tool => {
    const name = revealInvisibleCharacters(tool.name).toLowerCase()
    return (color === undefined || colorOf(tool) === color) && words.every(word => name.includes(word))
  })
  const isAll = fitting.length === data.tools.length
  found.textContent = isAll
    ? plural(data.tools.length, 'tool')
    : `${whole(fitting.length)} of ${plural(data.tools.length, 'tool')}`
  map.highlight(isAll ? undefined : new Set(fitting))
  table.show(fitting)
}
