import { beforeEach, describe, expect, test } from 'vitest'
import { testNow } from '../../helpers/host.ts'
import { restart, type Served, serveWorkspace } from '../../helpers/live.ts'
import { tempDir } from '../../helpers/world.ts'

let served: Served
beforeEach(async () => {
  served = await serveWorkspace()
})

const at = (ms: number) => new Date(testNow + ms).toISOString()
const terminated = { code: 4002, reason: 'the room is terminated' }

describe('meeting_time', () => {
  const meetingTime = async (room: string) => (await served.getRoom(room)).meeting_time

  test('meeting_time counts only seconds with at least two connected participants', async () => {
    const room = await served.room()
    const one = await served.join(room)
    await served.advance(10_000)
    expect(await meetingTime(room)).toBe(0)
    const two = await served.join(room)
    await served.advance(7000)
    expect(await meetingTime(room)).toBe(7)
    await two.leave()
    await served.untilSessions(room, ([session]) => session.disconnected_at !== null)
    await served.advance(10_000)
    expect(await meetingTime(room)).toBe(7)
    await served.join(room)
    await served.advance(4000)
    expect(await meetingTime(room)).toBe(11)
    await one.leave()
    await served.untilSessions(room, (sessions) => sessions.at(-1).disconnected_at !== null)
    await served.advance(10_000)
    expect(await meetingTime(room)).toBe(11)
  })

  test('meeting_time counts each second once with five participants', async () => {
    const room = await served.room()
    for (const _ of Array(5)) await served.join(room)
    await served.advance(3000)
    expect(await meetingTime(room)).toBe(3)
  })

  test('meeting_time counts two connections of one user as one participant', async () => {
    const token = await served.user('ada')
    const room = await served.room()
    await served.join(room, { token })
    await served.join(room, { token })
    await served.advance(3000)
    expect(await meetingTime(room)).toBe(0)
  })

  test('meeting_time ignores monitors', async () => {
    const token = await served.user('ada', { default_member_type: 'monitor' })
    const room = await served.room()
    await served.join(room, { token })
    await served.join(room)
    await served.advance(3000)
    expect(await meetingTime(room)).toBe(0)
  })

  test('meeting_time adds up fractions of a second across meetings', async () => {
    const room = await served.room()
    await served.join(room)
    for (const round of [1, 2, 3]) {
      const peer = await served.join(room)
      await served.advance(400)
      await peer.leave()
      await served.untilSessions(room, ([session]) => session.disconnected_at !== null)
      expect(await meetingTime(room)).toBe(Math.floor(round * 0.4))
    }
  })

  test('meeting_time is independent of changes to the wall clock', async () => {
    const room = await served.room()
    await served.join(room)
    await served.join(room)
    await served.advance(3000)
    served.machine.setWallClock(86_400_000)
    await served.advance(3000)
    served.machine.setWallClock(-2 * 86_400_000)
    await served.advance(3000)
    expect(await meetingTime(room)).toBe(9)
  })

  test('meeting_time counts only the participants of the same room', async () => {
    const [room, other] = [await served.room(), await served.room()]
    await served.join(room)
    await served.join(other)
    await served.advance(3000)
    expect([await meetingTime(room), await meetingTime(other)]).toEqual([0, 0])
  })

  test('the response to a request that ends a meeting contains the final meeting_time', async () => {
    const rooms = [await served.room(), await served.room()]
    for (const room of rooms) {
      await served.join(room)
      await served.join(room)
    }
    await served.advance(3000)
    const ended = await served.ask('PUT', `/rooms/${rooms[0]}`, { is_terminated: true })
    const deleted = await served.ask('DELETE', `/rooms/${rooms[1]}`)
    expect(ended.room.meeting_time).toBe(3)
    expect(deleted.room.meeting_time).toBe(3)
  })
})

