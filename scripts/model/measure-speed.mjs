// Prints how much faster each model runs and loads than the first one, all of them in one process, in turns.
//
//   python scripts/model/export.py --out models/all-MiniLM-L6-v2 --fp32 ../fp32.onnx
//   node scripts/model/measure-speed.mjs ../fp32.onnx models/all-MiniLM-L6-v2/onnx/model_quantized.onnx
//
// One thread, and of many turns the fastest, because other work on the machine can only slow a turn down.

import { basename } from 'node:path'
import ort from 'onnxruntime-node'

/** Texts a batch, tokens a text, turns: a query, a document, a document that fills the window, a batch of documents. */
const SHAPES = [
  [1, 12, 200],
  [1, 60, 60],
  [1, 256, 20],
  [16, 64, 10],
]
const LOADS = 5

const files = process.argv.slice(2)
if (files.length < 2) {
  console.error('Usage: node scripts/model/measure-speed.mjs <fp32.onnx> <other.onnx>...')
  process.exit(2)
}

async function fastest(turns, runs) {
  const bestMs = runs.map(() => Number.POSITIVE_INFINITY)
  for (let turn = 0; turn < turns; turn++) {
    for (const [i, run] of runs.entries()) {
      const start = performance.now()
      await run()
      bestMs[i] = Math.min(bestMs[i], performance.now() - start)
    }
  }
  return bestMs
}

function inputs(texts, tokens) {
  const tensor = valueAt =>
    new ort.Tensor(
      'int64',
      BigInt64Array.from({ length: texts * tokens }, (_, i) => valueAt(i)),
      [texts, tokens],
    )
  return {
    // Spread over the whole words of the vocabulary.
    input_ids: tensor(i => BigInt(2000 + ((i * 7919) % 20_000))),
    attention_mask: tensor(() => 1n),
    token_type_ids: tensor(() => 0n),
  }
}

function report(what, bestMs) {
  const columns = bestMs.map((ms, i) => `${basename(files[i])} ${ms.toFixed(1)} ms (${(bestMs[0] / ms).toFixed(2)}x)`)
  console.log(`${what}: ${columns.join(', ')}`)
}

const create = file => ort.InferenceSession.create(file, { intraOpNumThreads: 1, logSeverityLevel: 3 })
const sessions = await Promise.all(files.map(create))
for (const [texts, tokens, turns] of SHAPES) {
  const feeds = inputs(texts, tokens)
  const bestMs = await fastest(
    turns,
    sessions.map(session => () => session.run(feeds)),
  )
  report(`${texts} x ${tokens} tokens`, bestMs)
}
report(
  'load',
  await fastest(
    LOADS,
    files.map(file => () => create(file)),
  ),
)
