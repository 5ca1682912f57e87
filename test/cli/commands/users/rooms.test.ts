import { writeFileSync } from 'node:fs'
import { stripVTControlCharacters } from 'node:util'
import { beforeEach, describe, expect, test } from 'vitest'
import { createAccessWorld } from '../../../helpers/access.ts'
import { otherService } from '../../../helpers/other-service.ts'
import { perTest } from '../../../helpers/per-test.ts'
import { answer } from '../../../helpers/world.ts'

const world = perTest(createAccessWorld)

const gets = (pattern: RegExp) => world.requests.filter(({ url }) => pattern.test(url)).length

describe('users rooms', () => {
  test('users rooms lists every room of a user with the membership details', async () => {
    const { ids, member } = world
    const blocked = await member(ids.plans, 'mallory')
    await world.send('PUT', `/rooms/${ids.plans}/members/${blocked.id}`, { is_blocked: true, type: 'host' })
    const { code, stderr, rows } = await world.rows('users rooms mallory')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const expected = [
      ['plans', 'Plans', 'private', 'host', true],
      ['board', 'Board', 'private', 'guest', false],
      ['hall', 'Hall', 'public', 'guest', false],
      ['lobby', 'Lobby', 'open', 'guest', false],
    ] as const
    expect(rows).toEqual(
      await Promise.all(
        expected.map(async ([name, room_name, room_type, type, is_blocked]) => ({
          ...{ user_id: 'mallory', room_id: ids[name], room_name, room_type },
          ...{ member_id: (await member(ids[name], 'mallory')).id, type, is_blocked, last_seen: null },
        })),
      ),
    )
  })

  test('users rooms on a narrow terminal omits the room IDs and the member IDs', async () => {
    const options = { tty: true, columns: 60 }
    const { stdout, stderr } = await world.run('users rooms trudy --no-color', options)
    expect(stripVTControlCharacters(stdout).split('\n')[0]).toMatch(/^USER ID +ROOM NAME +ROOM TYPE/)
    expect(stripVTControlCharacters(stderr)).toContain('columns omitted for width: room_id, member_id')
  })

  test('users rooms requests the members of each room once for three users', async () => {
    const { rows } = await world.rows('users rooms mallory ada trudy')
    expect(rows.map(({ user_id, room_name }) => `${user_id} ${room_name}`).sort()).toEqual([
      ...['ada Board', 'ada Hall', 'mallory Board', 'mallory Hall', 'mallory Lobby', 'mallory Plans'],
      'trudy Board',
    ])
    expect(gets(/\/members\?/)).toBe(5)
    expect(gets(/\/rooms\?/)).toBe(1)
    expect(gets(/\/sessions/)).toBe(7)
  })

  test('users rooms prints memberships in the requested output format', async () => {
    expect(await world.outcome('users rooms trudy --columns user_id,room_name,is_blocked')).toEqual({
      code: 0,
      stdout: 'USER ID  ROOM NAME  IS BLOCKED\n───────  ─────────  ──────────\ntrudy    Board      false\n',
      stderr: '',
    })
    const member = await world.member(world.ids.board, 'trudy')
    expect((await world.outcome('users rooms trudy -o csv')).stdout).toBe(
      'user_id,room_id,room_name,room_type,member_id,type,is_blocked,last_seen\r\n' +
        `trudy,${world.ids.board},Board,private,${member.id},guest,false,\r\n`,
    )
    expect(JSON.parse((await world.outcome('users rooms trudy --json')).stdout).memberships).toHaveLength(1)
    expect((await world.outcome('users rooms mallory ada -o ids')).stdout.split('\n')).toHaveLength(7)
  })

  test('users rooms reads user IDs from standard input', async () => {
    const { stdout } = await world.outcome('users rooms - -o ids', { stdin: 'trudy\n' })
    expect(stdout).toBe(`${world.ids.board}\n`)
  })

  test('users rooms prints a notice for a user without rooms, and exits 3 for a missing user', async () => {
    await world.send('POST', '/users', { user_id: 'grace' })
    expect(await world.outcome('users rooms grace')).toEqual({
      ...{ code: 0, stdout: '', stderr: 'grace is not a member of any room\n' },
    })
    expect(await world.outcome('users rooms nobody')).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('error: no such user: nobody\n'),
    })
  })

  test('users rooms lists the other rooms and exits 8 if one room cannot be read', async () => {
    const { board } = world.ids
    world.fails(new RegExp(`${board}/members`))
    const { code, stderr, rows } = await world.rows('users rooms mallory')
    expect({ code, rooms: rows.map(({ room_name }) => room_name) }).toEqual({
      code: 8,
      rooms: ['Plans', 'Hall', 'Lobby'],
    })
    expect(stderr.split('\n').map((line) => line && JSON.parse(line).error.message)).toEqual([
      `room ${board}: the service reports a validation exception (500): it is broken`,
      'read 4 of 5 rooms; 1 failed',
      '',
    ])
  })

  test('users rooms exits 130 at ^C after printing the rooms already read', async () => {
    const { host, done } = world.start('users rooms mallory -o ids --concurrency 1'.split(' '))
    world.intercept = async (request, next) => {
      if (request.url.includes(`${world.ids.board}/members`)) host.signal('SIGINT')
      return next()
    }
    const { code, stdout } = await done
    expect({ code, stdout }).toEqual({ code: 130, stdout: expect.stringContaining(`${world.ids.plans}\n`) })
    expect(gets(/\/members\?/)).toBeLessThan(5)
  })

  test('users rooms --fail-fast stops at the first failure and prints the number of remaining rooms', async () => {
    world.fails(/members/)
    const { code, stderr } = await world.outcome('users rooms mallory --fail-fast --concurrency 1')
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(/error: read 0 of 5 rooms; 1 failed; 4 not tried\n$/),
    })
  })

  test('users rooms lists the other rooms and exits 0 if a room is deleted during the run', async () => {
    world.intercept = async (request, next) =>
      request.url.includes(`/rooms/${world.ids.board}`)
        ? answer(400, { error: { code: 'not_found', message: 'no such room' } })
        : next()
    const { code, rows } = await world.rows('users rooms trudy mallory')
    expect({ code, rooms: rows.map(({ user_id, room_name }) => `${user_id} ${room_name}`) }).toEqual({
      code: 0,
      rooms: ['mallory Plans', 'mallory Hall', 'mallory Lobby'],
    })
  })

  test.each(['members', 'sessions'])(
    'users rooms exits 8 if the request for the %s of an existing room gets a 404',
    async (list) => {
      const { board } = world.ids
      world.fails(new RegExp(`${board}/${list}`), 404)
      expect(await world.rows('users rooms mallory')).toMatchObject({
        code: 8,
        stderr: expect.stringContaining(
          `the service responds that room ${board} does not exist, but the room can be read`,
        ),
      })
    },
  )

  test('users rooms requests the full record of each member if lists omit fields', async () => {
    otherService(world, { minimalLists: true })
    const { rows, stderr } = await world.rows('users rooms trudy')
    expect(rows).toMatchObject([{ user_id: 'trudy', room_name: 'Board', type: 'guest', is_blocked: false }])
    expect(stderr).toContain('requesting the full members one by one\n')
  })

  test('users rooms lists every room if the service sends numeric IDs, booleans as text and small pages', async () => {
    const { idOf } = otherService(world, { ids: 'number', booleansAsText: true, maxLimit: 1 })
    const { rows } = await world.rows('users rooms trudy mallory')
    expect(rows.filter(({ user_id }) => user_id === 'trudy')).toMatchObject([
      { room_id: Number(idOf(world.ids.board)), is_blocked: 'false' },
    ])
    expect(rows).toHaveLength(5)
  })

  test('users rooms --curl prints the first request and sends no request', async () => {
    const { code, stdout } = await world.outcome('users rooms ada --curl')
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^curl .*\/rooms\?limit=1000/),
    })
    expect(world.requests).toEqual([])
  })

  test('users rooms escapes control characters in names on a terminal', async () => {
    await world.send('PUT', `/rooms/${world.ids.board}`, { name: 'a\x1b[2Jb\u202e' })
    const { stdout } = await world.run('users rooms trudy --columns room_name', { tty: true })
    expect(stdout).toContain('a\\u001b[2Jb\\u202e')
    expect(stripVTControlCharacters(stdout)).not.toContain('\x1b')
  })
})

