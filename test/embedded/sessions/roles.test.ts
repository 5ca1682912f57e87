import { beforeEach, describe, expect, test } from 'vitest'
import { testNow } from '../../helpers/host.ts'
import { crash, type Served, serveWorkspace } from '../../helpers/live.ts'
import { startReceiver } from '../../helpers/receiver.ts'
import { tempDir } from '../../helpers/world.ts'

let served: Served
beforeEach(async () => {
  served = await serveWorkspace({ dir: tempDir() })
})

const at = (ms: number) => new Date(testNow + ms).toISOString()

async function createRoom(type: string, fields: object = {}) {
  const tokens = [await served.user('ada'), await served.user('grace')]
  const room = await served.room(fields)
  const member = await served.member(room, 'ada', type)
  const ada = await served.join(room, { token: tokens[0] })
  const grace = await served.join(room, { token: tokens[1] })
  return {
    room,
    ada,
    grace,
    change: (next: string) => served.ask('PUT', `/rooms/${room}/members/${member}`, { type: next }),
    invite: (next: string) => served.ask('POST', `/rooms/${room}/members`, { user_id: 'ada', type: next }),
    meetingTime: async () => (await served.getRoom(room)).meeting_time,
  }
}

describe.each(['change', 'invite'] as const)('role changes in a request to %s a member', (how) => {
  test(`a request to ${how} a member that turns a monitor into a guest starts the meeting`, async () => {
    const { meetingTime, [how]: become } = await createRoom('monitor')
    await served.advance(3000)
    expect(await meetingTime()).toBe(0)
    await become('guest')
    await served.advance(4000)
    expect(await meetingTime()).toBe(4)
  })

  test(`a request to ${how} a member that turns a guest into a monitor ends the meeting`, async () => {
    const { meetingTime, [how]: become } = await createRoom('guest')
    await served.advance(3000)
    await become('monitor')
    await served.advance(4000)
    expect(await meetingTime()).toBe(3)
    await become('host')
    await served.advance(2000)
    expect(await meetingTime()).toBe(5)
  })
})

test('a role change keeps the connection of the member open', async () => {
  const { room, ada, change } = await createRoom('monitor')
  await change('guest')
  await served.say(room, 'hello')
  await ada.until(({ messages }) => messages.includes('hello'))
  expect(await served.sessions(room, '?is_connecting=true')).toHaveLength(2)
})

test('max_meeting_seconds ends a meeting that starts with a role change', async () => {
  const { room, grace, change } = await createRoom('monitor', { max_meeting_seconds: 10 })
  await served.advance(20_000)
  await change('host')
  await served.advance(9999)
  expect(await served.sessions(room, '?is_connecting=true')).toHaveLength(2)
  await served.advance(1)
  expect(await grace.closed).toMatchObject({ code: 4002 })
})

test('started_at of a room is set when a monitor becomes the first participant', async () => {
  const token = await served.user('ada')
  const room = await served.room()
  const member = await served.member(room, 'ada', 'monitor')
  await served.join(room, { token })
  await served.advance(2000)
  expect((await served.getRoom(room)).started_at).toBeNull()
  await served.ask('PUT', `/rooms/${room}/members/${member}`, { type: 'guest' })
  expect((await served.getRoom(room)).started_at).toBe(at(2000))
})

test('a role change between participant and monitor sends a webhook event with the new counts', async () => {
  const { url, inbox } = await startReceiver()
  const { ada, grace, change } = await createRoom('monitor', { webhook: { url } })
  await change('guest')
  // Ada stays a participant, so no event is sent.
  await change('host')
  await change('monitor')
  await ada.leave()
  await grace.leave()
  const events = []
  for (let i = 0; i < 4; i++) events.push(JSON.parse((await inbox.next()).body))
  expect(
    events.map(({ action, payload }) => [
      action,
      payload.userId,
      payload.sessionsCount,
      payload.membersCount,
    ]),
  ).toEqual([
    ['sessionJoined', 'grace', 1, 1],
    ['sessionJoined', 'ada', 2, 2],
    ['sessionLeft', 'ada', 1, 1],
    ['sessionLeft', 'grace', 0, 0],
  ])
})

test('a role change applies only to the connections of the member in that room', async () => {
  const token = await served.user('ada')
  const [room, other] = [await served.room(), await served.room()]
  const member = await served.member(room, 'ada', 'monitor')
  await served.member(other, 'ada', 'monitor')
  await served.join(room, { token })
  await served.join(room, { token })
  await served.join(other, { token })
  await served.join(other)
  await served.ask('PUT', `/rooms/${room}/members/${member}`, { type: 'guest' })
  await served.advance(3000)
  // Two connections of one member do not make a meeting.
  expect((await served.getRoom(room)).meeting_time).toBe(0)
  expect((await served.getRoom(other)).meeting_time).toBe(0)
  await served.join(room)
  await served.advance(3000)
  expect((await served.getRoom(room)).meeting_time).toBe(3)
})

test('the sessionLeft event of a change to monitor is delivered even if the service crashes', async () => {
  const { url, inbox } = await startReceiver()
  const { change } = await createRoom('guest', { webhook: { url } })
  await change('monitor')
  await crash(served)
  // An event may arrive twice, with the same ID.
  const left = new Map<string | undefined, string>()
  while (![...left.values()].includes('grace')) {
    const { headers, body } = await inbox.next()
    const { action, payload } = JSON.parse(body)
    if (action === 'sessionLeft') left.set(headers['webhook-id'], payload.userId)
  }
  expect([...left.values()]).toEqual(['ada', 'grace'])
})
