import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { lockWorkspace } from '../../src/embedded/running-server.ts'
import { createWorld, type World } from '../helpers/world.ts'

let world: World
let log: string
beforeEach(async () => {
  world = await createWorld()
  log = join(world.dir, 'audit.log')
})

function store(profiles: Record<string, object>): void {
  mkdirSync(world.configDir, { mode: 0o700 })
  writeFileSync(join(world.configDir, 'config.json'), JSON.stringify({ profiles }), { mode: 0o600 })
}
const write = (base_url: string, flags: readonly string[] = []) =>
  world.run(['users', 'create', 'ada', ...flags], { env: { MEETROOM_BASE_URL: base_url } })
const count = () => world.requests.filter(({ method }) => method !== 'GET').length

const spellings: readonly [stored: string, others: readonly string[]][] = [
  [
    'https://meet.test/v1',
    [
      'https://meet.test/v1/',
      'https://meet.test./v1',
      'https://MEET.test:443/v1',
      'http://meet.test/v1',
      'http://meet.test:443/v1',
      'https://meet%2etest/v1',
      'https://meet。test/v1',
    ],
  ],
  ['http://meet.test:8080/v1', ['https://meet.test:8080/v1', 'http://meet.test.:8080/v1/']],
  [
    'http://127.0.0.1:4680/v1',
    [
      'http://localhost:4680/v1',
      'http://LOCALHOST.:4680/v1',
      'http://a.localhost:4680/v1',
      'http://localhost.localdomain:4680/v1',
      'http://ip6-localhost:4680/v1',
      'http://[::1]:4680/v1',
      'http://[::ffff:127.0.0.1]:4680/v1',
      'http://[::ffff:127.9.0.1]:4680/v1',
      'http://[::]:4680/v1',
      'http://127.0.0.2:4680/v1',
      'http://127.1:4680/v1',
      'http://0x7f000001:4680/v1',
      'http://0.0.0.0:4680/v1',
      'http://0:4680/v1',
      'https://localhost:4680/v1',
    ],
  ],
  ['http://0.0.0.0/v1', ['http://localhost/v1', 'https://127.0.0.1/v1']],
]
const pairs = spellings.flatMap(([stored, others]) => others.map((other) => [stored, other] as const))

describe.each(pairs)('a profile for %s', (stored, other) => {
  test(`a protected profile for ${stored} refuses writes to ${other}`, async () => {
    store({ production: { base_url: stored, protected: true } })
    expect(await write(other)).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('error: the profile production protects this service'),
    })
    expect(count()).toBe(0)
    expect(await write(other, ['--allow-write'])).toMatchObject({ code: 0 })
  })

  test(`a write to ${other} is recorded in the audit log of a profile for ${stored}`, async () => {
    store({ default: { base_url: other }, audited: { base_url: stored, audit_log: log } })
    expect(await write('', ['--profile', 'default'])).toMatchObject({ code: 0 })
    expect(readFileSync(log, 'utf8')).toContain('"intent"')
    rmSync(log)
    await world.send('DELETE', '/users/ada')
    expect(await write(other)).toMatchObject({ code: 0 })
    expect(readFileSync(log, 'utf8')).toContain('"intent"')
  })
})

test.each([
  ['https://meet.test/v1', 'https://meet.test.example/v1'],
  ['https://meet.test/v1', 'https://meet.test:8443/v1'],
  ['http://127.0.0.1:4680/v1', 'http://localhost:4681/v1'],
  ['http://127.0.0.1:4680/v1', 'http://128.0.0.1:4680/v1'],
  ['http://127.0.0.1:4680/v1', 'http://127.0.0.1.example:4680/v1'],
  ['http://127.0.0.1:4680/v1', 'http://[::ffff:128.0.0.1]:4680/v1'],
])('a protected profile for %s allows writes to %s', async (stored, other) => {
  store({ production: { base_url: stored, protected: true } })
  expect(await write(other)).toMatchObject({ code: 0 })
})

describe('the served local workspace', () => {
  const served = 'http://127.0.0.1:4680/v1'
  beforeEach(async () => {
    const dir = join(world.dir, 'data')
    const lock = await lockWorkspace(dir, { quietly: (load) => load() })
    onTestFinished(() => lock.release())
    const api_key_file = join(dir, 'api-key')
    writeFileSync(api_key_file, `${world.apiKey}\n`, { mode: 0o600 })
    lock.publish({ pid: 7, base_url: served, api_key_file })
  })
  const local = () => world.run('--local users create ada', { env: { MEETROOM_BASE_URL: undefined } })

  test.each([served, 'http://localhost:4680/v1', 'https://[::1]:4680/v1'])(
    'a protected profile for %s refuses writes to the served local workspace with --local',
    async (base_url) => {
      store({ dev: { base_url, protected: true } })
      expect(await local()).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('the profile dev protects this service'),
      })
      expect(count()).toBe(0)
    },
  )

  test.each([
    served,
    'http://localhost:4680/v1',
    'http://0.0.0.0:4680/v1',
    'http://[::ffff:127.0.0.1]:4680/v1',
  ])('the protected profile local refuses writes to the served local workspace at %s', async (base_url) => {
    store({ local: { protected: true } })
    expect(await write(base_url)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('the profile local protects this service'),
    })
    expect(count()).toBe(0)
  })

  test('the profile local, not a profile for another port, protects the served local workspace', async () => {
    store({ dev: { base_url: 'http://127.0.0.1:4681/v1', protected: true }, local: { protected: true } })
    expect(await local()).toMatchObject({ code: 2, stderr: expect.stringContaining('the profile local') })
    expect(await write('http://127.0.0.1:4682/v1')).toMatchObject({ code: 0 })
  })

  test('a write with --local is recorded in the audit log of a profile for the served base URL', async () => {
    store({ dev: { base_url: 'http://localhost:4680/v1', audit_log: log } })
    expect(await local()).toMatchObject({ code: 0 })
    expect(readFileSync(log, 'utf8').trim().split('\n')).toHaveLength(2)
  })

  test('a write to the served base URL is recorded in the audit log of the profile local', async () => {
    store({ default: { base_url: 'http://localhost:4680/v1' }, local: { audit_log: log } })
    expect(await write('', ['--profile', 'default'])).toMatchObject({ code: 0 })
    expect(existsSync(log)).toBe(true)
  })
})
