import { describe, expect, test } from 'vitest'
import { startReceiver } from '../helpers/receiver.ts'
import { startTestService } from '../helpers/test-service.ts'

const hour = 3_600_000

async function startMeeting(url = 'http://127.0.0.1:9/') {
  const world = await startTestService({
    seed: {
      users: ['ada', 'bob'].map((user_id) => ({ user_id, access_token: `${user_id}-token` })),
      rooms: [{ id: 'r', name: 'Room', type: 'public', max_meeting_seconds: 600, webhook: { url } }],
    },
  })
  const room = async () => (await world.send('GET', '/rooms/r')).body.room
  const sessions = async () => (await world.send('GET', '/rooms/r/sessions')).body.sessions
  return { ...world, room, sessions }
}

describe('the clock of a test service', () => {
  test('the clock of a test service determines the timestamps of new records', async () => {
    const { service, createRoom } = await startTestService()
    expect(Math.abs(service.clock.now() - Date.now())).toBeLessThan(1000)
    service.clock.freeze()
    const frozen = service.clock.now()
    await service.clock.advance('36h')
    expect(service.clock.now()).toBe(frozen + 36 * hour)
    const { created_at, updated_at } = (await createRoom()).body.room
    expect([created_at, updated_at]).toEqual(Array(2).fill(new Date(frozen + 36 * hour).toISOString()))
    service.clock.resume()
    expect(service.clock.now()).toBeGreaterThanOrEqual(frozen + 36 * hour)
  })

  test('clock.advance ends a meeting at max_meeting_seconds', async () => {
    const { service, join, room, sessions } = await startMeeting()
    service.clock.freeze()
    const startedAt = service.clock.now()
    const ada = await join('r', 'ada-token')
    await service.clock.advance('1m')
    expect(await room()).toMatchObject({ meeting_time: 0, remaining_seconds: 600 })
    const bob = await join('r', 'bob-token')
    await service.clock.advance('9m')
    expect(await room()).toMatchObject({ meeting_time: 540, remaining_seconds: 60, terminated_at: null })
    await service.clock.advance('1h')
    for (const peer of [ada, bob])
      expect(await peer.closed).toEqual({ code: 4002, reason: 'the room is terminated' })
    const terminated_at = new Date(startedAt + 11 * 60_000).toISOString()
    expect(await room()).toMatchObject({ meeting_time: 600, remaining_seconds: 0, terminated_at })
    for (const session of await sessions())
      expect(session).toMatchObject({ disconnected_at: terminated_at, end_reason: 'ended' })
  })

  test('clock.advance disconnects only a client that does not respond to pings', async () => {
    const { service, join, sessions } = await startMeeting()
    service.clock.freeze()
    const now = service.clock.now()
    await join('r', 'ada-token')
    const silent = await join('r', 'bob-token', true)
    await service.clock.advance('52w')
    expect((await silent.closed).code).toBe(1006)
    const [lost, alive] = await sessions()
    expect(lost.disconnected_at).toBe(new Date(now + 15_000).toISOString())
    expect(lost.end_reason).toBe('lost')
    expect(alive.disconnected_at).toBeNull()
  })

  test('clock.advance sends the due webhook retries before it resolves', async () => {
    const receiver = await startReceiver((_, response) => void response.writeHead(503).end())
    const { service, join } = await startMeeting(receiver.url)
    await join('r', 'ada-token')
    const first = await service.webhooks.next()
    // The third attempt is due 24 s to 36 s after the second attempt.
    await service.clock.advance('10s')
    expect(receiver.inbox.all.length).toBe(2)
    await service.clock.advance('25h')
    const events = receiver.inbox.all.map(({ headers }) => headers)
    // The pauses are about 5 s, 30 s, 2 min, 10 min, 30 min, 1 h, 2 h and 4 h, then 6 h until the event is a
    // day old.
    expect(events.length).toBeGreaterThanOrEqual(11)
    expect(new Set(events.map((headers) => headers['webhook-id']))).toEqual(new Set([first.id]))
    const count = receiver.inbox.all.length
    await service.clock.advance('30d')
    expect(receiver.inbox.all.length).toBe(count)
  })

  test.each(['1 hour', '', 0, -5, Number.NaN, '600w', {}, undefined])(
    'clock.advance rejects for the invalid duration %o',
    async (duration) => {
      const { service } = await startTestService({})
      await expect(service.clock.advance(duration as string)).rejects.toThrow(
        'the duration must be text such as 1h, or milliseconds, up to 3650 days, not',
      )
    },
  )
})

describe('webhooks.next', () => {
  test('webhooks.next returns each attempt once and in order', async () => {
    const receiver = await startReceiver()
    const { service, join } = await startMeeting(receiver.url)
    const ada = await join('r', 'ada-token')
    await service.webhooks.idle()
    await join('r', 'bob-token')
    await ada.leave()
    const left = await service.webhooks.next(({ type }) => type === 'sessionLeft')
    expect(left).toMatchObject({ attempt: 1, status: 200, url: receiver.url, payload: { userId: 'ada' } })
    expect(JSON.parse(left.body)).toEqual({ action: 'sessionLeft', payload: left.payload })
    const joined = [await service.webhooks.next(), await service.webhooks.next()]
    expect(joined.map(({ payload }) => payload.userId)).toEqual(['ada', 'bob'])
    expect(receiver.inbox.all.map(({ headers }) => headers['webhook-id'])).toEqual([
      ...joined.map(({ id }) => id),
      left.id,
    ])
  })

  test('webhooks.next returns different attempts to two pending calls', async () => {
    const { service, join } = await startMeeting((await startReceiver()).url)
    const both = Promise.all([service.webhooks.next(), service.webhooks.next()])
    await join('r', 'ada-token')
    await join('r', 'bob-token')
    expect((await both).map(({ payload }) => payload.userId)).toEqual(['ada', 'bob'])
  })

  test('webhooks.next rejects after its timeout with a list of the sent attempts', async () => {
    const { service, join } = await startMeeting()
    await expect(service.webhooks.next(undefined, { timeout: 20 })).rejects.toThrow(
      'no webhook matched within 0.02 s; none was sent',
    )
    await join('r', 'ada-token')
    await service.webhooks.next()
    await expect(service.webhooks.next(({ attempt }) => attempt > 9, { timeout: '20ms' })).rejects.toThrow(
      'no webhook matched within 0.02 s; these were sent:\n  sessionJoined room r user ada, attempt 1: unreachable',
    )
  })

  test('webhooks.next rejects if its condition throws or the service is reset or closed', async () => {
    const { service, join } = await startMeeting()
    const failing = service.webhooks.next(() => {
      throw new Error('a bug in the test')
    })
    const caught = expect(failing).rejects.toThrow('a bug in the test')
    await join('r', 'ada-token')
    await caught
    await service.webhooks.next()
    const reset = expect(service.webhooks.next()).rejects.toThrow('the service was reset')
    await service.reset()
    await reset
    const closed = expect(service.webhooks.next()).rejects.toThrow('the service is closed')
    await service.close()
    await closed
    await expect(
      startTestService({}).then(({ service }) => service.webhooks.next(undefined, { timeout: '1 s' })),
    ).rejects.toThrow('timeout must be a duration such as 2s, or a number of milliseconds, not “1 s”')
  })
})