describe('max_meeting_seconds', () => {
  test('a room is terminated when its meeting_time reaches max_meeting_seconds', async () => {
    const token = await served.user('ada', { default_member_type: 'monitor' })
    const room = await served.room({ max_meeting_seconds: 60 })
    const peers = [await served.join(room, { token }), await served.join(room)]
    await served.advance(10_000)
    peers.push(await served.join(room))
    await served.advance(59_999)
    expect((await served.getRoom(room)).terminated_at).toBeNull()
    await served.advance(1)
    for (const peer of peers) expect(await peer.closed).toEqual(terminated)
    expect(await served.getRoom(room)).toMatchObject({ terminated_at: at(70_000), meeting_time: 60 })
    expect(await served.sessions(room, '?is_connecting=true')).toEqual([])
    expect(await served.refusal(room)).toMatchObject({ message: 'the room is terminated' })
  })

  test('max_meeting_seconds excludes the time without a meeting', async () => {
    const room = await served.room({ max_meeting_seconds: 10 })
    const one = await served.join(room)
    const two = await served.join(room)
    await served.advance(6000)
    await two.leave()
    await served.untilSessions(room, ([session]) => session.disconnected_at !== null)
    await served.advance(60_000)
    await served.join(room)
    await served.advance(3999)
    expect((await served.getRoom(room)).terminated_at).toBeNull()
    await served.advance(1)
    expect(await one.closed).toEqual(terminated)
  })

  test('max_meeting_seconds is independent of changes to the wall clock', async () => {
    const room = await served.room({ max_meeting_seconds: 10 })
    const one = await served.join(room)
    await served.join(room)
    await served.advance(2000)
    served.machine.setWallClock(3_600_000)
    await served.advance(2000)
    served.machine.setWallClock(-7_200_000)
    await served.advance(5999)
    expect((await served.getRoom(room)).terminated_at).toBeNull()
    await served.advance(1)
    expect(await one.closed).toEqual(terminated)
  })

  test('max_meeting_seconds applies to each room separately', async () => {
    const room = await served.room({ max_meeting_seconds: 5 })
    const other = await served.room({ max_meeting_seconds: 6 })
    const [one] = [await served.join(room), await served.join(room)]
    const [two] = [await served.join(other), await served.join(other)]
    await served.advance(5000)
    expect(await one.closed).toEqual(terminated)
    expect((await served.getRoom(other)).terminated_at).toBeNull()
    await served.advance(1000)
    expect(await two.closed).toEqual(terminated)
  })

  test('max_meeting_seconds can exceed the maximum delay of a timer', async () => {
    const seconds = 3_000_000
    const room = await served.room({ max_meeting_seconds: seconds })
    const one = await served.join(room)
    await served.join(room)
    await served.advance(1000)
    await served.stall(2 ** 31 - 1 - 1000)
    expect((await served.getRoom(room)).terminated_at).toBeNull()
    await served.stall(seconds * 1000 - (2 ** 31 - 1) - 1)
    expect(await served.getRoom(room)).toMatchObject({ terminated_at: null, meeting_time: seconds - 1 })
    await served.advance(1)
    expect(await one.closed).toEqual(terminated)
    expect(await served.getRoom(room)).toMatchObject({ meeting_time: seconds })
  })

  test('max_meeting_seconds can be the largest safe integer', async () => {
    const room = await served.room({ max_meeting_seconds: Number.MAX_SAFE_INTEGER })
    await served.join(room)
    await served.join(room)
    await served.advance(10_000)
    expect(await served.getRoom(room)).toMatchObject({
      terminated_at: null,
      meeting_time: 10,
      max_meeting_seconds: Number.MAX_SAFE_INTEGER,
    })
  })

  test('max_meeting_seconds includes the meeting time before a restart of the service', async () => {
    served = await serveWorkspace({ dir: tempDir() })
    const room = await served.room({ max_meeting_seconds: 10 })
    await served.join(room)
    await served.join(room)
    await served.advance(6500)
    const again = await restart(served, { after: 3_600_000 })
    expect((await again.getRoom(room)).meeting_time).toBe(6)
    const one = await again.join(room)
    await again.join(room)
    await again.advance(3499)
    expect((await again.getRoom(room)).terminated_at).toBeNull()
    await again.advance(1)
    expect(await one.closed).toEqual(terminated)
    expect((await again.getRoom(room)).meeting_time).toBe(10)
  })
})

