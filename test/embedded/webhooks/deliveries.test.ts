import { Webhook } from 'standardwebhooks'
import { beforeEach, describe, expect, test } from 'vitest'
import { ForbiddenAddress } from '../../../src/embedded/webhooks/post.ts'
import { testNow } from '../../helpers/host.ts'
import { type Attempt, createOutbox, idOf, type Outbox } from '../../helpers/outbox.ts'

const second = 1000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

let world: Outbox
beforeEach(async () => {
  world = await createOutbox()
})

describe('a webhook attempt', () => {
  test('a webhook attempt sends the event as JSON with the delivery ID in the header webhook-id', async () => {
    const deliveries = world.start()
    const room = await world.room('https://hooks.test/meetings?a=1')
    await world.enters(room, 'msg_1', deliveries)
    const { url, headers, body } = await world.attempts.next()
    expect(url).toBe('https://hooks.test/meetings?a=1')
    expect(headers).toEqual({
      'content-type': 'application/json',
      'user-agent': 'meetroom/test',
      'webhook-id': 'msg_1',
      'webhook-timestamp': String(Math.floor(testNow / 1000)),
    })
    expect(JSON.parse(body)).toEqual({
      action: 'sessionJoined',
      payload: {
        roomId: room,
        userId: 'ada',
        memberId: 'member-1',
        sessionId: 'msg_1',
        sessionsCount: 1,
        membersCount: 1,
        timestamp: '2026-01-02T03:04:05.678Z',
      },
    })
  })

  test.each([200, 201, 204, 299])(
    'a webhook attempt with the response %i removes the event from the outbox',
    async (status) => {
      const attempt = await world.firstAttempt()
      expect(world.outbox()).toEqual(['msg_1'])
      attempt.answer(status)
      await world.noted()
      expect(world.outbox()).toEqual([])
      expect(world.clock.pending()).toEqual([])
    },
  )

  test.each([199, 300, 301, 302, 308, 400, 401, 404, 429, 500, 503])(
    'a webhook attempt with the response %i is retried after five seconds',
    async (status) => {
      const attempt = await world.firstAttempt()
      attempt.answer(status)
      await world.noted()
      expect(world.outbox()).toEqual(['msg_1'])
      expect(world.clock.pending()).toEqual([5 * second])
    },
  )

  test('a webhook attempt without a response is retried after five seconds', async () => {
    const attempt = await world.firstAttempt()
    attempt.fail(new Error('connect ECONNREFUSED'))
    expect(await world.noted()).toBe('unreachable')
    expect(world.clock.pending()).toEqual([5 * second])
  })

  test('a webhook attempt is logged with its outcome', async () => {
    const attempt = await world.firstAttempt()
    attempt.answer(503)
    await world.noted()
    expect(world.outcomes.all).toEqual([
      { id: 'msg_1', url: 'https://hooks.test/a', outcome: '503', attempt: 1, body: attempt.body },
    ])
  })

  test('an event of a room that does not exist causes no webhook attempt', async () => {
    const deliveries = world.start()
    expect(await world.enters('no such room', 'msg_1', deliveries)).toBe(false)
    expect(world.outbox()).toEqual([])
    expect(world.attempts.all).toEqual([])
  })
})

