import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { Context } from '../../../src/cli/kernel/context.ts'
import { main } from '../../../src/main.ts'
import { type HostOptions, testHost } from '../../helpers/host.ts'
import { fingerprint } from '../../helpers/login.ts'
import { tempDir } from '../../helpers/world.ts'

interface Fake {
  baseUrl: string
  origin: string
  /** Requests as `METHOD PATH KEY`. */
  asked: string[]
  /** Response to every request instead of the rooms. */
  instead: { status: number; body: string } | undefined
}

async function startFakeService(rooms: readonly object[]): Promise<Fake> {
  const fake: Fake = { baseUrl: '', origin: '', asked: [], instead: undefined }
  const server = createServer((request, response) => {
    const key = request.headers.authorization?.replace('Bearer ', '')
    fake.asked.push(`${request.method} ${request.url} ${key}`)
    const { status, body } = fake.instead ?? { status: 200, body: answerTo(request.url ?? '', rooms) }
    response.writeHead(status, { 'content-type': 'application/json' }).end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  fake.origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  fake.baseUrl = `${fake.origin}/v1`
  return fake
}

function answerTo(url: string, rooms: readonly object[]): string {
  const [path = ''] = url.split('?')
  if (path === '/v1/rooms')
    return JSON.stringify({ rooms, paging: { limit: 30, offset: 0, total: rooms.length } })
  return JSON.stringify({ room: { ...rooms[0], id: path.split('/').at(-1) } })
}

const keys = { east: 'key-of-the-east-0001', west: 'key-of-the-west-0002' }
let dir: string
let east: Fake
let west: Fake
beforeEach(async () => {
  dir = tempDir()
  east = await startFakeService([
    { id: 'e1', name: 'Kyoto', type: 'open', profile: 'of the service' },
    { id: 'e2', name: 'Osaka', type: 'private' },
  ])
  west = await startFakeService([{ id: 'w1', name: 'Lisbon', type: 'open', big: 1 }])
  store({})
})

function store(others: object, config: object = {}): void {
  const profile = ({ baseUrl, origin }: Fake, api_key: string) => ({
    base_url: baseUrl,
    api_key,
    api_key_origin: origin,
  })
  const profiles = {
    east: { ...profile(east, keys.east), output: 'csv' },
    west: profile(west, keys.west),
    ...others,
  }
  mkdirSync(join(dir, 'config'), { recursive: true })
  writeFileSync(join(dir, 'config/config.json'), JSON.stringify({ profile: 'west', profiles, ...config }))
}

async function run(line: string, options: HostOptions = {}) {
  const env = {
    MEETROOM_CONFIG_DIR: join(dir, 'config'),
    MEETROOM_DATA_DIR: join(dir, 'data'),
    ...options.env,
  }
  const host = testHost({ cwd: dir, ...options, env })
  const code = await main(line.split(' '), host)
  return { code, stdout: host.stdout.text, stderr: host.stderr.text }
}

describe('auth status --all-profiles', () => {
  test('auth status --all-profiles prints a table with the key fingerprint of each profile', async () => {
    store({
      east: {
        base_url: east.baseUrl,
        api_key: keys.east,
        api_key_origin: east.origin,
        api_key_stored_at: '2026-01-01T00:00:00.000Z',
      },
    })
    const shown = await run(
      'auth status --all-profiles -o tsv --columns profile,key_fingerprint,key_stored_at,works',
    )
    expect(shown).toEqual({
      code: 0,
      stdout:
        'profile\tkey_fingerprint\tkey_stored_at\tworks\n' +
        `east\t${fingerprint(keys.east)}\t2026-01-01T00:00:00.000Z\ttrue\n` +
        `west\t${fingerprint(keys.west)}\t\ttrue\n`,
      stderr: '',
    })
    const [title] = (await run('auth status --all-profiles')).stdout.split('\n')
    expect(title?.split(/ {2,}/)).toEqual([
      'PROFILE',
      'BASE URL',
      'KEY FROM',
      'KEY FINGERPRINT',
      'KEY STORED AT',
      'WORKS',
    ])
  })

  test('auth status --all-profiles prints every profile if the key of one profile is refused, and exits 8', async () => {
    east.instead = { status: 401, body: '{}' }
    const { code, stdout, stderr } = await run('auth status --all-profiles --json')
    expect({ code, stderr: JSON.parse(stderr).error.message }).toEqual({
      code: 8,
      stderr: '1 of 2 profiles failed: east',
    })
    const { items, errors } = JSON.parse(stdout)
    expect(items).toMatchObject([
      { profile: 'east', profile_from: '--all-profiles', works: false },
      { profile: 'west', profile_from: '--all-profiles', works: true },
    ])
    expect(errors).toMatchObject([{ profile: 'east', code: 'auth' }])
  })
})

describe('a read command with --all-profiles', () => {
  test('a read command with --all-profiles prints the items of all profiles as one table with a column for the profile', async () => {
    expect(await run('rooms list --all-profiles')).toEqual({
      code: 0,
      stdout:
        'PROFILE  ID  NAME    TYPE     STATUS  RECORD  LAYOUT  CREATED AT\n' +
        '───────  ──  ──────  ───────  ──────  ──────  ──────  ──────────\n' +
        'east     e1  Kyoto   open\n' +
        'east     e2  Osaka   private\n' +
        'west     w1  Lisbon  open\n',
      stderr: '',
    })
  })

  test('a read command with --all-profiles and --allow-incomplete accepts an incomplete list of a profile', async () => {
    east.instead = { status: 200, body: '{"rooms":[],"paging":{"total":7}}' }
    expect(await run('rooms list --all --all-profiles -o ids')).toMatchObject({ code: 8 })
    expect(await run('rooms list --all --all-profiles -o ids --allow-incomplete')).toMatchObject({
      code: 0,
      stdout: 'w1\n',
    })
  })

  test('a read command with --all-profiles adds the profile to NDJSON and CSV, and prints only IDs with -o ids', async () => {
    expect((await run('rooms list --all-profiles -o ndjson')).stdout).toBe(
      '{"profile":"east","id":"e1","name":"Kyoto","type":"open"}\n' +
        '{"profile":"east","id":"e2","name":"Osaka","type":"private"}\n' +
        '{"profile":"west","id":"w1","name":"Lisbon","type":"open","big":1}\n',
    )
    expect((await run('rooms list --all-profiles -o csv --columns profile,name')).stdout).toBe(
      'profile,name\r\neast,Kyoto\r\neast,Osaka\r\nwest,Lisbon\r\n',
    )
    expect((await run('rooms list --all-profiles -o csv')).stdout).toMatch(
      /^profile,id,type,name,.*\r\neast,e1,open,Kyoto,/,
    )
    expect((await run('rooms list --all-profiles -o ids')).stdout).toBe('e1\ne2\nw1\n')
  })

  test('a read command with --all-profiles and --json prints one document for all profiles', async () => {
    const { code, stdout, stderr } = await run('rooms list --all-profiles --json')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toBe(
      '{"items":[{"profile":"east","id":"e1","name":"Kyoto","type":"open"},' +
        '{"profile":"east","id":"e2","name":"Osaka","type":"private"},' +
        '{"profile":"west","id":"w1","name":"Lisbon","type":"open","big":1}],"errors":[]}\n',
    )
  })

  test('a read command with --all-profiles applies filters and limits to each profile', async () => {
    expect((await run('rooms list --all-profiles --where type=open -o ids')).stdout).toBe('e1\nw1\n')
    expect((await run('rooms list --all-profiles --limit 1 -o ids')).stdout).toBe('e1\nw1\n')
    const { stdout, stderr } = await run('rooms list --all-profiles --where type=private')
    expect(stdout).toContain('east     e2  Osaka  private\n')
    expect(stderr).toBe('west: no rooms\n')
  })

  test('a read command with --all-profiles applies --count, --count-by, --sort, --query and --columns', async () => {
    expect((await run('rooms list --all-profiles --count')).stdout).toBe(
      'PROFILE  COUNT\n───────  ─────\neast     2\nwest     1\n',
    )
    expect((await run('rooms list --all-profiles --count-by type -o csv')).stdout).toBe(
      'profile,type,count\r\neast,open,1\r\neast,private,1\r\nwest,open,1\r\n',
    )
    expect((await run('rooms list --all-profiles --sort -name -o ids --quiet')).stdout).toBe('e2\ne1\nw1\n')
    expect((await run('rooms list --all-profiles --query items[].profile')).stdout).toBe(
      '["east","east","west"]\n',
    )
    expect((await run('rooms list --all-profiles -o tsv --columns profile,name --no-header')).stdout).toBe(
      'east\tKyoto\neast\tOsaka\nwest\tLisbon\n',
    )
  })

  test('a read command with --all-profiles adds the profile to single items and to exports', async () => {
    expect((await run('rooms get e1 --all-profiles --columns profile,name')).stdout).toBe(
      'PROFILE  NAME\n───────  ──────\neast     Kyoto\nwest     Lisbon\n',
    )
    const { code, stdout, stderr } = await run('rooms export --all-profiles --columns profile,id')
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'profile,id\r\neast,e1\r\neast,e2\r\nwest,w1\r\n' })
    expect(stderr).toContain('east: exported 2 rooms\n')
    expect(stderr).toContain('west: exported 1 room\n')
  })

  test('a read command with --all-profiles and --curl prints the request to each service', async () => {
    const { code, stdout } = await run('rooms list --all-profiles --curl --json')
    expect({ code, lines: stdout.split('\n').map((line) => /http\S+/.exec(line)?.[0]) }).toEqual({
      code: 0,
      lines: [`${east.baseUrl}/rooms`, `${west.baseUrl}/rooms`, undefined],
    })
    expect([...east.asked, ...west.asked]).toEqual([])
  })

  test.each(['', ' --json'])(
    'a read command with --all-profiles and --curl%s prints a usage error once and exits 2',
    async (format) => {
      const { code, stdout, stderr } = await run(
        `rooms list --all-profiles --curl --where nonsense=1${format}`,
      )
      expect({ code, stdout, count: stderr.split('nonsense').length - 1 }).toEqual({
        ...{ code: 2, stdout: '', count: 1 },
      })
    },
  )

  test.each(['', ' --json'])(
    'if one lookup fails, a read command with --all-profiles and --curl%s prints the other requests and exits 8',
    async (format) => {
      east.instead = { status: 422, body: '{"error":{"message":"no"}}' }
      const { code, stdout, stderr } = await run(`rooms get name:Lisbon --all-profiles --curl${format}`)
      expect({
        code,
        requests: stdout.match(/^curl.*$/gm)?.map((line) => /http\S+/.exec(line)?.[0]),
      }).toEqual({
        ...{ code: 8, requests: [`${west.baseUrl}/rooms/w1`] },
      })
      expect(stderr).toContain('1 of 2 profiles failed: east')
      expect(stderr).toMatch(/422/)
    },
  )

  test('a read command with --all-profiles skips profiles without a service', async () => {
    store({ empty: { output: 'json' }, local: { protected: true } })
    expect((await run('rooms list --all-profiles -o ids')).stdout).toBe('e1\ne2\nw1\n')
  })

  test('a read command with --all-profiles reads an existing local workspace after the profiles', async () => {
    expect((await run('rooms list --all-profiles -o ids')).stdout).toBe('e1\ne2\nw1\n')
    const { stdout } = await run('--local rooms create --name Home --type open -o ids')
    expect((await run('rooms list --all-profiles --columns profile,name --no-header')).stdout).toBe(
      'east   Kyoto\neast   Osaka\nwest   Lisbon\nlocal  Home\n',
    )
    expect((await run('rooms list --all-profiles -o ids')).stdout).toBe(`e1\ne2\nw1\n${stdout}`)
  })

  test('a read command with --all-profiles exits 0 after the reader closes the pipe, and exits 74 on a full disk', async () => {
    const broken = (code: string) => Object.assign(new Error(code), { code })
    for (const [failure, expected, ...flags] of [
      ['EPIPE', 0, '--json'],
      ['ENOSPC', 74, '--json'],
      ['ENOSPC', 74, '--curl'],
    ] as const) {
      const host = testHost({
        cwd: dir,
        env: { MEETROOM_CONFIG_DIR: join(dir, 'config'), MEETROOM_DATA_DIR: dir },
      })
      host.stdout.failure = broken(failure)
      expect(await main(['rooms', 'list', '--all-profiles', ...flags], host)).toBe(expected)
    }
  })
})

