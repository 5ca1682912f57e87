import { beforeEach, describe, expect, test } from 'vitest'
import { createHandlerContext, createService } from '../../../src/embedded/service/service.ts'
import { Hub } from '../../../src/embedded/sessions/hub.ts'
import type { ConnectedSession } from '../../../src/embedded/sessions/session-control.ts'
import { hasListedEnds, recordListedEnds } from '../../../src/embedded/store/ended.ts'
import { testNow } from '../../helpers/host.ts'
import { testMachine } from '../../helpers/live.ts'
import { soon } from '../../helpers/waiting.ts'
import { decodeBody, localUrl, openTestWorkspace, wireRequest } from '../../helpers/wire.ts'
import { tempDir } from '../../helpers/world.ts'

const hour = 3_600_000

// The hub defers the records of more than two concurrent ends.
async function openLive(dir: string, startsAt = testNow) {
  const workspace = await openTestWorkspace(dir)
  const { store, apiKey } = workspace
  const clock = testMachine(startsAt)
  let ids = startsAt
  const newId = () => `${++ids}`
  const onFailure = (error: unknown) => expect.unreachable(String(error))
  const [onEvent, onListed] = [() => {}, () => {}]
  const hub = new Hub({
    store,
    clock,
    newId,
    onFailure,
    onEvent,
    onEndsListed: onListed,
    maxDirectEnds: 2,
  })
  await hub.recover()
  const service = createService(createHandlerContext({ store, now: clock.now, sessionControl: hub }), apiKey)

  async function ask(method: string, path: string, body?: unknown) {
    const answer = await service(wireRequest(localUrl, apiKey, { method, path, body }))
    return decodeBody(answer)
  }
  return {
    ...workspace,
    clock,
    hub,
    ask,
    room: async (fields: object = {}) =>
      (await ask('POST', '/rooms', { name: 'Room', type: 'open', ...fields })).room.id,
    join: (roomId: string, member?: { id: string; user_id: string }): Promise<ConnectedSession> =>
      store.write(() => {
        const memberId = member?.id ?? newId()
        const guestSeq = member
          ? null
          : store.insert('members', {
              ...{ id: memberId, room_id: roomId, type: 'guest', created_at: 0, updated_at: 0 },
            })
        const userId = member?.user_id ?? null
        const peer = { send: () => {}, close: () => {} }
        return hub.join({ id: newId(), roomId, memberId, userId, type: 'guest', guestSeq, peer })
      }),
    records: () => [
      hasListedEnds(store),
      store.all('SELECT 1 FROM sessions WHERE disconnected_at IS NULL').length,
    ],
    settle: (most: number) => store.write(() => recordListedEnds(store, most)),
    async shown(room: string) {
      const paths = ['/sessions', '/sessions?is_connecting=true', '/sessions?is_connecting=false']
      for (const filter of ['', 'user_id=ada&', 'is_connecting=true&', 'user_id=ada&is_connecting=false&'])
        paths.push(`/sessions?${filter}limit=2&offset=1`)
      paths.push('/members', '/members?limit=1')
      return Promise.all(
        paths.map(async (path) => [path, await ask('GET', `/rooms/${room}${path}`)] as const),
      )
    },
    /** Returns the session IDs of the events in the outbox, packed events last. */
    events: () => [
      ...store
        .all<{ body: string }>('SELECT body FROM deliveries ORDER BY seq')
        .map(({ body }) => JSON.parse(body).payload.sessionId),
      ...store
        .all<{ moves: string }>('SELECT moves FROM packed_moves ORDER BY seq')
        .flatMap(({ moves }) => JSON.parse(moves).map(({ sessionId }: { sessionId: string }) => sessionId)),
    ],
  }
}

type Live = Awaited<ReturnType<typeof openLive>>

let dir: string
let live: Live
beforeEach(async () => {
  dir = tempDir()
  live = await openLive(dir)
})

const at = (ms: number) => new Date(testNow + ms).toISOString()