describe('webhook signatures', () => {
  const secret = `whsec_${Buffer.from('a secret of 24 bytes now').toString('base64')}`

  test('the reference package of Standard Webhooks accepts webhook signatures', async () => {
    const { headers, body } = await world.firstAttempt('https://hooks.test/a', { secret })
    expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body))
    expect(() => new Webhook(secret).verify(`${body} `, headers)).toThrow('No matching signature')
  })

  test('webhook signatures use the raw bytes of a secret that is not base64', async () => {
    const plain = { secret: 'pässword, with blanks' }
    const { headers, body } = await world.firstAttempt('https://hooks.test/a', plain)
    const receiver = new Webhook(Buffer.from(plain.secret), { format: 'raw' })
    expect(receiver.verify(body, headers)).toEqual(JSON.parse(body))
  })

  test('a webhook retry keeps the ID and is signed with a new timestamp', async () => {
    const first = await world.firstAttempt('https://hooks.test/a', { secret })
    first.answer(500)
    await world.noted()
    world.clock.advance(5 * second)
    const { headers, body } = await world.attempts.next()
    expect(headers['webhook-id']).toBe(first.headers['webhook-id'])
    expect(Number(headers['webhook-timestamp'])).toBe(Number(first.headers['webhook-timestamp']) + 5)
    expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(first.body))
  })

  test.each(['whsec_', 'whsec_%%%', 'whsec_abc', ''])(
    'POST /rooms rejects the webhook secret “%s” with 400',
    async (impossible) => {
      const webhook = { url: 'https://hooks.test/a', secret: impossible }
      expect((await world.createRoom(webhook)).status).toBe(400)
    },
  )
})

describe('custom webhook headers', () => {
  test('custom webhook headers are sent with the first attempt', async () => {
    const headers = { 'X-Token': 't', Authorization: 'Bearer b' }
    const attempt = await world.firstAttempt('https://hooks.test/a', { headers })
    expect(attempt.headers).toMatchObject({ 'x-token': 't', authorization: 'Bearer b' })
  })

  const forged = {
    'Webhook-Id': 'forged',
    'WEBHOOK-TIMESTAMP': '1',
    'webhook-signature': 'v1,forged',
    'Content-Type': 'text/plain',
    'User-Agent': 'forged',
  }

  test('custom webhook headers cannot replace the headers of the service', async () => {
    const deliveries = world.start()
    const room = await world.room('https://hooks.test/a', { headers: forged, secret: 'secret' })
    await world.enters(room, 'msg_1', deliveries)
    const { headers, body } = await world.attempts.next()
    expect(headers).toEqual({
      'content-type': 'application/json',
      'user-agent': 'meetroom/test',
      'webhook-id': 'msg_1',
      'webhook-timestamp': String(Math.floor(testNow / 1000)),
      'webhook-signature': new Webhook(Buffer.from('secret'), { format: 'raw' }).sign(
        'msg_1',
        new Date(testNow),
        body,
      ),
    })
  })

  const connectionHeaders = [
    ...['Content-Length', 'transfer-encoding', 'CONNECTION', 'Expect', 'uPGRADE', 'TE', 'Trailer', 'Host'],
    ...['Keep-Alive', 'Proxy-Authorization', 'proxy-connection', 'HTTP2-Settings'],
  ]

  test.each(connectionHeaders)('POST /rooms rejects the custom webhook header %s with 400', async (name) => {
    const url = 'https://hooks.test/a'
    for (const given of [name, ` ${name}`, `${name} `, `\t${name}`, `${name}\r\nX`])
      expect((await world.createRoom({ url, headers: { [given]: '1' } })).status).toBe(400)

    const deliveries = world.start()
    const room = await world.room(url)
    const stored = JSON.stringify({ url, headers: { [name]: '1' } })
    await world.store.write(() => world.store.run('UPDATE rooms SET webhook = ? WHERE id = ?', stored, room))
    await world.enters(room, 'msg_1', deliveries)
    expect(await world.noted()).toBe('forbidden')
    expect(world.attempts.all).toEqual([])
    expect((await world.ask('GET', '/webhooks/deliveries')).deliveries).toMatchObject([
      { state: 'given_up', last_error: `the header ${name} of the webhook cannot be sent` },
    ])
  })

  test('a custom header cannot add a signature to webhooks of a room without a secret', async () => {
    const deliveries = world.start()
    await world.enters(await world.room('https://hooks.test/a', { headers: forged }), 'msg_1', deliveries)
    expect((await world.attempts.next()).headers).not.toHaveProperty('webhook-signature')
  })
})

