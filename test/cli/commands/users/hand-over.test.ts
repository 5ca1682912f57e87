import { describe, expect, test } from 'vitest'
import { createAccessWorld } from '../../../helpers/access.ts'
import { lost } from '../../../helpers/imports.ts'
import { otherService } from '../../../helpers/other-service.ts'
import { perTest } from '../../../helpers/per-test.ts'
import { answer } from '../../../helpers/world.ts'

const world = perTest(createAccessWorld)

const words = (rows: readonly Record<string, any>[]) =>
  rows.map(({ step, user_id, room_name, status, reason }) =>
    [step, user_id, room_name ?? '', status, reason ?? ''].join(' ').replace(/ +/g, ' ').trim(),
  )
const post = (room: string, type: string) => `POST /rooms/${room}/members {"user_id":"ada","type":"${type}"}`
const offboardHint =
  'to offboard the other user: meetroom users offboard mallory --base-url https://meet.test/v1\n'

async function setRole(room: string, user: string, type: string): Promise<string> {
  const { id } = await world.member(room, user)
  await world.send('PUT', `/rooms/${room}/members/${id}`, { type })
  return id
}

describe('users hand-over', () => {
  test('users hand-over adds the second user to the rooms of the first, and raises lower roles', async () => {
    const { lobby, hall, board, plans } = world.ids
    for (const room of [lobby, board]) await setRole(room, 'mallory', 'host')
    await setRole(hall, 'ada', 'host')
    const member = (await world.member(board, 'ada')).id
    const { code, stderr, rows } = await world.rows('users hand-over mallory ada --yes --concurrency 1')
    expect(words(rows)).toEqual([
      'add ada Plans ok',
      'update ada Board updated',
      'add ada Hall skipped already a member, as host',
      'add ada Lobby ok',
    ])
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: `added the user to 2 rooms; changed the role in 1 room; 1 skipped\n${offboardHint}`,
    })
    expect(world.writes()).toEqual([
      post(plans, 'guest'),
      `PUT /rooms/${board}/members/${member} {"type":"host"}`,
      post(lobby, 'host'),
    ])
    expect(rows[0]).toMatchObject({
      room_id: plans,
      room_type: 'private',
      member_id: (await world.member(plans, 'ada')).id,
      reason: null,
    })
  })

  test('users hand-over sends no write in a second run', async () => {
    await world.outcome('users hand-over mallory ada --yes')
    world.requests.length = 0
    const { code, stderr } = await world.outcome('users hand-over mallory ada --yes')
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: `added the user to 0 rooms; 4 skipped\n${offboardHint}`,
    })
    expect(world.writes()).toEqual([])
  })

  test('users hand-over --role monitor adds the second user as monitor, and keeps existing roles', async () => {
    const { hall, lobby, plans } = world.ids
    await setRole(hall, 'ada', 'host')
    const { rows } = await world.rows('users hand-over mallory ada --role monitor --yes --concurrency 1')
    expect(words(rows)).toEqual([
      'add ada Plans ok',
      'add ada Board skipped already a member, as guest',
      'add ada Hall skipped already a member, as host',
      'add ada Lobby ok',
    ])
    expect(world.writes()).toEqual([post(plans, 'monitor'), post(lobby, 'monitor')])
  })

  test('users hand-over keeps roles and members that another client changes during the run', async () => {
    const { plans, lobby, board } = world.ids
    await setRole(board, 'mallory', 'guest')
    await setRole(board, 'ada', 'monitor')
    const isFirstWrite = (method: string) => method !== 'GET' && world.writes().length === 1
    world.intercept = async ({ method }, next) => {
      if (isFirstWrite(method)) {
        world.intercept = undefined
        await setRole(board, 'ada', 'host')
        await world.send('POST', `/rooms/${lobby}/members`, { user_id: 'ada', type: 'host' })
        world.requests.length = 1
      }
      return next()
    }
    const { code, rows } = await world.rows('users hand-over mallory ada --yes --concurrency 1')
    expect(words(rows)).toEqual([
      'add ada Plans ok',
      'update ada Board skipped already a member, as host',
      'add ada Hall skipped already a member, as guest',
      'add ada Lobby skipped already a member, as host',
    ])
    expect(code).toBe(0)
    expect(world.writes()).not.toContain(post(lobby, 'guest'))
    expect((await world.member(board, 'ada')).type).toBe('host')
    expect((await world.member(plans, 'ada')).type).toBe('guest')
  })

  test('users hand-over --where writes only to matching rooms', async () => {
    const { plans } = world.ids
    const { stderr } = await world.rows('users hand-over mallory ada --where type=private --yes')
    expect(stderr).toBe('added the user to 1 room; 1 skipped\n')
    expect(world.writes()).toEqual([post(plans, 'guest')])
    expect(await world.outcome('users hand-over mallory ada --where name=Empty --yes')).toEqual({
      code: 0,
      stdout: '',
      stderr: 'mallory is not a member of any room that matches\n',
    })
  })

  test('users hand-over --dry-run prints the plan and sends no write', async () => {
    await setRole(world.ids.board, 'mallory', 'host')
    world.requests.length = 0
    const { code, stderr, rows } = await world.rows('users hand-over mallory ada --dry-run')
    expect(words(rows)).toEqual([
      'add ada Plans would_create',
      'update ada Board would_update',
      'add ada Hall would_skip already a member, as guest',
      'add ada Lobby would_create',
    ])
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: 'would add the user to 2 rooms; would change the role in 1 room; 1 skipped\n',
    })
    expect(world.writes()).toEqual([])
  })

  test('users hand-over names the users and the affected rooms in the prompt', async () => {
    const { code, stderr } = await world.typing('2\n', 'users hand-over mallory ada')
    expect(stderr).toContain(
      `Give user “ADA” (ada) the role of user mallory in 2 rooms “Plans” (${world.ids.plans}), “Lobby” (${world.ids.lobby}), at https://meet.test (profile default). Type 2 to continue: 2`,
    )
    expect(code).toBe(0)
    expect(world.writes()).toHaveLength(2)
  })

  test.each([
    ['', 'handing over rooms needs confirmation, and there is no terminal for a prompt'],
    [' --yes --max 1', 'the command would affect 2 rooms, but --max allows 1; nothing was changed'],
  ])(
    'the command “users hand-over mallory ada%s” exits 10 and sends no write without a terminal',
    async (flags, message) => {
      const { code, stderr } = await world.outcome(`users hand-over mallory ada${flags}`)
      expect(code).toBe(10)
      expect(stderr).toContain(`error: ${message}\n`)
      expect(world.writes()).toEqual([])
    },
  )

  test('users hand-over exits 8 if the second user is blocked in a room, and changes the other rooms', async () => {
    const { board } = world.ids
    const { id } = await world.member(board, 'ada')
    await world.send('PUT', `/rooms/${board}/members/${id}`, { is_blocked: true })
    const { code, stderr, rows } = await world.rows('users hand-over mallory ada --yes')
    expect(words(rows)).toContain('add ada Board failed the user is a member, but blocked')
    expect(code).toBe(8)
    expect(JSON.parse(stderr).error).toEqual({
      code: 'partial',
      message: 'added the user to 2 rooms; 1 skipped; 1 failed',
      hint: 'run the command again to complete the remaining rooms',
      retryable: false,
    })
  })

  test('users hand-over exits 8 if a room cannot be read, and changes the other rooms', async () => {
    const { plans } = world.ids
    world.fails(new RegExp(`${plans}/members`), 500)
    const { code, rows } = await world.rows('users hand-over mallory ada --yes')
    expect(code).toBe(8)
    expect(words(rows)[0]).toMatch(/^add ada Plans failed .*it is broken$/)
    expect(world.writes()).toEqual([post(world.ids.lobby, 'guest')])
  })

  test('users hand-over adds each member once despite a lost response and a second run', async () => {
    const { plans, lobby } = world.ids
    let isLost = false
    world.intercept = async (request, next) => {
      const done = await next()
      isLost ||= request.method === 'POST'
      return isLost && request.url.includes(plans) ? lost() : done
    }
    const first = await world.rows('users hand-over mallory ada --yes --concurrency 1')
    expect(first.code).not.toBe(0)
    expect(first.rows[0]).toMatchObject({ room_name: 'Plans', status: 'unknown' })
    world.intercept = undefined
    const second = await world.rows('users hand-over mallory ada --yes')
    expect(second.code).toBe(0)
    const posts = world.writes()
    expect(posts.filter((line) => line === post(plans, 'guest'))).toHaveLength(1)
    expect(posts.filter((line) => line === post(lobby, 'guest'))).toHaveLength(1)
    expect((await world.members(plans)).map(({ user_id }) => user_id)).toEqual(['ada', 'mallory'])
  })

  test('users hand-over sends no write and exits 8 if the list of rooms is incomplete', async () => {
    world.intercept = async (request, next) =>
      /\/rooms\?/.test(request.url)
        ? answer(200, {
            rooms: [{ id: world.ids.plans, type: 'private', name: 'Plans' }],
            paging: { total: 40 },
          })
        : next()
    const { code, stdout } = await world.outcome('users hand-over mallory ada --yes')
    expect({ code, stdout }).toEqual({ code: 8, stdout: '' })
    expect(world.writes()).toEqual([])
  })

  test.each([
    [
      'users hand-over nobody ada --yes',
      3,
      'error: no such user: nobody\nhint: list the users with: meetroom users list --base-url https://meet.test/v1\n',
    ],
    [
      'users hand-over mallory nobody --yes',
      3,
      'error: no such user: nobody\nhint: list the users with: meetroom users list --base-url https://meet.test/v1\n',
    ],
    ['users hand-over ada ada --yes', 2, 'error: the users must be different, not both “ada”\n'],
    [
      'users hand-over mallory ada --curl',
      2,
      'error: --curl cannot be used: this command reads the rooms of the user\n',
    ],
  ])('the command “%s” exits %i and sends no write', async (line, code, stderr) => {
    expect(await world.outcome(line)).toEqual({ code, stdout: '', stderr })
    expect(world.writes()).toEqual([])
  })

  test('users hand-over -o ids prints the IDs of the added members', async () => {
    const { stdout } = await world.outcome('users hand-over mallory ada --yes -o ids')
    const { plans, lobby } = world.ids
    const ids = [await world.member(plans, 'ada'), await world.member(lobby, 'ada')].map(({ id }) => id)
    expect(stdout).toBe(`${ids.join('\n')}\n`)
  })

  test.each([
    { minimalLists: true },
    { ids: 'number' },
    { leavesNullsOut: true, booleansAsText: true, numbersAsText: true },
    { maxLimit: 1 },
  ] as const)('users hand-over adds the user and raises roles on a service with %j', async (differences) => {
    const { board, lobby } = world.ids
    for (const room of [lobby, board]) await setRole(room, 'mallory', 'host')
    otherService(world, differences)
    const { code, rows } = await world.rows('users hand-over mallory ada --yes')
    expect(words(rows)).toEqual([
      'add ada Plans ok',
      'update ada Board updated',
      'add ada Hall skipped already a member, as guest',
      'add ada Lobby ok',
    ])
    expect(code).toBe(0)
    expect((await world.member(lobby, 'ada')).type).toBe('host')
  })

  test('users hand-over fails if the service omits roles, and reports unknown outcomes with --role', async () => {
    otherService(world, { without: ['type'] })
    const { code, rows } = await world.rows('users hand-over mallory ada --yes')
    expect(code).not.toBe(0)
    expect(words(rows)[0]).toBe(
      'add ada Plans failed the service does not show the role of mallory; pass --role',
    )
    const given = await world.rows('users hand-over mallory ada --role host --yes --concurrency 1')
    expect(given.rows.map(({ step, status }) => `${step} ${status}`)).toEqual([
      'add unknown',
      'update unknown',
      'update unknown',
      'add unknown',
    ])
  })

  test.each([60, 80, 200])(
    'users hand-over prints a table that fits a terminal of %i columns',
    async (columns) => {
      const { stdout } = await world.run('users hand-over mallory ada --dry-run --no-color', {
        tty: true,
        columns,
      })
      expect(stdout.split('\n').filter((line) => line.length > columns)).toEqual([])
      expect(stdout).toContain('would_create')
    },
  )
})

