import type { ToolLike } from '../../src/catalog/catalog.js'
import type { Embedder } from '../../src/embedding/embedder.js'
import { seededRandom } from '../../src/random.js'

const DIMENSIONS = 16

const letters = (at: number) =>
  String(at)
    .padStart(4, '0')
    .replace(/\d/g, digit => 'abcdefghij'[Number(digit)]!)

/** Tools whose names share no word with what is asked of them. */
export const turnedTools = (count: number): Record<string, ToolLike> =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`t${letters(at)}`, { description: `t${letters(at)}` }]))

export const toolNamed = (at: number) => `t${letters(at)}`

/** The `variant`-th way to ask for the `at`-th tool. */
export const queryFor = (at: number, variant: number) => `q${letters(at)} ${'xyzuvw'[variant % 6]!.repeat(variant + 2)}`

function direction(seed: number): number[] {
  const random = seededRandom(seed)
  return Array.from({ length: DIMENSIONS }, () => random() + random() + random() - 1.5)
}

/**
 * A model that turns queries: each lies near its tool's vector after the first axes were exchanged with the last, by a
 * known rotation, and some noise. What undoes the rotation finds the tool.
 */
export function turnedEmbedder(modelId = 'turned', noise = 0.15): Embedder {
  const place = (text: string) => {
    const digits = [.../[tq]([a-j]{4})/.exec(text)![1]!].map(letter => 'abcdefghij'.indexOf(letter))
    return Number(digits.join(''))
  }
  return {
    modelId,
    dimensions: DIMENSIONS,
    embedDocuments: async texts => texts.map(text => direction(place(text) + 1)),
    embedQueries: async texts =>
      texts.map(text => {
        if (!/q[a-j]{4}/.test(text)) return direction(999_999)
        const own = direction(place(text) + 1)
        const away = direction(
          10_000 + [...text].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 99_991, 7),
        )
        return own.map((_, i) => turned(own, i) + noise * away[i]!)
      }),
  }
}

/** A quarter turn in the plane of each pair of axes, half way. */
function turned(vector: readonly number[], i: number): number {
  const half = DIMENSIONS / 2
  const angle = Math.PI / 3
  return i < half
    ? Math.cos(angle) * vector[i]! - Math.sin(angle) * vector[i + half]!
    : Math.sin(angle) * vector[i - half]! + Math.cos(angle) * vector[i]!
}