describe('the order of webhooks', () => {
  test('the first webhook attempts of a room keep the order of the events', async () => {
    const deliveries = world.start()
    const room = await world.room()
    for (const id of ['msg_1', 'msg_2', 'msg_3']) await world.enters(room, id, deliveries)
    for (const id of ['msg_1', 'msg_2', 'msg_3']) {
      const attempt = await world.attempts.next()
      expect(idOf(attempt)).toBe(id)
      // No later attempt has started.
      expect(world.attempts.all.at(-1)).toBe(attempt)
      attempt.answer(200)
      await world.noted()
    }
    expect(world.outbox()).toEqual([])
  })

  test('a failed webhook attempt does not delay the next event of the room', async () => {
    const deliveries = world.start()
    const room = await world.room()
    await world.enters(room, 'msg_1', deliveries)
    await world.enters(room, 'msg_2', deliveries)
    const first = await world.attempts.next()
    first.answer(500)
    const second = await world.attempts.next()
    expect(idOf(second)).toBe('msg_2')
    second.answer(200)
    await world.noted()
    await world.noted()
    expect(world.outbox()).toEqual(['msg_1'])
  })

  test('a slow webhook receiver does not delay the events of another room', async () => {
    const deliveries = world.start()
    const slow = await world.room('https://slow.test/')
    const fast = await world.room('https://fast.test/')
    await world.enters(slow, 'msg_1', deliveries)
    await world.enters(slow, 'msg_2', deliveries)
    await world.enters(fast, 'msg_3', deliveries)
    await world.enters(fast, 'msg_4', deliveries)
    const held = await world.attempts.next()
    expect(held.url).toBe('https://slow.test/')
    for (const id of ['msg_3', 'msg_4']) {
      const attempt = await world.attempts.next()
      expect(idOf(attempt)).toBe(id)
      attempt.answer(200)
      await world.noted()
    }
    expect(world.outbox()).toEqual(['msg_1', 'msg_2'])
  })

  test('a new event is sent before a waiting webhook retry of the same room', async () => {
    const deliveries = world.start()
    const room = await world.room()
    await world.enters(room, 'msg_1', deliveries)
    const first = await world.attempts.next()
    first.answer(500)
    await world.noted()
    await world.enters(room, 'msg_2', deliveries)
    expect(idOf(await world.attempts.next())).toBe('msg_2')
  })
})

/** Fails all attempts of one delivery; returns the pauses between them, in milliseconds. */
async function failAllAttempts(): Promise<number[]> {
  const pauses: number[] = []
  for (;;) {
    const attempt = await world.attempts.next()
    attempt.answer(500)
    await world.noted()
    const [pause] = world.clock.pending()
    if (pause === undefined) return pauses
    pauses.push(pause)
    world.clock.advance(pause)
  }
}