describe('field last_seen', () => {
  const at = (time: string | null) => (time === null ? null : `2025-12-0${time}T10:00:00.000Z`)
  const session = (
    id: string,
    member_id: string,
    user_id: string,
    from: string,
    to: string | null | undefined,
  ) => ({
    ...{ id, member_id, user_id, connected_at: at(from) },
    ...(to === undefined ? {} : { disconnected_at: at(to) }),
  })
  let ada: string
  let mallory: string
  let trudy: string
  beforeEach(async () => {
    ;[ada, mallory, trudy] = (await Promise.all(
      ['ada', 'mallory', 'trudy'].map(async (user) => (await world.member(world.ids.board, user)).id),
    )) as [string, string, string]
    const items = [
      session('s1', mallory, 'mallory', '3', '4'),
      session('s2', mallory, 'mallory', '1', '2'),
      session('s3', ada, 'ada', '1', null),
      session('s4', trudy, 'trudy', '5', undefined),
    ]
    world.intercept = async (request, next) => {
      const url = new URL(request.url)
      if (!url.pathname.endsWith('/sessions')) return next()
      const isBoard = url.pathname.includes(world.ids.board)
      return answer(200, { sessions: isBoard ? items : [] })
    }
  })

  test('users rooms prints the latest session time as last_seen, or null without sessions', async () => {
    const { rows } = await world.rows('users rooms mallory ada trudy')
    const seen = Object.fromEntries(
      rows
        .filter(({ room_name }) => room_name === 'Board')
        .map(({ user_id, last_seen }) => [user_id, last_seen]),
    )
    expect(seen).toEqual({
      mallory: '2025-12-04T10:00:00.000Z',
      ada: '2026-01-02T03:04:05.678Z',
      // Without `disconnected_at`, the end of a session is unknown.
      trudy: '2025-12-05T10:00:00.000Z',
    })
    expect(rows.find(({ room_name }) => room_name === 'Plans')?.['last_seen']).toBeNull()
  })

  test('users rooms prints last_seen as a relative time on a terminal', async () => {
    const { stdout } = await world.run('users rooms mallory --columns last_seen', { tty: true })
    expect(stdout).toContain('28 days ago')
  })

  test('members export --with last_seen adds the column with one sessions request per room', async () => {
    const { code, stdout } = await world.outcome(
      'members export --all-rooms --with last_seen --columns user_id,last_seen',
    )
    expect(code).toBe(0)
    expect(stdout.split('\r\n')).toEqual([
      'user_id,last_seen',
      'mallory,',
      'trudy,2025-12-05T10:00:00.000Z',
      'mallory,2025-12-04T10:00:00.000Z',
      'ada,2026-01-02T03:04:05.678Z',
      'ada,',
      'mallory,',
      'mallory,',
      '',
    ])
    // No sessions are requested for the room without members.
    expect(gets(/\/sessions/)).toBe(4)
  })

  test('members export omits last_seen by default, and members import accepts the column last_seen', async () => {
    expect((await world.outcome('members export --all-rooms')).stdout).not.toContain('last_seen')
    const { stdout } = await world.outcome(`members export ${world.ids.board} --with last_seen`)
    expect(stdout.split('\r\n')[0]).toBe(
      'id,user_id,room_id,type,created_at,is_blocked,last_seen,name,updated_at',
    )
    writeFileSync(`${world.dir}/review.csv`, stdout)
    expect(await world.outcome('members import review.csv --if-exists skip')).toMatchObject({ code: 0 })
  })
})
