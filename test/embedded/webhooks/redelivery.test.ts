import { beforeEach, describe, expect, test } from 'vitest'
import { maxTotal } from '../../../src/embedded/store/rows.ts'
import { startRetention } from '../../../src/embedded/webhooks/retention.ts'
import { testNow } from '../../helpers/host.ts'
import { createOutbox, idOf, type Outbox } from '../../helpers/outbox.ts'

const second = 1000
const hour = 60 * 60 * second
const day = 24 * hour

let world: Outbox
beforeEach(async () => {
  world = await createOutbox()
})

const list = async (query = '') => (await world.ask('GET', `/webhooks/deliveries${query}`)).deliveries
const redeliver = (id: string) => world.ask('POST', `/webhooks/deliveries/${id}/redeliver`)
const redelivery = (attempt: { headers: Record<string, string> }) => attempt.headers['webhook-redelivery']

async function deliverEvent(more: Parameters<Outbox['firstAttempt']>[1] = {}): Promise<string> {
  const attempt = await world.firstAttempt('https://ada:pw@hooks.test/a?token=t', more)
  attempt.answer(200, 'thanks')
  await world.noted()
  return JSON.parse(attempt.body).payload.roomId
}

describe('the list of deliveries', () => {
  test('the list of deliveries contains a delivered event without the credentials of its URL', async () => {
    const room_id = await deliverEvent()
    const time = new Date(testNow).toISOString()
    expect(await world.ask('GET', '/webhooks/deliveries')).toEqual({
      deliveries: [
        {
          id: 'msg_1',
          room_id,
          action: 'sessionJoined',
          user_id: 'ada',
          state: 'delivered',
          attempts: 1,
          last_status: 200,
          last_error: null,
          last_body: 'thanks',
          last_attempt_at: time,
          next_attempt_at: null,
          redeliveries: 0,
          url: 'https://hooks.test/a',
          created_at: time,
          finished_at: time,
        },
      ],
      paging: { limit: 30, offset: 0, total: 1 },
    })
  })

  test('the list of deliveries contains the time of the next attempt after a failed attempt', async () => {
    const attempt = await world.firstAttempt()
    expect(await list()).toMatchObject([{ state: 'waiting', attempts: 0, next_attempt_at: null }])
    attempt.answer(503, 'down for\nmaintenance\0')
    await world.noted()
    expect(await list()).toMatchObject([
      {
        state: 'waiting',
        attempts: 1,
        last_status: 503,
        last_body: 'down for maintenance',
        next_attempt_at: new Date(testNow + 5 * second).toISOString(),
      },
    ])
  })

  test.each([
    [Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }), 'connection refused', 'waiting'],
    [new DOMException('aborted', 'TimeoutError'), 'no response within 10 seconds', 'waiting'],
    [
      Object.assign(new Error('10.0.0.1'), { code: 'EFORBIDDEN' }),
      'the address is private or link-local',
      'given_up',
    ],
  ])(
    'the list of deliveries maps “%s” to the reason “%s” and the status %s',
    async (error, last_error, state) => {
      const attempt = await world.firstAttempt()
      attempt.fail(error)
      await world.noted()
      expect(await list()).toMatchObject([{ state, last_status: null, last_error }])
    },
  )

  test('the list of deliveries masks the secrets of the webhook in a response body', async () => {
    const headers = { Authorization: 'Bearer s3cret/token', 'X-Key': 'k"ey+1' }
    const attempt = await world.firstAttempt('https://hooks.test/a', { headers, secret: 'signing secret' })
    const echoed = JSON.stringify({ ...headers, encoded: 's3cret%2Ftoken', secret: 'signing secret' })
    attempt.answer(500, echoed + '-'.repeat(300))
    await world.noted()
    const [{ last_body }] = await list()
    expect(last_body).toHaveLength(200)
    expect(last_body).toMatch(/^{"Authorization":"••••","X-Key":"••••","encoded":"••••","secret":"••••"}-+$/)
  })

  test('the list of deliveries can be filtered by room, status and time', async () => {
    const deliveries = world.start()
    const [a, b] = [await world.room(), await world.room()]
    await world.enters(a, 'msg_1', deliveries)
    const first = await world.attempts.next()
    first.answer(200)
    await world.noted()
    world.clock.advance(10 * second)
    await world.enters(b, 'msg_2')
    await world.enters(a, 'msg_3')
    const ids = async (query: string) => (await list(query)).map(({ id }: { id: string }) => id)
    expect(await ids('')).toEqual(['msg_3', 'msg_2', 'msg_1'])
    expect(await ids(`?room_id=${a}`)).toEqual(['msg_3', 'msg_1'])
    expect(await ids('?state=delivered')).toEqual(['msg_1'])
    expect(await ids(`?since=${new Date(testNow + second).toISOString()}`)).toEqual(['msg_3', 'msg_2'])
    expect(await ids('?limit=1&offset=1')).toEqual(['msg_2'])
    expect(await world.ask('GET', '/webhooks/deliveries?state=lost')).toMatchObject({
      error: { code: 'invalid_parameters' },
    })
    expect(await world.ask('GET', '/webhooks/deliveries?since=noon')).toMatchObject({
      error: { code: 'invalid_parameters' },
    })
  })

  test('the list of deliveries contains the events that are given up after the response 410', async () => {
    const deliveries = world.start()
    const room = await world.room()
    await world.enters(room, 'msg_1', deliveries)
    await world.enters(room, 'msg_2', deliveries)
    const attempt = await world.attempts.next()
    attempt.answer(410)
    await world.noted()
    expect(await list()).toMatchObject([
      {
        id: 'msg_2',
        state: 'given_up',
        attempts: 0,
        last_error: expect.stringMatching(/^the response 410 to/),
      },
      { id: 'msg_1', state: 'given_up', attempts: 1, last_status: 410 },
    ])
  })
})

