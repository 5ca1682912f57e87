import { describe, expect, test } from 'vitest'
import type { WireResponse } from '../../../../src/api/wire.ts'
import { createAccessWorld } from '../../../helpers/access.ts'
import { lost } from '../../../helpers/imports.ts'
import { otherService } from '../../../helpers/other-service.ts'
import { perTest } from '../../../helpers/per-test.ts'
import { answer } from '../../../helpers/world.ts'

const world = perTest(createAccessWorld)

const words = (rows: readonly Record<string, any>[]) =>
  rows.map(({ step, user_id, room_name, status, reason }) =>
    [step, user_id ?? '?', room_name ?? '', status, reason ?? ''].join(' ').replace(/ +/g, ' ').trim(),
  )
const openRoom = 'no block in open rooms'
const publicRoom = 'no block in public rooms'
const put = async (room: string, user: string, is_blocked = true) =>
  `PUT /rooms/${room}/members/${(await world.member(room, user)).id} {"is_blocked":${is_blocked}}`

describe('users offboard', () => {
  test('users offboard blocks the user in every private room, and then deletes the user', async () => {
    const { board, plans } = world.ids
    const blocks = [await put(plans, 'mallory'), await put(board, 'mallory')]
    const { code, stderr, rows } = await world.rows('users offboard mallory --yes --concurrency 1')
    expect({ code, stderr }).toEqual({ code: 0, stderr: 'blocked 2 members and deleted 1 user; 2 skipped\n' })
    expect(words(rows)).toEqual([
      'block mallory Plans ok',
      'block mallory Board ok',
      `block mallory Hall skipped ${publicRoom}`,
      `block mallory Lobby skipped ${openRoom}`,
      'delete mallory ok',
    ])
    expect(rows[1]).toMatchObject({ room_id: board, room_type: 'private' })
    expect(world.writes()).toEqual([...blocks, 'DELETE /users/mallory'])
    expect(await world.userExists('mallory')).toBe(false)
  })

  test('users offboard exits 0 and sends no write in a second run', async () => {
    await world.outcome('users offboard mallory trudy --yes')
    world.requests.length = 0
    const { code, stderr, rows } = await world.rows('users offboard mallory trudy --yes')
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: 'blocked 0 members and deleted 0 users; 2 skipped\n',
    })
    expect(words(rows)).toEqual(['delete mallory skipped no such user', 'delete trudy skipped no such user'])
    expect(world.writes()).toEqual([])
  })

  test('users offboard keeps a user after a failed block, and completes the remaining steps in a second run', async () => {
    const { plans, board } = world.ids
    world.fails(new RegExp(`${plans}/members/`), 500, 'PUT')
    const { code, stderr, rows } = await world.rows('users offboard mallory trudy --yes')
    expect(words(rows)).toEqual([
      'block mallory Plans failed the service reports a validation exception (500): it is broken',
      'block mallory Board ok',
      `block mallory Hall skipped ${publicRoom}`,
      `block mallory Lobby skipped ${openRoom}`,
      'block trudy Board ok',
      'delete mallory unsent not every block succeeded',
      'delete trudy ok',
    ])
    expect(code).toBe(8)
    expect(JSON.parse(stderr).error).toMatchObject({
      code: 'partial',
      message: 'blocked 2 members and deleted 1 user; 2 skipped; 1 failed; 1 user is kept',
    })
    expect(await world.userExists('mallory')).toBe(true)
    world.intercept = undefined
    world.requests.length = 0
    const again = await world.rows('users offboard mallory trudy --yes')
    expect(again.code).toBe(0)
    expect(words(again.rows)).toEqual([
      'block mallory Plans ok',
      'block mallory Board skipped already blocked',
      `block mallory Hall skipped ${publicRoom}`,
      `block mallory Lobby skipped ${openRoom}`,
      'delete mallory ok',
      'delete trudy skipped no such user',
    ])
    expect(world.writes().filter((line) => line.includes(board))).toEqual([])
  })

  test('users offboard exits 8 and keeps the user if the block fails or has an unknown outcome', async () => {
    world.fails(/members\//, 500, 'PUT')
    expect(await world.outcome('users offboard trudy --yes --save trudy.ndjson')).toMatchObject({
      code: 8,
      stderr: expect.stringContaining(
        'error: blocked 0 members and deleted 0 users; 1 failed; 1 user is kept\n' +
          'hint: run the command again, without --save, to complete the remaining steps\n',
      ),
    })
    world.intercept = async (request, next) => (request.method === 'PUT' ? lost() : next())
    expect(await world.outcome('users offboard trudy --yes --retries 0')).toMatchObject({
      code: 8,
      stderr: expect.stringContaining('1 with an unknown outcome; 1 user is kept\n'),
    })
    expect(await world.userExists('trudy')).toBe(true)
  })

  test('users offboard keeps the user if the members of a room cannot be listed', async () => {
    world.fails(new RegExp(`${world.ids.empty}/members`))
    const { code, rows } = await world.rows('users offboard trudy --yes')
    expect({ code, steps: words(rows) }).toEqual({
      code: 8,
      steps: [
        'block ? Empty failed the service reports a validation exception (500): it is broken',
        'block trudy Board ok',
        'delete trudy unsent not every room could be read',
      ],
    })
    expect(await world.userExists('trudy')).toBe(true)
  })

  test('users offboard sends no write if the members of all rooms cannot be read or the key is refused', async () => {
    world.fails(/members/)
    expect(await world.outcome('users offboard trudy --yes')).toMatchObject({
      code: 1,
      stderr: 'error: read 0 of 5 rooms; 5 failed\n',
    })
    world.fails(/./, 401)
    expect(await world.outcome('users offboard trudy --yes')).toMatchObject({ code: 4 })
    expect(world.writes()).toEqual([])
  })

  test('users offboard --dry-run prints the steps and sends no write', async () => {
    expect(words((await world.rows('users offboard trudy mallory --dry-run')).rows)).toEqual([
      'block trudy Board would_block',
      'block mallory Plans would_block',
      'block mallory Board would_block',
      `block mallory Hall skipped ${publicRoom}`,
      `block mallory Lobby skipped ${openRoom}`,
      'delete trudy would_delete',
      'delete mallory would_delete',
    ])
    expect(await world.outcome('users offboard trudy --dry-run -o ids')).toEqual({
      ...{ code: 0, stdout: '', stderr: 'would block 1 member and delete 1 user\n' },
    })
    expect(world.writes()).toEqual([])
  })

  test('users offboard -o ids prints the IDs of the deleted users', async () => {
    expect(await world.outcome('users offboard trudy nobody --yes -o ids')).toMatchObject({
      code: 0,
      stdout: 'trudy\n',
    })
  })

  test('users offboard deletes a user without rooms', async () => {
    await world.send('POST', '/users', { user_id: 'grace' })
    const { rows } = await world.rows('users offboard grace --yes')
    expect(words(rows)).toEqual(['delete grace ok'])
  })

  test('users offboard accepts users from --where and from standard input', async () => {
    expect(await world.outcome('users offboard --where name~^trudy --yes -o ids')).toMatchObject({
      stdout: 'trudy\n',
    })
    expect(await world.outcome('users offboard - --yes -o ids', { stdin: 'mallory\n' })).toMatchObject({
      stdout: 'mallory\n',
    })
  })

  test('users offboard deletes the user only with --accept-unconfirmed-blocks if the service omits is_blocked', async () => {
    const { board } = world.ids
    await world.send('PUT', `/rooms/${board}/members/${(await world.member(board, 'trudy')).id}`, {
      is_blocked: true,
    })
    otherService(world, { without: ['is_blocked'] })
    const { code, stderr, rows } = await world.rows('users offboard trudy --yes')
    expect(words(rows)).toEqual([
      'block trudy Board ok',
      'delete trudy unsent not every block is verified: the service does not show is_blocked',
    ])
    expect(code).toBe(8)
    const [notice, error = ''] = stderr.split('\n')
    expect(notice).toBe('warning: the service accepted is_blocked, but does not show it')
    expect(JSON.parse(error).error).toMatchObject({
      message: 'blocked 1 member and deleted 0 users; 1 user is kept',
      hint: 'check whether the user can still join the rooms; then accept the blocks and delete the user with: meetroom users offboard --accept-unconfirmed-blocks trudy --base-url https://meet.test/v1',
    })
    expect(await world.userExists('trudy')).toBe(true)
    expect((await world.rows('users offboard --accept-unconfirmed-blocks trudy --yes')).code).toBe(0)
    expect(await world.userExists('trudy')).toBe(false)
  })

  test('users offboard keeps the user if the service does not apply the block', async () => {
    world.intercept = async (request, next) => (request.method === 'PUT' ? answer(200, {}) : next())
    const { code, rows } = await world.rows('users offboard trudy --yes')
    expect({ code, steps: words(rows) }).toEqual({
      code: 8,
      steps: [
        expect.stringMatching(/^block trudy Board unknown .* is_blocked is false, not true$/),
        'delete trudy unsent not every block succeeded',
      ],
    })
    expect(await world.userExists('trudy')).toBe(true)
  })

  test('users offboard keeps the user if the member cannot be read after the block', async () => {
    otherService(world, { writes: 'ok' })
    const other = world.intercept
    let isWritten = false
    world.intercept = async (request, next, signal) => {
      isWritten ||= request.method === 'PUT'
      if (isWritten && request.method === 'GET') return answer(500, { error: { message: 'it is broken' } })
      return other?.(request, next, signal) ?? next()
    }
    const { code, rows } = await world.rows('users offboard trudy --yes')
    expect({ code, steps: words(rows) }).toEqual({
      code: 8,
      steps: [
        expect.stringMatching(/^block trudy Board unknown .* the item cannot be read: .* it is broken$/),
        'delete trudy unsent not every block succeeded',
      ],
    })
    expect(await world.userExists('trudy')).toBe(true)
  })

  test('users offboard blocks the user in rooms of unknown types, and skips open and public rooms', async () => {
    world.intercept = async (_request, next) => {
      const given = await next()
      const text = new TextDecoder().decode(given.body)
      return answer(
        given.status,
        text.replaceAll('"type":"private"', '"type":"SECRET"').replaceAll('"type":"open"', '"type":"OPEN"'),
      )
    }
    expect(words((await world.rows('users offboard mallory --yes')).rows)).toEqual([
      'block mallory Plans ok',
      'block mallory Board ok',
      `block mallory Hall skipped ${publicRoom}`,
      'block mallory Lobby skipped no block in OPEN rooms',
      'delete mallory ok',
    ])
    const { id } = await world.member(world.ids.board, 'ada')
    expect(await world.run(`members block ${world.ids.board} ${id} --yes -q`)).toMatchObject({ code: 0 })
  })

  test('users offboard completes every step if the service sends numeric IDs and booleans as text', async () => {
    otherService(world, { ids: 'number', booleansAsText: true, minimalLists: true, maxLimit: 2 })
    const { code, rows } = await world.rows('users offboard mallory --yes')
    expect({ code, steps: words(rows) }).toEqual({
      code: 0,
      steps: [
        'block mallory Plans ok',
        'block mallory Board ok',
        `block mallory Hall skipped ${publicRoom}`,
        `block mallory Lobby skipped ${openRoom}`,
        'delete mallory ok',
      ],
    })
  })

  test('users offboard deletes the user and exits 0 after the reader closes the pipe', async () => {
    const { host, done } = world.start('users offboard mallory --yes -o ndjson'.split(' '))
    host.stdout.failure = Object.assign(new Error('closed'), { code: 'EPIPE' })
    expect((await done).code).toBe(0)
    expect(await world.userExists('mallory')).toBe(false)
  })

  test('users offboard exits 130 at ^C during the first block, and keeps the user', async () => {
    const { host, done } = world.start('users offboard mallory --yes --concurrency 1'.split(' '))
    world.intercept = async (request, next) => {
      if (request.method === 'PUT') host.signal('SIGINT')
      return next()
    }
    const { code } = await done
    expect(code).toBe(130)
    expect(await world.userExists('mallory')).toBe(true)
    expect(world.writes()).toHaveLength(1)
  })
})

