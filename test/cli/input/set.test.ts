import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { perTest } from '../../helpers/per-test.ts'
import { createWorld } from '../../helpers/world.ts'

const world = perTest(createWorld)

const file = (name: string, content: string) => writeFileSync(join(world.dir, name), content)
async function dryRun(argv: string | readonly string[], stdin?: string) {
  const line = typeof argv === 'string' ? argv.split(' ') : argv
  const { code, stdout, stderr } = await world.run(
    [...line, '--dry-run'],
    stdin === undefined ? {} : { stdin },
  )
  return { code, body: stdout === '' ? undefined : JSON.parse(stdout.replace(/^\S+ \S+ /, '')), stderr }
}
async function readSentBody(argv: string, stdin?: string) {
  const { code, stderr } = await world.run(argv, stdin === undefined ? {} : { stdin })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return JSON.parse(world.requests.at(-1)?.body ?? '')
}
const create = 'rooms create --name A --type open'

describe('a key of --set', () => {
  test.each([
    ['rooms update r1 --set', 'recrod', 'record'],
    ['rooms update r1 --set', 'Record', 'record'],
    ['rooms update r1 --set', 'max-meeting-second', 'max_meeting_seconds'],
    ['rooms update r1 --set', 'maxMeetingSeconds', 'max_meeting_seconds'],
    ['rooms update r1 --set', 'nmae', 'name'],
    [`${create} --set`, 'webhook.sceret', 'webhook.secret'],
    [`${create} --set`, 'webook.url', 'webhook.url'],
    [`${create} --set`, 'webook.sceret', 'webhook.secret'],
    ['members update r1 m1 --set', 'is_bloked', 'is_blocked'],
    ['users update ada --set', 'profil_url', 'profile_url'],
    ['message send r1 hello --set', 'mesage', 'message'],
    ['pages create r1 --set indx=1 --image https://a.test/ --set', 'entites', 'entities'],
  ])(
    '%s %s prints a warning because the key resembles a field of the API, and sends the key unchanged',
    async (command, key, meant) => {
      const { code, body, stderr } = await dryRun(`${command} ${key}=1`)
      const notice = `--set ${key}: did you mean ${meant}? The field is sent unchanged\n`
      expect({ code, stderr: stderr.replace(/^--set indx: .*\n/, '') }).toEqual({ code: 0, stderr: notice })
      expect(JSON.stringify(body)).toContain(`"${key.split('.').at(-1)}":1`)
    },
  )

  test.each([
    'metadata.owner=ada',
    'theme=dark',
    'note=x',
    'mode=x',
    'webhook.retries=3',
    'webhook.headers.Names=3',
    'room_template_id=1',
    'record=true',
    'meeting_time=3',
    'x=1',
  ])(
    'rooms create --set %s prints no warning because the key resembles no other field of the API',
    async (pair) => {
      expect(await dryRun(`${create} --set ${pair}`)).toMatchObject({ code: 0, stderr: '' })
    },
  )

  test('rooms update --set --quiet prints no warning about a key that resembles a field of the API', async () => {
    expect(await dryRun('rooms update r1 --set recrod=true -q')).toMatchObject({ stderr: '' })
  })
})

