import type { CatalogEntry } from '../catalog/catalog.js'
import { readDescription } from '../catalog/document.js'

/** Longest description that the model sees before a tool is loaded, in UTF-16 code units, ellipsis included. */
export const MAX_DESCRIPTION_LENGTH = 150
const ELLIPSIS = '...'

/** A tool's description, cut to 150 characters; never half a surrogate pair, and empty where there is no text. */
export function shortDescription({ tool }: CatalogEntry): string {
  const description = readDescription(tool)
  if (description.length <= MAX_DESCRIPTION_LENGTH) return description
  const end = MAX_DESCRIPTION_LENGTH - ELLIPSIS.length
  const splitsPair = isHighSurrogate(description.charCodeAt(end - 1)) && isLowSurrogate(description.charCodeAt(end))
  return description.slice(0, splitsPair ? end - 1 : end) + ELLIPSIS
}

/** The one line of `injectCatalog` for a tool; line breaks become spaces. */
export function catalogLine(entry: CatalogEntry): string {
  const description = onOneLine(shortDescription(entry))
  const name = onOneLine(entry.name)
  return description === '' ? `- \`${name}\`` : `- \`${name}\`: ${description}`
}

// Control characters too: a name is foreign text in the system message, and must not start a paragraph of its own.
function onOneLine(text: string): string {
  return text.replace(/\s*[\p{Cc}\u2028\u2029]\s*/gu, ' ')
}

const isHighSurrogate = (code: number) => code >= 0xd800 && code <= 0xdbff
const isLowSurrogate = (code: number) => code >= 0xdc00 && code <= 0xdfff
