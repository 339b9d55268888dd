import { revealInvisibleCharacters } from '../../inspect/invisible-characters.js'

type Child = Node | string | number | null | undefined

/** An element with attributes and children. Texts become text nodes, never markup. */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Readonly<Record<string, string | number | boolean | undefined>> = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue
    made.setAttribute(name, value === true ? '' : String(value))
  }
  for (const child of children)
    if (child !== null && child !== undefined) made.append(child instanceof Node ? child : String(child))
  return made
}

/** A name or text of somebody else's: invisible characters written out, its direction kept to itself. */
export const foreign = (text: string): HTMLElement => element('bdi', {}, revealInvisibleCharacters(text))

/** A section with a heading. */
export function section(id: string, title: string, ...children: readonly Child[]): HTMLElement {
  return element(
    'section',
    { id, 'aria-labelledby': `${id}-title` },
    element('h2', { id: `${id}-title` }, title),
    ...children,
  )
}

/** The heading of a page: its kind, somebody else's title, and a line of facts. */
export function pageHeader(kind: string, title: string, ...facts: readonly Child[]): HTMLElement {
  return element(
    'header',
    {},
    element('p', { class: 'eyebrow' }, kind),
    element('h1', {}, foreign(title)),
    element('p', { class: 'muted' }, ...facts),
  )
}

/** Figures with their names above and a note below each. */
export function tiles(figures: readonly (readonly [name: string, value: string, note?: string])[]): HTMLElement {
  return element(
    'dl',
    { class: 'tiles' },
    ...figures.map(([name, value, note]) =>
      element(
        'div',
        { class: 'card tile' },
        element('dt', {}, name),
        element('dd', {}, element('strong', {}, value), element('span', { class: 'muted' }, note)),
      ),
    ),
  )
}

/** A button that does no more than its handler. */
export function button(
  attributes: Readonly<Record<string, string | boolean | undefined>>,
  onClick: () => void,
  ...children: readonly Child[]
): HTMLButtonElement {
  const made = element('button', { type: 'button', ...attributes }, ...children)
  made.addEventListener('click', onClick)
  return made
}

/** The data that the page was made with. */
export function pageData<Data>(): Data {
  return JSON.parse(document.getElementById('data')!.textContent!) as Data
}
