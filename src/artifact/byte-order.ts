/** Whether this machine's order of bytes is that of the files. */
export const IS_LITTLE_ENDIAN = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1

/** 32-bit words in this machine's order ► little-endian, as files have them, and back. A view where nothing changes. */
export function littleEndian32(words: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  return IS_LITTLE_ENDIAN ? words : Buffer.from(words).swap32()
}