describe('a dotted key in --set', () => {
  test.each([
    [['metadata.owner=ada'], { metadata: { owner: 'ada' } }],
    [['metadata.owner=ada', 'metadata.cost=7'], { metadata: { owner: 'ada', cost: 7 } }],
    [['a.b.c=1', 'a.d={"e":2}'], { a: { b: { c: 1 }, d: { e: 2 } } }],
    [['a.b=1', 'a={"c":2}'], { a: { b: 1, c: 2 } }],
    [['a={"c":2}', 'a.b=1'], { a: { c: 2, b: 1 } }],
    [['example\\.com=1'], { 'example.com': 1 }],
    [['hosts.example\\.com=1'], { hosts: { 'example.com': 1 } }],
    [['a=1', 'a=2'], { a: 2 }],
    [['n.big=12345678901234567890'], undefined],
  ])('rooms update --set builds the request body from the keys and values %j', async (pairs, expected) => {
    const argv = ['rooms', 'update', 'r1', ...pairs.flatMap((pair) => ['--set', pair]), '--dry-run']
    const { code, stdout, stderr } = await world.run(argv)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const text = expected ? JSON.stringify(expected) : '{"n":{"big":12345678901234567890}}'
    expect(stdout).toBe(`PUT https://meet.test/v1/rooms/r1 ${text}\n`)
  })

  test('rooms update --set changes only the values of the given keys in --data', async () => {
    const data = '{"metadata":{"owner":"ada","n":12345678901234567890},"theme":{"a":1},"gone":null}'
    const line = 'rooms update r1 --set metadata.owner=grace --set theme={"b":2} --set gone.by=x --data -'
    const { stdout } = await world.run(`${line} --dry-run`, { stdin: data })
    expect(stdout).toBe(
      'PUT https://meet.test/v1/rooms/r1 {"metadata":{"owner":"grace","n":12345678901234567890},"theme":{"b":2},"gone":{"by":"x"}}\n',
    )
  })

  test('pages create --set with a dotted key changes every created page', async () => {
    const line =
      'pages create r1 --image https://a.test/ --size 3x4 --set size.unit=px --data [{"size":{"width":9}}]'
    expect((await dryRun(line)).body).toEqual([
      { size: { width: 9, unit: 'px' } },
      { entities: [{ type: 'Image', src: 'https://a.test/' }], size: { width: 3, height: 4, unit: 'px' } },
    ])
  })

  test('rooms create --set with a dotted key is merged with the webhook flags', async () => {
    const flags = '--webhook-url https://h.test/ --webhook-header A:1 --set webhook.headers.B=2'
    expect((await dryRun(`${create} ${flags} --set webhook.secret=s --set webhook.retries=3`)).body).toEqual({
      name: 'A',
      type: 'open',
      webhook: { url: 'https://h.test/', headers: { A: '1', B: 2 }, secret: '••••', retries: 3 },
    })
    const url = '--set webhook.url=https://h.test/'
    expect(await readSentBody(`${create} ${url} --webhook-secret s --webhook-header A:1 -q`)).toMatchObject({
      webhook: { url: 'https://h.test/', headers: { A: '1' }, secret: 's' },
    })
  })

  test('rooms create --set webhook.secret sets the secret of the webhook', async () => {
    const { code } = await world.run(`${create} --webhook-url https://h.test/ --set webhook.secret=abc`)
    expect({ code, sent: JSON.parse(world.requests.at(-1)?.body ?? '').webhook }).toEqual({
      code: 0,
      sent: { url: 'https://h.test/', secret: 'abc' },
    })
  })

  test.each(['__proto__.polluted=1', 'constructor.prototype.polluted=1', '__proto__={"polluted":1}'])(
    'rooms update --set %s changes no JavaScript prototype',
    async (pair) => {
      const { code, stdout } = await world.run(['rooms', 'update', 'r1', '--set', pair, '--dry-run'])
      expect(code).toBe(0)
      const [name = ''] = pair.split(/[.=]/)
      expect(Object.keys(JSON.parse(stdout.replace(/^\S+ \S+ /, '')))).toEqual([name])
      expect('polluted' in {}).toBe(false)
    },
  )

  test('meetroom api sends a dotted key of -f as a single key, because the fields can be query parameters', async () => {
    expect((await dryRun('api PUT /rooms/r1 -f a.b=1')).body).toEqual({ 'a.b': 1 })
  })
})

describe('a value that is set twice', () => {
  test.each([
    ['rooms update r1 --set a=1 --set a.b=2', '--set a and --set a.b', 'a'],
    ['rooms update r1 --set a.b=2 --set a=1', '--set a.b and --set a', 'a'],
    ['rooms update r1 --set a={"b":1} --set a.b=2', '--set a and --set a.b', 'a.b'],
    ['rooms update r1 --set a.b.c=1 --set a.b=null', '--set a.b.c and --set a.b', 'a.b'],
    ['rooms update r1 --name A --set name=B', '--name and --set name', 'name'],
    ['rooms update r1 --name A --set name.first=B', '--name and --set name.first', 'name'],
    [
      'rooms update r1 --active --set is_terminated=false',
      '--active and --set is_terminated',
      'is_terminated',
    ],
    ['rooms update r1 --no-record --set record=true', '--no-record and --set record', 'record'],
    [`${create} --member ada --set members=[]`, '--member and --set members', 'members'],
    [
      `${create} --webhook-url https://h.test/ --set webhook.url=https://i.test/`,
      '--webhook-url and --set webhook.url',
      'webhook.url',
    ],
    [
      `${create} --webhook-url https://h.test/ --set webhook=null`,
      '--webhook-url and --set webhook',
      'webhook',
    ],
    [
      `${create} --webhook-url https://h.test/ --webhook-header A:1 --set webhook.headers.A=2`,
      '--webhook-header and --set webhook.headers.A',
      'webhook.headers.A',
    ],
    [
      'members update r1 m1 --unblocked --set is_blocked=true',
      '--unblocked and --set is_blocked',
      'is_blocked',
    ],
    ['members add r1 ada --set user_id=grace', 'the user and --set user_id', 'user_id'],
    ['users create ada --set user_id=grace', 'the user ID and --set user_id', 'user_id'],
    ['message send r1 hello --set message=bye', 'the text and --set message', 'message'],
    ['pages create r1 --image https://a.test/ --index 1 --set index=2', '--index and --set index', 'index'],
  ])(
    'the command “%s” is refused before the first request because it sets a value twice',
    async (line, flags, field) => {
      expect(await world.run(line)).toMatchObject({
        code: 2,
        stdout: '',
        stderr: `error: ${flags} both set “${field}”\n`,
      })
      expect(world.requests).toEqual([])
    },
  )

  test.each([
    ['rooms update r1 --set max_meeting_seconds=60', 'max_meeting_seconds of a room', 'rooms create'],
    ['rooms update r1 --set webhook.url=https://h.test/', 'webhook of a room', 'rooms create'],
    ['rooms update r1 --data {"type":"open"} --dry-run', 'type of a room', 'rooms create'],
    ['rooms update --where type=open --set type=private --yes', 'type of a room', 'rooms create'],
    ['users update ada --set user_id=grace', 'user_id of a user', 'users create'],
    ['members update r1 m1 --set user_id=grace', 'user_id of a member', 'members add'],
  ])(
    'the command “%s” is refused before the first request because only a creation can set the value',
    async (line, field, command) => {
      expect(await world.run(line)).toMatchObject({
        code: 2,
        stderr: `error: the ${field} cannot change after its creation; “${command}” sets it${field.startsWith('user_id of a user') ? ', and “users merge” moves a user to another ID' : ''}\n`,
      })
      expect(world.requests).toEqual([])
    },
  )

  test('rooms update with a whole record in --data sends fields that only a creation sets', async () => {
    const data = '{"id":"r1","type":"open","name":"N"}'
    expect((await dryRun('rooms update r1 --data @-', data)).body).toEqual(JSON.parse(data))
  })

  test.each(['"text"', '[1]', '7'])(
    'rooms update --set with a dotted key is refused if it extends the value %s in --data',
    async (value) => {
      const argv = ['rooms', 'update', 'r1', '--data', `{"metadata":${value}}`, '--set', 'metadata.owner=ada']
      expect(await world.run(argv)).toMatchObject({
        code: 2,
        stderr: 'error: --set metadata.owner: “metadata” in --data is not an object\n',
      })
    },
  )
})