describe('prompt of users offboard', () => {
  test('the prompt of users offboard names the user and the rooms', async () => {
    const { plans, board } = world.ids
    expect(await world.typing('n\n', 'users offboard mallory')).toEqual({
      code: 10,
      stderr: expect.stringContaining(
        `Offboard user “MALLORY” (mallory): block in 2 rooms “Plans” (${plans}), “Board” (${board}), then delete, at https://meet.test (profile default)? (y/N)`,
      ),
    })
    expect(world.writes()).toEqual([])
  })

  test('users offboard of two users requires the number 2 as confirmation', async () => {
    const { code, stderr } = await world.typing('2\n', 'users offboard mallory trudy')
    expect(code).toBe(0)
    expect(stderr).toContain('Offboard 2 users “MALLORY” (mallory), “TRUDY” (trudy): block in 2 rooms')
    expect(stderr).toContain('Type 2 to continue:')
  })

  test('the prompt of users offboard warns that no user is deleted when a room cannot be read', async () => {
    world.fails(new RegExp(`${world.ids.empty}/members`))
    expect((await world.typing('n\n', 'users offboard trudy')).stderr).toContain(
      `block in room “Board” (${world.ids.board}), and delete no user, because 1 room could not be read`,
    )
  })

  test('users offboard exits 0 without confirmation if no step remains', async () => {
    expect(await world.outcome('users offboard nobody somebody')).toMatchObject({ code: 0 })
  })

  test.each([
    [
      'users offboard mallory trudy --yes --max 1',
      'error: the command would affect 2 users, but --max allows 1; nothing was changed\nhint: pass --max 2 to affect all items\n',
    ],
    [
      'members block --user mallory --all-rooms --yes --max 1',
      'error: the command would affect 2 members, but --max allows 1; nothing was changed\nhint: pass --max 2 to affect all items\n',
    ],
    [
      'users offboard mallory',
      'error: offboarding users needs confirmation, and there is no terminal for a prompt\nhint: pass --yes to confirm in advance\n',
    ],
  ])('the command “%s” exits 10 and sends no write', async (line, stderr) => {
    expect(await world.outcome(line)).toEqual({ code: 10, stdout: '', stderr })
    expect(world.writes()).toEqual([])
  })
})

