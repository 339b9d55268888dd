import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  createLexicalIndex,
  type LexicalDocument,
  type LexicalIndex,
  lexicalSharesOf,
  weightQuery,
} from '../../src/lexical/bm25.js'

// Words that are their own stems and no stop words, so that splitting at spaces is all there is to tokenizing.
const WORDS = ['red', 'blue', 'cat', 'dog', 'tree', 'book', 'lamp', 'rain', 'x9z']
const tokens = (text: string) => text.split(' ').filter(word => word !== '' && word !== 'x9z')

// The parameters as the documentation states them.
const K1 = 1.2
const B = 0.75
const REFERENCE_LENGTH = 40
const WEIGHTS = { name: 2, description: 1, parameters: 0.5 }

/**
 * BM25F with one document-length norm, term by term from the formula: Robertson and Zaragoza, The Probabilistic
 * Relevance Framework: BM25 and Beyond (2009), section 3.5; idf with the `1 +` that keeps it positive (Lucene).
 */
function naiveScore(document: LexicalDocument, catalog: readonly LexicalDocument[], query: string): number {
  const fields = ['name', 'description', 'parameters'] as const
  const frequency = (of: LexicalDocument, term: string) => {
    let sum = 0
    for (const field of fields) sum += WEIGHTS[field] * tokens(of[field]).filter(token => token === term).length
    return sum
  }
  let length = 0
  for (const field of fields) length += WEIGHTS[field] * tokens(document[field]).length
  let score = 0
  for (const term of new Set(tokens(query))) {
    const containing = catalog.filter(other => frequency(other, term) > 0).length
    const idf = Math.log(1 + (catalog.length - containing + 0.5) / (containing + 0.5))
    const tf = frequency(document, term)
    score += (idf * tf * (K1 + 1)) / (tf + K1 * (1 - B + (B * length) / REFERENCE_LENGTH))
  }
  return score
}

function scoresOf(layers: readonly LexicalIndex[], query: string): number[] {
  const { terms } = weightQuery(query, layers)
  return layers.flatMap(layer => {
    const scores = new Float32Array(layer.size)
    layer.addScores(terms, scores)
    return [...scores]
  })
}

const text = (maxLength: number) =>
  fc.array(fc.constantFrom(...WORDS.slice(0, -1)), { maxLength }).map(words => words.join(' '))
const catalog = fc.array(fc.record({ name: text(3), description: text(12), parameters: text(8) }), { maxLength: 12 })

