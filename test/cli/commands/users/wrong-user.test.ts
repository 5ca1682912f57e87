import { describe, expect, test } from 'vitest'
import { createAccessWorld } from '../../../helpers/access.ts'
import { perTest } from '../../../helpers/per-test.ts'

const world = perTest(createAccessWorld)

const commands = [
  ['members get', (user: string) => ['members', 'get', world.ids.board, '--user', user]],
  ['members block', (user: string) => ['members', 'block', world.ids.board, '--user', user, '--yes']],
  [
    'members block --all-rooms',
    (user: string) => `members block --all-rooms --yes --user=${user}`.split(' '),
  ],
  ['members unblock --all-rooms', (user: string) => ['members', 'unblock', '--all-rooms', '--user', user]],
  ['members add --all-rooms', (user: string) => ['members', 'add', '--all-rooms', '--yes', '--user', user]],
  ['users offboard', (user: string) => ['users', 'offboard', user, '--yes']],
  ['users rooms', (user: string) => ['users', 'rooms', user]],
] as const

describe.each(commands)('%s with an unknown user', (command, line) => {
  test.each(['Mallory', 'mallory@school.example', 'mallori'])(
    `${command} with the unknown user “%s” exits 3 and suggests the likely user`,
    async (user) => {
      await world.send('PUT', '/users/mallory', { email: 'mallory@school.example' })
      const { code, stderr } = await world.run(line(user))
      expect({ code, writes: world.writes() }).toEqual({ code: 3, writes: [] })
      expect(stderr).toMatch(`error: no such user: ${user}\nhint: `)
      expect(stderr.split('hint: ')[1]).toMatch(/\bmallory\b/)
      expect(stderr).not.toMatch('in no room')
    },
  )

  test(`${command} with a name that two users share exits 3 and suggests both users`, async () => {
    for (const user_id of ['x1', 'x2']) await world.send('POST', '/users', { user_id, name: 'Twin' })
    const { code, stderr } = await world.run(line('TWIN'))
    expect({ code, writes: world.writes() }).toEqual({ code: 3, writes: [] })
    expect(stderr).toMatch(
      /several users match equally well: “Twin” \(x[12]\): meetroom .*, “Twin” \(x[12]\): meetroom /,
    )
  })
})

describe('users offboard with an unknown user', () => {
  test('users offboard nobody trudy skips the unknown user and deletes the other user', async () => {
    const { code, rows } = await world.rows('users offboard nobody trudy --yes')
    expect(code).toBe(0)
    expect(rows.map(({ step, user_id, status }) => `${step} ${user_id} ${status}`)).toEqual([
      'block trudy ok',
      'delete nobody skipped',
      'delete trudy ok',
    ])
  })
})

describe('members add of an existing member', () => {
  const add = (...flags: string[]) => world.run(['members', 'add', world.ids.plans, 'mallory', ...flags])
  const role = async () => (await world.member(world.ids.plans, 'mallory')).type

  test('members add of an existing member changes the role by default and with --if-exists update', async () => {
    expect(await add('--type', 'host', '-o', 'ids')).toMatchObject({ code: 0 })
    expect(await role()).toBe('host')
    expect(await add('--type', 'guest', '--if-exists', 'update', '-o', 'ids')).toMatchObject({ code: 0 })
    expect(await role()).toBe('guest')
    world.requests.length = 0
    expect(await add('--type', 'guest', '--if-exists', 'update', '-o', 'ids')).toMatchObject({ code: 0 })
    expect(world.writes()).toEqual([])
  })

  test('members add of an existing member sends no write with --if-exists skip or fail', async () => {
    expect(await add('--type', 'host', '--if-exists', 'skip')).toMatchObject({ code: 0 })
    expect(await add('--type', 'host', '--if-exists', 'fail')).toMatchObject({
      code: 1,
      stderr: 'error: mallory is already a member, as guest\n',
    })
    expect(await add('--if-exists', 'fail', '--if-not-exists')).toMatchObject({ code: 2 })
    expect(world.writes()).toEqual([])
  })

  test('members add --all-rooms applies --if-exists to each room', async () => {
    const many = async (flags: string) => {
      const { code, rows } = await world.rows(`members add --all-rooms --user ada --type host --yes${flags}`)
      return [code, ...rows.map(({ room_name, status }) => `${room_name} ${status}`)]
    }
    expect(await many(' --if-exists fail')).toEqual([
      8,
      'Empty ok',
      'Plans ok',
      'Board failed',
      'Hall failed',
      'Lobby ok',
    ])
    expect(await many(' --if-exists update')).toEqual([
      0,
      'Empty skipped',
      'Plans skipped',
      'Board updated',
      'Hall updated',
      'Lobby skipped',
    ])
    expect(await many('')).toEqual([
      0,
      ...['Empty', 'Plans', 'Board', 'Hall', 'Lobby'].map((name) => `${name} skipped`),
    ])
  })
})