describe('members block --user --all-rooms', () => {
  test('members block --all-rooms blocks the user in every private room, and members unblock reverts it', async () => {
    const { code, stderr, rows } = await world.rows('members block --user mallory --all-rooms --yes')
    expect({ code, stderr }).toEqual({ code: 0, stderr: 'blocked 2 members; 2 skipped\n' })
    expect(words(rows)).toEqual([
      'block mallory Plans ok',
      'block mallory Board ok',
      `block mallory Hall skipped ${publicRoom}`,
      `block mallory Lobby skipped ${openRoom}`,
    ])
    expect(await world.userExists('mallory')).toBe(true)
    expect((await world.member(world.ids.board, 'mallory')).is_blocked).toBe(true)
    const back = await world.rows('members unblock --user mallory --user ada --all-rooms --yes')
    expect(words(back.rows)).toEqual([
      'unblock mallory Plans ok',
      'unblock mallory Board ok',
      `unblock mallory Hall skipped ${publicRoom}`,
      `unblock mallory Lobby skipped ${openRoom}`,
      'unblock ada Board skipped not blocked',
      `unblock ada Hall skipped ${publicRoom}`,
    ])
    expect((await world.member(world.ids.board, 'mallory')).is_blocked).toBe(false)
  })

  test('members block --user --all-rooms -o ids prints the IDs of the blocked members', async () => {
    const { id } = await world.member(world.ids.board, 'trudy')
    expect(await world.outcome('members block --user trudy --all-rooms --yes -o ids')).toMatchObject({
      stdout: `${id}\n`,
    })
  })

  test('members block --user --all-rooms --force tries to block the user in rooms of every type', async () => {
    const { code, rows } = await world.rows('members block --user mallory --all-rooms --yes --force')
    expect(code).toBe(8)
    expect(rows.map(({ room_name, status }) => `${room_name} ${status}`)).toEqual([
      ...['Plans ok', 'Board ok', 'Hall failed', 'Lobby failed'],
    ])
  })

  test('members block --user --all-rooms names the user and the rooms in the prompt', async () => {
    expect((await world.typing('n\n', 'members block --user trudy --all-rooms')).stderr).toContain(
      `Block user trudy in room “Board” (${world.ids.board}), at https://meet.test (profile default)? (y/N)`,
    )
  })

  test('members block --user --all-rooms exits 3 for a user without rooms, or 0 with --ignore-not-found', async () => {
    await world.send('POST', '/users', { user_id: 'nobody' })
    expect(await world.outcome('members block --user nobody --all-rooms --yes')).toMatchObject({
      code: 3,
      stderr: 'error: no such member: user nobody is not in any room\n',
    })
    const line = 'members block --user nobody --user trudy --all-rooms --yes'
    expect(await world.outcome(line)).toMatchObject({ code: 3 })
    expect(world.writes()).toEqual([])
    expect(await world.outcome(`${line} --ignore-not-found -o ids`)).toMatchObject({ code: 0 })
  })

  test.each([
    [
      'members block --all-rooms',
      '--all-rooms needs --user\nhint: as in: meetroom members block --user mallory --all-rooms --base-url https://meet.test/v1',
    ],
    [
      'members unblock --all-rooms --user a --where type=guest',
      '--all-rooms and --where cannot be used together\nhint: as in: meetroom members unblock --user mallory --all-rooms --base-url https://meet.test/v1',
    ],
    ['members block r --all-rooms --user a', 'a room and --all-rooms cannot be used together'],
    [
      'members block --user a',
      'the argument “room” is missing\nhint: for all rooms: meetroom members block --user a --all-rooms --dry-run --base-url https://meet.test/v1',
    ],
    [
      'members block --user a --all-rooms --curl',
      '--curl cannot be used: this command reads the rooms of the users',
    ],
    ['users offboard a --curl', '--curl cannot be used: this command reads the rooms of the users'],
    [
      'users offboard',
      'the argument “user” is missing\nhint: pass IDs, “-” to read them from a pipe, or --where; see: meetroom users offboard --help',
    ],
  ])('the command “%s” exits 2 before any request', async (line, message) => {
    expect(await world.outcome(line)).toEqual({ code: 2, stdout: '', stderr: `error: ${message}\n` })
    expect(world.requests).toEqual([])
  })
})