describe('BM25', () => {
  it('scores hand-worked documents as the formula does', () => {
    const documents: LexicalDocument[] = [
      { name: 'cat', description: 'red cat', parameters: 'blue' },
      { name: 'dog', description: '', parameters: '' },
    ]
    // "cat": 1 of 2 documents: idf = ln(1 + 1.5 / 1.5) = ln 2; frequency 2 + 1 = 3; length 2 + 2 + 0.5 = 4.5;
    // norm = 1.2 × (0.25 + 0.75 × 4.5 / 40) = 0.40125; impact = 3 × 2.2 / 3.40125.
    const [first, second] = scoresOf([createLexicalIndex(documents)], 'cat')
    expect(first).toBeCloseTo((Math.LN2 * 6.6) / 3.40125, 5)
    expect(second).toBe(0)
  })

  it('scores as a naive implementation does, for any catalog and query', () => {
    fc.assert(
      fc.property(catalog, text(6), (documents, query) => {
        const scores = scoresOf([createLexicalIndex(documents)], query)
        documents.forEach((document, at) => {
          expect(Math.abs(scores[at]! - naiveScore(document, documents, query))).toBeLessThan(1e-4)
        })
      }),
      { numRuns: 300 },
    )
  })

  it('scores two layers as it does one with the same documents', () => {
    fc.assert(
      fc.property(catalog, fc.nat(12), text(6), (documents, split, query) => {
        const whole = [createLexicalIndex(documents)]
        const layers = [documents.slice(0, split), documents.slice(split)].map(createLexicalIndex)
        expect(weightQuery(query, layers)).toEqual(weightQuery(query, whole))
        expect(scoresOf(layers, query)).toEqual(scoresOf(whole, query))
      }),
    )
  })

  it('never scores above what a full match would', () => {
    fc.assert(
      fc.property(catalog, text(6), (documents, query) => {
        const index = createLexicalIndex(documents)
        const { possibleScore } = weightQuery(query, [index])
        for (const score of scoresOf([index], query)) expect(score).toBeLessThanOrEqual(possibleScore * (1 + 1e-6))
      }),
    )
  })

  it('counts the documents that contain a term once each', () => {
    const index = createLexicalIndex([
      { name: 'cat', description: 'cat cat', parameters: 'cat' },
      { name: 'dog', description: 'a cat', parameters: '' },
      { name: 'dog', description: '', parameters: '' },
    ])
    expect(index.size).toBe(3)
    expect(['cat', 'dog', 'tree', 'constructor', '__proto__'].map(term => index.documentFrequency(term))).toEqual([
      2, 2, 0, 0, 0,
    ])
  })

  it('weighs a rare word above a common one, and a repeated query word once', () => {
    const documents = ['red cat', 'red dog', 'red tree'].map(description => ({ name: '', description, parameters: '' }))
    const index = createLexicalIndex(documents)
    const [cat, dog] = scoresOf([index], 'red cat')
    expect(cat).toBeGreaterThan(2 * dog!)
    expect(scoresOf([index], 'red red red cat')).toEqual(scoresOf([index], 'red cat'))
  })

  it.each([
    ['git hub', 'github'],
    ['create issue', 'createissue'],
    ['translate page', 'translatepage'],
    ['list repositories', 'listrepositories'],
  ])('finds a tool named "%s" by the one word %s', (name, query) => {
    const index = createLexicalIndex([
      { name, description: '', parameters: '' },
      { name: 'other', description: '', parameters: '' },
    ])
    const [score, other] = scoresOf([index], query)
    expect(score).toBeGreaterThan(0)
    expect(other).toBe(0)
  })

  it('weighs a word of letters among Chinese ones as the three terms that one of two characters gives', () => {
    const index = createLexicalIndex([
      { name: 'cat', description: '', parameters: '' },
      { name: 'dog', description: '', parameters: '' },
    ])
    const weights = (query: string) =>
      Object.fromEntries(weightQuery(query, [index]).terms.map(({ term, weight }) => [term, weight]))
    // In 1 of 2 documents: ln(1 + 1.5 / 1.5); in none: ln(1 + 2.5 / 0.5).
    const [inOne, inNone] = [Math.log(2), Math.log(6)]
    expect(weights('搜索 cat 7')).toEqual({ 搜索: inNone, 搜: inNone, 索: inNone, cat: 3 * inOne, 7: inNone })
    expect(weights('고양이 cat')).toMatchObject({ 고양이: inNone, cat: 3 * inOne })
    expect(weights('red cat 7')).toEqual({ red: inNone, cat: inOne, 7: inNone })
    expect(weights('кот cat')).toEqual({ кот: inNone, cat: inOne })
  })

  it.each(['cat 吧', 'dog cat 한', 'cat ー', 'cat 7 呢'])(
    'weighs words as they are where few are in parts: %s',
    query => {
      const index = createLexicalIndex([
        { name: 'cat', description: '', parameters: '' },
        { name: 'dog', description: '', parameters: '' },
      ])
      const { terms } = weightQuery(query, [index])
      expect(terms.find(({ term }) => term === 'cat')!.weight).toBeCloseTo(Math.log(2))
      // A word that matches nothing never makes a match better.
      const shareIn = (text: string) => lexicalSharesOf(index, weightQuery(text, [index]))[0]!
      expect(shareIn(query)).toBeLessThan(shareIn('cat'))
    },
  )

  it('gives nothing for a query without words, and for an empty catalog', () => {
    const index = createLexicalIndex([{ name: 'cat', description: '', parameters: '' }])
    expect(weightQuery('the of ?!', [index])).toEqual({ terms: [], possibleScore: 0 })
    const empty = createLexicalIndex([])
    expect([empty.size, scoresOf([empty], 'cat')]).toEqual([0, []])
    expect(scoresOf([], 'cat')).toEqual([])
  })

  it('reads a Chinese request of 300 characters to its end', () => {
    const index = createLexicalIndex([{ name: 'x', description: '天气', parameters: '' }])
    const filler = Array.from({ length: 300 }, (_, at) => String.fromCodePoint(0x4e00 + at)).join('')
    expect(scoresOf([index], `${filler}天气`)[0]).toBeGreaterThan(0)
  })

  it('bounds the terms of a huge query', () => {
    const index = createLexicalIndex([{ name: 'cat', description: '', parameters: '' }])
    const query = Array.from({ length: 10_000 }, (_, at) => `w${at}`).join(' ')
    expect(weightQuery(query, [index]).terms.length).toBeLessThanOrEqual(1_024)
  })
})
