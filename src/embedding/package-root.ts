import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const PACKAGE_NAME = 'mastra-semantic-tool-search'

/**
 * Folder of this package (the one with its package.json), or undefined where it cannot be found.
 *
 * The depth of this file differs between `src/` and `dist/`, and a bundler (`mastra build`, esbuild) may have moved the
 * code out of the package, so the folder is searched: upwards from this file first, then as an installed package, seen
 * from here and from the working directory.
 */
export function findPackageRoot(): string | undefined {
  const here = fileURLToPath(import.meta.url)
  for (let folder = dirname(here); ; folder = dirname(folder)) {
    if (isThisPackage(join(folder, 'package.json'))) return folder
    if (folder === dirname(folder)) break
  }
  for (const from of [here, join(process.cwd(), 'package.json')]) {
    try {
      return dirname(createRequire(from).resolve(`${PACKAGE_NAME}/package.json`))
    } catch {
      // Not installed there; try the next place.
    }
  }
  return undefined
}

/** Version of this package, or 'unknown' where its folder cannot be found. */
export function packageVersion(): string {
  const root = findPackageRoot()
  if (root === undefined) return 'unknown'
  return (JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }).version
}

function isThisPackage(manifest: string): boolean {
  if (!existsSync(manifest)) return false
  try {
    return (JSON.parse(readFileSync(manifest, 'utf8')) as { name?: unknown }).name === PACKAGE_NAME
  } catch {
    return false
  }
}
