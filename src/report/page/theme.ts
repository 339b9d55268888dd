/** Colours of the page's style, for what draws on a canvas. */
export interface Theme {
  readonly text: string
  readonly muted: string
  readonly line: string
  readonly surface: string
  /** One a group; the last is for all others. */
  readonly series: readonly string[]
}

/** Groups with a colour of their own: more cannot be told apart. */
export const SERIES = 8

/** The colours as they are now, light or dark. */
export function currentTheme(): Theme {
  const style = getComputedStyle(document.documentElement)
  const color = (name: string) => style.getPropertyValue(`--${name}`).trim()
  return {
    text: color('text'),
    muted: color('muted'),
    line: color('line'),
    surface: color('surface'),
    series: Array.from({ length: SERIES + 1 }, (_, at) => color(at < SERIES ? `series-${at + 1}` : 'series-other')),
  }
}

/** Calls back when the reader's system turns light or dark. */
export function onThemeChange(callback: () => void): void {
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', callback)
}
