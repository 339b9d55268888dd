import type { Script } from './scripted-model.js'

export interface DemoRequest extends Script {
  readonly text: string
}

/** What the demo's user asks. */
export const REQUESTS: readonly DemoRequest[] = [
  {
    text: 'What did Apple shares close at on 3 March 2025?',
    searchWords: 'share price of a company on a past date',
    facts: { symbol: 'AAPL', date: '2025-03-03' },
  },
  {
    text: 'Put january.pdf and february.pdf into one document, please.',
    searchWords: 'join PDF documents together',
    facts: { inputPaths: ['january.pdf', 'february.pdf'], outputDir: 'reports' },
  },
  {
    text: 'My car is nearly out of battery and I am at Utrecht station. Where can I go?',
    searchWords: 'electric car charging points near a place',
    facts: { latitude: 52.0894, longitude: 5.1101, radius: 1000 },
  },
]
