import { hash } from 'node:crypto'
import type { QueryResult } from '@mastra/core/vector'
import { DOCUMENT_TEMPLATE_VERSION } from '../catalog/document.js'
import type { VectorStore } from './vector-store.js'

/** One index of a store, and what its rows are of. */
export interface StoreTarget {
  readonly store: VectorStore
  /** The name in the store. */
  readonly index: string
  readonly namespace: string | undefined
  readonly modelId: string
  readonly dimensions: number
}

/** A row of ours: the vector of one document, whichever tools have that document. */
export interface StoreRow {
  readonly id: string
  readonly score: number
  readonly vector: readonly number[] | undefined
  readonly metadata: RowMetadata
}

/** Flat, without null: what every store can hold. */
export interface RowMetadata {
  readonly documentHash: string
  /** Of the first tool with this document, for people who look into the store. */
  readonly name: string
  readonly namespace: string
  readonly model: string
  readonly templateVersion: number
  /** Share (0–1) of the document that the model can read. */
  readonly readableShare: number
  /** A number from 0 to 65,535 of the hash, by whose ranges rows are listed. */
  readonly bucket: number
  /** Since when (ms) no synchronised catalog has the document; absent while one has it. */
  readonly removedAt?: number
}

export const BUCKETS = 65_536

/** The id of a document's row: the same for whoever writes it, and a UUID, since some stores take no other. */
export function rowId(modelId: string, documentHash: string): string {
  const digits = hash('sha256', `${modelId}\n${documentHash}`, 'hex')
  // Version 8 of RFC 9562: of the writer's own making.
  const variant = ((Number.parseInt(digits[16]!, 16) & 3) | 8).toString(16)
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-8${digits.slice(13, 16)}-${variant}${digits.slice(17, 20)}-${digits.slice(20, 32)}`
}

/** What a target's rows have as their namespace. */
export const namespaceOf = ({ namespace }: Pick<StoreTarget, 'namespace'>) => namespace ?? ''

export function metadataOf(
  target: StoreTarget,
  { hash: documentHash, name }: { hash: string; name: string },
  readableShare: number,
): RowMetadata {
  return {
    documentHash,
    // One name that PostgreSQL refuses would keep its whole batch from being written.
    name: name.toWellFormed().replaceAll('\0', ''),
    namespace: namespaceOf(target),
    model: target.modelId,
    templateVersion: DOCUMENT_TEMPLATE_VERSION,
    readableShare,
    bucket: bucketOf(documentHash),
  }
}

function bucketOf(documentHash: string): number {
  return Buffer.from(documentHash.slice(0, 4), 'base64url').readUInt16BE(0)
}

/** The row of a store's answer; undefined where this package did not write it. */
export function rowOf({ id, score, vector, metadata }: QueryResult): StoreRow | undefined {
  const { documentHash, model, namespace, readableShare, name } = (metadata ?? {}) as Partial<RowMetadata>
  const isOurs =
    typeof documentHash === 'string' &&
    typeof name === 'string' &&
    typeof model === 'string' &&
    typeof namespace === 'string' &&
    typeof readableShare === 'number' &&
    readableShare >= 0 &&
    readableShare <= 1 &&
    typeof score === 'number'
  return isOurs ? { id, score, vector, metadata: metadata as RowMetadata } : undefined
}
