import { shuffled } from '../../random.js'

const SAID = [
  'hi there',
  'good morning',
  'thanks, that helped a lot',
  'how are you today?',
  'tell me a joke',
  'what is your name?',
  'are you a robot?',
  'I am bored',
  'ok',
  'sounds good to me',
  'never mind',
  'you are funny',
  'what do you dream about?',
  'I had a long day',
  'good night',
  'no, that is not what I meant',
  'please stop',
  'do you like me?',
  'who made you?',
  'that was wrong',
  'see you tomorrow',
  'happy birthday!',
  'let us talk about something else',
  'are you still there?',
  'I do not feel like working',
]

const CHORES = [
  'get red wine out of a carpet',
  'keep basil alive on a windowsill',
  'teach my dog to sit',
  'stop a door from squeaking',
  'fold a fitted sheet',
  'sharpen a kitchen knife',
  'tie a bow tie',
  'whistle with two fingers',
  'get chewing gum out of hair',
  'fall asleep faster',
  'peel a mango',
  'stop hiccups',
  'make a paper boat',
  'unclog a sink',
  'get a toddler to eat peas',
  'sew on a button',
  'remove a splinter',
  'juggle three oranges',
  'clean a cast iron pan',
  'calm a barking dog',
  'repot an orchid',
  'iron a shirt',
  'build a sandcastle',
  'whip cream by hand',
  'patch a bicycle tube',
]

const MATTERS = [
  'pineapple on pizza',
  'long train journeys',
  'people who are always late',
  'the colour yellow',
  'growing older',
  'cats and dogs',
  'living by the sea',
  'cold showers',
  'old friendships',
  'rainy Sundays',
  'free will',
  'moustaches',
  'cooking for one',
  'small talk in lifts',
  'forgiving somebody',
]

const PEOPLE = ['sister', 'neighbour', 'grandfather', 'best friend', 'cousin', 'aunt']

const HAPPENED = [
  'has a new haircut',
  'snores',
  'lost a tooth',
  'is afraid of spiders',
  'never laughs',
  'got a puppy',
  'forgot my birthday',
  'sings in the shower',
]

/** Small talk and everyday matters that tools seldom serve, in a drawn order. */
export function offTopicRequests(random: () => number): string[] {
  const chores = CHORES.flatMap(chore => [`how do I ${chore}?`, `what is the trick to ${chore}`])
  const opinions = MATTERS.flatMap(matter => [`what do you think about ${matter}?`, `I cannot stand ${matter}`])
  const stories = PEOPLE.flatMap(person => HAPPENED.map(what => `my ${person} ${what}`))
  return shuffled([...SAID, ...chores, ...opinions, ...stories], random)
}
