import fc from 'fast-check'
import { expect, test } from 'vitest'
import { memberTypes } from '../../../src/api/vocabulary.ts'
import { Hub } from '../../../src/embedded/sessions/hub.ts'
import { type ConnectedSession, closeReasons } from '../../../src/embedded/sessions/session-control.ts'
import { hasListedEnds, recordListedEnds } from '../../../src/embedded/store/ended.ts'
import { openSqlite } from '../../../src/embedded/store/sqlite.ts'
import { Store } from '../../../src/embedded/store/store.ts'
import { hasPacked, unpack } from '../../../src/embedded/webhooks/outbox.ts'
import { testMachine } from '../../helpers/live.ts'
import { sized } from '../../suites/size.ts'

// Red and blue have a webhook.
const roomIds = ['red', 'blue', 'grey']
const userIds = ['ada', 'grace', 'alan', null]

interface Payload {
  roomId: string
  sessionId: string
  memberId: string
  sessionsCount: number
  membersCount: number
}

/**
 * Starts a hub with three rooms, and a simple model of the hub.
 * @param maxDirectEnds maximum number of concurrent ends that are not deferred
 */
async function startHub(maxDirectEnds: number) {
  const sqlite = await openSqlite(':memory:', (load) => load())
  let isFull = false
  const store = new Store({
    prepare: (sql) => sqlite.prepare(sql),
    rows: (...args) => sqlite.rows(...args),
    close: () => sqlite.close(),
    exec(sql) {
      if (isFull && sql === 'COMMIT') throw new Error('full')
      sqlite.exec(sql)
    },
  })
  const clock = testMachine()
  let ids = 0
  const newId = () => `${++ids}`
  const onFailure = (error: unknown) => expect.unreachable(String(error))
  const onListed = () => {}
  const hub = new Hub({
    store,
    clock,
    newId,
    onFailure,
    onEvent: () => {},
    onEndsListed: onListed,
    maxDirectEnds,
  })
  await store.write(() => {
    for (const id of roomIds)
      store.run(
        `INSERT INTO rooms (id, type, name, layout, record, webhook, created_at, updated_at)
         VALUES (?1, 'open', 'Room', 'default', 0, iif(?1 = 'grey', NULL, '{"url":"http://hooks.test"}'), 0, 0)`,
        id,
      )
  })
  let connected: ConnectedSession[] = []
  let told = 0
  /** Open sessions according to earlier events. */
  const present = new Map<string, Payload>()
  /** First shown end time of each session, in milliseconds since 1970. */
  const ends = new Map<string, number>()

  const leaving = (meant: (session: ConnectedSession) => boolean) => {
    connected = connected.filter((session) => !meant(session))
  }
  return {
    /** Runs actions in one commit. */
    async commit(works: readonly (() => Promise<void>)[], fails: boolean): Promise<void> {
      const before = connected
      const types = before.map(({ type }) => type)
      isFull = fails
      await Promise.allSettled(works.map((work) => work()))
      isFull = false
      if (!fails) return
      connected = before
      expect(connected.map(({ type }) => type)).toEqual(types)
    },
    async change(work: () => void, fails: boolean): Promise<void> {
      const before = connected
      await store.write(() => {
        work()
        if (!fails) return
        connected = before
        throw new Error('no')
      })
    },
    join(roomId: string, userId: string | null, type: ConnectedSession['type']): void {
      const id = newId()
      const memberId = `${roomId} ${userId ?? id}`
      // All connections of a member have the same role.
      const role = connected.find((session) => session.memberId === memberId)?.type ?? type
      const guestSeq =
        userId === null
          ? store.insert('members', {
              ...{ id: memberId, room_id: roomId, type: 'guest', created_at: 0, updated_at: 0 },
            })
          : null
      const peer = { send: () => {}, close: () => {} }
      const newSession = { id, roomId, memberId, userId, type: role, guestSeq, peer }
      connected = [...connected, hub.join(newSession)]
    },
    end(roomId: string): void {
      hub.end(roomId, closeReasons.terminated)
      leaving((session) => session.roomId === roomId)
    },
    endMember(roomId: string, userId: string | null): void {
      const meant = (session: ConnectedSession) => session.memberId === `${roomId} ${userId}`
      hub.end(roomId, closeReasons.blocked, meant)
      leaving(meant)
    },
    endUser(userId: string | null): void {
      if (userId === null) return
      hub.endUser(userId, closeReasons.userDeleted)
      leaving((session) => session.userId === userId)
    },
    setType: (roomId: string, userId: string | null, type: ConnectedSession['type']) =>
      hub.setType(roomId, `${roomId} ${userId}`, type),
    async leave(nth: number): Promise<void> {
      const session = connected[nth % Math.max(connected.length, 1)]
      if (!session) return
      leaving((other) => other === session)
      await hub.leave(session)
    },
    settle: (most: number) => recordListedEnds(store, most),
    unpack: (roomId: string) => unpack(store, newId, roomId),
    finish: () =>
      store.write(() => {
        recordListedEnds(store, 1000)
        for (const roomId of roomIds) while (hasPacked(store, roomId)) unpack(store, newId, roomId)
        expect(hasListedEnds(store)).toBe(false)
      }),
    /** Advances the clock without firing timers. */
    wait: () => clock.stall(1000),
    check(): void {
      const rows = store.all<{ seq: number; body: string }>('SELECT * FROM deliveries WHERE seq > ?', told)
      for (const { seq, body } of rows) {
        told = seq
        const { action, payload }: { action: string; payload: Payload } = JSON.parse(body)
        if (action === 'sessionJoined') present.set(payload.sessionId, payload)
        else expect(present.delete(payload.sessionId)).toBe(true)
        const inRoom = [...present.values()].filter(({ roomId }) => roomId === payload.roomId)
        expect(payload).toMatchObject({
          sessionsCount: inRoom.length,
          membersCount: new Set(inRoom.map(({ memberId }) => memberId)).size,
        })
      }
      const taking = connected.filter(({ type }) => type !== 'monitor')
      if (!roomIds.some((id) => hasPacked(store, id)))
        expect([...present.keys()].sort()).toEqual(
          taking
            .filter(({ roomId }) => roomId !== 'grey')
            .map(({ id }) => id)
            .sort(),
        )
      for (const id of roomIds) {
        const members = new Set(taking.filter(({ roomId }) => roomId === id).map(({ memberId }) => memberId))
        expect(hub.meetingMs(id) !== undefined).toBe(members.size >= 2)
      }
      const ids = (sql: string) =>
        store
          .all<{ id: string }>(sql)
          .map(({ id }) => id)
          .sort()
      const open = ids('SELECT id FROM present_sessions WHERE disconnected_at IS NULL')
      expect(open).toEqual(connected.map(({ id }) => id).sort())
      expect(ids('SELECT id FROM present_sessions WHERE is_open AND disconnected_at IS NULL')).toEqual(open)
      const guests = connected.filter(({ userId }) => userId === null)
      expect(ids('SELECT id FROM present_members')).toEqual(guests.map(({ memberId }) => memberId).sort())
      const ended = store.all<{ id: string; at: number }>(
        'SELECT id, disconnected_at AS at FROM present_sessions WHERE disconnected_at IS NOT NULL',
      )
      for (const { id, at } of ended) {
        if (!ends.has(id)) ends.set(id, clock.now())
        expect({ id, at }).toEqual({ id, at: ends.get(id) })
      }
    },
  }
}

