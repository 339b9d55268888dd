// What a report's page runs and how it looks, as texts: the build writes them to dist/page, and from src they are made
// on first use (src/report/page-assets.ts).
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const pageFolder = join(dirname(dirname(fileURLToPath(import.meta.url))), 'src/report/page')

/** @type {(name: string) => Promise<{ script: string, style: string }>} */
export async function bundlePage(name) {
  const [script, style] = await Promise.all([bundle(`${name}.ts`), bundle('report.css')])
  return { script, style }
}

async function bundle(entry) {
  const { outputFiles } = await build({
    absWorkingDir: pageFolder,
    entryPoints: [entry],
    bundle: true,
    write: false,
    minify: true,
    format: 'iife',
    platform: 'browser',
    target: ['es2022', 'chrome109', 'firefox115', 'safari16.4'],
    charset: 'ascii',
    legalComments: 'none', // NOTICE has them
    logLevel: 'warning',
  })
  return outputFiles[0].text.trim()
}
