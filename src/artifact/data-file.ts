import { createHash } from 'node:crypto'
import { closeSync, constants, fstatSync, openSync, read, readSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { isToolSearchError } from '../errors.js'
import { messageOf } from '../show.js'
import { broken } from './manifest.js'
import type { ManifestFile } from './tool-index.js'

// Up to here, a file takes a few milliseconds; a longer one is read in other threads, and other work may run in between.
const BYTES_AT_ONCE = 16 * 2 ** 20

// Some rows of vectors: enough for V8 to see that what looks at them is worth compiling.
const FIRST_PART_BYTES = 64 * 2 ** 10

const readInThread = promisify(read)

/** Called with a file's memory, which is filled up to `end`, again and again while it is read. */
export type OnPart = (buffer: ArrayBuffer, end: number) => void

/**
 * The bytes of a data file, which are those that the manifest names. What `onPart` sees may not be: its hash is known
 * at the end. Rejects with `InvalidIndexError`.
 */
export async function readDataFile(
  folder: string,
  { name, bytes: expected, sha256 }: ManifestFile,
  onPart?: OnPart,
): Promise<ArrayBuffer> {
  const check = (size: number) => {
    if (size !== expected) throw new Error(`it has ${size} bytes, and the manifest says ${expected}`)
  }
  const { buffer, sha256: got } = await withFile(folder, name, check, (fd, size) => readAll(fd, size, onPart)).catch(
    error => Promise.reject(unreadable(folder, name, error)),
  )
  if (got !== sha256) throw broken(folder, `its ${name} was altered: its sha256 is ${got}`)
  return buffer
}

/**
 * The first `size` bytes of an open file, which is closed then. Hashed here and not by WebCrypto in another thread: that
 * would copy them first, which takes as long as hashing them.
 */
async function readAll(
  fd: number,
  size: number,
  onPart: OnPart | undefined,
): Promise<{ buffer: ArrayBuffer; sha256: string }> {
  try {
    const hash = createHash('sha256')
    // Memory of its own that is not cleared first: it is filled, or the read fails.
    const bytes = Buffer.allocUnsafeSlow(size)
    for (let at = 0; at < size; ) {
      const length = Math.min(at === 0 ? FIRST_PART_BYTES : BYTES_AT_ONCE, size - at)
      const bytesRead =
        size <= BYTES_AT_ONCE
          ? readSync(fd, bytes, at, length, at)
          : (await readInThread(fd, bytes, at, length, at)).bytesRead
      if (bytesRead === 0) throw new Error(`it ends after ${at} of ${size} bytes`)
      hash.update(bytes.subarray(at, at + bytesRead))
      at += bytesRead
      onPart?.(bytes.buffer, at)
    }
    return { buffer: bytes.buffer, sha256: hash.digest('hex') }
  } finally {
    closeSync(fd)
  }
}

/** Calls `read` with an opened regular file and its size, after `check`. */
export function withFile<T>(
  folder: string,
  name: string,
  check: (size: number) => void,
  read: (fd: number, size: number) => T,
): T {
  let fd: number | undefined
  try {
    // Non-blocking: opening a named pipe would otherwise wait for its writer.
    fd = openSync(join(folder, name), constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
    const stats = fstatSync(fd)
    if (!stats.isFile()) throw new Error('it is no regular file')
    check(stats.size)
    return read(fd, stats.size)
  } catch (error) {
    if (fd !== undefined) closeSync(fd)
    throw unreadable(folder, name, error)
  }
}

function unreadable(folder: string, name: string, error: unknown): Error {
  return isToolSearchError(error) ? error : broken(folder, `its ${name} cannot be read (${messageOf(error)})`, error)
}