describe('a failure with --all-profiles', () => {
  test('the failures of two profiles with --all-profiles do not affect the output of the third profile', async () => {
    east.instead = { status: 422, body: '{"error":{"message":"no"}}' }
    store({
      gone: {
        base_url: 'http://127.0.0.1:9/v1',
        api_key: 'key-of-nobody-0003',
        api_key_origin: 'http://127.0.0.1:9',
      },
    })
    const run3 = await run('rooms list --all-profiles -o ids --retries 0')
    expect(run3).toMatchObject({ code: 8, stdout: 'w1\n' })
    expect(run3.stderr).toMatch(
      /^error: east: the service refuses the request \(422\): no\n(hint: .*\n)?error: gone: .*refused.*\n(hint: .*\n)?error: 2 of 3 profiles failed: east, gone\n$/,
    )
  })

  test('the failure of one profile with --all-profiles is in the JSON document, or on standard error with -o ndjson', async () => {
    east.instead = { status: 422, body: '{"error":{"message":"no"}}' }
    const { code, stdout, stderr } = await run('rooms list --all-profiles --json')
    expect(code).toBe(8)
    expect(JSON.parse(stdout)).toEqual({
      items: [{ profile: 'west', id: 'w1', name: 'Lisbon', type: 'open', big: 1 }],
      errors: [
        expect.objectContaining({
          profile: 'east',
          code: 'refused',
          message: 'the service refuses the request (422): no',
          status: 422,
        }),
      ],
    })
    expect(JSON.parse(stderr)).toMatchObject({
      error: { code: 'partial', message: '1 of 2 profiles failed: east' },
    })
    const lines = (await run('rooms list --all-profiles -o ndjson')).stderr.trim().split('\n')
    expect(lines.map((line) => JSON.parse(line).error)).toMatchObject([
      { profile: 'east', code: 'refused' },
      { code: 'partial' },
    ])
  })

  test('--all-profiles with -o json prints a document that contains only errors if every profile fails', async () => {
    for (const fake of [east, west]) fake.instead = { status: 401, body: '{}' }
    const { code, stdout } = await run('rooms list --all-profiles --json')
    expect({ code, ...JSON.parse(stdout) }).toMatchObject({
      code: 8,
      items: [],
      errors: [
        { profile: 'east', code: 'auth' },
        { profile: 'west', code: 'auth' },
      ],
    })
  })

  test('--all-profiles prints one usage error if the command line causes the failure of every profile', async () => {
    for (const format of ['table', 'csv'])
      expect(await run(`rooms list --all-profiles --columns nope -o ${format}`)).toMatchObject({
        code: 2,
        stdout: '',
        stderr: expect.stringMatching(
          /^error: no room has a field “nope”\nhint: fields are profile, id, .*\n$/,
        ),
      })
    expect(await run('rooms list --all-profiles --where nope=1 --json')).toMatchObject({
      code: 2,
      stdout: '',
    })
  })

  test('a profile with invalid settings counts as one failed profile with --all-profiles', async () => {
    store({
      plain: {
        base_url: 'http://example.test/v1',
        api_key: 'key-of-plain-0004',
        api_key_origin: 'http://example.test',
      },
    })
    const { code, stdout, stderr } = await run('rooms list --all-profiles -o ids')
    expect({ code, stdout }).toEqual({ code: 8, stdout: 'e1\ne2\nw1\n' })
    expect(stderr).toMatch(/^error: plain: the stored key is not sent over plain http/)
    store({ torn: { base_url: 'nonsense' } })
    expect((await run('rooms list --all-profiles -o ids')).stderr).toMatch(
      /^error: torn: profile torn: the base URL is not a valid URL/,
    )
  })

  test('a profile without a key counts as one failed profile with --all-profiles', async () => {
    store({ keyless: { base_url: west.baseUrl } })
    const { code, stderr } = await run('rooms list --all-profiles -o ids')
    expect({ code, stderr }).toEqual({
      code: 8,
      stderr: expect.stringMatching(
        /^error: keyless: no API key\nhint: .*\nerror: 1 of 3 profiles failed: keyless\n$/,
      ),
    })
    expect(west.asked).toHaveLength(1)
  })
})

