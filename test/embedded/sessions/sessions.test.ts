import { connect } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { testNow } from '../../helpers/host.ts'
import { serveWorkspace } from '../../helpers/live.ts'
import { perTest } from '../../helpers/per-test.ts'
import { rawRequest, sendRaw, upgradeHeaders } from '../../helpers/raw.ts'

const served = perTest(serveWorkspace)

const at = (ms: number) => new Date(testNow + ms).toISOString()

describe('an open room', () => {
  test('a user who joins an open room becomes a member', async () => {
    const token = await served.user('ada', { name: 'Ada', default_member_type: 'host' })
    const room = await served.room()
    const { session } = await served.join(room, { token })
    expect(session).toMatchObject({ room_id: room, user_id: 'ada', type: 'host' })
    const { members } = await served.ask('GET', `/rooms/${room}/members`)
    expect(members).toMatchObject([{ id: session.member_id, user_id: 'ada', type: 'host', name: 'Ada' }])
  })

  test('an anonymous participant of an open room is a member only while connected', async () => {
    const room = await served.room()
    const peer = await served.join(room)
    expect(peer.session).toMatchObject({ user_id: null, type: 'guest' })
    const members = async () => (await served.ask('GET', `/rooms/${room}/members`)).members
    expect(await members()).toMatchObject([{ id: peer.session.member_id, user_id: null }])
    await peer.leave()
    await served.untilSessions(room, ([session]) => session.disconnected_at !== null)
    expect(await members()).toEqual([])
  })

  test('an open room responds 429 if an IP address joins anonymously too often', async () => {
    const served = await serveWorkspace({ anonymousLimits: { joins: 3 } })
    const token = await served.user('ada')
    const [room, other] = [await served.room(), await served.room()]
    for (let i = 0; i < 3; i++) await (await served.join(room)).leave()
    expect(await served.refusal(room)).toEqual({
      status: 429,
      code: 'too_many_requests',
      message: 'too many anonymous participants are joining this room',
    })
    const url = `${served.baseUrl}/rooms/${room}/connect`
    const refused = await sendRaw(
      url,
      rawRequest(`GET ${new URL(url).pathname}`, { host: 'localhost', ...upgradeHeaders }),
    )
    expect(refused).toMatch(/^Retry-After: 1\r$/m)
    expect(await served.sessions(room)).toHaveLength(3)
    await served.join(room, { token })
    await served.join(other)
    await served.advance(1000)
    await served.join(room)
    expect(await served.refusal(room)).toMatchObject({ status: 429 })
  })

  test('an open room responds 429 while too many anonymous participants are connected across all rooms', async () => {
    const served = await serveWorkspace({ anonymousLimits: { sessions: 2 } })
    const token = await served.user('ada')
    const [room, other] = [await served.room(), await served.room()]
    const peer = await served.join(room)
    await served.join(other)
    expect(await served.refusal(room)).toMatchObject({
      status: 429,
      message: 'too many anonymous participants are connected',
    })
    await served.join(room, { token })
    await peer.leave()
    await served.join(other)
    expect(await served.refusal(other)).toMatchObject({ status: 429 })
  })

  test('an open room refuses an unknown token', async () => {
    const room = await served.room()
    expect(await served.refusal(room, { token: 'nobody’s' })).toEqual({
      status: 400,
      code: 'unauthorized',
      message: 'the access token is not valid',
    })
    expect(await served.sessions(room)).toEqual([])
  })
})

describe('a public room', () => {
  test('a public room admits any user of the workspace', async () => {
    const token = await served.user('ada')
    const room = await served.room({ type: 'public' })
    expect((await served.join(room, { token })).session).toMatchObject({ user_id: 'ada', type: 'guest' })
  })

  test('a public room refuses anonymous participants', async () => {
    const room = await served.room({ type: 'public' })
    expect(await served.refusal(room)).toMatchObject({ status: 400, code: 'unauthorized' })
  })
})

