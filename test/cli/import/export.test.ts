import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import { lostNotice, trimmed } from '../../helpers/imports.ts'
import { perTest } from '../../helpers/per-test.ts'
import { latch } from '../../helpers/waiting.ts'
import { answer, createWorld, type World } from '../../helpers/world.ts'
import { sized } from '../../suites/size.ts'

const world = perTest(createWorld)

const lines = (text: string) => text.split('\n').slice(0, -1)
const paths = () => world.requests.map(({ url }) => url.slice('https://meet.test/v1'.length))

const user = async (user_id: string, fields: object = {}, { send } = world) =>
  (await send('POST', '/users', { user_id, ...fields })).body.user
const room = async (name: string, fields: object = {}, { send } = world) =>
  (await send('POST', '/rooms', { name, type: 'open', ...fields })).body.room
const member = async (room_id: string, user_id: string, fields: object = {}, { send } = world) =>
  (await send('POST', `/rooms/${room_id}/members`, { user_id, ...fields })).body.member

const withoutTokens = ', without access tokens (--show-tokens includes them)'

async function runExport(command: string, count: string, options = {}): Promise<string> {
  const { code, stdout, stderr } = await world.run(command, options)
  const told = count.startsWith('0 ') ? '' : lostNotice(command.split(' ')[0])
  expect({ code, stderr }, command).toEqual({ code: 0, stderr: `exported ${count}\n${told}` })
  return stdout
}

