import { isRecord } from '../catalog/json-schema.js'
import { show } from '../show.js'

/** Gives back a value of JSON that fits; throws an `Error` that says what does not, and `at` which member. */
export type Read<T> = (value: unknown, at: string) => T

// By hand: a schema of zod takes 2 ms to check its first value in a process, a sixth of reading a whole index.

/** A value for which `fits` holds. `expected` ends the sentence "expected …". */
export function value<T>(fits: (value: unknown) => boolean, expected: string): Read<T> {
  return (value, at) => {
    if (fits(value)) return value as T
    throw new Error(`does not fit at ${at || 'its root'}: expected ${expected}, got ${show(value)}`)
  }
}

/** An object of exactly these members, given back in their order. */
export function object<T extends object>(members: { readonly [Name in keyof T]: Read<T[Name]> }): Read<T> {
  const asObject = value<Record<string, unknown>>(isRecord, 'an object')
  return (value, at) => {
    const given = asObject(value, at)
    const pathOf = (name: string) => (at ? `${at}.${name}` : name)
    for (const name of Object.keys(given)) {
      if (!Object.hasOwn(members, name)) throw new Error(`does not fit at ${pathOf(name)}: there is no such member`)
    }
    const names = Object.keys(members) as (keyof T & string)[]
    return Object.fromEntries(names.map(name => [name, members[name](given[name], pathOf(name))])) as T
  }
}

/** Null, or what `read` reads. */
export function nullable<T>(read: Read<T>): Read<T | null> {
  return (value, at) => (value === null ? null : read(value, at))
}
