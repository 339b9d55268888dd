/** Such as "97.5 %"; a dash for nothing. */
export const share = (value: number | null): string => (value === null ? '–' : `${(value * 100).toFixed(1)} %`)

export const decimals = (value: number | null, digits = 3): string => (value === null ? '–' : value.toFixed(digits))

/** Such as "95.1 to 97.5 %". */
export const shareRange = ({ low, high }: { readonly low: number; readonly high: number }): string =>
  `${(low * 100).toFixed(1)} to ${share(high)}`
