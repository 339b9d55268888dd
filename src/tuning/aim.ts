import { type Curve, STEPS } from './curve.js'

/**
 * What `minScore` is to reach. `recall` is a share of what is reached without a `minScore` at the same `topK`; the
 * others are absolute.
 */
export type Aim =
  | { readonly kind: 'recall'; readonly least: number }
  | { readonly kind: 'precision'; readonly least: number }
  | { readonly kind: 'no-answer'; readonly least: number }
  | { readonly kind: 'f1' }

const DEFAULT_LEAST = 0.98

export const DEFAULT_AIM: Aim = { kind: 'recall', least: DEFAULT_LEAST }

/** A chosen threshold, in steps, and whether it meets the aim. */
export interface Choice {
  readonly step: number
  readonly isMet: boolean
}

// Sums of weights such as 1/3 differ in their last digits from what they stand for.
const TOLERANCE = 1e-9

/** Reads `recall=0.98`, `precision=0.5`, `no-answer=0.8` or `f1`; undefined for anything else. */
export function parseAim(text: string): Aim | undefined {
  if (text === 'f1') return { kind: 'f1' }
  const [, kind, value] = /^(recall|precision|no-answer)=(\d*\.?\d+)$/.exec(text) ?? []
  const least = Number(value)
  if (kind === undefined || !(least > 0 && least <= 1)) return undefined
  return { kind: kind as 'recall' | 'precision' | 'no-answer', least }
}

export const aimText = (aim: Aim): string => (aim.kind === 'f1' ? 'f1' : `${aim.kind}=${aim.least}`)

/** The least share of the recall at `MAX_TOP_K` that `topK` is to keep: the aim's for recall, else the default's. */
export function topKShare(aim: Aim): number {
  return aim.kind === 'recall' ? aim.least : DEFAULT_LEAST
}

/** The smallest k whose recall@k is at least this share of the last one; `recalls[0]` is recall@1. */
export function chooseTopK(recalls: readonly number[], share: number): number {
  const wanted = share * recalls.at(-1)! - TOLERANCE
  return recalls.findIndex(recall => recall >= wanted) + 1
}

/**
 * The threshold for an aim. Of recall, the highest that keeps it, to keep out as much as possible. Of precision and
 * no-answer, the lowest that reaches it, to lose as little as possible. Of F1, where it is best, the lowest of equals.
 * An aim that is out of reach gets the threshold that comes nearest.
 */
export function chooseMinScore(curve: Curve, aim: Aim): Choice {
  if (aim.kind === 'recall') {
    const reachable = curve.recall[0]!
    if (!(reachable > 0)) return { step: 0, isMet: false }
    const wanted = aim.least * reachable - TOLERANCE
    let step = 0
    while (step < STEPS && curve.recall[step + 1]! >= wanted) step++
    return { step, isMet: true }
  }
  const values = { precision: curve.precision, 'no-answer': curve.noAnswer, f1: curve.f1 }[aim.kind]
  const best = bestStep(values)
  if (aim.kind === 'f1') return { step: best, isMet: values[best]! > 0 }
  const step = values.findIndex(value => value >= aim.least - TOLERANCE)
  return step === -1 ? { step: best, isMet: false } : { step, isMet: true }
}

function bestStep(values: Float64Array): number {
  let best = 0
  for (let step = 1; step < values.length; step++) {
    if (values[step]! > values[best]! + TOLERANCE || Number.isNaN(values[best])) best = step
  }
  return Number.isNaN(values[best]) ? 0 : best
}