describe('an export', () => {
  test('users export prints CSV with every field except the access token', async () => {
    const ada = await user('ada', { name: 'Ada', email: 'a@x.test', profile_url: 'https://img.test/a' })
    const grace = await user('grace', { default_member_type: 'host' })
    const { id: adaId } = (await world.send('GET', '/users')).body.users[1]
    const { id: graceId } = (await world.send('GET', '/users')).body.users[0]
    expect(await runExport('users export', `2 users${withoutTokens}`)).toBe(
      'user_id,name,profile_url,default_member_type,created_at,updated_at,id,email\r\n' +
        `grace,,,host,${grace.created_at},${grace.updated_at},${graceId},\r\n` +
        `ada,Ada,https://img.test/a,guest,${ada.created_at},${ada.updated_at},${adaId},a@x.test\r\n`,
    )
    // One full record proves that the list contains all fields.
    expect(paths()).toEqual(['/users?limit=1000', '/users/grace'])
  })

  test('rooms export prints CSV with every field except the deprecated fields', async () => {
    const {
      id,
      application_id: app,
      created_at,
    } = await room('One', { record: true, max_meeting_seconds: 60 })
    await world.send('PUT', `/rooms/${id}`, { is_terminated: true })
    const { terminated_at, updated_at } = (await world.send('GET', `/rooms/${id}`)).body.room
    expect(await runExport('rooms export', '1 room')).toBe(
      'id,type,name,application_id,thumbnail_url,layout,record,meeting_time,started_at,terminated_at,' +
        'updated_at,created_at,max_meeting_seconds,remaining_seconds\r\n' +
        `${id},open,One,${app},,default,true,0,,${terminated_at},${updated_at},${created_at},60,0\r\n`,
    )
  })

  test('members export ROOM… prints CSV with every field except the access token', async () => {
    const [a, b] = [await room('a', { type: 'private' }), await room('b')]
    await user('ada', { name: 'Ada' })
    const one = await member(a.id, 'ada', { type: 'host' })
    const two = await member(b.id, 'ada')
    await world.send('PUT', `/rooms/${a.id}/members/${one.id}`, { is_blocked: true })
    const { updated_at } = (await world.send('GET', `/rooms/${a.id}/members/${one.id}`)).body.member
    expect(await runExport(`members export ${b.id} ${a.id}`, `2 members${withoutTokens}`)).toBe(
      'id,user_id,room_id,type,created_at,is_blocked,name,updated_at\r\n' +
        `${two.id},ada,${b.id},guest,${two.created_at},false,Ada,${two.updated_at}\r\n` +
        `${one.id},ada,${a.id},host,${one.created_at},true,Ada,${updated_at}\r\n`,
    )
  })

  test('users export as JSON or NDJSON prints access tokens only with --show-tokens', async () => {
    await user('ada', { name: 'Ada' })
    await user('grace')
    const { users } = (await world.send('GET', '/users')).body
    const safe = users.map(({ access_token: _, ...rest }: any) => rest)
    const count = `2 users${withoutTokens}`
    const read = (stdout: string) => lines(stdout).map((line) => JSON.parse(line))
    expect(read(await runExport('users export -o ndjson', count))).toEqual(safe)
    expect(JSON.parse(await runExport('users export -o json', count)).users).toEqual(safe)
    expect(JSON.parse(await runExport('users export --json', count)).users).toEqual(safe)
    expect(read(await runExport('users export -o ndjson --show-tokens', '2 users'))).toEqual(users)
    expect(JSON.parse(await runExport('users export -o json --show-tokens', '2 users')).users).toEqual(users)
  })

  test.each(['users export', 'rooms export', 'members export --all-rooms'])(
    '%s exits 2 with -o table and with -o ids',
    async (command) => {
      for (const format of ['table', 'ids'])
        expect(await world.run(`${command} -o ${format}`), format).toMatchObject({
          code: 2,
          stdout: '',
          stderr: `error: -o ${format} cannot be used with an export: formats are csv, tsv, ndjson and json\n`,
        })
      expect(world.requests).toEqual([])
    },
  )

  test.each([
    ['table', 'user_id\r\nada\r\n'],
    ['ids', 'user_id\r\nada\r\n'],
    ['csv', 'user_id\r\nada\r\n'],
  ])('users export prints CSV with MEETROOM_OUTPUT=%s', async (MEETROOM_OUTPUT, stdout) => {
    await user('ada')
    const options = { env: { MEETROOM_OUTPUT } }
    expect(await runExport('users export --columns user_id', '1 user', options)).toBe(stdout)
  })

  test('users export prints NDJSON with MEETROOM_OUTPUT=ndjson', async () => {
    await user('ada')
    const stdout = await runExport('users export', `1 user${withoutTokens}`, {
      env: { MEETROOM_OUTPUT: 'ndjson' },
    })
    expect(JSON.parse(stdout).user_id).toBe('ada')
  })

  test('users export -o tsv warns that an import does not undo TSV escapes', async () => {
    await user('ada', { name: 'a\tb' })
    const { code, stdout, stderr } = await world.run('users export --columns user_id,name -o tsv')
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'user_id\tname\nada\ta\\tb\n' })
    expect(stderr).toContain('an import does not undo the escapes of TSV; export CSV for an import\n')
  })

  test('users export applies --columns and --no-header', async () => {
    await user('ada', { email: 'a@x.test' })
    expect(await runExport('users export --columns email,user_id', '1 user')).toBe(
      'email,user_id\r\na@x.test,ada\r\n',
    )
    expect(await runExport('users export --columns email,user_id --no-header', '1 user')).toBe(
      'a@x.test,ada\r\n',
    )
    expect(await world.run('users export --columns user_id,nope')).toMatchObject({ code: 2, stdout: '' })
  })

  test('users export --columns exits 2 with -o ndjson and with -o json', async () => {
    for (const format of ['ndjson', 'json']) {
      const { code, stdout, stderr } = await world.run(`users export --columns user_id -o ${format}`)
      expect({ code, stdout }, format).toEqual({ code: 2, stdout: '' })
      expect(JSON.parse(stderr).error.message).toBe(
        `--columns cannot be used with the format ${format}, only with table, csv and tsv`,
      )
    }
    expect(world.requests).toEqual([])
  })

  test.each([
    [
      'users export',
      'user_id,name,profile_url,default_member_type,created_at,updated_at,id,email\r\n',
      '0 users',
    ],
    ['users export -o ndjson', '', '0 users'],
    ['users export -o json', '{"users":[],"paging":{"limit":1000,"offset":0,"total":0}}\n', '0 users'],
    ['rooms export --columns id', 'id\r\n', '0 rooms'],
    ['rooms export -o ndjson', '', '0 rooms'],
    ['members export --all-rooms --columns id', 'id\r\n', '0 members'],
    ['members export --all-rooms -o ndjson', '', '0 members'],
    ['members export --all-rooms -o json', '{"members":[]}\n', '0 members'],
  ])('the command “%s” prints an empty result if no item exists', async (command, stdout, count) => {
    expect(await runExport(command, count)).toBe(stdout)
  })

  test('rooms export --quiet prints no summary', async () => {
    expect(await world.run('rooms export -q -o ndjson')).toMatchObject({ code: 0, stdout: '', stderr: '' })
  })

  test('users export escapes cells that start like a formula', async () => {
    const names = [
      '=1+1',
      '+1',
      '-1',
      '@x',
      '\t=1',
      '\rx',
      '＝1',
      "'=x",
      "''=x",
      "'x",
      'a=b',
      '1',
      'a,b',
      'a"b',
      'a\nb',
    ]
    for (const [i, name] of names.entries()) await user(`u${i}`, { name })
    const stdout = await runExport('users export --columns user_id,name --no-header', `${names.length} users`)
    const cells = [
      ...["'=1+1", "'+1", "'-1", "'@x", "'\t=1", `"'\rx"`, "'＝1", "''=x", "'''=x", "'x", 'a=b', '1'],
      ...['"a,b"', '"a""b"', '"a\nb"'],
    ]
    expect(stdout).toBe(
      cells
        .map((cell, i) => `u${i},${cell}\r\n`)
        .reverse()
        .join(''),
    )
  })
})

