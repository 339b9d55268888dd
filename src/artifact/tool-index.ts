import type { StoredAdaptation } from '../adapt/stored-adaptation.js'
import type { DocumentFields } from '../catalog/document.js'
import type { EvidenceWeights } from '../ranking/score.js'
import type { Estimate } from '../tuning/intervals.js'
import type { HnswGraph } from '../vector/hnsw-graph.js'

/** Version of the folder's layout; an index of another version must be built anew. */
export const FORMAT_VERSION = 1

/** The file that names all others, replaced last and in one step. */
export const MANIFEST_FILE = 'manifest.json'

/** The contents of `manifest.json`. */
export interface ToolIndexManifest {
  readonly formatVersion: number
  /** Version of this package that built the index, for information. */
  readonly packageVersion: string
  /** ISO 8601; from `SOURCE_DATE_EPOCH` where that is set. */
  readonly builtAt: string
  /** Version of the text that is made from a tool. */
  readonly documentTemplateVersion: number
  readonly model: ManifestModel
  /** Parameters of the HNSW graph; null where there is none (few tools, or no hnswlib-node at the build). */
  readonly graph: ManifestGraph | null
  /** What was learnt from labelled queries; null where nothing was. */
  readonly adaptation: ManifestAdaptation | null
  /** Weights of the evidence that fit the embedder; null for those of the package. */
  readonly calibration: ManifestCalibration | null
  readonly files: ManifestFiles
  /** One entry a tool, in the order of names by UTF-16 code units; the `i`-th has the `i`-th vector. */
  readonly tools: readonly ManifestTool[]
  /** sha256, in hex, of the file's text up to this member, as a build writes it. */
  readonly digest: string
}

export interface ManifestModel {
  readonly id: string
  /** Revision and weights, where the embedder tells. */
  readonly revision: string | null
  readonly weightsSha256: string | null
  readonly dimensions: number
  /** Longest document in tokens that the model reads. */
  readonly maxTokens: number
}

export interface ManifestGraph {
  readonly M: number
  readonly efConstruction: number
  readonly seed: number
  readonly maxLevel: number
  readonly entryPoint: number
}

/** How searches are adapted to a team's own queries, and what that brings. */
export interface ManifestAdaptation {
  /** Labelled queries that it was learnt from, those that nothing fits apart. */
  readonly queries: number
  /** Tools that they name. */
  readonly tools: number
  /** Settings of the linear map of queries; null where there is none. */
  readonly map: { readonly weight: number; readonly others: number } | null
  /** Strength (0–1) of the pull of tools towards the mean of their queries; 0 where there is none. */
  readonly pull: number
  /** nDCG@10 by cross-validation, before. */
  readonly before: number
  /** Its gain, `{ value, low, high }`: in nDCG@10 on held-out queries, with the ends of its 95 % interval. */
  readonly gain: Estimate
  /** The same on queries of tools whose queries were all held out; null where it was not measured. */
  readonly gainOfOthers: Estimate | null
  /** How the embedder read the queries (`Embedder.readQueryId`): for others it was not learnt. Null where it did not tell. */
  readonly readQueryId: string | null
  readonly seed: number
}

/** What makes a score of similarity and words for this embedder, fitted to labelled queries. */
export interface ManifestCalibration extends EvidenceWeights {
  /** Labelled queries that it was fitted to, those that nothing fits among them. */
  readonly queries: number
  /** Expected calibration error (0–1) on held-out queries, with the package's weights. */
  readonly before: number
  /** The same with weights fitted without these queries. */
  readonly after: number
  readonly seed: number
}

export interface ManifestFiles {
  readonly vectors: ManifestFile
  readonly graph: ManifestFile | null
  /** Texts of the documents; only where the build was asked for them. */
  readonly documents: ManifestFile | null
  /** The map, then the means of queries of each tool that has any; null where nothing was learnt. */
  readonly adaptation: ManifestFile | null
}

/** One data file beside the manifest; `name` is made of its kind and its hash, so that it cannot lie elsewhere. */
export interface ManifestFile {
  readonly name: string
  readonly bytes: number
  /** In hex. */
  readonly sha256: string
}

export interface ManifestTool {
  /** The callable name. */
  readonly name: string
  /** sha256 of the document and its template's version, base64url. */
  readonly documentHash: string
  /** Share (0–1) of the document that the model can read. */
  readonly readableShare: number
  /** Length of the document in tokens, before the model's window cuts it; null where the embedder does not count. */
  readonly tokens: number | null
  /** Words of the description as the user wrote it, of its first 10,000 characters; 0 where there is none. */
  readonly descriptionWords: number
  /** Invisible and bidirectional control characters in name, description and parameters. */
  readonly invisibleCharacters: number
  /** Whether the description or the parameters give the model orders, as `orderOf` finds them. */
  readonly givesOrders: boolean
  /** Whether the description or the parameters exceed the document's budget of characters. */
  readonly truncated: boolean
  /** Queries by which the adaptation pulls the tool's vector; 0 for none. */
  readonly queries: number
}

/** A document as `includeDocuments` stores it. */
export type StoredDocument = DocumentFields

/** An opened and checked index: read once, immutable, safe to share. */
export interface ToolIndex {
  /** Absolute path of the folder. */
  readonly path: string
  readonly manifest: ToolIndexManifest
  /**
   * What is searched: `manifest.tools.length` rows of `manifest.model.dimensions` floats, each of unit length, adapted
   * where the index is. Not to be written to.
   */
  readonly vectors: Float32Array
  /** The same as the model made them; the very array where nothing is adapted. */
  readonly documentVectors: Float32Array
  /** Undefined where nothing was learnt from queries. */
  readonly adaptation: StoredAdaptation | undefined
  readonly graph: HnswGraph | undefined
  /** By row; undefined where the build did not store them. */
  readonly documents: readonly StoredDocument[] | undefined
  /** Row of a callable name. */
  rowOfName(name: string): number | undefined
  /** Row of a document hash; the first one where several tools have one text. */
  rowOfDocument(documentHash: string): number | undefined
}

/** How far a build has come. */
export interface BuildProgress {
  /** `embed`: tools embedded; `queries`: queries embedded; `learn`: parts of an adaptation's cross-validation; `graph`: vectors linked; `write`: files written. */
  readonly phase: 'embed' | 'queries' | 'learn' | 'graph' | 'write'
  readonly done: number
  readonly total: number
}

/** What a build did. */
export interface BuildReport {
  /** Absolute path of the folder. */
  readonly path: string
  readonly tools: number
  /** Documents embedded by this build. */
  readonly embedded: number
  /** Documents whose vectors came from the index that was there. */
  readonly reused: number
  /** Bytes of all files. */
  readonly bytes: number
  /** False where the index that was there is the same, and was left as it is. */
  readonly written: boolean
  readonly manifest: ToolIndexManifest
}

/** Names, sorted, of the tools that differ between an index and a catalog. */
export interface ToolIndexDrift {
  readonly added: readonly string[]
  readonly changed: readonly string[]
  readonly removed: readonly string[]
}

/** What a verification found. */
export interface VerifyReport {
  /** No problem, and no drift. */
  readonly ok: boolean
  /** What is wrong with the folder or does not fit the embedder, in sentences; empty for an intact one. */
  readonly problems: readonly string[]
  /** Undefined where no tools were given, or the index cannot be read. */
  readonly drift: ToolIndexDrift | undefined
  /** Undefined where it cannot be read. */
  readonly manifest: ToolIndexManifest | undefined
}
