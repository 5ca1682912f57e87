import { expect, test } from 'vitest'
import { migrations } from '../../../src/embedded/store/schema.ts'
import { openSqlite } from '../../../src/embedded/store/sqlite.ts'
import { deliveriesStep } from '../../../src/embedded/store/steps/deliveries.ts'
import { Store } from '../../../src/embedded/store/store.ts'
import { testNow } from '../../helpers/host.ts'
import { createOutbox, idOf } from '../../helpers/outbox.ts'

const body = (sessionId: string) =>
  JSON.stringify({
    action: 'sessionLeft',
    payload: {
      ...{ roomId: 'room-1', memberId: 'member-1', sessionId, sessionsCount: 0, membersCount: 0 },
      timestamp: '2026-01-02T03:04:05.678Z',
    },
  })

test('pending webhook events of an older workspace are delivered after the upgrade', async () => {
  const sqlite = await openSqlite(':memory:', (load) => load())
  const before = migrations.indexOf(deliveriesStep)
  for (const step of migrations.slice(0, before)) sqlite.exec(step)
  sqlite.exec(`PRAGMA user_version = ${before}`)
  const insert = sqlite.prepare(
    `INSERT INTO deliveries (id, room_id, target, body, attempts, next_at, created_at)
     VALUES (?, 'room-1', '{"url":"https://hooks.test/a"}', ?, ?, ?, ?)`,
  )
  insert.run('msg_retried', body('s1'), 2, testNow + 1000, testNow - 60_000)
  insert.run('msg_new', body('s2'), 0, null, testNow - 1000)
  const world = await createOutbox(new Store(sqlite))

  const { deliveries } = await world.ask('GET', '/webhooks/deliveries')
  expect(deliveries).toMatchObject([
    { id: 'msg_new', state: 'waiting', attempts: 0, redeliveries: 0, user_id: null, last_attempt_at: null },
    { id: 'msg_retried', state: 'waiting', attempts: 2, next_attempt_at: '2026-01-02T03:04:06.678Z' },
  ])
  world.start()
  const first = await world.attempts.next()
  expect([idOf(first), first.body]).toEqual(['msg_new', body('s2')])
  first.answer(200)
  await world.noted()
  world.clock.advance(1000)
  const retry = await world.attempts.next()
  expect(idOf(retry)).toBe('msg_retried')
  retry.answer(500)
  await world.noted()
  expect(world.clock.pending()).toEqual([120_000])
})