describe('a key with --all-profiles', () => {
  test('a key with --all-profiles is sent only to the service of its profile', async () => {
    await run('rooms list --all-profiles')
    await run('rooms get e1 --all-profiles')
    expect(east.asked).toEqual([`GET /v1/rooms ${keys.east}`, `GET /v1/rooms/e1 ${keys.east}`])
    expect(west.asked).toEqual([`GET /v1/rooms ${keys.west}`, `GET /v1/rooms/e1 ${keys.west}`])
  })

  test('a key with --all-profiles is not sent if the base URL of its profile has another origin', async () => {
    store({ moved: { base_url: west.baseUrl, api_key: keys.east, api_key_origin: east.origin } })
    const { stderr } = await run('rooms list --all-profiles')
    expect(stderr).toContain(`error: moved: the key of profile moved belongs to ${east.origin}`)
    expect(west.asked).toEqual([`GET /v1/rooms ${keys.west}`])
  })

  const formats = ['', ' --json', ' -o ndjson', ' --verbose']
  const ways = {
    stored: { api_key: keys.west },
    'printed by a command': { key_command: `echo ${keys.west}` },
  }
  test.each(Object.entries(ways).flatMap(([way, key]) => formats.map((flags) => ({ way, key, flags }))))(
    'rooms list --all-profiles$flags masks all keys in an error response if the key of a profile is $way',
    async ({ key: given, flags }) => {
      store({ west: { base_url: west.baseUrl, api_key_origin: west.origin, ...given } })
      const said = `${keys.east} and ${keys.west}, ${Buffer.from(keys.west).toString('base64')}`
      for (const fake of [east, west])
        fake.instead = { status: 422, body: JSON.stringify({ error: { message: said } }) }
      const { stdout, stderr } = await run(`rooms list --all-profiles${flags}`)
      for (const key of [...Object.values(keys), Buffer.from(keys.west).toString('base64')])
        expect(stdout + stderr).not.toContain(key)
      expect(stdout + stderr).toContain('[API key]')
    },
  )
})