/** Creates a room with nine sessions, and advances the clock by one hour. */
async function createCrowdedRoom(fields: object = {}) {
  await live.ask('POST', '/users', { user_id: 'ada' })
  await live.ask('POST', '/users', { user_id: 'alan' })
  const room = await live.room(fields)
  const invited = async (user_id: string) => {
    const { member } = await live.ask('POST', `/rooms/${room}/members`, { user_id })
    return { id: member.id, user_id }
  }
  const [ada, alan] = [await invited('ada'), await invited('alan')]
  const sessions: ConnectedSession[] = []
  for (const member of [ada, undefined, alan, undefined, ada, undefined, ada, undefined, undefined])
    sessions.push(await live.join(room, member))
  live.clock.stall(hour)
  return { room, sessions, ada }
}

const terminate = (room: string) => live.ask('PUT', `/rooms/${room}`, { is_terminated: true })

/** Returns the end time of each session of a room; null for an open session. */
async function readEnds({ ask }: Live, room: string) {
  const { sessions } = await ask('GET', `/rooms/${room}/sessions`)
  return sessions.map(({ disconnected_at }) => disconnected_at)
}

describe('the sessions of a room with many participants', () => {
  test('the sessions of a room with many participants end together before their records are written', async () => {
    const { room, sessions } = await createCrowdedRoom()
    await terminate(room)
    expect(live.records()).toEqual([true, 9])
    expect(await readEnds(live, room)).toEqual(Array(9).fill(at(hour)))
    const reasons = async () =>
      (await live.ask('GET', `/rooms/${room}/sessions`)).sessions.map((session) => session['end_reason'])
    expect(await reasons()).toEqual(Array(9).fill('ended'))
    const [, guest] = sessions
    const member = await live.ask('GET', `/rooms/${room}/members/${guest?.memberId}`)
    expect(member).toMatchObject({ error: { code: 'not_found' } })
    const shown = await live.shown(room)
    expect(Object.fromEntries(shown)).toMatchObject({
      '/sessions?is_connecting=true': { sessions: [] },
      '/sessions?user_id=ada&limit=2&offset=1': { paging: { total: 3 } },
      '/sessions?is_connecting=true&limit=2&offset=1': { paging: { total: 0 } },
      '/members': { members: [{ user_id: 'alan' }, { user_id: 'ada' }], paging: { total: 2 } },
    })
    for (const left of [7, 5, 3, 1]) {
      await live.settle(2)
      expect(live.records()).toEqual([true, left])
      expect(await live.shown(room)).toEqual(shown)
    }
    await live.settle(2)
    expect(live.records()).toEqual([false, 0])
    expect(await live.shown(room)).toEqual(shown)
  })

  test('a rollback keeps the sessions of a room with many participants open', async () => {
    const { room } = await createCrowdedRoom()
    const shown = await live.shown(room)
    const failing = async () =>
      live.store.write(() => {
        live.hub.end(room, [4002, 'over'])
        throw new Error('no')
      })
    await expect(failing()).rejects.toThrow('no')
    expect(live.records()).toEqual([false, 9])
    expect(await live.shown(room)).toEqual(shown)
    await terminate(room)
    expect(await readEnds(live, room)).toEqual(Array(9).fill(at(hour)))
  })

  test('reopening a room with many participants keeps the earlier sessions ended', async () => {
    const { room } = await createCrowdedRoom({ webhook: { url: 'https://hooks.test/' } })
    await terminate(room)
    await live.ask('PUT', `/rooms/${room}`, { is_terminated: false })
    const { id, memberId } = await live.join(room)
    const joined = { sessions: [{ id, disconnected_at: null }] }
    const asked = () => live.ask('GET', `/rooms/${room}/sessions?is_connecting=true`)
    expect(await asked()).toMatchObject(joined)
    await live.settle(1000)
    expect(await asked()).toMatchObject(joined)
    expect(live.records()).toEqual([false, 1])
    expect((await live.ask('GET', `/rooms/${room}/members`)).members[0]).toMatchObject({ id: memberId })
  })

  test('the join and leave events of a room with many participants are queued in order', async () => {
    const { room, sessions } = await createCrowdedRoom({ webhook: { url: 'https://hooks.test/' } })
    await terminate(room)
    await live.ask('PUT', `/rooms/${room}`, { is_terminated: false })
    const { id } = await live.join(room)
    const ids = sessions.map((session) => session.id)
    expect(live.events()).toEqual([...ids, ...ids, id])
  })

  test('deleting a room with many participants deletes its sessions and members', async () => {
    const { room } = await createCrowdedRoom()
    await terminate(room)
    await live.settle(2)
    await live.ask('DELETE', `/rooms/${room}`)
    expect(await live.ask('GET', `/rooms/${room}/sessions`)).toMatchObject({ error: { code: 'not_found' } })
    await live.settle(1000)
    expect(live.records()).toEqual([false, 0])
    for (const table of ['sessions', 'members']) expect(live.store.all(`SELECT * FROM ${table}`)).toEqual([])
  })

  test('the end time of a session is unchanged if its connection closes later', async () => {
    const { room, sessions } = await createCrowdedRoom({ webhook: { url: 'https://hooks.test/' } })
    await terminate(room)
    live.clock.stall(hour)
    for (const session of sessions) await live.hub.leave(session)
    expect(await readEnds(live, room)).toEqual(Array(9).fill(at(hour)))
    expect(live.events()).toHaveLength(18)
  })
})

