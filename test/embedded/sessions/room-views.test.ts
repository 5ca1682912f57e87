import { describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { type Served, serveWorkspace } from '../../helpers/live.ts'
import { Watched } from '../../helpers/waiting.ts'

type Frame = Record<string, any>

const tokenProtocol = (token: string) => `access-token.${Buffer.from(token).toString('base64url')}`

/** Connects a client that requests descriptions of the room, like the room page. */
function connectView(served: Pick<Served, 'baseUrl'>, room: string, token?: string) {
  const protocols = ['meetroom.room', ...(token === undefined ? [] : [tokenProtocol(token)])]
  const socket = new WebSocket(`${served.baseUrl.replace('http', 'ws')}/rooms/${room}/connect`, protocols)
  const frames: Frame[] = []
  const watched = new Watched(() => frames)
  let closed: { code: number; reason: string } | undefined
  socket.on('message', (data) => {
    frames.push(JSON.parse(String(data)))
    watched.changed()
  })
  socket.on('close', (code, reason) => {
    closed = { code, reason: String(reason) }
    watched.changed()
  })
  socket.on('error', () => {})
  return {
    socket,
    frames,
    last: (event: string) => frames.findLast((frame) => frame['event'] === event),
    until: (what: string, holds: () => unknown) => watched.until(what, () => Boolean(holds())),
    ended: async () => {
      await watched.until('the end', () => closed !== undefined)
      return closed
    },
  }
}

async function lesson() {
  const served = await serveWorkspace()
  const ada = await served.user('ada', { name: 'Ada' })
  const grace = await served.user('grace')
  const room = await served.room({ name: 'Lesson', type: 'private', max_meeting_seconds: 60 })
  const member = await served.member(room, 'ada', 'host')
  await served.member(room, 'grace')
  return { ...served, ada, grace, room, member }
}

describe('a client with the subprotocol meetroom.room', () => {
  test('a client with the subprotocol meetroom.room receives the frames joined, room and pages', async () => {
    const served = await lesson()
    const { room, member, ada } = served
    const page = connectView(served, room, ada)
    await page.until('the pages', () => page.last('pages'))
    expect(page.socket.protocol).toBe('meetroom.room')
    expect(page.frames).toEqual([
      { event: 'joined', session: expect.objectContaining({ room_id: room, member_id: member }) },
      {
        event: 'room',
        room: { id: room, name: 'Lesson', type: 'private' },
        people: [{ member_id: member, name: 'Ada', type: 'host', connections: 1 }],
        more_people: 0,
        meeting: { is_running: false, elapsed_ms: 0, remaining_ms: 60_000 },
      },
      { event: 'pages', pages: [] },
    ])
    page.socket.close()
  })

  test('a client with the subprotocol meetroom.room receives updates at most every 250 ms', async () => {
    const served = await lesson()
    const { room, ada, grace, machine, ask } = served
    const page = connectView(served, room, ada)
    await page.until('the pages', () => page.last('pages'))
    const peer = await served.join(room, { token: grace })
    await page.until('Grace', () => page.last('room')?.['people'].length === 2)
    // A user without a name is shown by ID.
    expect(page.last('room')?.['people'][1]).toMatchObject({ name: 'grace', connections: 1 })
    expect(page.last('room')?.['meeting'].is_running).toBe(true)
    const count = () => page.frames.filter(({ event }) => event === 'room').length
    const before = count()
    await served.join(room, { token: grace })
    await ask('PUT', `/rooms/${room}`, { name: 'Renamed' })
    await ask('PUT', `/rooms/${room}/members/${served.member}`, { type: 'monitor', name: 'Countess' })
    const image = { type: 'Image', src: 'https://img.test/a.png' }
    await ask('POST', `/rooms/${room}/pages/create_many`, [
      { entities: [image], size: { width: 4, height: 3 }, index: 7 },
      { entities: [image, { type: 'Other' }], index: 2 },
    ])
    expect(count()).toBe(before)
    machine.advance(250)
    await page.until('the pages', () => page.last('pages')?.['pages'].length === 2)
    expect(count()).toBe(before + 1)
    expect(page.last('room')).toMatchObject({
      room: { name: 'Renamed' },
      people: [
        { name: 'Countess', type: 'monitor' },
        { name: 'grace', connections: 2 },
      ],
    })
    expect(page.last('pages')?.['pages']).toEqual([
      { id: expect.any(String), size: null, images: [image.src] },
      { id: expect.any(String), size: { width: 4, height: 3 }, images: [image.src] },
    ])
    await peer.leave()
  })

  test('a client with the subprotocol meetroom.room receives a clock frame after five seconds', async () => {
    const served = await lesson()
    const { room, ada, grace, advance } = served
    const page = connectView(served, room, ada)
    await page.until('the pages', () => page.last('pages'))
    await served.join(room, { token: grace })
    await advance(5000)
    await page.until('the clock', () => page.last('clock'))
    expect(page.last('clock')).toEqual({
      event: 'clock',
      meeting: { is_running: true, elapsed_ms: 5000, remaining_ms: 55_000 },
    })
  })

  test('the room frame contains an elapsed time of zero after all participants have left', async () => {
    const served = await lesson()
    const { room, ada, grace, advance } = served
    const page = connectView(served, room, ada)
    await page.until('the pages', () => page.last('pages'))
    const peer = await served.join(room, { token: grace })
    await advance(20_000)
    // The meeting continues while a participant is connected.
    await peer.leave()
    const again = await served.join(room, { token: grace })
    await advance(5000)
    await page.until('25 s', () => page.last('clock')?.['meeting'].elapsed_ms === 25_000)
    await again.leave()
    page.socket.close()
    const online = async () => await served.ask('GET', `/rooms/${room}/sessions?is_connecting=true`)
    while ((await online()).sessions.length > 0) await new Promise((turn) => setImmediate(turn))
    const next = connectView(served, room, ada)
    await next.until('the pages', () => next.last('pages'))
    expect(next.last('room')?.['meeting']).toEqual({
      ...{ is_running: false, elapsed_ms: 0, remaining_ms: 35_000 },
    })
    next.socket.close()
  })

  test('the room frame lists at most 200 participants and counts the others', async () => {
    const served = await serveWorkspace()
    const room = await served.room()
    for (let i = 0; i < 205; i++) await served.join(room)
    const page = connectView(served, room)
    await page.until('the pages', () => page.last('pages'))
    expect(page.last('room')).toMatchObject({ more_people: 6 })
    expect(page.last('room')?.['people']).toHaveLength(200)
    expect(page.last('room')?.['people'][0]).toMatchObject({ name: null, type: 'guest' })
  })

  test.each([
    ['no token', 4400, 'this room needs the access token of a user', () => undefined],
    ['an invalid token', 4400, 'the access token is not valid', () => 'x'],
  ])(
    'a client with the subprotocol meetroom.room and %s receives the close code 4400',
    async (_, code, reason, token) => {
      const served = await lesson()
      expect(await connectView(served, served.room, token()).ended()).toEqual({ code, reason })
      expect(await served.sessions(served.room)).toEqual([])
    },
  )

  test('an anonymous client with the subprotocol meetroom.room gets the close code 1013 at the join limit', async () => {
    const served = await serveWorkspace({ anonymousLimits: { joins: 1 } })
    const room = await served.room()
    await served.join(room)
    expect(await connectView(served, room).ended()).toEqual({
      code: 1013,
      reason: 'too many anonymous participants are joining this room',
    })
  })

  test('a client with the subprotocol meetroom.room receives the close code of a block or a termination', async () => {
    const served = await lesson()
    const { room, ada, member, ask } = served
    await ask('PUT', `/rooms/${room}/members/${member}`, { is_blocked: true })
    expect(await connectView(served, room, ada).ended()).toEqual({ code: 4001, reason: 'blocked' })
    await ask('PUT', `/rooms/${room}`, { is_terminated: true })
    expect(await connectView(served, room, ada).ended()).toEqual({
      code: 4002,
      reason: 'the room is terminated',
    })
  })
})

test('a client without the subprotocol meetroom.room receives only joined and message frames', async () => {
  const served = await lesson()
  const { room, ada, grace, say, advance } = served
  const peer = await served.join(room, { token: ada })
  await served.join(room, { token: grace })
  await advance(10_000)
  await say(room, 'Hello')
  await peer.until(({ messages }) => messages.length === 1)
  expect(peer.frames.map(({ event }) => event)).toEqual(['joined', 'message'])
})

test('the handshake response omits the subprotocol that contains the access token', async () => {
  const served = await lesson()
  const url = `${served.baseUrl.replace('http', 'ws')}/rooms/${served.room}/connect`
  const socket = new WebSocket(url, [tokenProtocol(served.ada), 'chat'])
  await new Promise((resolve) => socket.once('open', resolve))
  expect(socket.protocol).toBe('chat')
  socket.close()
})
