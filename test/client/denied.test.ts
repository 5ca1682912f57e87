import { beforeEach, describe, expect, test } from 'vitest'
import { createImportWorld, type ImportWorld } from '../helpers/imports.ts'
import { answer } from '../helpers/world.ts'

let world: ImportWorld
let rooms: string[]
beforeEach(async () => {
  world = await createImportWorld()
  await world.send('POST', '/users', { user_id: 'ada' })
  rooms = []
  for (const name of ['A', 'B', 'C']) rooms.unshift(await world.room(name, 'private'))
  for (const id of rooms) await world.send('POST', `/rooms/${id}/members`, { user_id: 'ada' })
})

const denied = answer(403, { error: { message: 'not yours' } })
const probes = () => world.sent().filter((line) => line === 'GET /rooms?limit=1')

function deny(id: string) {
  world.intercept = async (request, next) => (request.url.includes(`/rooms/${id}`) ? denied : next())
}

describe('a 403 response for one room', () => {
  beforeEach(() => deny(rooms[1] ?? ''))

  test('rooms get exits 1 after a 403 response and reports that the API key is valid', async () => {
    expect(await world.run(`rooms get ${rooms[1]}`)).toMatchObject({
      code: 1,
      stderr:
        'error: the service refuses the request (403): not yours\nhint: the API key is valid, but lacks permission for this request\n',
    })
    expect(probes()).toHaveLength(1)
  })

  test.each([
    ['rooms', 'terminate'],
    ['rooms', 'delete'],
    ['rooms', 'reopen'],
  ])('%s %s completes the other rooms and exits 8 after a 403 response for one room', async (group, verb) => {
    const { code, stderr } = await world.run([group, verb, ...rooms, '--yes', '--concurrency', '1'])
    expect({ code, stderr }).toEqual({
      code: 8,
      stderr: expect.stringMatching(
        /^error: room \w+: the service refuses the request \(403\)[\s\S]*2 of 3 rooms; 1 failed\n$/,
      ),
    })
    expect(probes()).toHaveLength(1)
  })

  test.each([
    ['rooms list --where online=0 -o ids', 2],
    ['rooms list --where members>0 -o ids', 2],
  ])('“%s” prints the other rooms and exits 8 after a 403 response for one room', async (line, count) => {
    const { code, stdout, stderr } = await world.run(line)
    expect({ code, ids: stdout.trim().split('\n') }).toEqual({
      code: 8,
      ids: rooms.filter((id) => id !== rooms[1]).slice(0, count),
    })
    expect(stderr).toContain(`could not read 1 of 3 rooms: ${rooms[1]}\n`)
  })

  test.each(['sessions report --all-rooms -o csv', 'users rooms ada -o ids'])(
    '“%s” exits 8 after a 403 response for one of three rooms',
    async (line) => {
      const { code, stderr } = await world.run(line)
      expect(code).toBe(8)
      expect(stderr).toContain('2 of 3 rooms; 1 ')
    },
  )
})

test('users import stops within three requests after its API key is revoked', async () => {
  let answered = 0
  world.intercept = async (_request, next) => (++answered > 3 ? denied : next())
  world.file('users.csv', `user_id\n${Array.from({ length: 40 }, (_, i) => `u${i}\n`).join('')}`)
  const { code, stderr } = await world.run('users import users.csv --no-journal --concurrency 1')
  expect(code).toBe(8)
  expect(stderr).toContain('the service refuses the API key (403)')
  expect(world.requests.length).toBeLessThanOrEqual(6)
})

describe('sessions report', () => {
  test.each([
    [3, 'get a 404', answer(404, {})],
    [1, 'get a 403', denied],
    [1, 'get a 422', answer(422, {})],
    [6, 'get a 500 without JSON', answer(500, 'no', { 'content-type': 'text/plain' })],
  ])('sessions report exits %i if the requests for all rooms %s', async (code, _what, refusal) => {
    world.intercept = async (request, next) =>
      request.url.includes('/sessions') || request.url.includes('/rooms/') ? refusal : next()
    for (const given of ['a', 'a b', 'a b c'])
      expect({ given, code: (await world.run(`sessions report ${given} --retries 0`)).code }).toEqual({
        given,
        code,
      })
  })
})
