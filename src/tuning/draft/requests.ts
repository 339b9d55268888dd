import { pick } from '../../random.js'

// What descriptions of tools begin with. "Returns" and "Provides" say what the tool does, not what one wants of it.
const VERBS: ReadonlySet<string> = new Set(
  (
    'access add adjust analyze answer apply approve archive assign attach book browse build buy calculate call cancel change ' +
    'check choose classify clear click close collect combine compare compile complete compress compute configure connect ' +
    'convert copy count create decrypt delete deploy describe detect determine discover display download draw edit ' +
    'enable encrypt estimate evaluate execute explain explore export extract fetch filter find follow forecast format ' +
    'generate get help identify import insert install invite join keep launch learn list load locate lock look make ' +
    'manage map mark measure merge modify monitor move navigate open order organize parse perform pin plan play post ' +
    'predict preview process publish purchase query read receive recommend record register reject remove rename render ' +
    'reopen replace reply report request reserve reset resize restart restore retrieve review rotate run save scan ' +
    'schedule scrape search select send set share show simulate solve sort split star start stop store subscribe submit ' +
    'suggest sum summarize test track train transcribe transfer translate turn unlock update upload use validate verify ' +
    'view visit watch write'
  ).split(' '),
)

const TO_GET: ReadonlySet<string> = new Set(['return', 'provide', 'give', 'offer', 'deliver'])

// "This tool allows users to ..." or "This function tracks ...": what follows is the request.
const SUBJECT = /^this (?:tool|function|api|endpoint|method|command|action|plugin|app|operation)\s+(?=\S+s\s)/i
const PREAMBLE =
  /^(?:(?:this|the|an?) (?:tool|function|api|endpoint|method|command|action|plugin|app|operation)\s+)?(?:is used to|can be used to|is able to|can|will|use this (?:tool|function) to|used to|(?:allows?|enables?|lets?|helps?)(?: (?:you|users?|the user|one|us))?(?: to)?)\s+/i

const MAX_CHARACTERS = 120

const DO = [
  '{}',
  'I need to {}',
  'can you {}?',
  'please {}',
  'how do I {}?',
  'I want to {}',
  'help me {}',
  'could you {} for me',
]
const HAVE = ['{}', 'I need {}', 'I am looking for {}', 'is there something like {}?', 'show me {}']

/** What a tool does, as a wish: with a verb ("send an email"), or a thing ("a calculator"). */
export interface Wish {
  readonly text: string
  readonly isAction: boolean
}

/** The wish that the first sentence of a description answers; undefined where there is no sentence. */
export function wishOf(description: string): Wish | undefined {
  const sentence = firstSentence(description).replace(PREAMBLE, '').replace(SUBJECT, '')
  const words = sentence.split(/\s+/).filter(Boolean)
  const [first = ''] = words
  if (!/\p{L}/u.test(sentence)) return undefined
  const verb = verbOf(first)
  const rest = words.slice(1).join(' ')
  if (verb === undefined) return { text: lowered(sentence), isAction: false }
  return rest === '' ? { text: verb, isAction: true } : { text: `${verb} ${rest}`, isAction: true }
}

/** The wish that a name says, such as "create issue". */
export function wishOfName(words: readonly string[]): Wish {
  return { text: words.join(' ').toLowerCase(), isAction: verbOf(words[0] ?? '') !== undefined }
}

/** A wish as somebody would say it. */
export function asked({ text, isAction }: Wish, random: () => number): string {
  return pick(isAction ? DO : HAVE, random).replace('{}', () => text)
}

function firstSentence(description: string): string {
  const plain = description.replace(/[*_`#>]+/g, '').trim()
  const [sentence = ''] = plain.split(/(?<=[.!?。])\s|\n/, 1)
  const trimmed = sentence.replace(/[\s.!?。:;]+$/, '')
  if (trimmed.length <= MAX_CHARACTERS) return trimmed
  // At a blank: half a word is no word.
  const cut = trimmed.slice(0, MAX_CHARACTERS)
  return (cut.slice(0, cut.lastIndexOf(' ')) || cut).replace(/[\s,;:]+$/, '')
}

// Verbs that are no nouns in the plural, whatever they are: "Serializes", "Instantiates", "Classifies".
const VERB_ENDINGS = /(?:iz|at|ifi)es$/

/** The plain form of a verb ("Creates": create); undefined for other words. */
function verbOf(word: string): string | undefined {
  const lower = word.toLowerCase()
  if (VERB_ENDINGS.test(lower)) return lower.replace(/ies$/, 'y').replace(/s$/, '')
  const forms = [lower, lower.replace(/s$/, ''), lower.replace(/es$/, ''), lower.replace(/ies$/, 'y')]
  if (forms.some(form => TO_GET.has(form))) return 'get'
  return forms.find(form => VERBS.has(form))
}

/** With a small first letter, but for abbreviations. */
function lowered(sentence: string): string {
  return /^\p{Lu}\p{Lu}/u.test(sentence) ? sentence : sentence.charAt(0).toLowerCase() + sentence.slice(1)
}
