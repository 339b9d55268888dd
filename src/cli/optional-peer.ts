import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { messageOf } from '../show.js'
import { CliError, type CliErrorCode } from './failure.js'

export interface OptionalPeer<Module> {
  readonly name: string
  /** `import()` of the name: written out where it is called, for the types and the bundler. */
  readonly load: () => Promise<Module>
  /** What needs it, such as "--mcp". */
  readonly neededBy: string
  readonly code: CliErrorCode
}

/**
 * A package that users install themselves: beside this package, else in the project that the command runs in (npx may
 * have put this package elsewhere).
 */
export function importPeer<Module>({ name, load, neededBy, code }: OptionalPeer<Module>): Promise<Module> {
  return load().catch(async (error: unknown) => {
    if (!isMissing(error, name)) {
      throw new CliError(code, `${name} cannot be loaded: ${messageOf(error)}`, { cause: error })
    }
    let path: string
    try {
      path = createRequire(join(process.cwd(), 'package.json')).resolve(name)
    } catch {
      throw new CliError(code, `${neededBy} needs ${name}, which is not installed: npm install ${name}`)
    }
    return import(pathToFileURL(path).href)
  })
}

const isMissing = (error: unknown, name: string) =>
  error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND' && error.message.includes(name)
