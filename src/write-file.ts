import { randomBytes } from 'node:crypto'
import { mkdir, open, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

/** Makes a folder and those that it lies in. Node's own recursive `mkdir` never ends under /proc. */
export async function makeFolder(folder: string): Promise<void> {
  if ((await stat(folder).catch(() => undefined))?.isDirectory()) return
  const parent = dirname(folder)
  if (parent !== folder) await makeFolder(parent)
  await mkdir(folder).catch((error: NodeJS.ErrnoException) => {
    // Another process may have made it meanwhile, or something else of that name is there.
    if (error.code !== 'EEXIST') throw error
    return stat(folder).then(found => {
      if (!found.isDirectory()) throw error
    })
  })
}

/** Writes a file so that it has the old contents or the new ones, whole, whenever the process ends. */
export async function writeInOneStep(file: string, contents: string | Uint8Array): Promise<void> {
  // Beside it: a rename cannot cross file systems.
  const temporary = join(dirname(file), `.${basename(file)}.${randomBytes(6).toString('hex')}.tmp`)
  try {
    const handle = await open(temporary, 'wx')
    try {
      await handle.writeFile(contents)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(temporary, file)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}
