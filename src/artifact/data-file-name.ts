import type { ManifestFile, ToolIndexManifest } from './tool-index.js'

/** Kinds of data files, and the endings of their names. */
export const DATA_FILES = { vectors: 'f32', graph: 'bin', documents: 'json', adaptation: 'f32' } as const

export type DataFileKind = keyof typeof DATA_FILES

// A data file's name holds so much of its hash: another build's file never has the same name and other contents.
const HASH_DIGITS_IN_NAME = 16

export function dataFileName(kind: DataFileKind, sha256: string): string {
  return `${kind}.${sha256.slice(0, HASH_DIGITS_IN_NAME)}.${DATA_FILES[kind]}`
}

/** Names that data files of any build may have. */
export const DATA_FILE_NAME = new RegExp(
  `^(${Object.entries(DATA_FILES)
    .map(([kind, ending]) => `${kind}\\.[0-9a-f]{${HASH_DIGITS_IN_NAME}}\\.${ending}`)
    .join('|')})$`,
)

const KINDS = Object.keys(DATA_FILES) as DataFileKind[]

/** Names under which a build writes its files, before they are renamed. */
export const TEMPORARY_NAME = new RegExp(
  `^\\.(manifest|${KINDS.join('|')})\\.[0-9a-f.]*(json|${Object.values(DATA_FILES).join('|')})\\.[0-9a-f]{12}\\.tmp$`,
)

/** All data files that the manifest names, with their kinds. */
export function filesOf({ files }: ToolIndexManifest): [DataFileKind, ManifestFile][] {
  return KINDS.flatMap(kind => (files[kind] ? [[kind, files[kind]] as [DataFileKind, ManifestFile]] : []))
}
