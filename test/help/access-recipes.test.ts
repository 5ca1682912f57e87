import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createAccessWorld } from '../helpers/access.ts'
import { recipe, runLine } from '../helpers/shell.ts'

test('the recipe for old terminated rooms deletes and restores the rooms', async () => {
  const world = await createAccessWorld()
  await world.send('PUT', `/rooms/${world.ids.board}`, { is_terminated: true })
  // The service reports an earlier termination time.
  world.intercept = async (_, next) => {
    const answered = await next()
    const text = new TextDecoder()
      .decode(answered.body)
      .replaceAll('"terminated_at":"2026', '"terminated_at":"2025')
    return { ...answered, body: new TextEncoder().encode(text) }
  }
  const [look = '', erase = '', restore = ''] = recipe('Delete rooms that were terminated')
  expect((await runLine(world, look)).stderr).toMatch(/^selected by terminated_at < .*\n1 room matches\n/)
  expect(await runLine(world, erase)).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/deleted 1 room\n$/),
  })
  expect((await world.send('GET', '/rooms?name=Board')).body.rooms).toEqual([])
  expect(await runLine(world, restore)).toMatchObject({
    code: 0,
    stderr: 'imported 1 of 1 room\n',
  })
  const [room] = (await world.send('GET', '/rooms?name=Board')).body.rooms
  expect(room.terminated_at).not.toBeNull()
  expect((await world.members(room.id)).map(({ user_id }) => user_id).sort()).toEqual([
    'ada',
    'mallory',
    'trudy',
  ])
})

test('the offboarding recipe blocks, deletes and restores a user', async () => {
  const world = await createAccessWorld()
  const [rooms = '', look = '', offboard = '', back = ''] = recipe('Offboard a user')
  expect(await runLine(world, rooms)).toMatchObject({ code: 0, stdout: expect.stringContaining('Lobby') })
  expect(await runLine(world, look)).toMatchObject({
    code: 0,
    stderr: 'would block 2 members and delete 1 user; 2 skipped\n',
  })
  expect(await runLine(world, offboard)).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/blocked 2 members and deleted 1 user; 2 skipped\n$/),
  })
  expect(await world.userExists('mallory')).toBe(false)
  expect(await runLine(world, back)).toMatchObject({ code: 0 })
  expect((await world.rows('users rooms mallory')).rows).toHaveLength(4)
})

test('the access review recipe exports all members and changes nothing', async () => {
  const world = await createAccessWorld()
  await world.send('POST', '/users', { user_id: 'grace' })
  for (const line of recipe('The quarterly access review'))
    expect({ line, code: (await runLine(world, line)).code }).toEqual({ line, code: 0 })
  const review = readFileSync(join(world.dir, 'access-review.csv'), 'utf8')
  expect(review.split('\r\n')).toHaveLength(7 + 2)
  expect(review).toMatch(/^id,user_id,room_id,type,created_at,is_blocked,last_seen,/)
  expect(existsSync(join(world.dir, 'access-of-two.csv'))).toBe(true)
  expect(world.writes()).toEqual([])
})
