import { describe, expect, it } from 'vitest'
import { createTokenizer } from '../../src/embedding/transformers-runtime.js'

const VOCABULARY = ['<s>', '<pad>', '</s>', '<unk>', '▁weather', 'weather', '▁in', 'in', '▁', '▁query', ':']

/** A Unigram tokenizer as XLM-RoBERTa models have it, whose words begin with "▁". */
function tokenizerWith(metaspace: object) {
  const part = { type: 'Metaspace', replacement: '▁', ...metaspace }
  return createTokenizer(
    {
      pre_tokenizer: { type: 'Sequence', pretokenizers: [{ type: 'WhitespaceSplit' }, part] },
      decoder: part,
      ...{
        model: { type: 'Unigram', unk_id: 3, vocab: VOCABULARY.map((piece, id) => [piece, id < 4 ? 0 : -id]) },
        normalizer: null,
        post_processor: null,
        added_tokens: [],
      },
    },
    { tokenizer_class: 'XLMRobertaTokenizer' },
  )
}

const idsOf = (metaspace: object, text: string) =>
  tokenizerWith(metaspace)(text, { add_special_tokens: false, return_tensor: false }).input_ids

describe('createTokenizer', () => {
  it.each([
    ['by its old name', { add_prefix_space: true }],
    ['by its old and new name', { add_prefix_space: true, prepend_scheme: 'always' }],
    ['by its new name alone', { prepend_scheme: 'always', split: true }],
    ['as the default', {}],
  ])('begins each word with "▁" where the file says so %s', (_, metaspace) => {
    expect(idsOf(metaspace, 'weather in')).toEqual([4, 6])
    expect(idsOf(metaspace, 'query: weather')).toEqual([9, 10, 4])
  })

  it.each([
    ['by its old name', { add_prefix_space: false }],
    ['by its new name', { prepend_scheme: 'never', split: true }],
  ])('does not where the file says so %s', (_, metaspace) => {
    expect(idsOf(metaspace, 'weather in')).toEqual([5, 7])
  })
})