describe('usage errors of --all-profiles', () => {
  test.each<[string, Record<string, string>, string]>([
    ['--profile east', {}, '--profile'],
    ['--local', {}, '--local'],
    ['--base-url http://127.0.0.1:1/v1', {}, '--base-url'],
    ['', { MEETROOM_API_KEY: 'key-of-mine-0005' }, 'MEETROOM_API_KEY'],
    ['', { MEETROOM_BASE_URL: 'http://127.0.0.1:1/v1' }, 'MEETROOM_BASE_URL'],
  ])(
    'the command “rooms list --all-profiles %s” with the environment %j is a usage error',
    async (flags, env, name) => {
      const { code, stdout, stderr } = await run(`rooms list --all-profiles ${flags}`.trim(), { env })
      expect({ code, stdout, stderr }).toEqual({
        code: 2,
        stdout: '',
        stderr:
          `error: --all-profiles and ${name} cannot be used together\n` +
          `hint: ${name.startsWith('-') ? 'omit' : 'unset'} ${name}\n`,
      })
      expect([...east.asked, ...west.asked]).toEqual([])
    },
  )

  test('--all-profiles is a usage error with IDs from standard input', async () => {
    expect(await run('members export - --all-profiles', { stdin: 'e1\n' })).toMatchObject({
      code: 2,
      stderr: 'error: --all-profiles and “-” cannot be used together, because IDs belong to one service\n',
    })
  })

  test('--all-profiles is a usage error with an output file', async () => {
    expect(await run('sessions report e1 --html r.html --all-profiles')).toMatchObject({
      code: 2,
      stderr:
        'error: --all-profiles and --html cannot be used together, because each profile would overwrite the file\n',
    })
  })

  test('--all-profiles is a usage error if no profile has a service', async () => {
    store({}, { profiles: {} })
    expect(await run('rooms list --all-profiles')).toMatchObject({
      code: 2,
      stderr:
        'error: no profile has a service, and there is no local workspace\n' +
        'hint: log in with: meetroom auth login --profile west\n',
    })
  })

  test.each([
    'rooms create --name N --type open',
    'rooms delete e1 --yes',
    'api GET /rooms',
    'profiles list',
    'auth logout',
  ])(
    'the command “%s” is a usage error with --all-profiles because it does not support the flag',
    async (line) => {
      expect(await run(`${line} --all-profiles`)).toMatchObject({
        code: 2,
        stdout: '',
        stderr: expect.stringMatching(
          /^error: --all-profiles cannot be used with “[a-z ]+”, only with commands that read from a service\n$/,
        ),
      })
      expect([...east.asked, ...west.asked]).toEqual([])
    },
  )
})