describe('--webhook-secret', () => {
  const withUrl = `${create} -q --webhook-url https://h.test/ --webhook-secret`
  const secretOf = async (value: string, stdin?: string) =>
    (await readSentBody(`${withUrl} ${value}`, stdin)).webhook.secret

  test('rooms create --webhook-secret is read from the argument, a file or standard input, without the final line break', async () => {
    file('secret.txt', 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\r\n')
    expect(await secretOf('abc')).toBe('abc')
    expect(await secretOf('@secret.txt')).toBe('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw')
    expect(await secretOf('@-', 'from stdin\n')).toBe('from stdin')
  })

  test('rooms create --webhook-secret from a file is sent as the secret of the webhook', async () => {
    file('secret.txt', 'abc\n')
    expect(await world.run(`${withUrl} @secret.txt`)).toMatchObject({ code: 0, stderr: '' })
    expect(JSON.parse(world.requests.at(-1)?.body ?? '').webhook).toEqual({
      url: 'https://h.test/',
      secret: 'abc',
    })
  })

  test.each([
    ['@absent.txt', '--webhook-secret: absent.txt cannot be read: no such file'],
    ['@.', '--webhook-secret: . cannot be read: it is a directory'],
    ['@empty.txt', '--webhook-secret: empty.txt is empty'],
    ['@-', '--webhook-secret: standard input is empty'],
    ['@', '--webhook-secret: the file name after @ is empty'],
    ['', '--webhook-secret: the secret is empty'],
  ])(
    'rooms create --webhook-secret %j is refused with one error line before the first request',
    async (value, message) => {
      file('empty.txt', '\n')
      const argv = [...withUrl.split(' '), value]
      expect(await world.run(argv, { stdin: '' })).toMatchObject({
        code: 2,
        stdout: '',
        stderr: `error: ${message}\n`,
      })
      expect(world.requests).toEqual([])
    },
  )

  test.each(['--webhook-secret abc', '--webhook-header A:1'])(
    'rooms create %s is refused without --webhook-url',
    async (flags) => {
      const [flag] = flags.split(' ')
      expect(await world.run(`${create} ${flags}`)).toMatchObject({
        code: 2,
        stderr: `error: ${flag} needs --webhook-url\n`,
      })
    },
  )

  test('rooms create --webhook-secret is refused together with --set webhook.secret, and the error contains no secret', async () => {
    const { code, stderr } = await world.run(`${withUrl} hunter2 --set webhook.secret=hunter3`)
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: 'error: --webhook-secret and --set webhook.secret both set “webhook.secret”\n',
    })
  })
})

test('rooms update --data @- reads the request body from standard input', async () => {
  expect((await dryRun('rooms update r1 --data @-', '{"name":"x"}')).body).toEqual({ name: 'x' })
})
