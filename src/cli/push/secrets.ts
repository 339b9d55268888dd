/** Takes what must not be printed out of texts. */
export interface Secrets {
  /** The URL as it can be shown. */
  readonly shownUrl: string
  /** The text with stars for each secret. */
  redact(text: string): string
}

const STARS = '***'
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
  // By hand: what is no URL may still hold a password, and is named in the error that says so.
  const password = /^[^:/?#]+:\/\/[^/?#]*?:([^/?#]*)@/.exec(url)?.[1] ?? /^[^:]+:\/\/[^:]*:(.*)@/.exec(url)?.[1] ?? ''
  add(password)
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

/** Where the password is a common word ("postgres"), the rest of the URL keeps it. */
function shownUrlOf(url: string, password: string, redact: (text: string) => string): string {
  const [address = '', query] = [url.split('?')[0], url.split('?').slice(1).join('?')]
  const shown = password === '' ? address : address.replace(`:${password}@`, `:${STARS}@`)
  return query === '' ? shown : `${shown}?${redact(query)}`
}
