import Table from 'cli-table3'
import type { Terminal } from './terminal.js'

/** `chars` of a cli-table3 table without lines. */
export const NO_BORDERS = Object.fromEntries(
  ['top', 'bottom', 'left', 'right']
    .flatMap(side => [side, `${side}-mid`, `${side}-left`, `${side}-right`])
    .concat('mid', 'mid-mid', 'middle')
    .map(name => [name, '']),
)

/** Prints rows in columns of these widths, long cells broken into lines at blanks. */
export function printRows(
  rows: readonly string[][],
  colWidths: number[],
  { print }: Terminal,
  color: (line: string) => string = same => same,
): void {
  const table = new Table({
    colWidths,
    wordWrap: true,
    chars: NO_BORDERS,
    style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [] },
  })
  table.push(...rows)
  for (const line of table.toString().split('\n')) print(color(line.trimEnd()))
}

/** Prints a text broken into lines at blanks, each indented. */
export function printText(
  text: string,
  indent: number,
  terminal: Terminal,
  color: (line: string) => string = same => same,
): void {
  printRows([[text]], [terminal.width - indent], terminal, line => color(`${' '.repeat(indent)}${line}`))
}