describe('reopening a room', () => {
  const reopen = (room: string) => served.ask('PUT', `/rooms/${room}`, { is_terminated: false })

  test('reopening a room resets remaining_seconds to max_meeting_seconds', async () => {
    const room = await served.room({ max_meeting_seconds: 10 })
    const remaining = async () => {
      const { rooms } = await served.ask('GET', '/rooms')
      const { remaining_seconds } = await served.getRoom(room)
      expect(rooms).toMatchObject([{ id: room, remaining_seconds }])
      return remaining_seconds
    }
    expect(await remaining()).toBe(10)
    await served.join(room)
    await served.join(room)
    await served.advance(3500)
    expect(await remaining()).toBe(7)
    await served.advance(6500)
    expect(await remaining()).toBe(0)
    await reopen(room)
    expect(await remaining()).toBe(10)
    const peer = await served.join(room)
    await served.join(room)
    await served.advance(4000)
    expect(await served.getRoom(room)).toMatchObject({ meeting_time: 14, remaining_seconds: 6 })
    await peer.leave()
    await served.untilSessions(room, (sessions) => sessions.some(({ disconnected_at }) => disconnected_at))
    await served.ask('PUT', `/rooms/${room}`, { is_terminated: true })
    expect(await remaining()).toBe(0)
  })

  test('remaining_seconds is null for a room without max_meeting_seconds', async () => {
    expect(await served.getRoom(await served.room())).toMatchObject({
      max_meeting_seconds: null,
      remaining_seconds: null,
    })
  })

  test('reopening a room that reached max_meeting_seconds grants the full time again', async () => {
    const room = await served.room({ max_meeting_seconds: 10 })
    const before = await served.join(room)
    await served.join(room)
    await served.advance(10_000)
    expect(await before.closed).toEqual(terminated)
    for (const round of [1, 2]) {
      await reopen(room)
      const peer = await served.join(room)
      await served.join(room)
      await served.advance(9999)
      expect(await served.getRoom(room)).toMatchObject({
        terminated_at: null,
        meeting_time: round * 10 + 9,
      })
      await served.advance(1)
      expect(await peer.closed).toEqual(terminated)
      expect((await served.getRoom(room)).meeting_time).toBe(round * 10 + 10)
    }
  })

  test('reopening a room that was terminated before max_meeting_seconds grants the full time again', async () => {
    const room = await served.room({ max_meeting_seconds: 10 })
    await served.join(room)
    await served.join(room)
    await served.advance(6000)
    await served.ask('PUT', `/rooms/${room}`, { is_terminated: true })
    await reopen(room)
    const peer = await served.join(room)
    await served.join(room)
    await served.advance(9999)
    expect((await served.getRoom(room)).terminated_at).toBeNull()
    await served.advance(1)
    expect(await peer.closed).toEqual(terminated)
  })

  test('reopening an active room does not extend its meeting', async () => {
    const room = await served.room({ max_meeting_seconds: 10 })
    const peer = await served.join(room)
    await served.join(room)
    await served.advance(6000)
    await reopen(room)
    await served.advance(4000)
    expect(await peer.closed).toEqual(terminated)
  })

  test('a reopened room has its full meeting time after a restart of the service', async () => {
    served = await serveWorkspace({ dir: tempDir() })
    const room = await served.room({ max_meeting_seconds: 10 })
    await served.join(room)
    await served.join(room)
    await served.advance(10_000)
    await reopen(room)
    const again = await restart(served)
    const peer = await again.join(room)
    await again.join(room)
    await again.advance(9999)
    expect((await again.getRoom(room)).terminated_at).toBeNull()
    await again.advance(1)
    expect(await peer.closed).toEqual(terminated)
  })
})

test('started_at of a room is unchanged if a participant joins after a restart', async () => {
  served = await serveWorkspace({ dir: tempDir() })
  const room = await served.room()
  expect((await served.getRoom(room)).started_at).toBeNull()
  await served.advance(1000)
  const peer = await served.join(room)
  await served.advance(1000)
  await peer.leave()
  const again = await restart(served, { after: 1000 })
  await again.join(room)
  expect((await again.getRoom(room)).started_at).toBe(at(1000))
})