describe('webhook retries', () => {
  test('webhook retries end after ten pauses from five seconds to six hours', async () => {
    const deliveries = world.start()
    await world.enters(await world.room(), 'msg_1', deliveries)
    const pauses = await failAllAttempts()
    expect(pauses).toEqual([
      5 * second,
      30 * second,
      2 * minute,
      10 * minute,
      30 * minute,
      hour,
      2 * hour,
      4 * hour,
      6 * hour,
      6 * hour,
    ])
    expect(new Set(world.attempts.all.map(idOf))).toEqual(new Set(['msg_1']))
    expect(world.outbox()).toEqual([])
  })

  test.each([
    { random: 0, factor: 0.8 },
    { random: 0.999_999, factor: 1.2 },
  ])(
    'the random value $random multiplies the pauses between webhook retries by $factor',
    async ({ random, factor }) => {
      world.random = random
      const deliveries = world.start()
      await world.enters(await world.room(), 'msg_1', deliveries)
      const pauses = await failAllAttempts()
      const expected = [5 * second, 30 * second, 2 * minute, 10 * minute, 30 * minute]
      for (const [i, pause] of expected.entries()) expect((pauses[i] ?? 0) / pause).toBeCloseTo(factor, 2)
      expect(pauses.reduce((sum, pause) => sum + pause)).toBeLessThanOrEqual(day)
    },
  )

  test('a retry scale of 0.001 reduces the pause before the first webhook retry to 5 ms', async () => {
    world.retryScale = 0.001
    const attempt = await world.firstAttempt()
    attempt.answer(500)
    await world.noted()
    expect(world.clock.pending()).toEqual([5])
  })

  test('webhook retries end after a successful attempt', async () => {
    const first = await world.firstAttempt()
    first.answer(500)
    await world.noted()
    world.clock.advance(5 * second)
    const retry = await world.attempts.next()
    retry.answer(200)
    await world.noted()
    expect(world.outbox()).toEqual([])
    expect(world.clock.pending()).toEqual([])
  })

  test('a webhook retry starts after the full pause of five seconds', async () => {
    const first = await world.firstAttempt()
    first.answer(500)
    await world.noted()
    world.clock.advance(5 * second - 1)
    expect(world.attempts.all).toHaveLength(1)
    world.clock.advance(1)
    expect(world.attempts.all).toHaveLength(2)
  })

  test('webhook retries end if a later event of the room gets the response 410', async () => {
    const deliveries = world.start()
    const room = await world.room()
    await world.enters(room, 'msg_1', deliveries)
    await world.enters(room, 'msg_2', deliveries)
    const first = await world.attempts.next()
    first.answer(500)
    await world.noted()
    const second = await world.attempts.next()
    second.answer(410)
    await world.noted()
    world.clock.advance(5 * 1000)
    expect(world.attempts.all).toHaveLength(2)
  })
})

describe('events of sessions that end together', () => {
  const sessions = (from: number, count: number) => Array.from({ length: count }, (_, i) => `msg_${from + i}`)
  const sessionOf = ({ body }: Attempt) => JSON.parse(body).payload.sessionId

  /** Accepts `count` attempts; returns their session IDs in order. */
  async function deliverAll(count: number): Promise<string[]> {
    const found: string[] = []
    while (found.length < count) {
      const attempt = await world.attempts.next()
      found.push(sessionOf(attempt))
      attempt.answer(200)
      await world.noted()
    }
    return found
  }

  test('events of 500 sessions that end together are delivered in order with other events', async () => {
    const room = await world.room()
    await world.enters(room, 'msg_1')
    await world.leave(room, sessions(2, 500))
    await world.enters(room, 'msg_502')
    world.start()
    expect(await deliverAll(502)).toEqual(sessions(1, 502))
    expect(world.outbox()).toEqual([])
  })

  test('wake() delivers the events of sessions that end together', async () => {
    const deliveries = world.start()
    const room = await world.room()
    await world.leave(room, sessions(1, 3))
    deliveries.wake(room)
    expect(await deliverAll(3)).toEqual(sessions(1, 3))
  })

  test('events of sessions that end together keep their IDs when delivery restarts', async () => {
    const room = await world.room()
    await world.leave(room, sessions(1, 3))
    const before = world.start()
    const cut = await world.attempts.next()
    before.close()
    world.start()
    const again = await world.attempts.next()
    expect(idOf(again)).toBe(idOf(cut))
    again.answer(200)
    await world.noted()
    expect(await deliverAll(2)).toEqual(sessions(2, 2))
  })

  test('events of sessions that end together are dropped after the response 410', async () => {
    const room = await world.room()
    await world.leave(room, sessions(1, 500))
    world.start()
    const attempt = await world.attempts.next()
    attempt.answer(410)
    await world.noted()
    expect(world.outbox()).toEqual([])
    expect(world.attempts.all).toHaveLength(1)
    const later = world.start()
    later.wake(room)
    expect(world.attempts.all).toHaveLength(1)
  })
})