describe('an export', () => {
  test.each([
    [
      'members export',
      'no rooms given: pass room IDs or --all-rooms\nhint: for all rooms: meetroom members export --all-rooms --base-url https://meet.test/v1',
    ],
    ['members export r1 --all-rooms', 'room IDs and --all-rooms cannot be used together'],
    ['members export - --all-rooms', 'room IDs and --all-rooms cannot be used together'],
  ])(
    'the command “%s” exits 2 because members export requires either rooms or --all-rooms',
    async (command, message) => {
      expect(await world.run(command)).toMatchObject({ code: 2, stdout: '', stderr: `error: ${message}\n` })
      expect(world.requests).toEqual([])
    },
  )

  test.each([
    ['users export', '/users?limit=1000'],
    ['rooms export', '/rooms?limit=1000'],
    ['members export r1', '/rooms/r1/members?limit=1000'],
  ])('%s --curl prints the curl command of the first request', async (command, path) => {
    expect(await world.run(`${command} --curl`)).toMatchObject({
      code: 0,
      stdout: `curl -X GET 'https://meet.test/v1${path}' -H "Authorization: Bearer $MEETROOM_API_KEY"\n`,
    })
    expect(world.requests).toEqual([])
  })

  test('members export exits 3 for a room that does not exist', async () => {
    const { id } = await room('R')
    expect(await world.run(`members export ${id} nowhere`)).toMatchObject({
      code: 3,
      stderr:
        'error: no such room: nowhere\nhint: list the rooms with: meetroom rooms list --base-url https://meet.test/v1\n',
    })
  })

  test.each([
    ['refused', () => answer(403, { error: { message: 'not yours' } }), '(403): not yours'],
    [
      'incomplete',
      () => answer(200, { members: [{ id: 'm1', user_id: 'kay' }], paging: { total: 130 } }),
      '1 of 130 members',
    ],
  ])(
    'members export --all-rooms prints the members of the other rooms and exits 8 if one member list is %s',
    async (_, given, says) => {
      await user('ada')
      const ids: string[] = []
      for (const name of ['A', 'B', 'C']) ids.push((await room(name)).id)
      for (const id of ids) await member(id, 'ada')
      world.intercept = async ({ url }, next) =>
        !url.includes(`/rooms/${ids[1]}/members?`)
          ? next()
          : url.includes('offset=')
            ? answer(200, { members: [], paging: { total: 130 } })
            : given()
      const { code, stdout, stderr } = await world.run('members export --all-rooms --columns room_id,user_id')
      expect(code, stderr).toBe(8)
      for (const id of [ids[0], ids[2]]) expect(stdout).toContain(`${id},ada\r\n`)
      expect(lines(stderr)).toEqual(
        expect.arrayContaining([
          expect.stringMatching(new RegExp(`^error: room ${ids[1]}: .*${says.replace(/[()]/g, '\\$&')}`)),
          'error: the members of 1 room could not be read in full',
        ]),
      )
    },
  )

  test('users export and members export exit 4 if the service refuses the key', async () => {
    world.intercept = async () => answer(401, {})
    for (const command of ['users export', 'members export --all-rooms', 'members export a b c'])
      expect(await world.run(command), command).toMatchObject({ code: 4, stdout: '' })
  })

  describe('the argument “-”', () => {
    test('members export - prints the members of each room from standard input and arguments once', async () => {
      const ids: string[] = []
      for (const user_id of ['ada', 'grace', 'alan']) {
        await user(user_id)
        const { id } = await room(user_id)
        await member(id, user_id)
        ids.push(id)
      }
      const [a, b, c] = ids
      const stdin = `${b}\r\n\n  ${a}\n${b}\n`
      const command = 'members export - --columns user_id --no-header'
      expect(await runExport(command, '2 members', { stdin })).toBe('grace\r\nada\r\n')
      expect(await runExport(command.replace('-', `${c} - ${a}`), '3 members', { stdin })).toBe(
        'alan\r\ngrace\r\nada\r\n',
      )
    })

    test('members export - accepts the room IDs that rooms list prints', async () => {
      await user('ada')
      const { id } = await room('R', { type: 'private' })
      await room('Other')
      const { id: ada } = await member(id, 'ada')
      const { stdout: stdin } = await world.run('rooms list --where type=private -o ids')
      expect(await runExport('members export - --columns id', '1 member', { stdin })).toBe(`id\r\n${ada}\r\n`)
    })

    test.each(['', '\n \n'])('members export - prints no members if standard input is %j', async (stdin) => {
      const header = 'id,user_id,room_id,type,created_at,is_blocked,name,updated_at\r\n'
      expect(await runExport('members export -', '0 members', { stdin })).toBe(header)
      expect(await runExport('members export - -o json', '0 members', { stdin })).toBe('{"members":[]}\n')
      expect(world.requests).toEqual([])
    })

    test('members export - exits 3 for the ID of a room that does not exist', async () => {
      const { id } = await room('R')
      expect(await world.run('members export -', { stdin: `${id}\nnowhere\n` })).toMatchObject({
        code: 3,
        stderr:
          'error: no such room: nowhere\nhint: list the rooms with: meetroom rooms list --base-url https://meet.test/v1\n',
      })
    })
  })

  test('members export prints the members of a room once if its ID is repeated', async () => {
    const { id } = await room('R')
    await user('ada')
    const { id: ada } = await member(id, 'ada')
    expect(await runExport(`members export ${id} ${id} --columns id`, '1 member')).toBe(`id\r\n${ada}\r\n`)
  })
})

