// Writes src/vector/dot-products-wasm.ts. By hand, when dot-products.wat has changed: the result is committed, and
// test/vector/row-products.test.ts holds both together.
import { writeFileSync } from 'node:fs'
import { compile } from './compile.js'

const base64 = Buffer.from(await compile()).toString('base64')
const lines = base64.match(/.{1,110}/g)!.map(line => `  '${line}'`)
const code = `// Made of scripts/wasm/dot-products.wat by \`npm run build-wasm\`.
export const DOT_PRODUCTS_WASM =\n${lines.join(' +\n')}\n`
writeFileSync(new URL('../../src/vector/dot-products-wasm.ts', import.meta.url), code)