test('blocking a member with three sessions ends only those sessions', async () => {
  const { room, ada } = await createCrowdedRoom({ type: 'private' })
  await live.ask('PUT', `/rooms/${room}/members/${ada.id}`, { is_blocked: true })
  expect(live.records()).toEqual([true, 9])
  const open = async () => (await live.ask('GET', `/rooms/${room}/sessions?is_connecting=true`)).sessions
  expect(await open()).toHaveLength(6)
  await live.settle(1000)
  expect(live.records()).toEqual([false, 6])
  expect(await open()).toHaveLength(6)
})

test('deleting a user ends all sessions of that user at the same time', async () => {
  const rooms = [await live.room(), await live.room(), await live.room()]
  await live.ask('POST', '/users', { user_id: 'ada' })
  for (const room of rooms) await live.join(room, { id: `ada in ${room}`, user_id: 'ada' })
  await live.ask('DELETE', '/users/ada')
  expect(live.records()).toEqual([true, 3])
  for (const room of rooms) expect(await readEnds(live, room)).toEqual([at(0)])
})

describe('a restart of the service', () => {
  async function reopen(): Promise<Live> {
    live.close()
    return openLive(dir, testNow + 2 * hour)
  }
  async function settled({ records }: Live): Promise<void> {
    while (records()[0]) await new Promise((resolve) => setImmediate(resolve))
  }

  test('a restart of the service writes the remaining records of ended sessions', async () => {
    const { room } = await createCrowdedRoom({ webhook: { url: 'https://hooks.test/' } })
    await terminate(room)
    await live.settle(2)
    const [shown, events] = [await live.shown(room), live.events()]
    const again = await reopen()
    expect(await again.shown(room)).toEqual(shown)
    expect(again.events()).toEqual(events)
    await soon('the ends to be settled', settled(again))
    expect(again.records()).toEqual([false, 0])
    expect(await again.shown(room)).toEqual(shown)
    expect(again.events()).toEqual(events)
  })

  test('a restart after a crash queues one leave event for each open session', async () => {
    const { room, sessions } = await createCrowdedRoom({ webhook: { url: 'https://hooks.test/' } })
    const again = await reopen()
    // The last stored alive time is the start of the sessions.
    expect(await readEnds(again, room)).toEqual(Array(9).fill(at(0)))
    const ids = sessions.map((session) => session.id)
    expect(again.events()).toEqual([...ids, ...ids])
    await again.settle(1000)
    expect(again.records()).toEqual([false, 0])
    expect(await readEnds(again, room)).toEqual(Array(9).fill(at(0)))
    expect((await again.ask('GET', `/rooms/${room}/members`)).members).toMatchObject([
      { user_id: 'alan' },
      { user_id: 'ada' },
    ])
  })
})