describe('pages of an export', () => {
  const ids = (count: number) => Array.from({ length: count }, (_, i) => `u${count - 1 - i}`)
  beforeEach(async () => {
    for (let i = 0; i < 60; i++) await user(`u${i}`)
  })

  test('users export --page-size 25 requests pages of 25 users', async () => {
    const stdout = await runExport('users export --columns user_id --no-header --page-size 25', '60 users')
    expect(stdout.split('\r\n').slice(0, -1)).toEqual(ids(60))
    expect(paths().filter((path) => path.includes('?'))).toEqual([
      '/users?limit=25',
      '/users?limit=25&offset=25',
      '/users?limit=25&offset=50',
    ])
    expect(await world.run('users export --page-size 0')).toMatchObject({ code: 2, stdout: '' })
  })

  // The second page waits for the third page, so sequential requests would never end.
  test('users export writes the pages in order if the responses arrive out of order', async () => {
    const came: number[] = []
    const gates = new Map([10, 20, 30, 40, 50].map((offset) => [offset, latch()]))
    world.intercept = async (request, next) => {
      if (!request.url.includes('?')) return next()
      const offset = Number(new URL(request.url).searchParams.get('offset') ?? 0)
      // After the first page, two pages are requested concurrently.
      if (offset > 0 && offset < 20) await gates.get(offset + 10)?.opened
      const page = await next()
      came.push(offset)
      gates.get(offset)?.open()
      return page
    }
    const stdout = await runExport('users export --columns user_id --no-header --page-size 10', '60 users')
    expect(stdout.split('\r\n').slice(0, -1)).toEqual(ids(60))
    expect(came).toEqual([0, 20, 10, 30, 40, 50, 60])
  })

  test('users export sends two concurrent page requests to a service without latency', async () => {
    let under = 0
    let most = 0
    world.intercept = async (request, next) => {
      if (!request.url.includes('?')) return next()
      most = Math.max(most, ++under)
      await new Promise((resolve) => setImmediate(resolve))
      under--
      return next()
    }
    await runExport('users export --page-size 2', `60 users${withoutTokens}`)
    expect(most).toBe(2)
  })

  test('users export writes its first pages before it receives the last page', async () => {
    world.intercept = async (request, next) => {
      const offset = Number(new URL(request.url).searchParams.get('offset') ?? 0)
      // Each request waits until all but the two preceding pages are written.
      while (lines(run.host.stdout.text).length < offset - 20) await new Promise((done) => setImmediate(done))
      return next()
    }
    const run = world.start(['users', 'export', '-o', 'ndjson', '--page-size', '10'])
    expect((await run.done).code).toBe(0)
  })

  test('users export writes the pages before a failed page, and exits 6', async () => {
    world.intercept = async (request, next) => (request.url.includes('offset=20') ? answer(503, {}) : next())
    const { code, stdout, stderr } = await world.run(
      'users export --columns user_id --no-header --page-size 10 --retries 0',
    )
    expect({ code, ids: stdout.split('\r\n').slice(0, -1), stderr }).toEqual({
      code: 6,
      ids: ids(60).slice(0, 20),
      stderr: 'error: the service failed (503)\n',
    })
  })

  test('users export requests no more pages after the reader closes the pipe', async () => {
    const { host, done } = world.start(['users', 'export', '--page-size', '5'])
    host.stdout.failure = Object.assign(new Error('EPIPE'), { code: 'EPIPE' })
    expect((await done).code).toBe(0)
    // The first page, two pages in advance, and the full record of one user.
    expect(world.requests).toHaveLength(4)
  })

  test('users export contains every item if the service limits the page size', async () => {
    world.intercept = async (request, next) => {
      const url = request.url.replace('limit=1000', 'limit=7')
      const { method, headers } = request
      if (url === request.url) return next()
      const { body } = await world.send(method, url.slice('https://meet.test/v1'.length))
      return answer(200, body, headers)
    }
    const stdout = await runExport('users export --columns user_id --no-header', '60 users')
    expect(stdout.split('\r\n').slice(0, -1)).toEqual(ids(60))
  })
})