describe('a redelivery', () => {
  test('a redelivery has the ID of the event and its number in the header webhook-redelivery', async () => {
    await deliverEvent()
    const [first] = world.attempts.all
    for (const number of ['1', '2']) {
      expect((await redeliver('msg_1')).delivery).toMatchObject({ id: 'msg_1', state: 'waiting' })
      const again = await world.attempts.next()
      expect([idOf(again), again.body, redelivery(again)]).toEqual(['msg_1', first?.body, number])
      again.answer(204)
      await world.noted()
    }
    expect(first && redelivery(first)).toBeUndefined()
    expect(await list()).toMatchObject([
      { state: 'delivered', attempts: 3, redeliveries: 2, last_status: 204 },
    ])
  })

  test('a failed redelivery is retried with the same pauses as an event', async () => {
    await deliverEvent()
    world.clock.advance(day - second)
    await redeliver('msg_1')
    const attempt = await world.attempts.next()
    attempt.answer(500)
    await world.noted()
    expect(world.clock.pending()).toEqual([5 * second])
    world.clock.advance(5 * second)
    const retry = await world.attempts.next()
    expect(redelivery(retry)).toBe('1')
    retry.answer(500)
    await world.noted()
    expect(world.clock.pending()).toEqual([30 * second])
  })

  test('a redelivery replaces the pending retry of the delivery', async () => {
    const first = await world.firstAttempt()
    first.answer(500)
    await world.noted()
    await redeliver('msg_1')
    const again = await world.attempts.next()
    expect(redelivery(again)).toBe('1')
    again.answer(200)
    await world.noted()
    world.clock.advance(hour)
    expect(world.attempts.all).toHaveLength(2)
    expect(world.outbox()).toEqual([])
  })

  test('a redelivery that is requested during a retry is sent after the retry', async () => {
    const first = await world.firstAttempt()
    first.answer(500)
    await world.noted()
    world.clock.advance(5 * second)
    const retry = await world.attempts.next()
    await redeliver('msg_1')
    expect(world.attempts.all).toHaveLength(2)
    retry.answer(200)
    await world.noted()
    const again = await world.attempts.next()
    expect([redelivery(retry), redelivery(again)]).toEqual([undefined, '1'])
    again.answer(200)
    await world.noted()
    expect(await list()).toMatchObject([{ state: 'delivered', attempts: 3, redeliveries: 1 }])
  })

  test('a redelivery is sent after the pending attempt of a newer event', async () => {
    const deliveries = world.start()
    const room = await world.room()
    await world.enters(room, 'msg_1', deliveries)
    const first = await world.attempts.next()
    first.answer(200)
    await world.noted()
    await world.enters(room, 'msg_2', deliveries)
    const held = await world.attempts.next()
    await redeliver('msg_1')
    held.answer(200)
    await world.noted()
    expect(idOf(await world.attempts.next())).toBe('msg_1')
  })

  test('a redelivery that is requested while delivery is stopped is sent after the next start', async () => {
    await deliverEvent()
    const [first] = world.attempts.all
    const stopped = world.start()
    stopped.close()
    await redeliver('msg_1')
    world.start()
    const again = await world.attempts.next()
    expect([idOf(again), again.body, redelivery(again)]).toEqual(['msg_1', first?.body, '1'])
  })

  test('a redelivery is refused during the first attempt of the event', async () => {
    await world.firstAttempt()
    expect(await redeliver('msg_1')).toMatchObject({ error: { code: 'validation_exception' } })
    expect(await redeliver('msg_2')).toMatchObject({
      error: { code: 'not_found', message: 'no such delivery' },
    })
  })
})

