// Builds dist/: JavaScript with esbuild, types with tsc.
//
// transformers.js is bundled, and only the part in use, so that its dependencies sharp (whose install script downloads
// a binary) and onnxruntime-web (66 MB that Node never runs) reach no user. See NOTICE for its licence.
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { bundlePage } from './page-bundle.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const stub = join(root, 'scripts/stubs/empty.mjs')

// What package.json's exports and bin name.
const entryPoints = [
  { in: 'src/index.ts', out: 'index' },
  { in: 'src/cli/main.ts', out: 'cli' },
]

// transformers.js does not declare itself free of side effects, so esbuild would keep its 60 model classes, its image
// and its audio code, of which nothing is used: the tokenizers are.
const withoutSideEffects = {
  name: 'transformers.js-without-side-effects',
  setup(pluginBuild) {
    pluginBuild.onResolve({ filter: /./ }, async ({ path, pluginData, ...options }) => {
      const concerned = path.startsWith('@xenova/transformers') || options.importer.includes('@xenova/transformers')
      if (!concerned || pluginData === 'resolved') return undefined
      const found = await pluginBuild.resolve(path, { ...options, pluginData: 'resolved' })
      return found.external ? found : { ...found, sideEffects: false }
    })
  },
}

rmSync(join(root, 'dist'), { recursive: true, force: true })

const { metafile } = await build({
  absWorkingDir: root,
  entryPoints,
  outbase: 'src',
  outdir: 'dist',
  bundle: true,
  splitting: true, // code behind a dynamic import becomes a chunk of its own, loaded on first use
  chunkNames: 'chunks/[name]-[hash]',
  format: 'esm',
  platform: 'node',
  target: 'node20',
  metafile: true,
  legalComments: 'inline',
  logLevel: 'warning',
  // Left to npm: native modules, what must be the user's own copy, and the other dependencies.
  external: [
    ...['onnxruntime-node', 'hnswlib-node', 'zod', 'zod/*', '@mastra/*', 'ai'],
    ...['stemmer', 'zod-to-json-schema'],
    ...['commander', 'jiti', 'cli-progress', 'cli-table3', 'picocolors', 'string-argv'],
    ...['csv-parse', 'csv-parse/sync', 'fastest-levenshtein'],
  ],
  plugins: [withoutSideEffects],
  alias: { sharp: stub, 'onnxruntime-web': stub },
})

chmodSync(join(root, 'dist/cli.js'), 0o755)

// What the reports' pages run in a browser, ready to be put into them (src/report/page-assets.ts).
const pages = join(root, 'dist/page')
mkdirSync(pages)
for (const name of ['inspect', 'tune']) {
  const { script, style } = await bundlePage(name)
  writeFileSync(join(pages, `${name}.js`), script)
  writeFileSync(join(pages, 'report.css'), style)
}

// Through node, not npx: works on Windows and finds the project's own compiler.
const tsc = join(root, 'node_modules/typescript/bin/tsc')
execFileSync(process.execPath, [tsc, '-p', join(root, 'tsconfig.build.json')], { stdio: 'inherit' })

for (const [file, { bytes }] of Object.entries(metafile.outputs)) {
  console.log(`${file}  ${(bytes / 1024).toFixed(1)} KiB`)
}
