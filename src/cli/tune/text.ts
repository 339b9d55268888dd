import Table from 'cli-table3'
import { revealInvisibleCharacters } from '../../inspect/invisible-characters.js'
import { printable, type Terminal } from '../terminal.js'

/** A name or query as one line, with what cannot be seen written out. */
export const shown = (text: string) => printable(revealInvisibleCharacters(text))

/** A share; a dash for nothing. */
export const percent = (share: number | null) => (share === null ? '-' : `${(share * 100).toFixed(1)} %`)

const NO_BORDERS = Object.fromEntries(
  ['top', 'bottom', 'left', 'right']
    .flatMap(side => [side, `${side}-mid`, `${side}-left`, `${side}-right`])
    .concat('mid', 'mid-mid', 'middle')
    .map(name => [name, '']),
)

/** A text broken into lines at blanks, each indented. */
export function printText(
  text: string,
  indent: number,
  { print, width }: Terminal,
  color: (line: string) => string = same => same,
): void {
  const table = new Table({
    colWidths: [width - indent],
    wordWrap: true,
    wrapOnWordBoundary: true,
    chars: NO_BORDERS,
    style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [] },
  })
  table.push([text])
  for (const line of table.toString().split('\n')) print(color(`${' '.repeat(indent)}${line.trimEnd()}`))
}
