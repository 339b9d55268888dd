import { hash } from 'node:crypto'
import { seededRandom, shuffled } from '../random.js'
import { countsOf, type LabelledVectors, namedTools } from './labelled-vectors.js'

/** Queries to measure on, and those that what is measured may be learnt from. */
export interface Fold {
  readonly learnFrom: readonly number[]
  readonly measureOn: readonly number[]
}

const FOLDS = 5

/** A number for each text; texts that differ in case and spaces alone say the same, and have the same. */
export function groupsOf(texts: readonly string[]): number[] {
  const groups = new Map<string, number>()
  return texts.map(text => {
    const key = hash('sha256', text.toLowerCase().replace(/\s+/g, ' ').trim(), 'base64url')
    const group = groups.get(key) ?? groups.size
    groups.set(key, group)
    return group
  })
}

/** Folds of queries: those of one group (equal texts) are in one. */
export function queryFolds(groups: readonly number[], seed: number): Fold[] {
  const drawn = shuffled([...new Set(groups)], seededRandom(seed))
  const count = Math.min(FOLDS, drawn.length)
  const foldOf = new Map(drawn.map((group, at) => [group, at % count]))
  return foldsOf(
    groups.map(group => foldOf.get(group)!),
    count,
  )
}

/**
 * Folds of tools: queries are measured without any query of the tools that serve them, as queries of tools that nobody
 * has asked for yet. A query of several tools is in the fold of its first, and teaches nothing about the others' folds.
 */
export function toolFolds(data: LabelledVectors, seed: number): Fold[] {
  const named = namedTools(countsOf(data, [...data.relevant.keys()]))
  const drawn = shuffled(named, seededRandom(seed))
  const count = Math.min(FOLDS, drawn.length)
  const foldOf = new Map(drawn.map((tool, at) => [tool, at % count]))
  return foldsOf(
    data.relevant.map(([first]) => foldOf.get(first!)!),
    count,
  ).map(({ measureOn, learnFrom }) => {
    const heldOut = new Set(measureOn.flatMap(query => data.relevant[query]!))
    return { measureOn, learnFrom: learnFrom.filter(query => !data.relevant[query]!.some(tool => heldOut.has(tool))) }
  })
}

function foldsOf(folds: readonly number[], count: number): Fold[] {
  return Array.from({ length: count }, (_, fold) => ({
    measureOn: [...folds.keys()].filter(query => folds[query] === fold),
    learnFrom: [...folds.keys()].filter(query => folds[query] !== fold),
  }))
}
