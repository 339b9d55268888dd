import { describe, expect, it } from 'vitest'
import { areaUnderCurve, hitAt, mean, ndcgAt, recallAt, reciprocalRankAt } from '../../bench/measures.js'

const letters = (text: string) => [...text]

/**
 * Expected values by published implementations: pytrec_eval-terrier 0.5.11 (`ndcg_cut`, `recall`, `success`, and `recip_rank` of a
 * run cut at 10) with
 * qrels of relevance 1 for each relevant letter and a run that scores the ranked letters in falling order; ranx 0.3.21
 * gave the same `ndcg@10` and `recall@5`.
 */
const BY_PYTREC_EVAL = [
  { ranked: 'abcdefghijkl', relevant: 'abc', ndcg5: 1, ndcg10: 1, recall5: 1, recall10: 1, hit1: 1, hit5: 1, mrr10: 1 },
  {
    ranked: 'abcdefghijkl',
    relevant: 'bekz',
    ndcg5: 0.3973220069685352,
    ndcg10: 0.3973220069685352,
    recall5: 0.5,
    recall10: 0.5,
    hit1: 0,
    hit5: 1,
    mrr10: 0.5,
  },
  { ranked: 'abcdefghijkl', relevant: 'l', ndcg5: 0, ndcg10: 0, recall5: 0, recall10: 0, hit1: 0, hit5: 0, mrr10: 0 },
  {
    ranked: 'abcdefghijkl',
    relevant: 'bdfhjlmnopqr',
    ndcg5: 0.36005461457723403,
    ndcg10: 0.44510108735750953,
    recall5: 0.16666666666666666,
    recall10: 0.4166666666666667,
    hit1: 0,
    hit5: 1,
    mrr10: 0.5,
  },
  {
    ranked: 'ab',
    relevant: 'bq',
    ndcg5: 0.38685280723454163,
    ndcg10: 0.38685280723454163,
    recall5: 0.5,
    recall10: 0.5,
    hit1: 0,
    hit5: 1,
    mrr10: 0.5,
  },
  { ranked: 'abc', relevant: 'x', ndcg5: 0, ndcg10: 0, recall5: 0, recall10: 0, hit1: 0, hit5: 0, mrr10: 0 },
]

describe('ranking measures', () => {
  it.each(BY_PYTREC_EVAL)('of $ranked with $relevant relevant are those of pytrec_eval', expected => {
    const ranked = letters(expected.ranked)
    const relevant = new Set(letters(expected.relevant))
    expect(ndcgAt(5, ranked, relevant)).toBeCloseTo(expected.ndcg5, 12)
    expect(ndcgAt(10, ranked, relevant)).toBeCloseTo(expected.ndcg10, 12)
    expect(recallAt(5, ranked, relevant)).toBeCloseTo(expected.recall5, 12)
    expect(recallAt(10, ranked, relevant)).toBeCloseTo(expected.recall10, 12)
    expect(hitAt(1, ranked, relevant)).toBe(expected.hit1)
    expect(hitAt(5, ranked, relevant)).toBe(expected.hit5)
    expect(reciprocalRankAt(10, ranked, relevant)).toBe(expected.mrr10)
  })

  it('of one relevant tool at rank 3 are worked by hand', () => {
    // DCG = 1 / log2(4) = 1/2; ideal: 1 / log2(2) = 1.
    expect(ndcgAt(10, letters('abc'), new Set('c'))).toBe(0.5)
    expect(recallAt(2, letters('abc'), new Set('c'))).toBe(0)
    expect(hitAt(3, letters('abc'), new Set('c'))).toBe(1)
  })

  it('are 0 where nothing is relevant or nothing was found', () => {
    expect([ndcgAt(5, letters('abc'), new Set()), recallAt(5, letters('abc'), new Set())]).toEqual([0, 0])
    expect([ndcgAt(5, [], new Set('a')), recallAt(5, [], new Set('a')), hitAt(5, [], new Set('a'))]).toEqual([0, 0, 0])
  })
})

describe('areaUnderCurve', () => {
  // scikit-learn 1.9.1, roc_auc_score([1] * len(positives) + [0] * len(negatives), positives + negatives).
  it.each([
    [[0.9, 0.8, 0.7], [0.6, 0.1], 1],
    [[0.9, 0.5, 0.5, 0.2], [0.5, 0.5, 0.3], 0.5833333333333333],
    [[0, 0, 0], [0, 0], 0.5],
    [[0.1], [0.9], 0],
    [[0.31, 0.42, 0.42, 0.9, 0.05], [0.42, 0.05, 0.05, 0.31, 0.77, 0], 0.6833333333333333],
  ])('of %j against %j is %f, as roc_auc_score says', (positives, negatives, expected) => {
    expect(areaUnderCurve(positives, negatives)).toBeCloseTo(expected, 12)
  })

  it('is worked by hand with a tie', () => {
    // Pairs: 2 > 1 (1), 2 = 2 (½), 3 > 1 (1), 3 > 2 (1): 3.5 of 4.
    expect(areaUnderCurve([2, 3], [1, 2])).toBe(0.875)
  })
})

describe('mean', () => {
  it('is the sum over the count', () => {
    expect(mean([1, 2, 6])).toBe(3)
  })
})
