import { beforeEach, expect, test } from 'vitest'
import { testNow } from '../../helpers/host.ts'
import { crash, type Served, serveWorkspace } from '../../helpers/live.ts'
import { tempDir } from '../../helpers/world.ts'

let served: Served
beforeEach(async () => {
  served = await serveWorkspace({ dir: tempDir() })
})

const at = (ms: number) => new Date(testNow + ms).toISOString()

test('a crash ends every session at the last recorded time of the service', async () => {
  const token = await served.user('ada')
  const room = await served.room()
  await served.join(room, { token })
  await served.join(room)
  await served.advance(23_000)
  expect(await served.sessions(room, '?is_connecting=true')).toHaveLength(2)
  const again = await crash(served, { after: 3_600_000 })
  expect(await again.sessions(room, '?is_connecting=true')).toEqual([])
  expect(await again.sessions(room)).toMatchObject([
    { user_id: null, connected_at: at(0), disconnected_at: at(20_000) },
    { user_id: 'ada', connected_at: at(0), disconnected_at: at(20_000) },
  ])
})

test('a session that started after the last recorded time has a duration of zero after a crash', async () => {
  const room = await served.room()
  await served.advance(7000)
  await served.join(room)
  await served.advance(1000)
  const again = await crash(served, { after: 60_000 })
  expect(await again.sessions(room)).toMatchObject([{ connected_at: at(7000), disconnected_at: at(7000) }])
})

test('a crash ends a session no earlier than the recorded end of its meeting', async () => {
  const ada = await served.user('ada')
  const grace = await served.user('grace')
  const room = await served.room()
  await served.join(room, { token: ada })
  await served.advance(6000)
  const peer = await served.join(room, { token: grace })
  await served.advance(3000)
  await peer.leave()
  await served.untilSessions(room, ([session]) => session.disconnected_at !== null)
  const again = await crash(served)
  expect(await again.sessions(room)).toMatchObject([
    { user_id: 'grace', connected_at: at(6000), disconnected_at: at(9000) },
    { user_id: 'ada', connected_at: at(0), disconnected_at: at(9000) },
  ])
})

test('a crash ends a session no earlier than its start, even if the wall clock was set back', async () => {
  const room = await served.room()
  await served.join(room)
  served.machine.setWallClock(-3_600_000)
  await served.advance(5000)
  const again = await crash(served)
  const [session] = await again.sessions(room)
  expect(session).toMatchObject({ connected_at: at(0), disconnected_at: at(0) })
})

test('a crash keeps the end time of a session that ended before the crash', async () => {
  const room = await served.room()
  const peer = await served.join(room)
  await served.advance(2000)
  await peer.leave()
  await served.untilSessions(room, ([session]) => session.disconnected_at !== null)
  await served.advance(10_000)
  const again = await crash(served)
  expect(await again.sessions(room)).toMatchObject([{ connected_at: at(0), disconnected_at: at(2000) }])
})

test('a crash removes only anonymous participants from the members of a room', async () => {
  const token = await served.user('ada')
  const room = await served.room()
  await served.join(room, { token })
  await served.join(room)
  const again = await crash(served)
  const { members } = await again.ask('GET', `/rooms/${room}/members`)
  expect(members).toMatchObject([{ user_id: 'ada' }])
})

test('a second crash keeps the end times of sessions that the first crash ended', async () => {
  const room = await served.room()
  await served.join(room)
  await served.advance(10_000)
  const again = await crash(served, { after: 60_000 })
  const ended = await again.sessions(room)
  await again.advance(10_000)
  const oncemore = await crash(again, { after: 60_000 })
  expect(await oncemore.sessions(room)).toEqual(ended)
})

test('after a crash, meeting_time continues from its last recorded value', async () => {
  const room = await served.room({ max_meeting_seconds: 30 })
  await served.join(room)
  await served.join(room)
  await served.advance(12_000)
  const again = await crash(served, { after: 3_600_000 })
  expect((await again.getRoom(room)).meeting_time).toBe(10)
  const peer = await again.join(room)
  await again.join(room)
  await again.advance(19_999)
  expect((await again.getRoom(room)).terminated_at).toBeNull()
  await again.advance(1)
  expect(await peer.closed).toMatchObject({ code: 4002 })
})

test('a block, a termination and a deletion still apply after a crash', async () => {
  const token = await served.user('ada')
  const secret = await served.room({ type: 'private' })
  const member = await served.member(secret, 'ada')
  const [over, gone] = [await served.room(), await served.room()]
  const blocked = await served.join(secret, { token })
  const terminated = await served.join(over)
  const deleted = await served.join(gone)
  await served.ask('PUT', `/rooms/${secret}/members/${member}`, { is_blocked: true })
  await served.ask('PUT', `/rooms/${over}`, { is_terminated: true })
  await served.ask('DELETE', `/rooms/${gone}`)
  await Promise.all([blocked.closed, terminated.closed, deleted.closed])
  const again = await crash(served)
  expect(await again.refusal(secret, { token })).toMatchObject({ message: 'blocked' })
  expect(await again.refusal(over)).toMatchObject({ message: 'the room is terminated' })
  expect(await again.refusal(gone)).toMatchObject({ code: 'not_found' })
})

test('the service stores a session on disk before it sends the greeting to the client', async () => {
  const room = await served.room()
  const peer = await served.join(room)
  const again = await crash(served)
  expect(await again.sessions(room)).toMatchObject([{ id: peer.session.id }])
})
