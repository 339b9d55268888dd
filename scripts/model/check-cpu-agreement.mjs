// Embeds the same texts on this CPU and on an emulated one without AVX-512 and VNNI. Exits 1 where the lowest cosine
// similarity between the two is below 0.999, 2 where something is missing.
//
//   node scripts/model/check-cpu-agreement.mjs [folder of a model]
//
// Int8 kernels differ by CPU: those of x86 without VNNI add pairs of products in 16 bits that can saturate, so that a
// model quantized the wrong way gives other embeddings there, and an index built on one machine fits no other.

import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const MIN_COSINE = 0.999
const TEXTS = 30
const MAX_TOKENS = 256
const QEMU = 'qemu-x86_64'
const QEMU_CPU = 'Haswell' // AVX2, neither AVX-512 nor VNNI
const CHILD_FLAG = '--embed-token-ids'
const require = createRequire(import.meta.url)

/** The child: rows of token ids on stdin, their mean-pooled unit-length embeddings on stdout, one text a run. */
async function embedTokenIds(weightsFile) {
  const ort = require('onnxruntime-node')
  const rows = JSON.parse(readFileSync(0, 'utf8'))
  // One thread: emulated ones wait for each other.
  const session = await ort.InferenceSession.create(weightsFile, { intraOpNumThreads: 1, interOpNumThreads: 1 })
  const embeddings = []
  for (const row of rows) {
    const tensor = values => new ort.Tensor('int64', BigInt64Array.from(values, BigInt), [1, row.length])
    const { last_hidden_state: hidden } = await session.run({
      input_ids: tensor(row),
      attention_mask: tensor(row.map(() => 1)),
      token_type_ids: tensor(row.map(() => 0)),
    })
    const width = hidden.dims[2]
    const sums = new Array(width).fill(0)
    hidden.data.forEach((value, i) => {
      sums[i % width] += value
    })
    const norm = Math.hypot(...sums)
    embeddings.push(sums.map(sum => sum / norm))
  }
  process.stdout.write(JSON.stringify(embeddings))
}

function missing(what, cure) {
  console.error(`Missing: ${what}. ${cure}`)
  process.exit(2)
}

/** Token ids of every tenth parity text, cut as the model's window demands. */
async function tokenIds(modelFolder) {
  const { BertTokenizer } = await import('@xenova/transformers').catch(() =>
    missing('the development dependencies', 'Run: npm install'),
  )
  const read = file => JSON.parse(readFileSync(resolve(modelFolder, file), 'utf8'))
  const tokenizer = new BertTokenizer(read('tokenizer.json'), read('tokenizer_config.json'))
  const fixtures = new URL('../../test/fixtures/parity/texts.json', import.meta.url)
  const { documents, queries } = JSON.parse(readFileSync(fixtures, 'utf8'))
  return [...documents, ...queries]
    .filter((_, i) => i % 10 === 0)
    .slice(0, TEXTS)
    .map(text => tokenizer(text, { truncation: true, max_length: MAX_TOKENS, return_tensor: false }).input_ids)
}

function runChild(command, args, input) {
  const { status, signal, stdout, stderr, error } = spawnSync(command, args, {
    input,
    encoding: 'utf8',
    maxBuffer: 64 * 2 ** 20,
  })
  if (error || status !== 0) {
    console.error(`${command} ${args.join(' ')} failed (${error?.message ?? signal ?? `exit ${status}`})\n${stderr}`)
    process.exit(2)
  }
  return JSON.parse(stdout)
}

async function main() {
  if (process.arch !== 'x64' || process.platform !== 'linux') missing('Linux on x86-64', 'Run this check there.')
  if (spawnSync(QEMU, ['--version']).error) {
    missing(QEMU, 'It is in the package qemu-user of Debian and Ubuntu: apt-get install qemu-user')
  }
  const bundled = fileURLToPath(new URL('../../models/all-MiniLM-L6-v2', import.meta.url))
  const modelFolder = resolve(process.argv[2] ?? bundled)
  const rows = await tokenIds(modelFolder)
  const child = [fileURLToPath(import.meta.url), CHILD_FLAG, resolve(modelFolder, 'onnx/model_quantized.onnx')]
  const input = JSON.stringify(rows)
  const native = runChild(process.execPath, child, input)
  const emulated = runChild(QEMU, ['-cpu', QEMU_CPU, process.execPath, ...child], input)

  const cosines = native.map((embedding, i) => embedding.reduce((sum, value, j) => sum + value * emulated[i][j], 0))
  const lowest = Math.min(...cosines)
  const mean = cosines.reduce((sum, value) => sum + value, 0) / cosines.length
  const flags = readFileSync('/proc/cpuinfo', 'utf8').match(/^flags.*$/m)?.[0] ?? ''
  console.log(`this CPU: ${/\bavx(512|)_vnni\b/.test(flags) ? 'with' : 'without'} VNNI; emulated: ${QEMU_CPU}`)
  console.log(`${cosines.length} texts, cosine similarity min ${lowest.toFixed(6)}, mean ${mean.toFixed(6)}`)
  if (!(lowest >= MIN_COSINE)) {
    console.error(`Expected at least ${MIN_COSINE} for every text.`)
    process.exit(1)
  }
}

if (process.argv[2] === CHILD_FLAG) await embedTokenIds(process.argv[3])
else await main()