describe('end of webhook deliveries', () => {
  test('a webhook response with the status 410 drops all events of the room', async () => {
    const deliveries = world.start()
    const room = await world.room()
    await world.enters(room, 'msg_1', deliveries)
    await world.enters(room, 'msg_2', deliveries)
    const attempt = await world.attempts.next()
    attempt.answer(410)
    expect(await world.noted()).toBe('410')
    expect(world.outbox()).toEqual([])
    expect(await world.enters(room, 'msg_3', deliveries)).toBe(false)
    expect(world.attempts.all).toHaveLength(1)
  })

  test('a webhook response with the status 410 stops deliveries only for the room of the event', async () => {
    const deliveries = world.start()
    const gone = await world.room()
    const other = await world.room()
    await world.enters(gone, 'msg_1', deliveries)
    const attempt = await world.attempts.next()
    attempt.answer(410)
    await world.noted()
    expect(await world.enters(other, 'msg_2', deliveries)).toBe(true)
    expect(idOf(await world.attempts.next())).toBe('msg_2')
  })

  test.each([
    ['the IP address in the URL', new ForbiddenAddress('10.0.0.1')],
    ['the IP address of the host name', Object.assign(new Error('connect'), { code: 'EFORBIDDEN' })],
  ])('webhook delivery stops if %s is forbidden', async (_, error) => {
    const attempt = await world.firstAttempt()
    attempt.fail(error)
    expect(await world.noted()).toBe('forbidden')
    expect(world.outbox()).toEqual([])
    expect(world.clock.pending()).toEqual([])
  })
})

describe('a restart with pending webhooks', () => {
  test('a restart repeats a pending webhook attempt with the same ID', async () => {
    const before = world.start()
    await world.enters(await world.room(), 'msg_1', before)
    const cut = await world.attempts.next()
    before.close()
    world.start()
    const again = await world.attempts.next()
    expect(idOf(again)).toBe(idOf(cut))
    expect(again.body).toBe(cut.body)
    again.answer(200)
    await world.noted()
    expect(world.outbox()).toEqual([])
  })

  test('a restart keeps the order of unsent webhook events', async () => {
    const room = await world.room()
    for (const id of ['msg_1', 'msg_2', 'msg_3']) await world.enters(room, id)
    world.start()
    for (const id of ['msg_1', 'msg_2', 'msg_3']) {
      const attempt = await world.attempts.next()
      expect(idOf(attempt)).toBe(id)
      attempt.answer(200)
    }
  })

  test('a restart waits only for the remaining pause before a webhook retry', async () => {
    const before = world.start()
    await world.enters(await world.room(), 'msg_1', before)
    const first = await world.attempts.next()
    first.answer(500)
    await world.noted()
    before.close()
    expect(world.clock.pending()).toEqual([])
    world.clock.advance(2 * second)
    world.start()
    expect(world.clock.pending()).toEqual([3 * second])
    world.clock.advance(3 * second)
    const retry = await world.attempts.next()
    expect(idOf(retry)).toBe('msg_1')
    // The retry schedule continues.
    retry.answer(500)
    await world.noted()
    expect(world.clock.pending()).toEqual([30 * second])
  })

  test('a restart sends overdue webhook retries immediately', async () => {
    const before = world.start()
    await world.enters(await world.room(), 'msg_1', before)
    const first = await world.attempts.next()
    first.answer(500)
    await world.noted()
    before.close()
    world.clock.advance(hour)
    world.start()
    world.clock.advance(0)
    expect(idOf(await world.attempts.next())).toBe('msg_1')
  })

  test('a stopped webhook delivery ignores the response to its pending attempt', async () => {
    const deliveries = world.start()
    const room = await world.room()
    await world.enters(room, 'msg_1', deliveries)
    const attempt = await world.attempts.next()
    deliveries.close()
    attempt.answer(200)
    await world.enters(room, 'msg_2', deliveries)
    expect(world.outbox()).toEqual(['msg_1', 'msg_2'])
    expect(world.attempts.all).toHaveLength(1)
    expect(world.outcomes.all).toEqual([])
  })
})