describe('members export --all-rooms', () => {
  let rooms: string[]
  let members: Record<string, string[]>
  beforeEach(async () => {
    rooms = []
    members = {}
    for (const id of ['ada', 'grace', 'alan']) await user(id)
    for (let i = 0; i < 12; i++) {
      const { id } = await room(`R${i}`)
      rooms.unshift(id)
      members[id] = []
      // With `--page-size 2`, some rooms have two pages.
      for (const who of ['ada', 'grace', 'alan'].slice(0, i % 4))
        members[id].unshift((await member(id, who)).id)
    }
  })
  const inOrder = () => rooms.flatMap((id) => members[id] ?? [])

  test.each(['', ' --page-size 2'])(
    'members export --all-rooms%s prints the members of each room together, in the order of the rooms',
    async (flag) => {
      const stdout = await runExport(
        `members export --all-rooms --columns id --no-header${flag}`,
        '18 members',
      )
      expect(stdout.split('\r\n').slice(0, -1)).toEqual(inOrder())
    },
  )

  test('members export --all-rooms requests member lists concurrently and writes them in the order of the rooms', async () => {
    const answered: string[] = []
    let waiting: { room: string; go: () => void }[] = []
    world.intercept = async (request, next) => {
      const [, id] = /rooms\/(\w+)\/members\?/.exec(request.url) ?? []
      if (id === undefined) return next()
      await new Promise<void>((go) => {
        waiting.push({ room: id, go })
        // Waiting requests are released in reverse order.
        if (waiting.length > 3) release()
        else setImmediate(() => setImmediate(release))
      })
      answered.push(id)
      return next()
    }
    const release = () => {
      const held = waiting.reverse()
      waiting = []
      for (const { go } of held) go()
    }
    const stdout = await runExport('members export --all-rooms --columns id --no-header', '18 members')
    expect(stdout.split('\r\n').slice(0, -1)).toEqual(inOrder())
    expect(answered).not.toEqual(rooms)
    expect([...answered].sort()).toEqual([...rooms].sort())
  })

  test('members export --all-rooms -o json prints one document', async () => {
    const { members: all, ...rest } = JSON.parse(
      await runExport('members export --all-rooms -o json', `18 members${withoutTokens}`),
    )
    expect(all.map(({ id }: { id: string }) => id)).toEqual(inOrder())
    // The merged document has no paging, because paging describes one page.
    expect(rest).toEqual({})
  })

  test('members export prints room_name with --all-rooms or --columns, and members import ignores it', async () => {
    const csv = await runExport('members export --all-rooms', `18 members${withoutTokens}`)
    expect(csv.split('\r\n')[0]).toBe(
      'id,user_id,room_id,type,created_at,is_blocked,name,room_name,updated_at',
    )
    writeFileSync(join(world.dir, 'all.csv'), csv)
    expect(await world.run('members import all.csv --if-exists update --dry-run')).toMatchObject({
      code: 0,
      stderr: 'would create 0, update 18, skip 0 of 18 members; 0 would fail\n',
    })
    const line = `members export ${rooms[0]} ${rooms[1]} --columns room_name,user_id --no-header`
    expect(await runExport(line, '5 members')).toBe(
      ['R11,alan', 'R11,grace', 'R11,ada', 'R10,grace', 'R10,ada', ''].join('\r\n'),
    )
  })

  test('members list --all-rooms selects, sorts and counts the members of all rooms', async () => {
    const list = (line: string) => world.run(`members list --all-rooms ${line}`)
    const columns = '-o csv --no-header --columns room_name,user_id,role'
    await world.send('PUT', `/rooms/${rooms[0]}/members/${members[rooms[0] ?? '']?.[0]}`, { type: 'host' })
    expect((await list(`${columns} --where role=host`)).stdout).toBe('R11,alan,host\r\n')
    expect((await list('-o ids')).stdout.trim().split('\n')).toEqual(inOrder())
    expect((await list(`${columns} --where user_id=alan --sort room_name`)).stdout).toBe(
      ['R11,alan,host', 'R3,alan,guest', 'R7,alan,guest', ''].join('\r\n'),
    )
    expect((await list('--count')).stdout).toBe('18\n')
    expect(await world.run(`members list ${rooms[0]} --all-rooms`)).toMatchObject({
      code: 2,
      stderr: 'error: a room and --all-rooms cannot be used together\n',
    })
  })

  test('members export --all-rooms exits 3 at a deleted room, and prints the members of the rooms before it', async () => {
    world.intercept = async (request, next) =>
      request.url.includes(`/rooms/${rooms[2]}/members`) ? answer(404, {}) : next()
    const { code, stdout, stderr } = await world.run('members export --all-rooms --columns id --no-header')
    expect({ code, stderr }).toEqual({
      code: 3,
      stderr: `error: no such room: ${rooms[2]}\nhint: list the rooms with: meetroom rooms list --base-url https://meet.test/v1\n`,
    })
    expect(stdout.split('\r\n').slice(0, -1)).toEqual(rooms.slice(0, 2).flatMap((id) => members[id] ?? []))
  })
})