test('users offboard retries after 429 responses and deletes the user', async () => {
  let busy = 3
  world.intercept = async (request, next) =>
    request.method === 'PUT' && busy-- > 0
      ? answer(429, { error: { message: 'slow down' } }, { 'retry-after': '7' })
      : next()
  expect(await world.rows('users offboard mallory --yes')).toMatchObject({ code: 0 })
  expect(await world.userExists('mallory')).toBe(false)
})

describe('users offboard with unknown members', () => {
  const member = { id: 'm1', user_id: 'trudy', type: 'guest' }
  test.each<[string, WireResponse, WireResponse?]>([
    ['the list request of an existing room gets a 404', answer(404, { error: 'no' })],
    [
      'the members have no user ID',
      answer(200, { members: [{ id: 'm1' }] }),
      answer(200, { member: { id: 'm1' } }),
    ],
    ['a lookup returns another member', answer(200, { members: [{ id: 'm2' }] }), answer(200, { member })],
  ])(
    'users offboard keeps the user if the members of a room are unknown because %s',
    async (_, list, lookup) => {
      world.intercept = async ({ url }, next) => {
        const [, , path] = url.split(/\/(members)(?=[/?])/)
        if (path === undefined || !url.includes(world.ids.board)) return next()
        return path.startsWith('/') && lookup ? lookup : list
      }
      const { code, rows } = await world.rows('users offboard mallory --yes')
      expect(code).toBe(8)
      expect(words(rows).at(-1)).toBe('delete mallory unsent not every room could be read')
      expect(await world.userExists('mallory')).toBe(true)
    },
  )
})
