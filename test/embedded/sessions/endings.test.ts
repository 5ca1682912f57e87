import { once } from 'node:events'
import { connect } from 'node:net'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { testNow } from '../../helpers/host.ts'
import { restart, type Served, serveWorkspace } from '../../helpers/live.ts'
import { tempDir } from '../../helpers/world.ts'

let served: Served
beforeEach(async () => {
  served = await serveWorkspace()
})

const at = (ms: number) => new Date(testNow + ms).toISOString()

describe('blocked members', () => {
  async function createPrivateRoom() {
    const [ada, grace] = [await served.user('ada'), await served.user('grace')]
    const room = await served.room({ type: 'private' })
    const member = await served.member(room, 'ada')
    await served.member(room, 'grace')
    const block = (is_blocked: boolean) =>
      served.ask('PUT', `/rooms/${room}/members/${member}`, { is_blocked })
    const adas = [await served.join(room, { token: ada }), await served.join(room, { token: ada })]
    return { room, ada, block, adas, graces: await served.join(room, { token: grace }) }
  }

  test('blocking a member of a private room closes only the sockets of that member', async () => {
    const { room, adas, graces, block } = await createPrivateRoom()
    await served.advance(1000)
    expect((await block(true)).member.is_blocked).toBe(true)
    // The service ends the sessions before it responds.
    const over = await served.sessions(room, '?is_connecting=false')
    expect(over).toMatchObject([
      { user_id: 'ada', disconnected_at: at(1000) },
      { user_id: 'ada', disconnected_at: at(1000) },
    ])
    for (const peer of adas) expect(await peer.closed).toEqual({ code: 4001, reason: 'blocked' })
    await served.say(room, 'hello')
    await graces.until(({ messages }) => messages.includes('hello'))
    expect(adas.flatMap(({ messages }) => messages)).toEqual([])
  })

  test('a private room refuses a blocked member until the member is unblocked', async () => {
    const { room, ada, block } = await createPrivateRoom()
    await block(true)
    expect(await served.refusal(room, { token: ada })).toEqual({
      status: 400,
      code: 'refused',
      message: 'blocked',
    })
    await block(false)
    expect((await served.join(room, { token: ada })).session.user_id).toBe('ada')
  })

  test('blocking a member of a private room keeps the sessions of the user in other rooms open', async () => {
    const { ada, block } = await createPrivateRoom()
    const other = await served.room()
    const elsewhere = await served.join(other, { token: ada })
    await block(true)
    await served.say(other, 'hello')
    await elsewhere.until(({ messages }) => messages.includes('hello'))
  })

  test('a private room refuses a member who was blocked before the first session', async () => {
    const token = await served.user('alan')
    const room = await served.room({ type: 'private' })
    const member = await served.member(room, 'alan')
    await served.ask('PUT', `/rooms/${room}/members/${member}`, { is_blocked: true })
    expect(await served.refusal(room, { token })).toMatchObject({ message: 'blocked' })
    expect(await served.sessions(room)).toEqual([])
  })
})

test('blocking a member of an open room fails with 500', async () => {
  const token = await served.user('ada')
  const room = await served.room()
  const peer = await served.join(room, { token })
  const path = `/rooms/${room}/members/${peer.session.member_id}`
  expect(await served.send('PUT', path, { is_blocked: true })).toEqual({
    status: 500,
    body: {
      error: {
        code: 'validation_exception',
        message: 'is_blocked is supported only in rooms of type private',
      },
    },
  })
  await served.say(room, 'hello')
  await peer.until(({ messages }) => messages.includes('hello'))
})

test('terminating a room closes every socket, including the sockets of monitors', async () => {
  const token = await served.user('ada', { default_member_type: 'monitor' })
  const room = await served.room()
  const peers = [await served.join(room), await served.join(room), await served.join(room, { token })]
  await served.advance(1000)
  const terminated = await served.ask('PUT', `/rooms/${room}`, { is_terminated: true })
  expect(terminated.room.terminated_at).toBe(at(1000))
  expect(await served.sessions(room, '?is_connecting=true')).toEqual([])
  expect(await served.sessions(room, '?is_connecting=false')).toHaveLength(3)
  for (const peer of peers)
    expect(await peer.closed).toEqual({ code: 4002, reason: 'the room is terminated' })
})

test('terminating a room keeps the sockets of other rooms open', async () => {
  const [room, other] = [await served.room(), await served.room()]
  const peer = await served.join(other)
  await served.ask('PUT', `/rooms/${room}`, { is_terminated: true })
  await served.say(other, 'hello')
  await peer.until(({ messages }) => messages.includes('hello'))
})

test('deleting a room closes every socket of the room', async () => {
  const room = await served.room()
  const peers = [await served.join(room), await served.join(room)]
  await served.ask('DELETE', `/rooms/${room}`)
  for (const peer of peers) expect(await peer.closed).toEqual({ code: 4003, reason: 'the room is deleted' })
  expect(await served.refusal(room)).toMatchObject({ code: 'not_found' })
})

test('deleting a user closes only the sockets of that user in all rooms', async () => {
  const token = await served.user('ada')
  const [room, other] = [await served.room(), await served.room({ type: 'public' })]
  const adas = [await served.join(room, { token }), await served.join(other, { token })]
  const bystander = await served.join(room)
  await served.advance(1000)
  await served.ask('DELETE', '/users/ada')
  for (const peer of adas) expect(await peer.closed).toEqual({ code: 4004, reason: 'the user is deleted' })
  expect(await served.sessions(room, '?user_id=ada')).toMatchObject([{ disconnected_at: at(1000) }])
  await served.say(room, 'hello')
  await bystander.until(({ messages }) => messages.includes('hello'))
})

describe('a stopping service', () => {
  test('a stopping service closes every socket with the code 1001', async () => {
    served = await serveWorkspace({ dir: tempDir() })
    const room = await served.room()
    const peers = [await served.join(room), await served.join(room)]
    await served.advance(1000)
    const again = await restart(served, { after: 60_000 })
    for (const peer of peers)
      expect(await peer.closed).toEqual({ code: 1001, reason: 'the service is stopping' })
    expect(await again.sessions(room)).toMatchObject([
      { disconnected_at: at(1000) },
      { disconnected_at: at(1000) },
    ])
  })

  test('a stopped service releases its timers and its port', async () => {
    await served.room().then((room) => served.join(room))
    await served.stop()
    expect(served.machine.timers).toBe(0)
    await expect(served.ask('GET', '/rooms')).rejects.toThrow()
  })

  test('a stopping service waits at most three seconds for a refused client that keeps its connection open', async () => {
    const { hostname, port } = new URL(served.baseUrl)
    const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true })
    onTestFinished(() => void socket.destroy())
    socket.write(
      'GET /v1/rooms/nope/connect HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
        'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
    )
    socket.resume()
    await once(socket, 'end')
    const stopped = served.stop()
    // After the sessions end, the service waits up to three seconds for other connections.
    await served.advance(1)
    await served.advance(2999)
    expect(served.machine.timers).toBe(1)
    await served.advance(1)
    await stopped
    expect(served.machine.timers).toBe(0)
  })
})
