import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { copyFile, cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const run = promisify(execFile)

// Two installations of some 200 packages each, side by side; about 40 s with a warm npm cache.
const INSTALL_TIMEOUT_MS = 600_000

const NO_COMPILER = { CC: 'false', CXX: 'false', MAKE: 'false', npm_config_python: '/nonexistent/python' }

interface Report {
  names: string[]
  entries: string[]
  nativeBefore: string[]
  bundledModel: string[]
  withoutAgent: { mode: string; names: string[] }
  largeCatalog: string[]
  warnings: string[]
}

interface Project {
  folder: string
  /** Names of the installed packages, `@scope/name` included. */
  packages: string[]
  report: Report
}

/** npm as a user starts it: without what `npm test` hands down to its scripts. */
async function npm(cwd: string, args: string[], env: Record<string, string> = {}): Promise<string> {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^npm_/i.test(name) || /^npm_config_(cache|registry|nodedir)$/i.test(name),
  )
  const shell = process.platform === 'win32' // npm is a .cmd file there
  const options = { cwd, shell, maxBuffer: 64 * 2 ** 20, env: { ...Object.fromEntries(inherited), ...env } }
  return (await run('npm', args, options)).stdout
}

async function installInto(folder: string, tarball: string, env: Record<string, string>): Promise<Project> {
  await mkdir(folder)
  await writeFile(join(folder, 'package.json'), '{ "private": true, "type": "module" }')
  await npm(folder, ['install', tarball, '@mastra/core@1.71.0', 'zod', '--no-audit', '--no-fund'], env)
  await copyFile(join(root, 'test/package/consumer.mjs'), join(folder, 'consumer.mjs'))
  const { stdout } = await run(process.execPath, ['consumer.mjs'], { cwd: folder })
  const report = JSON.parse(stdout.trim().split('\n').at(-1)!) as Report
  return { folder, packages: await installedPackages(join(folder, 'node_modules')), report }
}

async function installedPackages(nodeModules: string): Promise<string[]> {
  const names: string[] = []
  for (const name of await readdir(nodeModules)) {
    if (name.startsWith('.')) continue
    if (name.startsWith('@')) names.push(...(await readdir(join(nodeModules, name))).map(sub => `${name}/${sub}`))
    else names.push(name)
    const nested = join(nodeModules, name, 'node_modules')
    if (existsSync(nested)) names.push(...(await installedPackages(nested)))
  }
  return names
}

