import { randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { access, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream } from 'node:stream/web'
import { ModelLoadError } from '../errors.js'
import { messageOf } from '../show.js'
import { makeFolder } from '../write-file.js'
import type { ModelSource } from './model-source.js'

const DEFAULT_HUB = 'https://huggingface.co'

/**
 * Downloads the missing files of a hub model to `source.folder`, each under its final name only when complete.
 *
 * `HF_ENDPOINT` (a mirror) and `HF_TOKEN` are honoured. Throws `ModelLoadError`; what has arrived stays for the next
 * try. Called only with `allowDownload: true`; nothing else in this package reaches the network for a model.
 */
export async function downloadHubModel(source: ModelSource & { hub: NonNullable<ModelSource['hub']> }): Promise<void> {
  // The order matters: the small files first, so that a wrong id fails before 23 MB or more are on their way.
  await downloadFile(source, 'config.json', true)
  await downloadFile(source, 'tokenizer.json', true)
  await downloadFile(source, 'tokenizer_config.json', false)
  await downloadFile(source, source.weightsFile, true)
}

async function downloadFile(
  source: ModelSource & { hub: NonNullable<ModelSource['hub']> },
  file: string,
  required: boolean,
): Promise<void> {
  const target = join(source.folder, file)
  if (await exists(target)) return
  const base = (process.env.HF_ENDPOINT || DEFAULT_HUB).replace(/\/+$/, '')
  const url = `${base}/${source.hub.id}/resolve/${encodeURIComponent(source.hub.revision)}/${file}`
  const partial = `${target}.${randomUUID()}.partial`
  try {
    const token = process.env.HF_TOKEN
    const response = await fetch(url, token ? { headers: { authorization: `Bearer ${token}` } } : {})
    if (response.status === 404 && !required) return
    if (!response.ok || !response.body) throw new Error(`HTTP ${response.status} ${response.statusText}`)
    await makeFolder(dirname(target))
    await pipeline(Readable.fromWeb(response.body as ReadableStream), createWriteStream(partial))
    await rename(partial, target)
  } catch (error) {
    await rm(partial, { force: true }).catch(() => {}) // a path that cannot be (cacheDir with \0) fails here too
    throw new ModelLoadError(
      source.modelId,
      `Could not download ${url} to "${source.folder}": ${messageOf(error)}. ` +
        'Check the id, the revision and the network, or put the files there yourself and pass the folder as model.',
      { cause: error },
    )
  }
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
