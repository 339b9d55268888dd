import { describe, expect, it } from 'vitest'
import { findModelCard } from '../../src/embedding/model-cards.js'

describe('findModelCard', () => {
  it.each([
    'bge-small-en-v1.5',
    'BAAI/bge-small-en-v1.5',
    'Xenova/bge-small-en-v1.5',
    '/models/bge-small-en-v1.5/',
    'C:\\models\\BGE-small-en-v1.5',
  ])('finds the card by the last path part of %s', model => {
    expect(findModelCard(model)).toMatchObject({ dimensions: 384, pooling: 'cls', maxTokens: 512, documentPrefix: '' })
    expect(findModelCard(model)?.queryPrefix).toMatch(/passages: $/)
  })

  it.each([
    ['all-MiniLM-L6-v2', 384, 256, 'mean', 'latin'],
    ['all-MiniLM-L12-v2', 384, 128, 'mean', 'latin'],
    ['paraphrase-multilingual-MiniLM-L12-v2', 384, 128, 'mean', 'any'],
    ['multi-qa-MiniLM-L6-cos-v1', 384, 512, 'mean', 'latin'],
    ['bge-base-en-v1.5', 768, 512, 'cls', 'latin'],
    ['bge-large-en-v1.5', 1024, 512, 'cls', 'latin'],
    ['e5-small-v2', 384, 512, 'mean', 'latin'],
    ['e5-large-v2', 1024, 512, 'mean', 'latin'],
    ['multilingual-e5-small', 384, 512, 'mean', 'any'],
    ['multilingual-e5-base', 768, 512, 'mean', 'any'],
    ['gte-small', 384, 512, 'mean', 'latin'],
    ['gte-large', 1024, 512, 'mean', 'latin'],
  ])('%s has %i dimensions, %i tokens, %s pooling and reads %s', (name, dimensions, maxTokens, pooling, scripts) => {
    expect(findModelCard(name)).toMatchObject({ dimensions, maxTokens, pooling, scripts })
  })

  it('gives e5 models a prefix on both sides', () => {
    expect(findModelCard('intfloat/e5-base-v2')).toMatchObject({ queryPrefix: 'query: ', documentPrefix: 'passage: ' })
  })

  it.each(['', 'unknown', 'bge-small-en-v1.5/onnx', 'constructor'])('has no card for "%s"', model => {
    expect(findModelCard(model)).toBeUndefined()
  })
})