describe('an exported file', () => {
  const formats = ['csv', 'ndjson', 'json'] as const

  async function exportToFile(from: World, to: World, command: string, file: string): Promise<void> {
    const { code, host } = await from.run(command)
    expect(code, command).toBe(0)
    writeFileSync(join(to.dir, file), Buffer.concat(host.stdout.chunks))
  }
  async function importAll(to: World, command: string): Promise<string> {
    const { code, stdout, stderr } = await to.run(command)
    expect({ code, stderr: code === 0 ? '' : stderr }, command).toEqual({ code: 0, stderr: '' })
    return stdout
  }
  const all = async ({ send }: World, path: string): Promise<any[]> =>
    Object.values((await send('GET', `${path}?limit=1000`)).body)[0] as any[]

  const usersOf = async (from: World) =>
    (await all(from, '/users'))
      .map(({ user_id, name, profile_url, default_member_type, email }) =>
        // A cell cannot distinguish null from empty text.
        ({ user_id, name: name || null, profile_url, default_member_type, email: email || null }),
      )
      .sort((a, b) => (a.user_id < b.user_id ? -1 : 1))
  async function roomsOf(from: World) {
    const rooms = (await all(from, '/rooms')).map(async (each) => ({
      ...{ name: each.name, type: each.type, layout: each.layout, record: each.record },
      ...{ max_meeting_seconds: each.max_meeting_seconds, terminated: each.terminated_at !== null },
      members: (await all(from, `/rooms/${each.id}/members`))
        .map(({ user_id, type, name, is_blocked }) => ({ user_id, type, name, is_blocked }))
        .sort((a, b) => (a.user_id < b.user_id ? -1 : 1)),
    }))
    return (await Promise.all(rooms)).sort((a, b) => (a.name < b.name ? -1 : 1))
  }

  test.each(formats)(
    'an import of a %s export into another workspace restores all users, rooms and members',
    async (format) => {
      const from = world
      const to = await createWorld()
      const names = [
        '=x',
        "'=x",
        '-1',
        'a "quoted" one',
        'two\nlines',
        'two\r\nlines',
        'in  side',
        '😀, 漢字',
        "'",
      ]
      for (const [i, name] of names.entries())
        await user(`u${i}`, { name, default_member_type: ['guest', 'host', 'monitor'][i % 3] })
      await user('=ada', { email: '+1@x.test', profile_url: 'https://img.test/a%20b.png?x=[1]' })
      await user('true')
      await user('007', { name: '1e3' })
      for (const [i, name] of names.entries()) {
        const { id } = await room(name, {
          ...(i % 2 ? { type: 'private', record: true } : { layout: '=grid' }),
          ...(i % 3 ? { max_meeting_seconds: i } : {}),
        })
        for (const who of ['u1', '=ada', 'true', '007'].slice(i % 4)) {
          const { id: m } = await member(id, who, { type: i % 2 ? 'host' : 'monitor' })
          if (i % 2 && who === 'true')
            await world.send('PUT', `/rooms/${id}/members/${m}`, { is_blocked: true })
          if (who === '007') await world.send('PUT', `/rooms/${id}/members/${m}`, { name: `-${name}` })
        }
        if (i % 3 === 1) await world.send('PUT', `/rooms/${id}`, { is_terminated: true })
      }
      await exportToFile(from, to, `users export -o ${format}`, `users.${format}`)
      await exportToFile(from, to, `rooms export -o ${format} --page-size 4`, `rooms.${format}`)
      await exportToFile(from, to, `members export --all-rooms -o ${format}`, `members.${format}`)

      await importAll(to, `users import users.${format}`)
      writeFileSync(join(to.dir, 'ids.ndjson'), await importAll(to, `rooms import rooms.${format} -o ndjson`))
      await importAll(to, `members import members.${format} --room-ids ids.ndjson`)
      expect(await usersOf(to)).toEqual(await usersOf(from))
      expect(await roomsOf(to)).toEqual(await roomsOf(from))
    },
  )

  test.each(formats)(
    'an import of a %s export into the same workspace changes nothing with --if-exists skip or overwrite',
    async (format) => {
      await user('ada', { name: 'Ada', email: 'a@x.test' })
      await user('grace', { default_member_type: 'host' })
      const { id } = await room('=R', { type: 'private', max_meeting_seconds: 60 })
      await member(id, 'ada')
      const before = [await usersOf(world), await roomsOf(world)]
      for (const kind of ['users', 'rooms', 'members --all-rooms'] as const) {
        const [name = ''] = kind.split(' ')
        await exportToFile(
          world,
          world,
          `${kind.replace(name, `${name} export`)} -o ${format}`,
          `${name}.${format}`,
        )
        for (const how of ['skip', 'overwrite'])
          await importAll(world, `${name} import ${name}.${format} --if-exists ${how} --no-journal`)
      }
      expect([await usersOf(world), await roomsOf(world)]).toEqual(before)
    },
  )

  test.each(formats)(
    'members import of a %s export with an anonymous participant adds only the other members',
    async (format) => {
      const { id } = await room('R')
      await user('ada')
      await user('grace')
      const members = [
        { id: 'm1', user_id: 'ada', room_id: id, type: 'guest', name: null, is_blocked: false },
        // An anonymous participant of an open room, while connected.
        { id: 'm2', user_id: null, room_id: id, type: 'guest', name: null, is_blocked: false },
        { id: 'm3', user_id: 'grace', room_id: id, type: 'host', name: null, is_blocked: false },
      ]
      world.intercept = async ({ url }) =>
        answer(200, url.includes('?') ? { members } : { member: members[0] })
      await exportToFile(world, world, `members export ${id} -o ${format}`, `members.${format}`)
      world.intercept = undefined
      await importAll(world, `members import members.${format}`)
      expect((await roomsOf(world))[0]?.members.map(({ user_id }) => user_id)).toEqual(['ada', 'grace'])
    },
  )

  // Text that the service can store: without NUL and lone surrogates.
  const text = fc
    .oneof(
      fc.string({ unit: 'binary', maxLength: 12 }),
      fc.string({
        unit: fc.constantFrom(
          '=',
          '+',
          '-',
          '@',
          "'",
          '"',
          ',',
          ';',
          '\t',
          '\r',
          '\n',
          '\ufeff',
          '＝',
          ' ',
          'a',
          '0',
        ),
        maxLength: 6,
      }),
    )
    .map(trimmed)
    .filter((value) => !value.includes('\0') && value.isWellFormed())
  // IDs that are valid in a path.
  const id = text.filter((value) => !/^\.{0,2}$|\p{Cc}/u.test(value))
  const someone = fc.record(
    {
      user_id: id,
      name: text,
      email: text,
      default_member_type: fc.constantFrom('guest', 'host', 'monitor'),
      profile_url: fc
        .webUrl({ withFragments: true, withQueryParameters: true })
        .filter((url) => !/["<>\\^`{|}]|%(?![0-9a-f]{2})/i.test(url)),
    },
    { requiredKeys: ['user_id'] },
  )

  test.each(formats)('users import of a %s export restores random users', async (format) => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(someone, { selector: (each) => each.user_id, maxLength: 8 }),
        async (users) => {
          const from = await createWorld()
          const to = await createWorld()
          for (const { user_id, ...fields } of users) await user(user_id, fields, from)
          expect(await all(from, '/users')).toHaveLength(users.length)
          await exportToFile(from, to, `users export --page-size 3 -o ${format}`, `users.${format}`)
          await importAll(to, `users import users.${format}`)
          expect(await usersOf(to)).toEqual(await usersOf(from))
        },
      ),
      { numRuns: sized(5, 60) },
    )
  })
})

