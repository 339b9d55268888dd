import { InvalidOptionsError } from '../errors.js'
import { show } from '../show.js'

/** What a value must be, in words and as a check. */
export type Rule = readonly [expectation: string, fits: (value: unknown) => boolean]

/** One rule for every option, so that the list of valid names is complete. */
export type Rules<Options> = { readonly [Name in keyof Required<Options>]: Rule }

/**
 * Throws `InvalidOptionsError` naming the first option of `factory` that breaks its rule, or that has none: an unknown
 * name is most likely a typo, and would otherwise be ignored in silence. `undefined` counts as absent.
 */
export function checkOptions<Options extends object>(
  factory: string,
  options: Options,
  rules: Rules<Options>,
  required: readonly (keyof Options)[] = [],
): void {
  if (typeof options !== 'object' || options === null) {
    throw new InvalidOptionsError(`Expected the options of ${factory} to be an object, got ${show(options)}.`)
  }
  for (const name of Object.keys(options)) {
    if (Object.hasOwn(rules, name)) continue
    const valid = Object.keys(rules).join(', ')
    throw new InvalidOptionsError(`Unknown option ${show(name)} of ${factory}. Valid names: ${valid}.`)
  }
  for (const [name, [expectation, fits]] of Object.entries<Rule>(rules)) {
    const value: unknown = options[name as keyof Options]
    if (value === undefined && !required.includes(name as keyof Options)) continue
    if (fits(value)) continue
    throw new InvalidOptionsError(`Expected ${name} of ${factory} to be ${expectation}, got ${show(value)}.`)
  }
}

export const aString: Rule = ['a string', value => typeof value === 'string']

export const aBoolean: Rule = ['true or false', value => typeof value === 'boolean']

export function wholeNumberFrom(min: number): Rule {
  return [`a whole number ≥ ${min}`, value => Number.isInteger(value) && (value as number) >= min]
}

export function oneOf(...values: readonly string[]): Rule {
  return [values.map(value => JSON.stringify(value)).join(' or '), value => values.includes(value as string)]
}
