import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { cli } from './cli-harness.js'

describe('--help', () => {
  it.each([[[]], [['build']], [['verify']], [['search']], [['push']]])(
    'of %j has examples and fits 80 columns',
    async command => {
      const { code, out, err } = await cli([...command, '--help'])
      expect({ code, err }).toEqual({ code: 0, err: '' })
      expect(out).toContain(`Usage: ${['mastra-semantic-tool-search', ...command].join(' ')}`)
      expect(out).toMatch(/\nExamples:\n( {2}\$ .*\n)+/)
    },
  )

  it.each(['build', 'verify', 'search', 'push'])('of %s is what "help" shows', async command => {
    expect(await cli(['help', command])).toEqual(await cli([command, '--help']))
  })

  it('names every option of the design', async () => {
    const { out } = await cli(['search', '--help'])
    for (const option of ['--query', '--top-k', '--min-score', '--explain', '--watch', '--model', '--mcp', '--json']) {
      expect(out).toContain(option)
    }
  })
})

it('--version is the version of the package', async () => {
  const { version } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'))
  expect(await cli(['--version'])).toEqual({ code: 0, out: `${version}\n`, err: '' })
})