describe('a delivery with the maximum number of attempts', () => {
  const set = (values: string) => world.store.write(() => world.store.run(`UPDATE deliveries SET ${values}`))

  test('a delivery with the maximum number of attempts can be retried and redelivered', async () => {
    const room = await world.room()
    await world.enters(room, 'msg_1')
    await set(`attempts = ${maxTotal}, round_start = ${maxTotal}`)
    world.start()
    ;(await world.attempts.next()).answer(500)
    await world.noted()
    expect(world.clock.pending()).toEqual([5 * second])
    world.clock.advance(5 * second)
    const attempt = await world.attempts.next()
    expect(await redeliver('msg_1')).toMatchObject({ delivery: { state: 'waiting' } })
    attempt.answer(200)
    await world.noted()
    const redelivered = await world.attempts.next()
    expect(redelivery(redelivered)).toBe('1')
    redelivered.answer(200)
    await world.noted()
    expect(await list()).toMatchObject([{ state: 'delivered', attempts: maxTotal, redeliveries: 1 }])
  })

  test('a redelivery of a delivery with the maximum number of redeliveries is refused', async () => {
    await deliverEvent()
    await set(`redeliveries = ${maxTotal}`)
    expect(await redeliver('msg_1')).toMatchObject({
      error: { code: 'validation_exception', message: 'the delivery has no redeliveries left' },
    })
  })
})

describe('finished deliveries', () => {
  const retain = () =>
    startRetention(world.store, world.clock, (error) => {
      throw error
    })
  const rows = () => world.store.one<{ count: number }>('SELECT count(*) AS count FROM deliveries')?.count

  test('finished deliveries are listed for one day and then deleted', async () => {
    await deliverEvent()
    retain()
    world.clock.advance(day - 1)
    expect(await list()).toHaveLength(1)
    world.clock.advance(1)
    expect(await list()).toEqual([])
    expect(await redeliver('msg_1')).toMatchObject({ error: { code: 'not_found' } })
    world.clock.advance(hour)
    await world.store.write(() => {})
    expect(rows()).toBe(0)
  })

  test('only finished deliveries are deleted if more than 10,000 are stored', async () => {
    const room = await world.room()
    await world.store.write(() => {
      for (let i = 0; i < 10_500; i++)
        world.store.run(
          `INSERT INTO deliveries (id, room_id, target, body, state, attempts, created_at, finished_at)
           VALUES (?, ?, '{}', '{}', 'delivered', 1, ?, ?)`,
          `old_${i}`,
          room,
          testNow,
          testNow,
        )
    })
    const deliveries = world.start()
    for (let i = 0; i < 100; i++) await world.enters(room, `msg_${i}`)
    deliveries.wake(room)
    for (let i = 0; i < 99; i++) {
      const attempt = await world.attempts.next()
      attempt.answer(500)
      await world.noted()
    }
    const attempt = await world.attempts.next()
    attempt.answer(200)
    await world.noted()
    expect(world.outbox()).toHaveLength(99)
    expect(rows()).toBe(9900 + 99)
  })
})
