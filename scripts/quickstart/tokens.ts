import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import type { ReceivedPrompt } from './scripted-model.js'

/** How the tokens are counted, for people. */
export const TOKENIZER = 'gpt-tokenizer, o200k_base'

/**
 * Tokens of what the model was given in one step: its messages and tool definitions, as JSON.
 * Providers wrap them in text of their own, so that a bill differs by some per cent.
 */
export function promptTokens({ prompt, tools = [] }: ReceivedPrompt): number {
  const messages = prompt.map(({ role, content }) => ({ role, content }))
  const definitions = tools.map(tool =>
    tool.type === 'function'
      ? { name: tool.name, description: tool.description, parameters: tool.inputSchema }
      : { name: tool.name },
  )
  return countTokens(JSON.stringify(messages)) + countTokens(JSON.stringify(definitions))
}
