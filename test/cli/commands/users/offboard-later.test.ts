import { expect, test } from 'vitest'
import { createAccessWorld } from '../../../helpers/access.ts'
import { perTest } from '../../../helpers/per-test.ts'
import { answer } from '../../../helpers/world.ts'

const world = perTest(createAccessWorld)
const offboard = 'users offboard mallory trudy --yes'
const deletions = (rows: readonly Record<string, any>[]) =>
  rows.filter(({ step }) => step === 'delete').map(({ user_id, status, reason }) => [user_id, status, reason])

function afterFirstBlock(change: () => Promise<unknown>): void {
  let isDone = false
  world.intercept = async (request, next) => {
    const answered = await next()
    if (request.method !== 'PUT' || isDone) return answered
    isDone = true
    await change()
    return answered
  }
}

test('users offboard keeps a user who is added to a private room during the run', async () => {
  afterFirstBlock(() => world.send('POST', `/rooms/${world.ids.empty}/members`, { user_id: 'mallory' }))
  const { code, rows, stderr } = await world.rows(offboard)
  expect({ code, deleted: deletions(rows) }).toEqual({
    code: 8,
    deleted: [
      ['mallory', 'unsent', `the user is not blocked in room ${world.ids.empty}`],
      ['trudy', 'ok', null],
    ],
  })
  expect(JSON.parse(stderr.slice(stderr.indexOf('{'))).error.hint).toMatch('run the command again')
  world.intercept = undefined
  expect(deletions((await world.rows(offboard)).rows)[0]).toEqual(['mallory', 'ok', null])
})

test('users offboard keeps a user who is unblocked during the run', async () => {
  const { plans } = world.ids
  const { id } = await world.member(plans, 'mallory')
  let puts = 0
  world.intercept = async (request, next) => {
    const answered = await next()
    if (request.method === 'PUT' && ++puts === 3)
      await world.send('PUT', `/rooms/${plans}/members/${id}`, { is_blocked: false })
    return answered
  }
  const { code, rows } = await world.rows(`${offboard} --concurrency 1`)
  expect({ code, kept: deletions(rows)[0] }).toEqual({
    code: 8,
    kept: ['mallory', 'unsent', `the user is not blocked in room ${plans}`],
  })
})

test('users offboard exits 0 if a user is added to an open room during the run', async () => {
  afterFirstBlock(() => world.send('POST', `/rooms/${world.ids.lobby}/members`, { user_id: 'trudy' }))
  expect(await world.rows(offboard)).toMatchObject({ code: 0 })
})

test('users offboard keeps all users if the second read of a room fails', async () => {
  const { board } = world.ids
  let reads = 0
  world.intercept = async (request, next) =>
    request.url.includes(`${board}/members?`) && ++reads > 1 ? answer(500, { error: { code: 'x' } }) : next()
  const { code, rows } = await world.rows(offboard)
  expect({ code, deleted: deletions(rows) }).toEqual({
    code: 8,
    deleted: ['mallory', 'trudy'].map((user) => [user, 'unsent', 'not every room could be read again']),
  })
})
