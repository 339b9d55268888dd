import { colors, print, printBlank, printText } from './terminal.js'

export function printIntroduction(): void {
  printBlank()
  print(colors.bold('Semantic tool search for Mastra agents: quickstart'))
  printText(
    colors.gray(
      'A real Mastra Agent at work. A scripted model stands in for the LLM (no key needed): its search words are ' +
        'written down, but it loads what the search finds first and calls what is then in its tool list. The tools ' +
        'give canned answers.',
    ),
  )
  printBlank()
}
