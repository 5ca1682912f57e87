import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { startService } from '../../src/testing/testing.ts'
import { runCommand } from '../helpers/command.ts'
import { readTopicFile } from '../helpers/documentation.ts'
import { copyPackage } from '../helpers/installed.ts'

// Some tests start a test runner or a compiler.
vi.setConfig({ testTimeout: 120_000 })

const dir = mkdtempSync(join(tmpdir(), 'meetroom-test-'))
const modules = join(dir, 'node_modules')

beforeAll(() => {
  writeFileSync(join(dir, 'package.json'), '{}')
  mkdirSync(modules)
  copyPackage(join(modules, 'meetroom'))
  for (const name of ['vitest', 'libsql', '@types'])
    symlinkSync(resolve('node_modules', name), join(modules, name))
})

afterAll(() => rmSync(dir, { recursive: true, force: true, maxRetries: 5 }))

const [, esm = ''] = /<!-- esm -->\n```js\n(.*?)```/s.exec(readTopicFile('testing')) ?? []
const commonJs = readFileSync(resolve('test/fixtures/testing-commonjs.txt'), 'utf8')

function write(folder: string, files: Readonly<Record<string, string>>): string {
  const path = join(dir, folder)
  mkdirSync(path)
  for (const [name, text] of Object.entries(files)) writeFileSync(join(path, name), text)
  return path
}

const nodeMajor = Number(process.versions.node.split('.')[0])

test('the tests in the testing topic and in the CommonJS fixture pass', async () => {
  const fake = `
test('the service responds if all timers and the clock are replaced', async () => {
  vi.useFakeTimers({ now: 0 })
  const rooms = [{ id: 'r', name: 'R', type: 'open', webhook: { url: 'http://127.0.0.1:9/' } }]
  const service = await startService({ seed: { rooms } })
  new WebSocket(service.baseUrl.replace('http', 'ws') + '/rooms/r/connect')
  await service.webhooks.next()
  await service.clock.advance('1h')
  expect(service.clock.now()).toBeGreaterThan(1.7e12)
  await service.close()
})`
  for (const [type, code, more] of [
    ['module', esm, fake],
    ['commonjs', commonJs, ''],
  ] as const) {
    expect(code.split('\n').filter((line) => line.trim() !== '').length).toBeLessThanOrEqual(30)
    for (const word of ['seed', 'reset', 'clock', 'faults', 'webhooks']) expect(code).toContain(word)
    write(type, { 'package.json': JSON.stringify({ type }), 'service.test.js': code + more })
  }
  const argv = [join(modules, 'vitest/vitest.mjs'), 'run', '--globals', '--maxWorkers=1', '--root', dir]
  const { code, stdout, stderr } = await runCommand(process.execPath, argv, {
    HOME: dir,
    // Node 20 has no global WebSocket by default.
    NODE_OPTIONS: nodeMajor < 22 ? '--experimental-websocket' : '',
  })
  expect(code, stdout + stderr).toBe(0)
  expect(stdout).toMatch(/5 passed/)
})

test('startService suggests npm install libsql if Node.js has no SQLite', async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'meetroom-test-'))
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }))
  cpSync(join(modules, 'meetroom'), join(cwd, 'node_modules/meetroom'), { recursive: true })
  const program = `require('meetroom/testing').startService().then((service) => service.close(), ({ message }) => console.log(message))`
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  const hasSqlite = major > 22 || (major === 22 && minor >= 13)
  const argv = [...(hasSqlite ? ['--no-experimental-sqlite'] : []), '-e', program]
  const { stdout } = await runCommand(process.execPath, argv, { HOME: dir }, '', { cwd })
  expect(stdout).toBe(
    'the embedded service needs Node 22.13 or newer, or the package libsql: npm install libsql\n',
  )
})

test.each(['process.exit()', "process.kill(process.pid, 'SIGKILL')"])(
  'startService reuses the data directory of a process that ended with %s',
  async (end) => {
    const dataDir = join(dir, `data ${end}`)
    const program = `const { startService } = require('meetroom/testing')
const options = { dataDir: ${JSON.stringify(dataDir)}, seed: { users: [{ user_id: 'ada' }] } }
startService(options).then((service) => { console.log(service.apiKey); END })`
    const argv = ['-e', program.replace('END', end)]
    const { stdout } = await runCommand(process.execPath, argv, { HOME: dir }, '', { cwd: dir })
    const service = await startService({ dataDir })
    expect(`${service.apiKey}\n`).toBe(stdout)
    await service.close()
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

test('the published types reject misspelled operations and fields in ES modules and CommonJS', async () => {
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
