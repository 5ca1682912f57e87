import { expect, test } from 'vitest'
import { withRoomsInUse } from '../helpers/rooms-in-use.ts'
import { recipe, runLine } from '../helpers/shell.ts'
import { createWorld } from '../helpers/world.ts'

test('the recipe for idle rooms terminates and reopens rooms that are idle for 90 days', async () => {
  const world = await createWorld()
  const made = (id: string, more: object = {}) => ({
    ...{ id, type: 'open', name: id, created_at: '2025-01-01T00:00:00.000Z', terminated_at: null },
    ...more,
  })
  const asked = withRoomsInUse(world, [
    { room: made('busy'), sessions: [{ id: 's1', disconnected_at: null }] },
    { room: made('used'), sessions: [{ id: 's1', disconnected_at: '2026-01-01T00:00:00.000Z' }] },
    { room: made('idle'), sessions: [{ id: 's1', disconnected_at: '2025-09-01T00:00:00.000Z' }] },
    { room: made('over', { terminated_at: '2025-02-01T00:00:00.000Z' }) },
    { room: made('never') },
  ])
  const [look = '', terminate = '', undo = ''] = recipe('Terminate rooms idle for 90 days')
  expect((await runLine(world, look)).stderr).toMatch(
    /^selected by idle_since < .*\n2 rooms match\n {2}idle .*\n {2}never /,
  )
  expect(await runLine(world, terminate)).toMatchObject({ code: 0, stderr: 'terminated 2 rooms\n' })
  expect(await runLine(world, undo)).toMatchObject({ code: 0, stderr: 'reopened 2 rooms\n' })
  expect(asked().filter((path) => path.startsWith('PUT'))).toEqual([
    ...['PUT /rooms/idle', 'PUT /rooms/never', 'PUT /rooms/idle', 'PUT /rooms/never'],
  ])
})

test('the recipe for the end of a meeting waits until the meeting ends and reports the participants', async () => {
  const world = await createWorld()
  // The room was first used a week earlier.
  const room = { id: 'r1', type: 'open', name: 'Weekly sync', started_at: '2025-12-26T03:00:00.000Z' }
  const session = { id: 's1', user_id: 'ada', member_id: 'm1', connected_at: '2026-01-02T03:00:00.000Z' }
  const sessions: Record<string, unknown>[] = []
  withRoomsInUse(world, [{ room, sessions }], {
    instead: () => {
      const count = world.requests.length
      if (count === 4) sessions.push({ ...session, disconnected_at: null })
      if (count === 9) sessions.splice(0, 1, { ...session, disconnected_at: '2026-01-02T03:04:00.000Z' })
      return undefined
    },
  })
  const [begun = '', over = '', report = ''] = recipe('Wait until a meeting has begun')
  for (const wait of [begun, over]) {
    const waited = await runLine(world, wait)
    expect(waited).toMatchObject({ code: 0, stdout: 'r1\n', stderr: '' })
    expect(waited.host.slept).toEqual([2000])
  }
  expect(await runLine(world, report)).toMatchObject({ code: 0, stdout: expect.stringMatching(/\bada\b/) })
})

test('the recipe for renaming rooms renames each room once in two runs', async () => {
  const world = await createWorld()
  for (const name of ['Weekly', 'Retro']) await world.send('POST', '/rooms', { name, type: 'open' })
  const lines = recipe('Rename many rooms').map((line) => line.replace('2026-01-01', '2026-12-31'))
  for (const line of [...lines, ...lines]) expect(await runLine(world, line)).toMatchObject({ code: 0 })
  const { rooms } = (await world.send('GET', '/rooms')).body
  expect(rooms.map(({ name }: { name: string }) => name)).toEqual(['Retro (2025)', 'Weekly (2025)'])
})

test('the recipe for lessons of 45 minutes creates a room and reopens it after a termination', async () => {
  const world = await createWorld()
  const [create = '', reopen = ''] = recipe('`--max-meeting-seconds` limits')
  expect((await runLine(world, create)).code).toBe(0)
  const [{ id, max_meeting_seconds: limit }] = (await world.send('GET', '/rooms')).body.rooms
  expect(limit).toBe(45 * 60)
  await world.send('PUT', `/rooms/${id}`, { is_terminated: true })
  expect(await runLine(world, reopen)).toMatchObject({ code: 0, stderr: 'reopened 1 room\n' })
  expect((await world.send('GET', `/rooms/${id}`)).body.room.terminated_at).toBe(null)
})
