const integers = new Intl.NumberFormat('en-US')

export const whole = (count: number): string => integers.format(count)

export const percent = (share: number): string => `${Math.floor(share * 100)} %`

/** Three digits, and never a 1 that is none. */
export const cosine = (similarity: number): string => (Math.floor(similarity * 1000) / 1000).toFixed(3)

const KIB = 1024

export function byteSize(bytes: number): string {
  if (bytes < KIB) return `${bytes} bytes`
  return bytes < KIB ** 2 ? `${(bytes / KIB).toFixed(1)} KiB` : `${(bytes / KIB ** 2).toFixed(1)} MiB`
}

/** Such as "2 Dec 2026, 10:16 UTC". */
export function dateTime(iso: string): string {
  const format = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' })
  return `${format.format(new Date(iso))} UTC`
}

export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${whole(count)} ${count === 1 ? one : many}`
