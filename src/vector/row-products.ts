import { DOT_PRODUCTS_WASM } from './dot-products-wasm.js'

// What Node has of it and its types lack (they leave it to those of browsers).
declare const WebAssembly: {
  Module: new (bytes: Uint8Array) => object
  Instance: new (module: object) => { exports: unknown }
}

interface DotProductsWasm {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): number }
  dotProducts(query: number, length: number, rows: number, count: number, out: number): void
}

/** Dot products of one query with rows of a matrix, as 32-bit floats; equal to the bit however they are asked for. */
export interface RowProducts {
  of(row: number): number
  /** One number a row. */
  all(): Float32Array
}

/** `matrix` (not copied) has rows of as many floats as `query` has. */
export function rowProducts(query: Float32Array, matrix: Float32Array): RowProducts {
  const multiply = multiplier()
  const own = query.slice()
  const rows = query.length === 0 ? 0 : matrix.length / query.length
  return {
    of: row => multiply(own, matrix, row, 1)[0]!,
    all() {
      const products = new Float32Array(rows)
      for (let row = 0; row < rows; ) {
        const some = multiply(own, matrix, row, rows - row)
        products.set(some, row)
        row += some.length
      }
      return products
    },
  }
}

/**
 * The products of the query with rows `first` to `first + count` of the matrix, or with the first of them as many as are
 * made at once, at least one. Valid until the next call.
 */
type Multiply = (query: Float32Array, matrix: Float32Array, first: number, count: number) => Float32Array

let known: Multiply | undefined

function multiplier(): Multiply {
  known ??= createSimdMultiply() ?? multiplyInJavaScript
  return known
}

// Copied at once: stays in the CPU's second cache.
const BLOCK_BYTES = 2 ** 17

/**
 * WebAssembly's four lanes: seven times as fast as JavaScript, copying the rows into its memory included. Undefined where
 * there is no WebAssembly (`node --jitless`).
 */
function createSimdMultiply(): Multiply | undefined {
  let wasm: DotProductsWasm
  try {
    const module = new WebAssembly.Module(Buffer.from(DOT_PRODUCTS_WASM, 'base64'))
    wasm = new WebAssembly.Instance(module).exports as DotProductsWasm
  } catch {
    return undefined
  }
  const { memory, dotProducts } = wasm

  /** Where queries and rows of one length lie in the memory. */
  const layOut = (length: number) => {
    const most = Math.max(1, Math.floor(BLOCK_BYTES / (length * 4)))
    const rowsAt = length * 4
    const productsAt = rowsAt + most * length * 4
    const missing = productsAt + most * 4 - memory.buffer.byteLength
    if (missing > 0) memory.grow(Math.ceil(missing / 2 ** 16))
    const floats = (at: number, count: number) => new Float32Array(memory.buffer, at, count)
    const views = { query: floats(0, length), rows: floats(rowsAt, most * length), products: floats(productsAt, most) }
    return { length, most, rowsAt, productsAt, ...views }
  }
  let layout = layOut(1)
  let laidOut: Float32Array | undefined

  return (query, matrix, first, count) => {
    const { length } = query
    if (layout.length !== length) {
      layout = layOut(length)
      laidOut = undefined
    }
    const { most, rowsAt, productsAt, products } = layout
    if (laidOut !== query) {
      layout.query.set(query)
      laidOut = query
    }
    const rows = Math.min(count, most)
    layout.rows.set(matrix.subarray(first * length, (first + rows) * length))
    dotProducts(0, length, rowsAt, rows, productsAt)
    return rows === most ? products : products.subarray(0, rows)
  }
}

const LANES = 16

/** In the order of scripts/wasm/dot-products.wat, each step rounded to 32 bits. */
export const multiplyInJavaScript: Multiply = (query, matrix, first) => {
  const start = first * query.length
  const inLanes = query.length - (query.length % LANES)
  const lanes = new Float32Array(LANES)
  for (let at = 0; at < inLanes; at++) lanes[at % LANES]! += Math.fround(query[at]! * matrix[start + at]!)
  const sums = new Float32Array(4)
  for (let lane = 0; lane < 4; lane++) {
    sums[lane] = Math.fround(lanes[lane]! + lanes[lane + 4]!) + Math.fround(lanes[lane + 8]! + lanes[lane + 12]!)
  }
  const product = Float32Array.of(Math.fround(sums[0]! + sums[1]!) + Math.fround(sums[2]! + sums[3]!))
  for (let at = inLanes; at < query.length; at++) product[0]! += Math.fround(query[at]! * matrix[start + at]!)
  return product
}
