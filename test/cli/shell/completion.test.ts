import { existsSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { shells } from '../../../src/cli/shell/format-completion.ts'
import { openSqlite } from '../../../src/embedded/store/sqlite.ts'
import { perTest } from '../../helpers/per-test.ts'
import { answer, baseUrl, createWorld } from '../../helpers/world.ts'

const world = perTest(createWorld)

async function complete(line: string, env: Record<string, string | undefined> = {}): Promise<string[]> {
  const { code, stdout, stderr } = await world.run(['__complete', 'fish', '--', line], { env })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return stdout.split('\n').slice(0, -1)
}

const asked = () => world.requests.map(({ method, url }) => `${method} ${url.slice(baseUrl.length)}`)
const cache = () => join(world.dir, 'cache/completion.json')

function store(profile: object, more: object = {}): void {
  mkdirSync(world.configDir, { recursive: true })
  const profiles = {
    default: {
      base_url: baseUrl,
      api_key: world.apiKey,
      api_key_origin: new URL(baseUrl).origin,
      ...profile,
    },
    ...more,
  }
  writeFileSync(join(world.configDir, 'config.json'), JSON.stringify({ profiles }))
}
const stored = { MEETROOM_API_KEY: undefined, MEETROOM_BASE_URL: undefined }

test.each(shells)('completion %s prints a script, and an installation hint on a terminal', async (shell) => {
  const piped = await world.run(`completion ${shell}`)
  expect(piped).toMatchObject({ code: 0, stderr: '' })
  expect(piped.stdout).toContain('meetroom __complete')
  const { stderr } = await world.run(`completion ${shell}`, { tty: true })
  expect(stderr).toMatch(/^to install it, (add|run)/)
})

test('completion for fish omits IDs with a leading tilde, which fish expands', async () => {
  for (const user_id of ['~', '~root', '~/x', 'a~b']) await world.send('POST', '/users', { user_id })
  expect(await complete('meetroom users get ')).toEqual(['words', 'a~b'])
  const { stdout } = await world.run(['__complete', 'zsh', '--', 'meetroom users get '])
  expect(stdout).toContain('~root')
})

test('completion exits 2 for the unknown shell csh', async () => {
  expect(await world.run('completion csh')).toMatchObject({ code: 2, stdout: '' })
})

test.each([
  ['meetroom prof', 'profiles\tSwitch between services'],
  ['meetroom --profile x room ', 'terminate\tTerminate rooms'],
  ['meetroom rooms list --', '--page-size\titems per request'],
  ['meetroom rooms list --', '--profile\tuse this profile'],
  ['meetroom rooms create --type ', 'private'],
  ['meetroom rooms list -o ', 'ndjson'],
  ['meetroom rooms list --output=', '--output=csv'],
  ['meetroom users list --where ', 'email=\temail address'],
  ['meetroom rooms list --where ', 'online>='],
  ['meetroom rooms list --where ', 'idle>='],
  ['meetroom rooms wait r --for ', 'terminated\tstatus=terminated'],
  ['meetroom rooms wait r --for ', 'online>='],
  ['meetroom rooms wait r --for status=', 'status=terminated'],
  ['meetroom rooms wait r --', '--interval\tpause between two polls'],
  ['meetroom users list --where default_member_type!=', 'default_member_type!=monitor'],
  ['meetroom members list r --sort -type,', '-type,user_id'],
  ['meetroom sessions list r --count-by ', 'status'],
  ['meetroom rooms list --columns ', 'status'],
  ['meetroom profiles use ', 'local\tthe local workspace'],
  ['meetroom config set ', 'timeout'],
  ['meetroom completion ', 'zsh'],
  ['meetroom help ', 'exit-codes'],
  ['meetroom help rooms ', 'terminate\tTerminate rooms'],
  ['meetroom schema ', 'rooms\tList, create, change, terminate and delete rooms'],
  ['meetroom schema users ', 'offboard\tBlock users in all private rooms, then delete the users'],
  ['meetroom api ', 'DELETE'],
  ['meetroom api GET ', '/users'],
  ['A=1 meetroom ', 'rooms\tList, create, change, terminate and delete rooms'],
])('completion of “%s” offers %j without a request', async (line, candidate) => {
  expect(await complete(line)).toContain(candidate)
  expect(asked()).toEqual([])
})

test.each(['meetroom rooms import ', 'meetroom users create ada --data-dir ', 'meetroom webhooks verify '])(
  'completion of a path after “%s” offers no candidates',
  async (line) => {
    expect((await complete(line)).slice(1)).toEqual([])
  },
)

describe('completion of IDs', () => {
  beforeEach(async () => {
    for (const [user_id, name] of [
      ['ada', 'Ada Lovelace'],
      ['grace', undefined],
    ])
      await world.send('POST', '/users', { user_id, name })
  })

  test('completion of IDs sends one list request with a limit of 100', async () => {
    const { room } = (await world.send('POST', '/rooms', { name: 'Weekly sync', type: 'open' })).body
    const { member } = (await world.send('POST', `/rooms/${room.id}/members`, { user_id: 'ada' })).body
    expect(await complete('meetroom rooms get ')).toEqual(['words', `${room.id}\tWeekly sync`])
    expect(await complete('meetroom users delete grace ')).toEqual(['words', 'ada\tAda Lovelace'])
    expect(await complete(`meetroom members get ${room.id} `)).toEqual(['words', `${member.id}\tada`])
    expect(asked()).toEqual([
      'GET /rooms?limit=100',
      'GET /users?limit=100',
      `GET /rooms/${room.id}/members?limit=100`,
    ])
  })

  test('completion of IDs caches the IDs with owner-only access until they expire', async () => {
    const first = await complete('meetroom users get ')
    expect(await complete('meetroom users get ')).toEqual(first)
    expect(asked()).toHaveLength(1)
    expect(statSync(cache()).mode & 0o777).toBe(0o600)
    expect(readFileSync(cache(), 'utf8')).not.toContain(world.apiKey)
    writeFileSync(cache(), readFileSync(cache(), 'utf8').replace(/"until":\d+/, '"until":1'))
    expect(await complete('meetroom users get ')).toEqual(first)
    expect(asked()).toHaveLength(2)
  })

  test('completion of IDs offers at most 100 IDs if the service ignores the limit', async () => {
    const rooms = Array.from({ length: 500 }, (_, i) => ({
      id: `r${i}`,
      name: 'n'.repeat(10_000),
      type: 'open',
    }))
    world.intercept = async () => answer(200, { rooms })
    expect(await complete('meetroom rooms get ')).toHaveLength(101)
    expect(statSync(cache()).size).toBeLessThan(50_000)
  })

  test('completion of IDs replaces a cache file that is a symbolic link without changing its target', async () => {
    const forged = JSON.stringify({})
    mkdirSync(join(world.dir, 'cache'))
    const elsewhere = join(world.dir, 'elsewhere')
    writeFileSync(elsewhere, forged)
    symlinkSync(elsewhere, cache())
    await complete('meetroom users get ')
    expect(readFileSync(elsewhere, 'utf8')).toBe(forged)
    expect(statSync(cache()).mode & 0o777).toBe(0o600)
  })

  test('completion of IDs sends no request to the service of a protected profile', async () => {
    store({ protected: true })
    expect(await complete('meetroom users get ', stored)).toEqual(['words'])
    expect(await complete('meetroom users get ')).toEqual(['words'])
    store({}, { other: { base_url: baseUrl, protected: true } })
    expect(await complete('meetroom users get ', stored)).toEqual(['words'])
    expect(asked()).toEqual([])
    store({})
    expect(await complete('meetroom users get ', stored)).toHaveLength(3)
  })

  test('completion of IDs reads a local workspace without creating a missing one', async () => {
    expect(await complete('meetroom --local users get ')).toEqual(['words'])
    expect(existsSync(join(world.dir, 'data'))).toBe(false)
    await world.run('--local users create alan')
    expect(await complete('meetroom --local users get ')).toEqual(['words', 'alan'])
  })

  test('completion of IDs skips a local workspace that needs an upgrade', async () => {
    await world.run('--local users create alan')
    const database = join(world.dir, 'data/workspace.db')
    const sqlite = await openSqlite(database, (load) => load())
    sqlite.exec('PRAGMA user_version = 1')
    expect(await complete('meetroom --local users get ')).toEqual(['words'])
    expect(sqlite.prepare('PRAGMA user_version').get()).toMatchObject({ user_version: 1 })
    sqlite.close()
  })

  test('completion of IDs uses the profile of --profile on the command line', async () => {
    store(
      { base_url: 'https://elsewhere.test/v1' },
      { spare: { base_url: baseUrl, api_key: world.apiKey, api_key_origin: new URL(baseUrl).origin } },
    )
    expect(await complete('meetroom --profile spare users get ', stored)).toHaveLength(3)
  })

  test.each([
    ['responds with 401', async () => answer(401, {})],
    ['responds with 500', async () => answer(500, 'oops')],
    ['responds without a list', async () => answer(200, { users: 'none' })],
    ['lists items without IDs', async () => answer(200, { users: [{ name: 'x' }, null, 7] })],
    ['refuses the connection', async () => Promise.reject(new Error('ECONNREFUSED'))],
    ['responds with 404', async () => answer(404, {})],
    ['responds with 400', async () => answer(400, {})],
  ])('completion of IDs offers no IDs after a single request if the service %s', async (_, intercept) => {
    world.intercept = intercept
    expect(await complete('meetroom members get 66f1a2b3c4d5e6f708192a3b ')).toEqual(['words'])
    expect(asked()).toHaveLength(1)
  })

  test('completion of IDs times out within 300 ms, and the next completion sends no request', async () => {
    world.intercept = (_request, _next, signal) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    const { host, done } = world.start(['__complete', 'fish', '--', 'meetroom users get '])
    const delays = host.hurry()
    expect(await done).toMatchObject({ code: 0, stdout: 'words\n', stderr: '' })
    expect(Math.max(...delays)).toBeLessThanOrEqual(300)
    expect(await complete('meetroom users get ')).toEqual(['words'])
    expect(asked()).toHaveLength(1)
  })

  test('completion of IDs omits IDs with control characters or a special meaning in commands', async () => {
    const ids = ['ok', '-y', 'name:x', 'a\nb', 'a\tb', '\u001b]0;x\u0007', '\u202eabc', world.apiKey]
    world.intercept = async () =>
      answer(200, { users: ids.map((user_id) => ({ user_id, name: `a\u0007\tb\n${world.apiKey}` })) })
    expect(await complete('meetroom users get ')).toEqual(['words', 'ok\ta\\u0007\\tb\\n[API key]'])
  })

  test('completion offers commands but no IDs if the settings file is invalid', async () => {
    mkdirSync(world.configDir)
    writeFileSync(join(world.configDir, 'config.json'), 'no JSON')
    expect(await complete('meetroom users get ', stored)).toEqual(['words'])
    expect((await complete('meetroom users ')).join()).toContain('list\t')
  })
})

describe('completion for bash', () => {
  const bash = async (line: string, replaced: string, reason = '9') =>
    (await world.run(['__complete', 'bash', '--', line, replaced, reason])).stdout.split('\n').slice(1, -1)

  test('completion for bash returns the replacement of the current word, quoted for its context', async () => {
    await world.send('POST', '/users', { user_id: "it's $HOME" })
    expect(await bash('meetroom rooms list --output=nd', 'nd')).toEqual(['ndjson'])
    expect(await bash('meetroom users get it', 'it')).toEqual(["it\\'s\\ \\$HOME"])
    expect(await bash('meetroom users get "it', 'it')).toEqual([])
    await world.send('POST', '/users', { user_id: 'of joined 👩\u200d👧\u00a0李' })
    rmSync(cache())
    expect(await bash('meetroom users get of', 'of')).toEqual(['of\\ joined\\ 👩\u200d👧\\\u00a0李'])
    // Part of a joined emoji is completed.
    expect(await bash('meetroom users get of\\ joined\\ 👩', '👩')).toHaveLength(1)
    expect(await bash("meetroom users get 'it", 'it')).toEqual([])
    expect(await bash("meetroom rooms list --where 'type=o", 'type=o')).toEqual(['type=open'])
  })

  test('completion for bash adds names only if bash displays several candidates', async () => {
    await world.send('POST', '/users', { user_id: 'ada', name: 'Ada' })
    await world.send('POST', '/users', { user_id: 'al', name: 'Alan' })
    expect(await bash('meetroom users get a', 'a')).toEqual(['al', 'ada'])
    expect(await bash('meetroom users get a', 'a', '63')).toEqual(['al   (Alan)', 'ada  (Ada)'])
    expect(await bash('meetroom users get ad', 'ad', '63')).toEqual(['ada'])
  })
})