describe('a private room', () => {
  test('a private room admits an invited member in the role of the invitation', async () => {
    const token = await served.user('ada')
    const room = await served.room({ type: 'private', members: [{ user_id: 'ada', type: 'host' }] })
    expect((await served.join(room, { token })).session).toMatchObject({ user_id: 'ada', type: 'host' })
  })

  test('a private room refuses a user until the user is invited', async () => {
    const token = await served.user('ada')
    const room = await served.room({ type: 'private' })
    expect(await served.refusal(room, { token })).toEqual({
      status: 400,
      code: 'refused',
      message: 'only invited users can join this room',
    })
    const member = await served.member(room, 'ada')
    expect((await served.join(room, { token })).session.member_id).toBe(member)
  })

  test('a private room refuses anonymous participants', async () => {
    const room = await served.room({ type: 'private' })
    expect(await served.refusal(room)).toMatchObject({ status: 400, code: 'unauthorized' })
  })
})

describe('the access token of a member', () => {
  const tokenOf = async (room: string) =>
    (await served.ask('GET', `/rooms/${room}/members`)).members[0].access_token

  test('the access token of a member is unchanged after a role change', async () => {
    await served.user('ada')
    const room = await served.room({ type: 'private', members: [{ user_id: 'ada', type: 'host' }] })
    const token = await tokenOf(room)
    const member = await served.member(room, 'ada', 'monitor')
    expect(await tokenOf(room)).toBe(token)
    expect((await served.join(room, { token })).session).toMatchObject({
      member_id: member,
      user_id: 'ada',
      type: 'monitor',
    })
  })

  test('the access token of a member is refused in other rooms', async () => {
    await served.user('ada')
    const room = await served.room({ members: [{ user_id: 'ada' }] })
    const other = await served.room({ members: [{ user_id: 'ada' }] })
    expect(await served.refusal(other, { token: await tokenOf(room) })).toMatchObject({
      code: 'unauthorized',
    })
  })

  test('a truncated or extended access token of a member is refused', async () => {
    await served.user('ada')
    const room = await served.room({ members: [{ user_id: 'ada' }] })
    const token = await tokenOf(room)
    for (const wrong of [token.slice(0, -1), token.split('.')[0], `${token}.`, '.', ''])
      expect(await served.refusal(room, { token: wrong })).toMatchObject({ code: 'unauthorized' })
  })

  test('the access token of a blocked member or a deleted user is refused', async () => {
    await served.user('ada')
    const room = await served.room({ type: 'private', members: [{ user_id: 'ada' }] })
    const token = await tokenOf(room)
    const member = await served.member(room, 'ada')
    await served.ask('PUT', `/rooms/${room}/members/${member}`, { is_blocked: true })
    expect(await served.refusal(room, { token })).toMatchObject({ message: 'blocked' })
    await served.ask('PUT', `/rooms/${room}/members/${member}`, { is_blocked: false })
    await served.join(room, { token })
    await served.ask('DELETE', '/users/ada')
    expect(await served.refusal(room, { token })).toMatchObject({ code: 'unauthorized' })
  })

  test('access_token of an anonymous participant is null', async () => {
    const room = await served.room()
    await served.join(room)
    expect(await tokenOf(room)).toBeNull()
  })
})

describe('refused connections', () => {
  test('a connection to a missing room is refused with not_found', async () => {
    expect(await served.refusal('nope')).toEqual({
      status: 400,
      code: 'not_found',
      message: 'no such room',
    })
  })

  test('a terminated room refuses connections until the room is reopened', async () => {
    const room = await served.room()
    await served.ask('PUT', `/rooms/${room}`, { is_terminated: true })
    expect(await served.refusal(room)).toMatchObject({ status: 400, message: 'the room is terminated' })
    await served.ask('PUT', `/rooms/${room}`, { is_terminated: false })
    await served.join(room)
  })

  test('a room refuses the access token of a deleted user', async () => {
    const token = await served.user('ada')
    const room = await served.room()
    await served.ask('DELETE', '/users/ada')
    expect(await served.refusal(room, { token })).toMatchObject({ code: 'unauthorized' })
  })

  test('a room refuses a connection from a web page of another origin', async () => {
    const room = await served.room()
    const headers = { origin: 'https://evil.test' }
    expect(await served.refusal(room, { headers })).toMatchObject({ status: 400 })
    expect(await served.sessions(room)).toEqual([])
  })
})