describe('the packed package', () => {
  let work: string
  let files: string[]
  let usual: Project
  let withoutCompiler: Project

  beforeAll(async () => {
    work = await mkdtemp(join(tmpdir(), 'package-test-'))
    const packed = JSON.parse(
      (await npm(root, ['pack', '--json', '--silent', '--pack-destination', work])).replace(/^[^[]*(?=\[\s*\{)/, ''),
    ) as [{ filename: string; files: { path: string }[] }]
    files = packed[0].files.map(({ path }) => path)
    const tarball = join(work, packed[0].filename)
    ;[usual, withoutCompiler] = await Promise.all([
      installInto(join(work, 'usual'), tarball, {}),
      installInto(join(work, 'without-compiler'), tarball, NO_COMPILER),
    ])
  }, INSTALL_TIMEOUT_MS)

  afterAll(async () => {
    if (work) await rm(work, { recursive: true, force: true })
  })

  it('holds code, types, model, licence and notice, and nothing else', () => {
    expect(files).toEqual(
      expect.arrayContaining([
        'LICENSE',
        'NOTICE',
        'dist/index.js',
        'dist/index.d.ts',
        'models/all-MiniLM-L6-v2/tokenizer.json',
        'models/all-MiniLM-L6-v2/onnx/model_quantized.onnx',
      ]),
    )
    const expected = /^(dist\/|models\/all-MiniLM-L6-v2\/|(LICENSE|NOTICE|README\.md|package\.json)$)/
    expect(files.filter(file => !expected.test(file))).toEqual([])
  })

  it('attributes what it bundles', async () => {
    const notice = await readFile(join(usual.folder, 'node_modules/mastra-semantic-tool-search/NOTICE'), 'utf8')
    for (const work of ['@xenova/transformers', '@huggingface/jinja', 'all-MiniLM-L6-v2'])
      expect(notice).toContain(work)
  })

  it('brings neither sharp nor onnxruntime-web nor transformers.js with it', () => {
    const unwanted = usual.packages.filter(name => /^(sharp|@img\/|onnxruntime-web|@xenova\/)/.test(name))
    expect(unwanted).toEqual([])
    expect(usual.packages).toContain('onnxruntime-node')
  })

  it('can be imported by every entry, and loads no native module before it is used', () => {
    expect(usual.report.entries).toContain('.')
    expect(usual.report.names).toContain('SemanticToolSearchProcessor')
    expect(usual.report.nativeBefore).toEqual([])
  })

  it('finds a tool by meaning with the bundled model', () => {
    expect(usual.report.bundledModel).toEqual(['get_weather'])
    expect(usual.report.withoutAgent).toEqual({ mode: 'hybrid', names: ['get_weather'] })
    expect(usual.report.largeCatalog[0]).toBe('tool_1234')
  })

  it('runs the commands of the example workflow, and starts with the index that they built', {
    timeout: 180_000,
  }, async () => {
    const { folder } = usual
    await cp(join(root, 'examples/prebuilt-index'), folder, { recursive: true })
    const workflow = await readFile(join(folder, 'tool-index.yml'), 'utf8')
    const commands = [...workflow.matchAll(/- run: npx mastra-semantic-tool-search (.*)$/gm)].map(([, line]) => line!)
    expect(commands.map(line => line.split(' ')[0])).toEqual(['build', 'verify', 'inspect'])
    const bin = join(folder, 'node_modules/.bin/mastra-semantic-tool-search')
    const outputs: string[] = []
    for (const line of commands) outputs.push((await run('sh', ['-c', `"${bin}" ${line}`], { cwd: folder })).stdout)
    expect(outputs[0]).toMatch(/3 embedded/)
    // With the tools: the index alone has no texts whose words could count.
    const search = [
      'search',
      'tool-index',
      './src/tools.ts#allTools',
      '--query',
      'weather forecast for tomorrow',
      '--json',
    ]
    const { stdout } = await run(bin, search, { cwd: folder })
    expect(JSON.parse(stdout).results[0].name).toBe('get_weather')
    expect(await readFile(join(folder, 'tool-index.html'), 'utf8')).toContain('merge_pdfs')
    await writeFile(
      join(folder, 'start.mts'),
      "import { toolSearch } from './src/tool-search.js'\nawait toolSearch.warmup()\nconsole.log('started')\n",
    )
    const tsx = join(root, 'node_modules/tsx/dist/cli.mjs')
    expect((await run(process.execPath, [tsx, 'start.mts'], { cwd: folder })).stdout).toBe('started\n')
  })

  it('answers --version and --help, and wrong use with exit code 2', async () => {
    const bin = join(usual.folder, 'node_modules/.bin/mastra-semantic-tool-search')
    const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string }
    expect((await run(bin, ['--version'])).stdout.trim()).toBe(version)
    expect((await run(bin, ['build', '--help'])).stdout).toContain('Examples:')
    await expect(run(bin, ['biuld'])).rejects.toMatchObject({ code: 2 })
  })

  it('says what to install for a store whose package is not there', async () => {
    const { folder } = usual
    const bin = join(folder, 'node_modules/.bin/mastra-semantic-tool-search')
    await writeFile(join(folder, 'one.json'), '{ "ping": { "description": "Answers." } }')
    for (const [url, name] of [
      ['postgresql://me:hunter2@localhost/db', '@mastra/pg'],
      ['file:tools.db', '@mastra/libsql'],
    ]) {
      const failed = await run(bin, ['push', 'one.json', '--url', url!], { cwd: folder }).catch(error => error)
      expect(failed).toMatchObject({ code: 1, stdout: '' })
      expect(failed.stderr).toContain(`npm install ${name}`)
      expect(failed.stderr).not.toContain('hunter2')
    }
  })

  it('installs where hnswlib-node cannot compile', () => {
    expect(withoutCompiler.packages).toContain('mastra-semantic-tool-search')
    expect(withoutCompiler.packages).not.toContain('hnswlib-node')
  })

  it('finds the same without hnswlib-node, with one warning', () => {
    expect(withoutCompiler.report.bundledModel).toEqual(['get_weather'])
    expect(withoutCompiler.report.largeCatalog[0]).toBe('tool_1234')
    expect(withoutCompiler.report.warnings).toHaveLength(1)
    expect(withoutCompiler.report.warnings[0]).toMatch(/hnswlib-node/)
  })
})
