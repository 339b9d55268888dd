import { Command } from 'commander'
import { packageVersion } from '../embedding/package-root.js'
import { addAdaptCommand } from './commands/adapt.js'
import { addBuildCommand } from './commands/build.js'
import { addInspectCommand } from './commands/inspect.js'
import { addPushCommand } from './commands/push.js'
import { addSearchCommand } from './commands/search.js'
import { addTuneCommand } from './commands/tune.js'
import { addVerifyCommand } from './commands/verify.js'
import type { RunInternals } from './run.js'
import type { Terminal } from './terminal.js'

const NAME = 'mastra-semantic-tool-search'

const EXAMPLES = `
Examples:
  $ ${NAME} build ./src/tools.ts --out tool-index
  $ ${NAME} verify tool-index ./src/tools.ts
  $ ${NAME} search tool-index "send an email"
  $ ${NAME} inspect tool-index --html report.html
  $ ${NAME} tune tool-index --queries queries.jsonl
  $ ${NAME} adapt tool-index ./src/tools.ts --queries queries.jsonl
  $ ${NAME} push tool-index --url "$DATABASE_URL"
  $ ${NAME} help build

Exit codes: 0 ok, 1 a check or the work failed, 2 wrong use, 130 Ctrl-C.
Environment: NO_COLOR, FORCE_COLOR; DEBUG=1 adds the stack to errors.`

/** The whole command line. Throws `CommanderError` instead of exiting. */
export function createProgram(terminal: Terminal, internals: RunInternals): Command {
  const { stdout, stderr, colors, width } = terminal
  const program = new Command(NAME)
    .description(
      'Prebuilt indexes for semantic tool search: build them in CI, verify, search, inspect, tune, adapt and push them.',
    )
    .version(packageVersion())
    .exitOverride()
    .configureOutput({
      writeOut: text => stdout.write(text),
      writeErr: text => stderr.write(text),
      // Told by `run`, with an exit code and in JSON where asked.
      outputError: () => {},
      getOutHelpWidth: () => width,
      getErrHelpWidth: () => width,
      getOutHasColors: () => colors.isColorSupported,
    })
    .configureHelp({ styleTitle: text => colors.bold(text) })
    .addHelpText('after', EXAMPLES)
  addBuildCommand(program, terminal, internals)
  addVerifyCommand(program, terminal, internals)
  addSearchCommand(program, terminal, internals)
  addInspectCommand(program, terminal)
  addTuneCommand(program, terminal, internals)
  addAdaptCommand(program, terminal, internals)
  addPushCommand(program, terminal, internals)
  return program
}
