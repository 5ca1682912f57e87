import { describe, expect, test } from 'vitest'
import { createHandlerContext, createService } from '../../../src/embedded/service/service.ts'
import { toFrame } from '../../../src/embedded/sessions/frame.ts'
import { Hub } from '../../../src/embedded/sessions/hub.ts'
import { closeReasons, type NewSession } from '../../../src/embedded/sessions/session-control.ts'
import { openSqlite } from '../../../src/embedded/store/sqlite.ts'
import { Store } from '../../../src/embedded/store/store.ts'
import { serveWorkspace, testMachine } from '../../helpers/live.ts'
import { perTest } from '../../helpers/per-test.ts'
import { decodeBody, localUrl, wireRequest } from '../../helpers/wire.ts'

const served = perTest(serveWorkspace)

test('a message reaches every session of its room', async () => {
  const token = await served.user('ada')
  const room = await served.room()
  const peers = [
    await served.join(room, { token }),
    await served.join(room, { token }),
    await served.join(room),
  ]
  expect(await served.say(room, 'hello')).toEqual({ message: 'hello' })
  for (const peer of peers) {
    await peer.until(({ messages }) => messages.length > 0)
    expect(peer.frames.slice(1)).toEqual([{ event: 'message', message: 'hello' }])
  }
})

test('a message reaches only the sessions of its room', async () => {
  const token = await served.user('ada')
  const [room, other] = [await served.room(), await served.room()]
  const here = await served.join(room, { token })
  const elsewhere = await served.join(other, { token })
  await served.say(room, 'for the room')
  await here.until(({ messages }) => messages.length > 0)
  await served.say(other, 'for the other')
  await elsewhere.until(({ messages }) => messages.length > 0)
  expect(elsewhere.messages).toEqual(['for the other'])
  expect(here.messages).toEqual(['for the room'])
})

for (const [what, message] of [
  ['several lines', 'one\ntwo\r\nthree\u2028four'],
  ['text in several scripts', 'žluťoučký 🧑‍🚀 שלום\u202e'],
  ['text that looks like a frame', '{"event":"joined"}'],
  ['terminal escape sequences', '\u001b[2J\u009b31m\u0007'],
  ['leading and trailing spaces', '  hello  '],
] as const)
  test(`a message with ${what} arrives unchanged`, async () => {
    const room = await served.room()
    const peer = await served.join(room)
    expect(await served.say(room, message)).toEqual({ message })
    await peer.until(({ messages }) => messages.length > 0)
    expect(peer.messages).toEqual([message])
  })

test('sequential messages arrive in the order in which they were sent', async () => {
  const room = await served.room()
  const peer = await served.join(room)
  const sent = Array.from({ length: 20 }, (_, i) => `message ${i}`)
  for (const message of sent) await served.say(room, message)
  await peer.until(({ messages }) => messages.length === sent.length)
  expect(peer.messages).toEqual(sent)
})

test('concurrent messages arrive in the same order at every session', async () => {
  const room = await served.room()
  const [one, two] = [await served.join(room), await served.join(room)]
  const sent = Array.from({ length: 20 }, (_, i) => `message ${i}`)
  await Promise.all(sent.map((message) => served.say(room, message)))
  for (const peer of [one, two]) await peer.until(({ messages }) => messages.length === sent.length)
  expect([...one.messages].sort()).toEqual([...sent].sort())
  expect(two.messages).toEqual(one.messages)
})

test('three concurrent messages of 6 MB arrive complete', async () => {
  const room = await served.room()
  const peer = await served.join(room)
  const sent = ['a', 'b', 'c'].map((letter) => letter.repeat(6 * 1024 * 1024))
  await Promise.all(sent.map((message) => served.say(room, message)))
  await peer.until(({ messages }) => messages.length === sent.length)
  // A comparison of the texts would print them.
  expect(peer.messages.map((message) => sent.indexOf(message ?? '')).sort()).toEqual([0, 1, 2])
})

describe('messages and concurrent changes', () => {
  const ends: [string, (hub: Hub, roomId: string) => void][] = [
    ['terminates the room', (hub, roomId) => hub.end(roomId, closeReasons.terminated)],
    ['deletes the room', (hub, roomId) => hub.end(roomId, closeReasons.deleted)],
    [
      'blocks the member',
      (hub, roomId) => hub.end(roomId, closeReasons.blocked, ({ memberId }) => memberId === 'm'),
    ],
    ['deletes the user', (hub) => hub.endUser('ada', closeReasons.userDeleted)],
  ]
  test.each(ends)('a message reaches an open session even if the same commit %s', async (_, end) => {
    const store = new Store(await openSqlite(':memory:', (load) => load()))
    const clock = testMachine()
    let ids = 0
    const newId = () => `${++ids}`
    const hub = new Hub({
      store,
      clock,
      newId,
      onFailure: () => {},
      onEvent: () => {},
      onEndsListed: () => {},
    })
    const service = createService(createHandlerContext({ store, now: clock.now, sessionControl: hub }), 'key')
    const body = { name: 'R', type: 'private' }
    const made = await service(wireRequest(localUrl, 'key', { method: 'POST', path: '/rooms', body }))
    const roomId = decodeBody(made).room.id
    const told: unknown[] = []
    const newSession: NewSession = {
      id: 's',
      roomId,
      memberId: 'm',
      userId: 'ada',
      type: 'guest',
      guestSeq: null,
      peer: { send: (frame) => told.push(frame), close: () => told.push('closed') },
    }
    await store.write(() => hub.join(newSession))

    const said = store.write(() => hub.send(roomId, { event: 'message', message: 'last words' }))
    const ended = store.write(() => end(hub, roomId))
    expect(told).toEqual([])
    await Promise.all([said, ended])
    expect(told).toEqual([toFrame({ event: 'message', message: 'last words' }), 'closed'])
  })
})

test('a new session receives no earlier messages', async () => {
  const room = await served.room()
  await served.say(room, 'before')
  const peer = await served.join(room)
  await served.say(room, 'after')
  await peer.until(({ messages }) => messages.length > 0)
  expect(peer.messages).toEqual(['after'])
})

test('a message to an empty room succeeds', async () => {
  const room = await served.room()
  expect(await served.send('POST', `/rooms/${room}/message`, { message: 'hello' })).toEqual({
    status: 200,
    body: { message: 'hello' },
  })
})

test('a message to a missing or terminated room is refused', async () => {
  const room = await served.room()
  await served.ask('PUT', `/rooms/${room}`, { is_terminated: true })
  expect(await served.send('POST', '/rooms/nope/message', { message: 'x' })).toMatchObject({ status: 400 })
  expect(await served.send('POST', `/rooms/${room}/message`, { message: 'x' })).toMatchObject({
    status: 500,
    body: { error: { code: 'validation_exception' } },
  })
})

test('the service forwards no frame of a client to other clients', async () => {
  const room = await served.room()
  const [one, two] = [await served.join(room), await served.join(room)]
  one.send('{"event":"message","message":"forged"}')
  await one.speak()
  await served.say(room, 'real')
  await two.until(({ messages }) => messages.length > 0)
  expect(two.messages).toEqual(['real'])
})
