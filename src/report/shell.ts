import { createHash } from 'node:crypto'
import { type PageName, pageAssets } from './page-assets.js'

export interface PageOptions {
  readonly name: PageName
  /** What the page says in its heading, too. */
  readonly title: string
  /** What the page's script reads (`page/data.ts`); JSON. */
  readonly data: unknown
}

/**
 * A report as one HTML file that needs no network and can use none: its content security policy allows this script and
 * this style by their hashes, and nothing else. The script makes the content from the data.
 */
export async function renderPage({ name, title, data }: PageOptions): Promise<string> {
  const { script, style } = await pageAssets(name)
  const policy = [
    "default-src 'none'",
    `script-src '${hashOf(script)}'`,
    `style-src '${hashOf(style)}'`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ')
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<main id="page"><noscript>This report draws itself with a script. Open it where scripts may run.</noscript></main>
<script type="application/json" id="data">${jsonForHtml(data)}</script>
<script>${script}</script>
</body>
</html>
`
}

/** JSON that cannot end its script element, whatever the texts in it are. */
export function jsonForHtml(data: unknown): string {
  const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  return JSON.stringify(data).replace(/[<>&\u2028\u2029]/g, escaped)
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, character => ENTITIES[character]!)
}

function hashOf(text: string): string {
  // A bundle with an end tag in a string would end its element early.
  if (/<\/(?:script|style)/i.test(text)) throw new Error('The bundle of the page holds an end tag of its own element.')
  return `sha256-${createHash('sha256').update(text).digest('base64')}`
}