describe('a monitor', () => {
  test('a monitor receives the messages of the room', async () => {
    const token = await served.user('ada', { default_member_type: 'monitor' })
    const room = await served.room({ type: 'public' })
    const monitor = await served.join(room, { token })
    expect(monitor.session.type).toBe('monitor')
    await served.say(room, 'hello')
    await monitor.until(({ messages }) => messages.includes('hello'))
    expect(await served.sessions(room, '?is_connecting=true')).toHaveLength(1)
  })

  test('started_at of a room ignores monitors', async () => {
    const token = await served.user('ada', { default_member_type: 'monitor' })
    const room = await served.room()
    await served.join(room, { token })
    expect((await served.getRoom(room)).started_at).toBeNull()
    await served.advance(2000)
    await served.join(room)
    await served.advance(2000)
    await served.join(room)
    expect((await served.getRoom(room)).started_at).toBe(at(2000))
  })
})

describe('the record of a session', () => {
  test('the record of a session contains the times of its start and end', async () => {
    const token = await served.user('ada')
    const room = await served.room()
    await served.advance(1000)
    const peer = await served.join(room, { token })
    const { id, member_id } = peer.session
    const record = {
      id,
      member_id,
      user_id: 'ada',
      connected_at: at(1000),
      disconnected_at: null,
      end_reason: null,
      elapsed_time: 0,
      ip_address: '127.0.0.1',
    }
    expect(await served.sessions(room)).toEqual([record])
    await served.advance(1500)
    expect(await served.sessions(room)).toEqual([{ ...record, elapsed_time: 1 }])
    await served.advance(1000)
    await peer.leave()
    const ended = await served.untilSessions(room, ([session]) => session.disconnected_at !== null)
    expect(ended).toEqual([{ ...record, disconnected_at: at(3500), end_reason: 'left', elapsed_time: 2 }])
  })

  test('the record of a session contains at most 512 characters of the user agent', async () => {
    const room = await served.room()
    await served.join(room, { headers: { 'user-agent': `Browser/${'1'.repeat(1000)}` } })
    expect(await served.sessions(room)).toMatchObject([{ user_agent: `Browser/${'1'.repeat(504)}` }])
  })

  test('a session ends when its connection drops without a close frame', async () => {
    const room = await served.room()
    const peer = await served.join(room)
    await served.advance(1000)
    peer.vanish()
    const [session] = await served.untilSessions(room, ([session]) => session.disconnected_at !== null)
    expect(session.disconnected_at).toBe(at(1000))
  })

  test('a session ends no earlier than its start, even if the wall clock is set back', async () => {
    const room = await served.room()
    const peer = await served.join(room)
    served.machine.setWallClock(-3_600_000)
    await peer.leave()
    const [session] = await served.untilSessions(room, ([session]) => session.disconnected_at !== null)
    expect(session.disconnected_at >= session.connected_at).toBe(true)
  })

  test.each([-86_400_000, 86_400_000])(
    'the duration of a session is correct when the wall clock changes by %i ms',
    async (byMs) => {
      const room = await served.room()
      const peer = await served.join(room)
      await served.advance(3000)
      served.machine.setWallClock(byMs)
      await served.advance(2000)
      await peer.leave()
      const [session] = await served.untilSessions(room, ([session]) => session.disconnected_at !== null)
      expect(Date.parse(session.disconnected_at) - Date.parse(session.connected_at)).toBe(5000)
    },
  )

  test('a failed handshake creates no session', async () => {
    const room = await served.room()
    const { hostname, port } = new URL(served.baseUrl)
    const answer = await new Promise<string>((resolve) => {
      let text = ''
      const socket = connect(Number(port), hostname)
      socket.setEncoding('utf8').on('data', (chunk) => {
        text += chunk
      })
      socket.on('close', () => resolve(text))
      socket.write(
        `GET /v1/rooms/${room}/connect HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
          'Sec-WebSocket-Version: 13\r\n\r\n',
      )
    })
    expect(answer).toMatch(/^HTTP\/1\.1 400 /)
    expect(await served.sessions(room)).toEqual([])
    expect((await served.getRoom(room)).started_at).toBeNull()
  })
})

test('the list of sessions can be filtered by user and online status', async () => {
  const ada = await served.user('ada')
  const grace = await served.user('grace')
  const room = await served.room()
  const other = await served.room()
  const first = await served.join(room, { token: ada })
  const second = await served.join(room, { token: grace })
  const third = await served.join(room, { token: ada })
  await served.join(other, { token: ada })
  await first.leave()
  await served.untilSessions(room, (sessions) => sessions.at(-1).disconnected_at !== null)
  const ids = async (query: string) => (await served.sessions(room, query)).map(({ id }) => id)
  const [one, two, three] = [first.session.id, second.session.id, third.session.id]
  expect(await ids('')).toEqual([three, two, one])
  expect(await ids('?user_id=ada')).toEqual([three, one])
  expect(await ids('?is_connecting=true')).toEqual([three, two])
  expect(await ids('?is_connecting=false')).toEqual([one])
  expect(await ids('?user_id=ada&is_connecting=true')).toEqual([three])
  expect(await ids('?user_id=ada&is_connecting=false')).toEqual([one])
  expect(await ids('?user_id=nobody')).toEqual([])
})

describe('heartbeats', () => {
  test('a silent client that responds to pings keeps its session', async () => {
    const room = await served.room()
    const peer = await served.join(room)
    await served.advance(60_000)
    await served.say(room, 'still there?')
    await peer.until(({ messages }) => messages.includes('still there?'))
  })

  test('the service ends the session of a client after 15 s of silence', async () => {
    const room = await served.room()
    const peer = await served.join(room, { silent: true })
    await served.advance(14_999)
    expect(await served.sessions(room, '?is_connecting=true')).toHaveLength(1)
    await served.advance(1)
    expect(await peer.closed).toMatchObject({ code: 1006 })
    const [session] = await served.untilSessions(room, ([session]) => session.disconnected_at !== null)
    expect(session.disconnected_at).toBe(at(15_000))
  })

  test('the heartbeat timeout starts with the last frame of the client', async () => {
    const room = await served.room()
    const peer = await served.join(room, { silent: true })
    await served.advance(5050)
    await peer.speak()
    await served.advance(14_999)
    await served.say(room, 'still there?')
    await peer.until(({ messages }) => messages.includes('still there?'))
    await served.advance(1)
    expect(await peer.closed).toMatchObject({ code: 1006 })
  })

  test('messages and pings from a client reset the heartbeat timeout', async () => {
    const room = await served.room()
    const peer = await served.join(room, { silent: true })
    for (const _ of Array(4)) {
      await served.advance(10_000)
      peer.send('I am here')
      await peer.speak()
    }
    expect(await served.sessions(room, '?is_connecting=true')).toHaveLength(1)
  })
})

test('a frame larger than 16 KiB ends only the session of its sender', async () => {
  const room = await served.room()
  const talker = await served.join(room)
  const other = await served.join(room)
  talker.send('x'.repeat(16 * 1024 + 1))
  expect(await talker.closed).toMatchObject({ code: 1009 })
  await served.say(room, 'hello')
  await other.until(({ messages }) => messages.includes('hello'))
})

test('the log omits the tokens of admitted and refused clients', async () => {
  const token = await served.user('ada')
  const room = await served.room()
  await served.join(room, { token })
  await served.refusal(room, { token: 'stolen' })
  expect(served.log).toContainEqual(expect.stringMatching(`^connect ${room} joined `))
  expect(served.log.join('\n')).toContain('the access token is not valid')
  expect(served.log.join('\n')).not.toContain(token)
  expect(served.log.join('\n')).not.toContain('stolen')
})

test('a request that offers an upgrade to h2c gets an HTTP/1.1 response', async () => {
  // Java’s HttpClient and `curl --http2` offer h2c.
  const { hostname, port } = new URL(served.baseUrl)
  const status = await new Promise<string>((resolve) => {
    const socket = connect(Number(port), hostname)
    onTestFinished(() => void socket.destroy())
    socket.setEncoding('utf8').on('data', (text) => resolve(String(text).split('\r\n')[0] ?? ''))
    socket.write(
      'GET /v1/rooms HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n' +
        `HTTP2-Settings: AAMAAABkAAQAAP__\r\nAuthorization: Bearer ${served.apiKey}\r\n\r\n`,
    )
  })
  expect(status).toBe('HTTP/1.1 200 OK')
})
