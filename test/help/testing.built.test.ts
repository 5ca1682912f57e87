import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { runCommand } from '../helpers/command.ts'
import { readTopicFile } from '../helpers/documentation.ts'

// Every test starts a test runner or a compiler.
vi.setConfig({ testTimeout: 120_000 })

const dir = mkdtempSync(join(tmpdir(), 'meetroom-test-'))
const modules = join(dir, 'node_modules')

/** A project outside this repository, into which the packed tarball is installed. */
beforeAll(async () => {
  const npm = (...argv: string[]) =>
    runCommand('npm', argv, { HOME: dir, npm_config_cache: join(dir, 'cache') })
  const packed = await npm('pack', '--ignore-scripts', '--pack-destination', dir, '--json')
  expect(packed.code, packed.stderr).toBe(0)
  const [{ filename }] = JSON.parse(packed.stdout)
  writeFileSync(join(dir, 'package.json'), '{}')
  const flags = ['--offline', '--no-audit', '--no-fund', '--omit=peer', '--prefix', dir]
  const installed = await npm('install', ...flags, join(dir, filename))
  expect(installed.code, installed.stderr).toBe(0)
  for (const name of ['vitest', 'libsql']) symlinkSync(resolve('node_modules', name), join(modules, name))
  symlinkSync(resolve('node_modules/@types'), join(modules, '@types'))
}, 120_000)

afterAll(() => rmSync(dir, { recursive: true, force: true, maxRetries: 5 }))

/** Returns an example of the topic. */
function exampleOf(name: string): string {
  const [, code = ''] =
    new RegExp(`<!-- ${name} -->\n\`\`\`js\n(.*?)\`\`\``, 's').exec(readTopicFile('testing')) ?? []
  return code
}

/** Writes files into a directory of the project. */
function write(folder: string, files: Readonly<Record<string, string>>): string {
  const path = join(dir, folder)
  mkdirSync(path)
  for (const [name, text] of Object.entries(files)) writeFileSync(join(path, name), text)
  return path
}

const nodeMajor = Number(process.versions.node.split('.')[0])

test.each([
  ['esm', 'module'],
  ['cjs', 'commonjs'],
])(
  'the %s example uses seed, reset, clock, fault and webhook in 30 lines, and its tests pass',
  async (name, type) => {
    const code = exampleOf(name)
    expect(code.split('\n').filter((line) => line.trim() !== '').length).toBeLessThanOrEqual(30)
    for (const word of ['seed', 'reset', 'clock', 'faults', 'webhooks']) expect(code).toContain(word)
    const cwd = write(name, { 'package.json': JSON.stringify({ type }), 'service.test.js': code })
    const {
      code: exitCode,
      stdout,
      stderr,
    } = await runCommand(
      process.execPath,
      [join(modules, 'vitest/vitest.mjs'), 'run', '--globals', '--root', cwd],
      // Node 20 has no global WebSocket by default.
      {
        HOME: dir,
        PATH: process.env['PATH'] ?? '',
        NODE_OPTIONS: nodeMajor < 22 ? '--experimental-websocket' : '',
      },
    )
    expect(exitCode, stdout + stderr).toBe(0)
    expect(stdout).toMatch(/2 passed/)
  },
)

const typed = (load: string) => `${load}
async function main(): Promise<void> {
  await using service = await startService({ seed: { rooms: [{ name: 'Room', type: 'open' }] } })
  const fault = service.faults.add({ operation: 'createRoom', status: 503, times: 3, after: 'write' })
  const event = await service.webhooks.next((event) => event.type === 'sessionJoined', { timeout: '1s' })
  const counts: [number, number] = [fault.matched, event.payload.membersCount]
  // @ts-expect-error No such operation.
  service.faults.add({ operation: 'creatRoom', status: 503 })
  // @ts-expect-error No such field.
  await service.seed({ rooms: [{ nmae: 'Room', type: 'open' }] })
  void counts
}
void main
`

test('the published types fit ES modules and CommonJS, and find misspelt operations and fields', async () => {
  const cwd = write('types', {
    'esm.mts': typed(`import { startService } from 'meetroom/testing'`),
    'cjs.cts': typed(`import testing = require('meetroom/testing')\nconst { startService } = testing`),
    'tsconfig.json': JSON.stringify({
      compilerOptions: {
        ...{ strict: true, noEmit: true, module: 'nodenext', target: 'es2023', types: ['node'] },
        lib: ['es2023', 'esnext.disposable'],
      },
    }),
  })
  const { code, stdout } = await runCommand(resolve('node_modules/.bin/tsc'), ['--project', cwd], {
    HOME: dir,
  })
  expect(code, stdout).toBe(0)
})
