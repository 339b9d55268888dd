const MAX_SHOWN = 60

/** A value as an error message names it: short, on one line, never throwing. */
export function show(value: unknown): string {
  if (typeof value === 'string') {
    return JSON.stringify(value.length > MAX_SHOWN ? `${value.slice(0, MAX_SHOWN)}…` : value)
  }
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'function') return 'a function'
  return typeof value === 'object' && value !== null ? 'an object' : String(value)
}

/** The message of anything that was thrown: an error's own, a string as it is, the rest as `show` names it. */
export function messageOf(thrown: unknown): string {
  if (typeof thrown === 'string') return thrown
  if (typeof thrown !== 'object' || thrown === null) return show(thrown)
  try {
    const { message } = thrown as { message?: unknown }
    return typeof message === 'string' ? message : show(thrown)
  } catch {
    // A getter that throws.
    return show(thrown)
  }
}

/** A difference of figures with its sign and three decimals, such as "+0.084" and "−0.002". */
export const signed = (value: number) => `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(3)}`
