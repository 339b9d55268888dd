/** Takes what must not be printed out of texts. */
export interface Secrets {
  /** The URL as it can be shown. */
  readonly shownUrl: string
  /** The text with stars for each secret. */
  redact(text: string): string
}

const STARS = '***'

// Shorter parts tell nothing, and are in every message.
const LEAST_PART = 3

const SECRET_PARAMETERS = /^(password|authtoken|token|sslpassword|sslkey)$/i

/** What a store's URL holds of passwords and tokens. */
export function secretsOf(url: string): Secrets {
  const secrets = new Set<string>()
  const add = (text: string) => {
    if (text === '') return
    secrets.add(text)
    try {
      secrets.add(decodeURIComponent(text))
    } catch {
      // No escapes in it.
    }
  }
  const password = passwordOf(url)
  add(password)
  // Where its characters are not escaped, a driver takes parts of it for the host or the path, and names these.
  for (const part of password.split(/[@/?#:]/)) if (part.length >= LEAST_PART) add(part)
  const query = url.split('?').slice(1).join('?')
  for (const part of query.split('&')) {
    const [name = '', ...value] = part.split('=')
    if (SECRET_PARAMETERS.test(name)) add(value.join('='))
  }
  // The longest first: one may be a part of another.
  const ordered = [...secrets].sort((a, b) => b.length - a.length)
  const redact = (text: string) => ordered.reduce((left, secret) => left.replaceAll(secret, STARS), text)
  return { redact, shownUrl: shownUrlOf(url, password, redact) }
}

/** By hand, up to the last `@`: what is no URL may still hold a password, and is named in the error that says so. */
function passwordOf(url: string): string {
  const withoutQuery = url.replace(/\?\w+=.*$/s, '')
  return /^[^:]+:\/\/[^:]*:(.*)@/s.exec(withoutQuery)?.[1] ?? ''
}

/** Where the password is a common word ("postgres"), the rest of the URL keeps it. */
function shownUrlOf(url: string, password: string, redact: (text: string) => string): string {
  const whole = password === '' ? url : url.replace(`:${password}@`, () => `:${STARS}@`)
  const [address = '', ...query] = whole.split('?')
  return query.length === 0 ? address : `${address}?${redact(query.join('?'))}`
}
