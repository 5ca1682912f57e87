import { describe, expect, test } from 'vitest'
import { perTest } from '../helpers/per-test.ts'
import { answer, createWorld } from '../helpers/world.ts'

const world = perTest(createWorld)

const member = { id: 'm1', user_id: 'ada', type: 'guest' }
const session = { id: 's1', member_id: 'm1', user_id: 'ada', connected_at: '2026-01-01T08:00:00.000Z' }
const page = { id: 'p1', entities: [] }

function serve(item: object, room = 'r1') {
  world.intercept = async ({ method, url }, next) => {
    const [, id, list] = /\/rooms\/(\w+)\/(\w+)(?:\?|$)/.exec(url) ?? []
    if (method !== 'GET' || id !== room || list === undefined) return next()
    return answer(200, { [list]: [item], paging: { limit: 30, offset: 0, total: 1 } })
  }
}

describe('a list of a room', () => {
  test.each([
    ['members list r1', 'members', { ...member, room_id: 'r2' }, 'room_id'],
    ['members list r1 --all -o ids', 'members', { ...member, roomId: 'r2' }, 'roomId'],
    ['members list r1 --where type=guest', 'members', { ...member, room_id: 'r2' }, 'room_id'],
    ['members list r1 --count', 'members', { ...member, room_id: 'r2' }, 'room_id'],
    ['sessions list r1', 'sessions', { ...session, room_id: 'r2' }, 'room_id'],
    ['sessions report r1', 'sessions', { ...session, roomId: 2 }, 'roomId'],
    ['pages list r1', 'pages', { ...page, room_id: 'r2' }, 'room_id'],
  ])('“%s” exits 6 if the list of %s contains an item of another room', async (line, list, item, field) => {
    serve(item)
    const { code, stdout, stderr } = await world.run(line)
    expect([code, stdout]).toEqual([6, ''])
    expect(stderr).toContain(`${list}[0].${field} is “${Object.values(item).at(-1)}”, not “r1”`)
  })

  test.each([
    ['the requested room ID', { ...member, room_id: 'r1', roomId: 'r1' }],
    ['no room ID', member],
    ['null as the room ID', { ...member, room_id: null }],
    ['an object as the room ID', { ...member, room_id: { id: 'r2' } }],
  ])('members list prints a member with %s', async (_, item) => {
    serve(item)
    expect(await world.run('members list r1 -o ids')).toMatchObject({ code: 0, stdout: 'm1\n' })
  })
})

test('commands that change members send no write if a member list contains a member of another room', async () => {
  await world.send('POST', '/users', { user_id: 'ada' })
  const { room } = (await world.send('POST', '/rooms', { name: 'R', type: 'private' })).body
  serve({ ...member, room_id: 'r2' }, room.id)
  for (const line of [
    `members block ${room.id} --where type=guest --yes`,
    `members add ${room.id} ada --if-exists skip`,
    'users offboard ada --yes',
  ]) {
    world.requests.length = 0
    const { code } = await world.run(line)
    expect([line, code]).toEqual([line, 6])
    expect(world.requests.filter(({ method }) => method !== 'GET')).toEqual([])
  }
})
