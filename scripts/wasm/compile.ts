import { readFileSync } from 'node:fs'
import wabt from 'wabt'

const source = new URL('dot-products.wat', import.meta.url)

/** The bytes of dot-products.wat as WebAssembly. */
export async function compile(): Promise<Uint8Array> {
  const { parseWat } = await wabt()
  return parseWat('dot-products.wat', readFileSync(source, 'utf8'), { simd: true }).toBinary({}).buffer
}
