import { createHash, type Hash } from 'node:crypto'
import { closeSync, createReadStream, fstatSync, openSync, readSync } from 'node:fs'
import { pipeline } from 'node:stream/promises'

const BLOCK_BYTES = 4096
const BLOCKS = 64

/**
 * 12 hex digits that identify the given files and settings, or undefined where a file is missing or unreadable.
 *
 * `modelId` is a synchronous property and weights are 23 MB to 1.3 GB, so each file is represented by its size and 64
 * evenly spread blocks of 4 KiB (its first and last bytes included), read in about a millisecond. Another training run,
 * export or quantization changes the values everywhere in the file, so the sample tells revisions apart; it is no proof
 * against someone who forges weights on purpose.
 */
export function fingerprintModel(files: readonly string[], settings: object): string | undefined {
  const hash = createHash('sha256').update(JSON.stringify(settings))
  try {
    for (const file of files) sampleFile(file, hash)
  } catch {
    return undefined
  }
  return hash.digest('hex').slice(0, 12)
}

/** sha256 of a whole file, in hex. */
export async function sha256OfFile(path: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  return hash.digest('hex')
}

function sampleFile(path: string, hash: Hash): void {
  const file = openSync(path, 'r')
  try {
    const { size } = fstatSync(file)
    hash.update(`\n${size}\n`)
    const block = Buffer.alloc(BLOCK_BYTES)
    const lastStart = Math.max(0, size - BLOCK_BYTES)
    const blocks = Math.min(BLOCKS, Math.ceil(size / BLOCK_BYTES))
    for (let i = 0; i < blocks; i++) {
      const start = blocks === 1 ? 0 : Math.floor((lastStart * i) / (blocks - 1))
      hash.update(block.subarray(0, readSync(file, block, 0, BLOCK_BYTES, start)))
    }
  } finally {
    closeSync(file)
  }
}
