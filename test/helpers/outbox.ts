import { onTestFinished, vi } from 'vitest'
import type { Clock } from '../../src/embedded/common/clock.ts'
import { createHandlerContext, createService } from '../../src/embedded/service/service.ts'
import { openSqlite } from '../../src/embedded/store/sqlite.ts'
import { Store } from '../../src/embedded/store/store.ts'
import { Deliveries, type Attempt as FinishedAttempt } from '../../src/embedded/webhooks/deliveries.ts'
import { enqueueOrPack, findWebhook, type PresenceChange, pack } from '../../src/embedded/webhooks/outbox.ts'
import { testNow } from './host.ts'
import { Inbox } from './inbox.ts'
import { withSchema } from './new-database.ts'
import { decodeBody, localUrl, wireRequest } from './wire.ts'

function fakeClock() {
  let time = testNow
  const timers = new Set<{ at: number; work: () => void }>()
  const clock: Clock = {
    now: () => time,
    monotonic: () => time - testNow,
    after(ms, work) {
      const timer = { at: time + ms, work }
      timers.add(timer)
      return () => timers.delete(timer)
    },
  }
  return {
    ...clock,
    /** Returns the milliseconds until each timer, soonest first. */
    pending: () => [...timers].map(({ at }) => at - time).toSorted((a, b) => a - b),
    advance(ms: number) {
      time += ms
      const due = [...timers].filter(({ at }) => at <= time).toSorted((a, b) => a.at - b.at)
      for (const timer of due) if (timers.delete(timer)) timer.work()
    },
  }
}

/** POST request that waits for a response from the test. */
export interface Attempt {
  url: string
  headers: Record<string, string>
  body: string
  answer(status: number, text?: string): void
  fail(error: Error): void
}

interface RoomWebhook {
  url: string
  headers?: Record<string, string>
  secret?: string
}

/** Creates an outbox with receivers whose responses the test chooses. */
export async function createOutbox(opened?: Store) {
  vi.useFakeTimers({ toFake: ['Date'], now: testNow })
  const store = opened ?? new Store(await openSqlite(':memory:', withSchema))
  const clock = fakeClock()
  const started: Deliveries[] = []
  const onRedelivery = (roomId: string) => started.at(-1)?.redeliver(roomId)
  const service = createService(createHandlerContext({ store, now: clock.now, onRedelivery }), 'key')
  let ids = 0
  const attempts = new Inbox<Attempt>()
  const outcomes = new Inbox<FinishedAttempt>()
  const moveOf = (sessionId: string): PresenceChange => ({
    action: 'sessionJoined',
    sessionId,
    memberId: 'member-1',
    userId: 'ada',
    at: clock.now(),
    sessionsCount: 1,
    membersCount: 1,
  })
  const world = {
    clock,
    attempts,
    outcomes,
    random: 0.5,
    retryScale: 1,
    start(): Deliveries {
      const deliveries = new Deliveries({
        store,
        clock,
        post: (url, headers, body) =>
          new Promise((resolve, fail) => {
            const answer = (status: number, text = '') => resolve({ status, text })
            attempts.put({ url, headers, body, answer, fail })
          }),
        newId: () => `packed_${++ids}`,
        random: () => world.random,
        retryScale: world.retryScale,
        userAgent: 'meetroom/test',
        onFailure: (error) => {
          throw error
        },
        onAttempt: (attempt) => outcomes.put(attempt),
      })
      started.push(deliveries)
      deliveries.start()
      return deliveries
    },
    async createRoom(webhook: RoomWebhook) {
      const body = { name: 'Weekly sync', type: 'open', webhook }
      const answer = await service(wireRequest(localUrl, 'key', { method: 'POST', path: '/rooms', body }))
      return { status: answer.status, id: answer.status === 200 ? decodeBody(answer).room.id : '' }
    },
    room: async (url = 'https://hooks.test/a', more: Omit<RoomWebhook, 'url'> = {}) =>
      (await world.createRoom({ url, ...more })).id,
    /** Packs one change per session ID. */
    leave: (roomId: string, ids: readonly string[]) =>
      store.write(() => pack(store, roomId, findWebhook(store, roomId) ?? '', ids.map(moveOf))),
    /** Queues the webhook of a participant’s entry. Returns false without a webhook. */
    async enters(roomId: string, id: string, deliveries?: Deliveries): Promise<boolean> {
      const isWanted = await store.write(() => {
        const target = findWebhook(store, roomId)
        if (target !== undefined)
          enqueueOrPack(store, () => id.replace('msg_', ''), roomId, target, [moveOf(id)])
        return target !== undefined
      })
      deliveries?.wake(roomId)
      return isWanted
    },
    async firstAttempt(url?: string, more?: Omit<RoomWebhook, 'url'>): Promise<Attempt> {
      await world.enters(await world.room(url, more), 'msg_1', world.start())
      return attempts.next()
    },
    /** Waits until the outcome of the next attempt is committed. */
    async noted(): Promise<string> {
      const { outcome } = await outcomes.next()
      await store.write(() => {})
      return outcome
    },
    outbox: () =>
      store
        .all<{ id: string }>('SELECT id FROM deliveries WHERE finished_at IS NULL ORDER BY seq')
        .map(({ id }) => id),
    store,
    async ask(method: string, path: string): Promise<any> {
      const body = method === 'GET' ? undefined : {}
      return decodeBody(await service(wireRequest(localUrl, 'key', { method, path, body })))
    },
  }
  onTestFinished(() => {
    vi.useRealTimers()
    for (const deliveries of started) deliveries.close()
    store.close()
  })
  return world
}

export type Outbox = Awaited<ReturnType<typeof createOutbox>>

export const idOf = ({ headers }: Attempt) => headers['webhook-id']
