/** The text of a file's bytes, in UTF-8 or UTF-16; undefined where they are none. */
export function decodeText(bytes: Uint8Array): string | undefined {
  // What Windows PowerShell 5 writes with ">".
  const isUtf16 = bytes[0] === 0xff && bytes[1] === 0xfe
  try {
    return new TextDecoder(isUtf16 ? 'utf-16le' : 'utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}