describe('an export of given items', () => {
  beforeEach(async () => {
    for (const user_id of ['ada', 'bob', 'eve'])
      await world.send('POST', '/users', { user_id, name: user_id.toUpperCase() })
  })
  const ids = (stdout: string) =>
    stdout
      .split('\r\n')
      .slice(1, -1)
      .map((line) => line.split(',')[0])

  test('users export eve ada eve prints each user once in the given order', async () => {
    const { code, stdout, stderr } = await world.run('users export eve ada eve')
    expect({ code, ids: ids(stdout) }, stderr).toEqual({ code: 0, ids: ['eve', 'ada'] })
    expect(stderr).toContain('exported 2 users')
  })

  test('users export - reads IDs with Windows line endings from standard input', async () => {
    expect(ids((await world.run('users export -', { stdin: 'bob\r\neve\r\n' })).stdout)).toEqual([
      'bob',
      'eve',
    ])
    expect(ids((await world.run('users export -', { stdin: '' })).stdout)).toEqual([])
  })

  test('users export ada bob --where prints only the given users that match', async () => {
    expect(ids((await world.run('users export ada bob --where name=BOB')).stdout)).toEqual(['bob'])
  })

  test('users export with IDs exits 3 for a user who does not exist', async () => {
    expect(await world.run('users export ada nobody')).toMatchObject({ code: 3 })
  })

  test('rooms export accepts rooms by ID, by name and from standard input', async () => {
    const made = async (name: string) =>
      (await world.send('POST', '/rooms', { name, type: 'open' })).body.room.id
    const [a, b] = [await made('A'), await made('B')]
    await made('C')
    expect(ids((await world.run(`rooms export ${a} name:B`)).stdout)).toEqual([a, b])
    expect(ids((await world.run('rooms export -', { stdin: `${b}\n` })).stdout)).toEqual([b])
    expect(ids((await world.run(`rooms export ${a} ${b} --where name=A`)).stdout)).toEqual([a])
  })
})
