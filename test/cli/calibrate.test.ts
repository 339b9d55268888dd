import { describe, expect, it } from 'vitest'
import { openToolIndex } from '../../src/artifact/open.js'
import { crowdedEmbedder, verbAndNounQueries, verbAndNounTools } from '../adapt/crowded-embedder.js'
import { hashesOf, readFolder } from '../artifact/fixtures/folder-state.js'
import { type CliOptions, jsonOf, cli as runCli, workFolder } from './cli-harness.js'

const work = workFolder()
const cli = (args: string[], options: CliOptions = {}) => runCli(args, { embedder: crowdedEmbedder(), ...options })
const tools = await work.file('tools.json', verbAndNounTools())
const queries = await work.file(
  'queries.jsonl',
  verbAndNounQueries(120, 3)
    .map(query => JSON.stringify(query))
    .join('\n'),
)
const index = work.path('index')
await cli(['build', tools, '--out', index])

describe('tune --calibrate', { timeout: 60_000 }, () => {
  it('fits the score, stores it in the index, and measures with it', async () => {
    const plain = jsonOf(await cli(['tune', index, tools, '--queries', queries, '--json']))
    expect(plain).toMatchObject({ calibration: null })
    expect(plain).not.toHaveProperty('calibrated')
    const { code, out } = await cli(['tune', index, tools, '--queries', queries, '--calibrate'])
    expect(code).toBe(0)
    expect(out).toMatch(/Scores calibrated by \d+ queries: error 0\.\d\d to 0\.\d\d on held-out ones/)
    const { calibration } = (await openToolIndex(index)).manifest
    expect(calibration!.after).toBeLessThan(calibration!.before)
    const after = jsonOf(await cli(['tune', index, tools, '--queries', queries, '--json']))
    expect(after).toMatchObject({ calibration })
    expect(after.curve).not.toEqual(plain.curve)
  })

  it('succeeds and leaves the index the same when it is run again', async () => {
    const before = hashesOf(readFolder(index))
    const json = jsonOf(await cli(['tune', index, tools, '--queries', queries, '--calibrate', '--json']))
    expect(json).toMatchObject({ calibrated: { helps: true, reason: null } })
    expect(hashesOf(readFolder(index))).toEqual(before)
  })

  it('is told by search --explain and inspect', async () => {
    const searched = await cli(['search', index, tools, 'send my mail', '--explain'])
    expect(searched.out).toMatch(/Scores calibrated by \d+ queries/)
    const inspected = await cli(['inspect', index])
    expect(inspected.out.replace(/\s+/g, ' ')).toMatch(/Calibrated Scores calibrated by \d+ queries/)
  })

  it('leaves the index and exits with 1 where the queries are too few', async () => {
    const few = await work.file('few.jsonl', JSON.stringify({ query: 'send mail', relevant: ['send_mail'] }))
    const before = hashesOf(readFolder(index))
    const { code, out } = await cli(['tune', index, tools, '--queries', few, '--calibrate'])
    expect(code).toBe(1)
    expect(out.replace(/\s+/g, ' ')).toMatch(
      /^Not calibrated, the index is as it was\. Too few different queries \(1\) .* collect at least 10/,
    )
    const json = await cli(['tune', index, tools, '--queries', few, '--calibrate', '--json'])
    expect(jsonOf(json)).toMatchObject({ calibrated: { helps: false, reason: expect.any(String) } })
    expect(hashesOf(readFolder(index))).toEqual(before)
  })

  it.each([
    ['without an index', [tools], /in an index, and none is given/],
    ['of an index without texts alone', [index], /--calibrate fits what agents get.*--include-documents/s],
    ['beside --draft', [index, tools, '--draft', '5', '--force'], /Leave out --html, --require and --calibrate/],
  ])('is wrong use %s', async (_, args, message) => {
    const before = hashesOf(readFolder(index))
    const { code, err } = await cli(['tune', ...args, '--queries', queries, '--calibrate'])
    expect(code).toBe(2)
    expect(err).toMatch(message)
    expect(hashesOf(readFolder(index))).toEqual(before)
  })
})
