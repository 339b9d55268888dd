import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'

/** What a page runs and how it looks. */
export interface PageAssets {
  readonly script: string
  readonly style: string
}

/** The pages that there are: `page/<name>.ts`. */
export type PageName = 'inspect' | 'tune'

/**
 * The assets of a page: ready files in dist/page, which is beside the code or (of a chunk) beside its folder; where the
 * code runs from src, bundled now with esbuild, which only a checkout has.
 */
export async function pageAssets(name: PageName): Promise<PageAssets> {
  if (existsSync(new URL(`./page/${name}.ts`, import.meta.url))) return bundled(name)
  const found = ['./page/', '../page/']
    .map(folder => new URL(folder, import.meta.url))
    .find(folder => existsSync(new URL(`${name}.js`, folder)))
  if (!found) {
    throw new Error(`The file dist/page/${name}.js of this package is missing. Install the package anew.`)
  }
  const read = (file: string) => readFile(new URL(file, found), 'utf8')
  const [script, style] = await Promise.all([read(`${name}.js`), read('report.css')])
  return { script, style }
}

async function bundled(name: PageName): Promise<PageAssets> {
  // Not a literal: a bundler would follow it, to esbuild.
  const file = new URL('../../scripts/page-bundle.mjs', import.meta.url).href
  const { bundlePage } = (await import(file)) as { bundlePage(name: string): Promise<PageAssets> }
  return bundlePage(name)
}