describe('members add', () => {
  test('members add --all-rooms adds the user to each room and skips existing members', async () => {
    const { code, stderr, rows } = await world.rows(
      'members add --all-rooms --user ada --type host --yes --concurrency 1',
    )
    expect(words(rows)).toEqual([
      'add ada Empty ok',
      'add ada Plans ok',
      'add ada Board skipped already a member, as guest',
      'add ada Hall skipped already a member, as guest',
      'add ada Lobby ok',
    ])
    expect({ code, stderr }).toEqual({ code: 0, stderr: 'added the user to 3 rooms; 2 skipped\n' })
    const { empty, plans, lobby } = world.ids
    expect(world.writes()).toEqual([empty, plans, lobby].map((room) => post(room, 'host')))
  })

  test('members add --where adds the user to the matching rooms in the default role of the user', async () => {
    const { stderr } = await world.rows('members add --where members=0 --where type=private --user ada --yes')
    expect(stderr).toBe('added the user to 1 room\n')
    expect(world.writes()).toEqual([`POST /rooms/${world.ids.empty}/members {"user_id":"ada"}`])
    expect(await world.outcome('members add --where name=nothing --user ada --yes')).toEqual({
      code: 0,
      stdout: '',
      stderr: 'no rooms; nothing to do\n',
    })
  })

  test('members add --where sends the fields of --set', async () => {
    await world.rows('members add --where name=Empty --user ada --set note=x --yes')
    expect(world.writes()).toEqual([`POST /rooms/${world.ids.empty}/members {"note":"x","user_id":"ada"}`])
  })

  test('members add --all-rooms names the rooms in the prompt, and limits --yes to 20 rooms', async () => {
    const { stderr } = await world.typing('3\n', 'members add --all-rooms --user ada --type host')
    expect(stderr).toContain('Invite user “ADA” (ada) to 3 rooms “Empty”')
    expect(stderr).toContain(`“Lobby” (${world.ids.lobby}) as host, at https://meet.test`)
    for (let i = 0; i < 21; i++) await world.send('POST', '/rooms', { name: `N${i}`, type: 'open' })
    const { code, stderr: refusal } = await world.outcome('members add --all-rooms --user ada --yes')
    expect(code).toBe(10)
    expect(refusal).toContain('inviting a user to rooms would affect 21 items')
  })

  test.each([
    ['members add r --where type=open --user ada', 'a room and --where cannot be used together'],
    ['members add r ada --all-rooms', 'a room and --all-rooms cannot be used together'],
    ['members add --all-rooms', '--all-rooms needs --user'],
    ['members add r ada --user ada', 'a user argument and --user cannot be used together'],
    ['members add', 'the argument “room” is missing'],
    ['members add r', 'the argument “user” is missing'],
  ])('the command “%s” exits 2 before any request', async (line, message) => {
    const { code, stderr } = await world.outcome(line)
    expect(code).toBe(2)
    expect(stderr).toContain(`error: ${message}\n`)
    expect(world.requests).toEqual([])
  })

  test('members add ROOM --user USER adds the user only to that room', async () => {
    const { code } = await world.outcome(`members add ${world.ids.empty} --user ada -o ids`)
    expect(code).toBe(0)
    expect(world.writes()).toEqual([`POST /rooms/${world.ids.empty}/members {"user_id":"ada"}`])
  })
})
