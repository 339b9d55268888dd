import { readFileSync } from 'node:fs'
import { createTool } from '@mastra/core/tools'

/** A tool as its MCP server describes it. */
export interface CatalogTool {
  readonly id: string
  readonly description: string
  readonly inputSchema: Readonly<Record<string, unknown>>
  readonly server: string
}

type Input = Readonly<Record<string, unknown>>
type ToolOptions = Parameters<typeof createTool>[0]

const CATALOG = new URL('../../bench/data/mcp-catalog.json', import.meta.url)

/** The tools of real MCP servers (bench/data/README.md has source and licence). */
export function readCatalog(): CatalogTool[] {
  return (JSON.parse(readFileSync(CATALOG, 'utf8')) as { tools: CatalogTool[] }).tools
}

export function countServers(catalog: readonly CatalogTool[]): number {
  return new Set(catalog.map(({ server }) => server)).size
}

// No MCP server runs here: these stand for what the servers would say.
const CANNED: Readonly<Record<string, (input: Input) => string>> = {
  get_stock_price_by_date: ({ symbol, date }) => `${symbol} closed at 238.03 USD on ${date}.`,
  pdf_merger: ({ inputPaths, outputDir }) => `Merged ${list(inputPaths)} into ${outputDir}/merged.pdf.`,
  find_ev_charging_stations: ({ radius }) => `3 stations within ${radius} m; the nearest has 8 CCS points of 150 kW.`,
}

const list = (value: unknown) => (Array.isArray(value) ? value.join(' and ') : String(value))

/** The catalog as Mastra tools, by id. `execute` gives a canned answer in the form of MCP's. */
export function mastraTools(catalog: readonly CatalogTool[]): Record<string, ReturnType<typeof createTool>> {
  return Object.fromEntries(
    catalog.map(({ id, description, inputSchema }) => {
      const execute = async (input: unknown) => {
        const text = CANNED[id]?.(input as Input) ?? `${id} did what it was asked.`
        return { content: [{ type: 'text', text }] }
      }
      return [id, createTool({ id, description, inputSchema, execute } as ToolOptions)]
    }),
  )
}
