import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createAccessWorld } from '../../../helpers/access.ts'
import { otherService } from '../../../helpers/other-service.ts'
import { perTest } from '../../../helpers/per-test.ts'

const world = perTest(createAccessWorld)

const merge = 'users merge mallory ada --yes --concurrency 1'
const words = (rows: readonly Record<string, any>[]) =>
  rows.map(({ step, user_id, room_name, status, reason }) =>
    [step, user_id ?? '?', room_name ?? '', status, reason ?? ''].join(' ').replace(/ +/g, ' ').trim(),
  )
const savedFiles = () => readdirSync(join(world.dir, 'data', 'saved'))
const block = async (room: string, user: string) =>
  world.send('PUT', `/rooms/${room}/members/${(await world.member(room, user)).id}`, { is_blocked: true })

describe('users merge', () => {
  test('users merge saves the first user, hands over the rooms, and offboards the user after one prompt', async () => {
    const { plans, board, lobby } = world.ids
    const dry = await world.rows('users merge mallory ada --dry-run')
    expect(dry.stderr).toBe('would add ada to 2 rooms; would block 2 members and delete 1 user; 4 skipped\n')
    expect(world.writes()).toEqual([])
    const puts = [plans, board].map(async (room) => (await world.member(room, 'mallory')).id)
    const [inPlans, inBoard] = await Promise.all(puts)
    const { code, stderr } = await world.typing('2\n', 'users merge mallory ada --concurrency 1')
    expect(stderr).toContain(
      `Give user “ADA” (ada) the role of user mallory in 2 rooms “Plans” (${plans}), “Lobby” (${lobby}); ` +
        `then offboard user “MALLORY” (mallory): block in 2 rooms “Plans” (${plans}), “Board” (${board}), then delete, at https://meet.test (profile default). Type 2 to continue: 2`,
    )
    expect(stderr).toContain('added ada to 2 rooms; blocked 2 members and deleted 1 user; 4 skipped')
    expect(code).toBe(0)
    expect(world.writes()).toEqual([
      `POST /rooms/${plans}/members {"user_id":"ada","type":"guest"}`,
      `POST /rooms/${lobby}/members {"user_id":"ada","type":"guest"}`,
      `PUT /rooms/${plans}/members/${inPlans} {"is_blocked":true}`,
      `PUT /rooms/${board}/members/${inBoard} {"is_blocked":true}`,
      'DELETE /users/mallory',
    ])
    const [file = ''] = savedFiles()
    expect(file).toMatch(/-users-merge\.ndjson$/)
    const saved = JSON.parse(readFileSync(join(world.dir, 'data', 'saved', file), 'utf8'))
    expect(saved.memberships.map(({ room_name, is_blocked }: any) => [room_name, is_blocked])).toEqual(
      ['Plans', 'Board', 'Hall', 'Lobby'].map((name) => [name, false]),
    )
    const restored = await world.outcome(`users import data/saved/${file}`)
    expect(restored).toMatchObject({ code: 0 })
    expect((await world.member(plans, 'mallory')).is_blocked).toBe(false)
  })

  test('users merge keeps the first user after a failed hand-over, and completes the merge in a second run', async () => {
    const { lobby } = world.ids
    world.fails(new RegExp(`${lobby}/members$`), 500, 'POST')
    const first = await world.rows(merge)
    expect(words(first.rows)).toEqual([
      'add ada Plans ok',
      'add ada Board skipped already a member, as guest',
      'add ada Hall skipped already a member, as guest',
      'add ada Lobby failed the service reports a validation exception (500): it is broken',
      'block mallory Plans unsent not every room is handed over',
      'block mallory Board unsent not every room is handed over',
      'block mallory Hall skipped no block in public rooms',
      'block mallory Lobby skipped no block in open rooms',
      'delete mallory unsent not every room is handed over',
    ])
    expect(first.code).toBe(8)
    expect(JSON.parse(first.stderr.slice(first.stderr.indexOf('{'))).error).toMatchObject({
      message: expect.stringContaining('1 user is kept'),
      hint: 'run the command again to complete the remaining steps',
    })
    world.intercept = undefined
    world.requests.length = 0
    const again = await world.rows(merge)
    expect(again.code).toBe(0)
    expect(world.writes()).toHaveLength(4)
    expect(await world.userExists('mallory')).toBe(false)
    expect((await world.rows(merge)).code).toBe(3)
  })

  test('users merge keeps the first user if the members of a room cannot be listed', async () => {
    world.fails(new RegExp(`${world.ids.empty}/members`))
    const { code, rows } = await world.rows(merge)
    expect(code).toBe(8)
    expect(words(rows).at(-1)).toBe('delete mallory unsent not every room could be read')
    expect(new Set(world.writes().map((line) => line.replace(/\/rooms\/.*/, '/rooms/')))).toEqual(
      new Set(['POST /rooms/']),
    )
  })

  test('users merge skips a room in which the first user is blocked, and exits 8 if the second user is blocked', async () => {
    const { plans, board } = world.ids
    await block(plans, 'mallory')
    await block(board, 'ada')
    const { rows, code } = await world.rows(merge)
    expect(words(rows).slice(0, 2)).toEqual([
      'add ada Plans skipped mallory is blocked in this room',
      'add ada Board failed the user is a member, but blocked',
    ])
    expect(code).toBe(8)
    expect(await world.userExists('mallory')).toBe(true)
    await block(board, 'mallory')
    expect((await world.rows(merge)).code).toBe(0)
    expect(await world.member(plans, 'ada')).toBeUndefined()
  })

  test('users merge exits 8 and suggests --accept-unconfirmed-blocks if the service omits is_blocked', async () => {
    otherService(world, { without: ['is_blocked'] })
    const { code, stderr } = await world.rows(`${merge} --no-save`)
    expect(code).toBe(8)
    const { hint } = JSON.parse(stderr.slice(stderr.indexOf('{'))).error
    expect(hint).toContain('meetroom users merge --accept-unconfirmed-blocks mallory ada')
    expect((await world.rows(`${merge} --accept-unconfirmed-blocks --no-save`)).code).toBe(0)
    expect(savedFiles).toThrow('ENOENT')
  })

  test.each([
    ['users merge ada ada --yes', 2, 'error: the users must be different, not both “ada”\n'],
    ['users merge ada nobody --yes', 3, 'error: no such user: nobody\n'],
    ['users merge nobody ada --yes', 3, 'error: no such user: nobody\n'],
    [
      'users merge mallory ada --yes --max 1',
      10,
      'the command would affect 2 rooms, but --max allows 1; nothing was changed\nhint: pass --max 2 to affect all items\n',
    ],
    ['users merge mallory ada', 10, 'error: merging users needs confirmation'],
    ['users merge mallory ada --curl', 2, 'error: --curl cannot be used: this command'],
  ])('the command “%s” exits %i and sends no write', async (line, code, message) => {
    const run = await world.outcome(line)
    expect(run.code).toBe(code)
    expect(run.stderr).toContain(message)
    expect(world.writes()).toEqual([])
  })
})