test('the client for all profiles refuses creations and deletions', async () => {
  const host = testHost({ env: { MEETROOM_CONFIG_DIR: join(dir, 'config') } })
  const flags = { audit: true, header: true, color: false, allProfiles: true, allowWrite: true, yes: true }
  const context = new Context({
    host,
    flags,
    command: 'rooms list',
    interrupt: new AbortController().signal,
    openBackup: async () => undefined,
    readList: async function* () {},
  })
  const client = await context.client({ confirmed: true })
  await expect(client.call('deleteRoom', { params: { id: 'w1' } })).rejects.toThrow('nothing was changed')
  await expect(client.call('createUser', { body: { user_id: 'u' } })).rejects.toThrow('nothing was changed')
  expect(west.asked).toEqual([])
  await context.close()
})

test('rooms list --all-profiles computes columns from the rooms of each profile', async () => {
  const created_at = '2026-01-01T00:00:00.000Z'
  east = await startFakeService([{ id: 'e1', name: 'Kyoto', type: 'open', created_at }])
  west = await startFakeService([{ id: 'w1', name: 'Lisbon', type: 'open', created_at, age: 7 }])
  store({})
  expect(await run('rooms list --all-profiles -o csv --columns profile,id,age')).toEqual({
    code: 0,
    stdout: 'profile,id,age\r\neast,e1,1d\r\nwest,w1,1d\r\n',
    stderr: '',
  })
})
