import { describe, expect, it } from 'vitest'
import { PERTURBATIONS, withOtherNumber, withTypo } from '../../bench/perturbations.js'
import { seededRandom } from '../../src/random.js'

const QUERY = 'Find the cheapest flights to Rome'

describe('a perturbed query', () => {
  it('has one word with one letter swapped, left out, doubled or replaced', () => {
    const kinds = new Set<string>()
    for (let seed = 0; seed < 200; seed++) {
      const before = QUERY.split(' ')
      const after = withTypo(QUERY, seededRandom(seed)).split(' ')
      expect(after).toHaveLength(before.length)
      const changed = before.flatMap((word, at) => (word === after[at] ? [] : [[word, after[at]!] as const]))
      expect(changed).toHaveLength(1)
      const [[word, typo]] = changed as [readonly [string, string]]
      expect(word.length).toBeGreaterThanOrEqual(4)
      const sameLetters = [...word].sort().join('') === [...typo].sort().join('')
      kinds.add(sameLetters ? 'swapped' : `${typo.length - word.length}`)
    }
    expect([...kinds].sort()).toEqual(['-1', '0', '1', 'swapped'])
  })

  it('has no typo where no word is long enough', () => {
    expect(withTypo('go to it', seededRandom(1))).toBe('go to it')
  })

  it('has plurals as singulars, and nouns behind a determiner as plurals', () => {
    expect(withOtherNumber('list the cities and a country with the news of boxes')).toBe(
      'list the city and a countries with the new of box',
    )
    expect(withOtherNumber('the status of this address')).toBe('the status of this address')
  })

  it('is a keyword list, an identifier, or in British spelling', () => {
    const random = seededRandom(1)
    const write = (how: keyof typeof PERTURBATIONS, query: string) => PERTURBATIONS[how](query, random)
    expect(write('keywords', "I'd like to create a calendar event, please")).toBe('like, create, calendar, event')
    expect(write('snake_case', 'Create a calendar event!')).toBe('create_a_calendar_event')
    expect(write('British spelling', 'Analyze the color of my favorite theater, and organize it')).toBe(
      'Analyse the colour of my favourite theatre, and organise it',
    )
    expect(write('British spelling', 'Parameters of a program, behind a laboratory')).toBe(
      'Parameters of a program, behind a laboratory',
    )
  })
})