type World = Awaited<ReturnType<typeof startHub>>

const room = fc.constantFrom(...roomIds)
const user = fc.constantFrom(...userIds)
const type = fc.constantFrom(...memberTypes)
const oneInFour = fc.nat(3).map((n) => n === 0)
const change = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(room, user, type).map((them) => (world: World) => world.join(...them)) },
  {
    weight: 2,
    arbitrary: fc.integer({ min: 1, max: 3 }).map((most) => (world: World) => world.settle(most)),
  },
  { weight: 2, arbitrary: room.map((roomId) => (world: World) => world.unpack(roomId)) },
  {
    weight: 2,
    arbitrary: fc.tuple(room, user, type).map((them) => (world: World) => world.setType(...them)),
  },
  { weight: 1, arbitrary: fc.tuple(room, user).map((them) => (world: World) => world.endMember(...them)) },
  { weight: 2, arbitrary: user.map((userId) => (world: World) => world.endUser(userId)) },
  { weight: 2, arbitrary: room.map((roomId) => (world: World) => world.end(roomId)) },
)
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ changes: fc.array(change, { minLength: 1, maxLength: 3 }), fails: oneInFour }),
  },
  { weight: 1, arbitrary: fc.nat(20).map((nth) => ({ nth })) },
)

const commit = fc.record({ steps: fc.array(step, { minLength: 1, maxLength: 3 }), fails: oneInFour })

test('the sessions and event counts of a session hub match a model after random changes and rollbacks', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(commit, { maxLength: 15 }), fc.nat(2), async (commits, maxDirectEnds) => {
      const world = await startHub(maxDirectEnds)
      for (const { steps, fails } of commits) {
        world.wait()
        const works = steps.map((step) => () => {
          if ('nth' in step) return world.leave(step.nth)
          const { changes, fails } = step
          return world.change(() => {
            for (const change of changes) change(world)
          }, fails)
        })
        await world.commit(works, fails)
        world.check()
      }
      await world.finish()
      world.check()
    }),
    { numRuns: sized(12, 100) },
  )
}, 60_000)
