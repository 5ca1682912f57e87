import { describe, expect, test } from 'vitest'
import type { WireResponse } from '../../src/api/wire.ts'
import { createImportWorld, resultsOf } from '../helpers/imports.ts'
import { perTest } from '../helpers/per-test.ts'
import { answer } from '../helpers/world.ts'

const world = perTest(createImportWorld)

const bad = answer(400, { message: 'Bad Request' })
const noSuchUser = (id: string) =>
  `error: no such user: ${id}\nhint: list the users with: meetroom users list --base-url https://meet.test/v1; or create the user with: meetroom users create ${id} --base-url https://meet.test/v1\n`

function refuseWrites(refusal: WireResponse, unknown = answer(404, {})) {
  world.intercept = async ({ method, url }) => {
    if (method !== 'GET') return refusal
    if (url.endsWith('/users/ada')) return answer(200, { user: { user_id: 'ada' } })
    return url.includes('/users/') ? unknown : answer(200, { rooms: [] })
  }
}
const looks = () => world.sent().filter((line) => line.startsWith('GET /users/'))

describe('refused writes', () => {
  test.each([
    ['400', bad, answer(400, {})],
    [
      '400 for an invalid user ID',
      answer(400, { error: { code: 'invalid_parameters', message: 'no' } }),
      answer(400, {}),
    ],
    ['400 and the user lookup with 410', bad, answer(410, {})],
    ['404', answer(404, {}), answer(404, {})],
  ])(
    'members add reports a missing user if the service refuses the write with %s',
    async (_what, refusal, unknown) => {
      refuseWrites(refusal, unknown)
      expect(await world.run('members add r1 nobody')).toMatchObject({
        code: 3,
        stderr: noSuchUser('nobody'),
      })
      expect(looks()).toEqual(['GET /users/nobody'])
    },
  )

  test('members add prints the error of the service unchanged if the user exists', async () => {
    refuseWrites(bad)
    expect(await world.run('members add r1 ada')).toMatchObject({
      code: 1,
      stderr: 'error: the service refuses the request (400): Bad Request\n',
    })
  })

  test('members add reports a missing room after a 404 response if the user exists', async () => {
    refuseWrites(answer(404, { message: 'gone' }))
    expect(await world.run('members add r1 ada')).toMatchObject({
      code: 3,
      stderr:
        'error: no such room: r1: gone\nhint: list the rooms with: meetroom rooms list --base-url https://meet.test/v1\n',
    })
  })

  test.each([500, 503, 401, 429])(
    'members add prints the error of the service unchanged if the user lookup gets a %i response',
    async (status) => {
      refuseWrites(bad, answer(status, {}))
      expect(await world.run('members add r1 nobody --retries 0')).toMatchObject({
        code: 1,
        stderr: 'error: the service refuses the request (400): Bad Request\n',
      })
    },
  )

  test('rooms create --member reports a missing user if the service refuses the room', async () => {
    refuseWrites(bad)
    const create = 'rooms create --name X --type private'
    expect(await world.run(`${create} --member ada:host --member nobody --member ada`)).toMatchObject({
      code: 3,
      stderr: noSuchUser('nobody'),
    })
    expect(looks()).toEqual(['GET /users/ada', 'GET /users/nobody'])
  })

  test('rooms create sends five user lookups after the service refuses a room with nine members', async () => {
    refuseWrites(bad)
    const members = Array.from({ length: 9 }, (_, i) => ({ user_id: i < 6 ? 'ada' : `u${i}` }))
    const data = JSON.stringify({ name: 'X', type: 'private', members })
    expect(await world.run(['rooms', 'create', '--data', data])).toMatchObject({ code: 1 })
    expect(looks()).toHaveLength(5)
  })

  test.each([
    ['users create nobody --overwrite'],
    ['users update nobody --name New'],
    ['rooms create --name X --type open'],
    ['rooms update r1 --name New'],
    ['members update r1 m1 --type host'],
    ['pages create r1 --data [{"user_id":7}]'],
  ])('the refused write “%s” causes no user lookup', async (command) => {
    refuseWrites(bad)
    expect((await world.run(command)).code).toBe(1)
    expect(looks()).toEqual([])
  })

  test('members add exits 4 without a user lookup if the API key is refused', async () => {
    world.intercept = async () => bad
    expect((await world.run('members add r1 nobody')).code).toBe(4)
    expect(looks()).toEqual([])
  })

  test('members import reports a missing user in the result of the row', async () => {
    refuseWrites(bad)
    world.file('members.csv', 'room_id,user_id\nr1,nobody\nr1,ada\n')
    const intercept = world.intercept
    world.intercept = async (request, next, signal) =>
      request.url.endsWith('/members?limit=1000')
        ? answer(200, { members: [] })
        : (intercept?.(request, next, signal) ?? next())
    const { code, stdout } = await world.run('members import members.csv -o ndjson')
    expect({ code, errors: resultsOf(stdout).map(({ error }) => error) }).toEqual({
      code: 1,
      errors: ['no such user: nobody', 'the service refuses the request (400): Bad Request'],
    })
  })
})

test('members add and rooms create exit 3 for a missing user on the embedded service', async () => {
  const room = await world.room('A')
  expect(await world.run(`members add ${room} nobody`)).toMatchObject({
    code: 3,
    stderr: noSuchUser('nobody'),
  })
  expect(await world.run('rooms create --name X --type open --member nobody')).toMatchObject({
    code: 3,
    stderr: noSuchUser('nobody'),
  })
})

test('rooms get prints the message of the service about a missing room unless it repeats the error', async () => {
  world.intercept = async ({ url }, next) =>
    url.endsWith('/rooms/r1')
      ? answer(400, { error: { code: 'not_found', message: 'room r1 was archived' } })
      : next()
  expect((await world.run('rooms get r1')).stderr).toMatch(/^error: no such room: r1: room r1 was archived\n/)
  world.intercept = undefined
  expect((await world.run('rooms get r1')).stderr).toMatch(/^error: no such room: r1\n/)
})
