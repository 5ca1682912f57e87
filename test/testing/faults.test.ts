import { connect as dial } from 'node:net'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Fault } from '../../src/testing/types.ts'
import { knock, Peer } from '../helpers/live.ts'
import { startTestService } from '../helpers/test-service.ts'
import { sized } from '../suites/size.ts'

const outcomeOf = (response: Promise<{ status: number }>) =>
  response.then(
    ({ status }) => status,
    () => 'broken' as const,
  )

describe('a fault', () => {
  test('a fault prevents the write unless the fault has after: write', async () => {
    const { service, createRoom, roomNames } = await startTestService({})
    service.faults.add({ operation: 'createRoom', status: 503 })
    const { status, body } = await createRoom('before')
    expect([status, body]).toEqual([503, { error: { code: 'injected_fault', message: 'injected fault' } }])
    service.faults.add({ operation: 'createRoom', status: 504, after: 'write' })
    expect((await createRoom('after')).status).toBe(504)
    expect((await createRoom('fine')).status).toBe(200)
    expect(await roomNames()).toEqual(['fine', 'after'])
  })

  test('a fault determines the status, headers and body of the response', async () => {
    const { service, send } = await startTestService({})
    const body = { message: 'slow down' }
    service.faults.add({ status: 429, headers: { 'Retry-After': '7' }, body })
    const response = await send('GET', '/rooms')
    expect(response).toMatchObject({ status: 429, body })
    expect(response.headers.get('retry-after')).toBe('7')
    expect(response.headers.get('content-type')).toMatch(/^application\/json/)
  })

  test.each([
    ['reset', undefined, []],
    ['reset', 'write', ['Room']],
    ['cut', undefined, ['Room']],
    ['cut', 'write', ['Room']],
  ] as const)(
    'a fault with connection: %s and after: %s breaks the connection',
    async (connection, after, names) => {
      const { service, createRoom, roomNames } = await startTestService({})
      service.faults.add({ operation: 'createRoom', connection, ...(after && { after }) })
      expect(await outcomeOf(createRoom())).toBe('broken')
      expect(await roomNames()).toEqual(names)
    },
  )

  test('a fault with a status and connection: cut prevents the write', async () => {
    const { service, createRoom, roomNames } = await startTestService({})
    service.faults.add({ operation: 'createRoom', status: 500, connection: 'cut' })
    expect(await outcomeOf(createRoom())).toBe('broken')
    expect(await roomNames()).toEqual([])
  })

  test('a fault with a delay responds when the service clock reaches the end of the delay', async () => {
    const { service, createRoom } = await startTestService({})
    const fault = service.faults.add({ operation: 'createRoom', delay: '1h' })
    const late = service.faults.add({ operation: 'createRoom', delay: '1h', status: 503, after: 'write' })
    const outcomes = Promise.all([outcomeOf(createRoom()), outcomeOf(createRoom())])
    while (fault.matched + late.matched < 2) await new Promise((resolve) => setImmediate(resolve))
    await service.clock.advance('61m')
    expect(await outcomes).toEqual([200, 503])
  })

  test('a reset of the service breaks the connection of a delayed fault', async () => {
    const { service, createRoom } = await startTestService({})
    const fault = service.faults.add({ operation: 'createRoom', delay: '1h', after: 'write' })
    const outcome = outcomeOf(createRoom())
    while (fault.matched === 0) await new Promise((resolve) => setImmediate(resolve))
    await service.reset()
    expect(await outcome).toBe('broken')
  })

  test('a fault with after: write ignores refused requests', async () => {
    const { service, send, createRoom } = await startTestService({})
    const fault = service.faults.add({ operation: 'createRoom', status: 503, after: 'write' })
    expect((await send('POST', '/rooms', { name: 'no type' })).status).toBe(400)
    expect(fault.matched).toBe(0)
    expect((await createRoom()).status).toBe(503)
    expect(fault.matched).toBe(1)
  })

  test('a fault matches only requests with the given operations and IDs and with a valid key', async () => {
    const { service, send } = await startTestService()
    service.faults.add({ operation: ['getUser', 'createUser'], id: ['bob', 'eve'], status: 503, times: 9 })
    expect((await send('GET', '/users/ada')).status).toBe(200)
    expect((await send('GET', '/users/bob', undefined, 'wrong')).status).toBe(400)
    expect((await send('GET', '/users/bob')).status).toBe(503)
    expect((await send('PUT', '/users/bob', { name: 'Bob' })).status).toBe(200)
    expect((await send('POST', '/users', { user_id: 'eve' })).status).toBe(503)
    expect((await send('POST', '/users', { user_id: 'kay' })).status).toBe(200)
  })

  test('close of a test service returns the unmatched faults', async () => {
    const { service, createRoom } = await startTestService({})
    service.faults.add({ operation: 'createRoom', status: 503, times: 3 })
    service.faults.add({ operation: 'deleteRoom', status: 503 })
    service.faults.add({ operation: 'getRoom', status: 503 }).remove()
    await createRoom()
    expect(await service.close()).toMatchObject({
      unmatchedFaults: ['{"operation":"deleteRoom","status":503}'],
    })
    const strict = await startTestService({ onUnmatchedFault: 'throw' })
    strict.service.faults.add({ status: 503, times: Number.POSITIVE_INFINITY })
    await expect(strict.service.close()).rejects.toThrow(
      'faults that no request matched: {"status":503,"times":"Infinity"}',
    )
  })

  test.each([
    [{ operation: 'creatRoom', status: 503 }, 'no such operation: “creatRoom”; did you mean createRoom?'],
    [
      { operation: 'xyzzy', status: 503 },
      'no such operation: “xyzzy”; operations are listRooms, createRoom,',
    ],
    [{ operation: 'conect', status: 503 }, 'no such operation: “conect”; did you mean connect?'],
    [{ operation: [], status: 503 }, 'operation of a fault must be one or more nonempty strings, not “[]”'],
    [{ satus: 503 }, 'a fault has no field “satus”; did you mean status?'],
    [{}, 'a fault needs status, delay or connection, as in { status: 503 }'],
    [{ status: 200 }, 'status of a fault must be a whole number from 400 to 599, not “200”'],
    [{ status: '503' }, 'status of a fault must be a whole number from 400 to 599, not “503”'],
    [{ status: 503, times: 0 }, 'times of a fault must be a whole number, at least 1, or Infinity, not “0”'],
    [
      { status: 503, probability: 1.5 },
      'probability of a fault must be a number above 0 and at most 1, not “1.5”',
    ],
    [{ status: 503, seed: 1 }, 'seed of a fault needs probability'],
    [{ status: 503, after: 'read' }, 'after of a fault must be write, not “read”'],
    [{ connection: 'drop' }, 'connection of a fault must be reset or cut, not “drop”'],
    [{ connection: 'reset', status: 503 }, 'status and connection “reset” cannot be used together'],
    [
      { delay: '1 s' },
      'delay of a fault must be a duration such as 500ms or 2s, or a number of milliseconds, not “1 s”',
    ],
    [{ delay: 1, body: {} }, 'headers and body of a fault need status'],
    [{ status: 429, headers: { 'Retry-After': 7 } }, 'headers.retry-after of a fault is not a valid header'],
    [{ status: 429, headers: { a: 'b\r\nc: d' } }, 'headers.a of a fault is not a valid header'],
    ['503', 'a fault must be an object, not “503”'],
    [null, 'a fault must be an object, not “null”'],
  ])('faults.add throws for the invalid fault %j', async (fault, message) => {
    const { service } = await startTestService({})
    expect(() => service.faults.add(fault as Fault)).toThrow(message)
  })
})

describe('a connect fault', () => {
  async function connect(baseUrl: string, room = 'weekly', token = 'ada-token') {
    const url = `${baseUrl.replace('http', 'ws')}/rooms/${room}/connect?access_token=${token}`
    const outcome = await knock(url, {}).catch(({ code, message }) => code ?? message)
    return outcome instanceof Peer ? (await outcome.closed).code : outcome
  }

  const refusal = { status: 503, code: 'injected_fault', message: 'injected fault' }
  test.each([
    [{ status: 503 }, refusal, []],
    [{ status: 503, after: 'write' }, refusal, ['lost']],
    [{ status: 429, body: { error: { code: 'busy' } } }, { status: 429, code: 'busy' }, []],
    [{ connection: 'reset' }, 'ECONNRESET', []],
    [{ connection: 'reset', after: 'write' }, 'ECONNRESET', ['lost']],
    [{ connection: 'cut' }, 1006, ['lost']],
  ] satisfies [Fault, unknown, string[]][])(
    'a connect fault with %j refuses or breaks the connection',
    async (fault, outcome, ends) => {
      const { service, send } = await startTestService()
      const added = service.faults.add({ operation: 'connect', ...fault })
      expect(await connect(service.baseUrl)).toEqual(outcome)
      expect(added.matched).toBe(1)
      await service.webhooks.idle()
      const { sessions } = (await send('GET', '/rooms/weekly/sessions')).body
      expect(sessions.map(({ end_reason }: { end_reason: string }) => end_reason)).toEqual(ends)
    },
  )

  test('a connect fault with connection: cut sends half of the response body', async () => {
    const { service } = await startTestService()
    service.faults.add({
      ...{ operation: 'connect', status: 503, connection: 'cut' },
      ...{ headers: { 'Retry-After': '7' }, body: 'x'.repeat(97) },
    })
    const { hostname, port } = new URL(service.baseUrl)
    const socket = dial(Number(port), hostname)
    socket.write(
      'GET /v1/rooms/weekly/connect HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
        `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${'A'.repeat(22)}==\r\n\r\n`,
    )
    const text = (await socket.setEncoding('utf8').toArray()).join('')
    expect(text).toMatch(/^HTTP\/1\.1 503 Service Unavailable\r\n/)
    expect(text).toContain('retry-after: 7\r\n')
    expect(text).toContain('Content-Length: 100\r\n')
    expect(text.split('\r\n\r\n')[1]).toHaveLength(50)
  })

  test('a connect fault with a delay opens the connection at the end of the delay', async () => {
    const { service, join } = await startTestService()
    const fault = service.faults.add({ operation: 'connect', delay: '1h' })
    const joined = join('weekly', 'ada-token')
    while (fault.matched === 0) await new Promise((resolve) => setImmediate(resolve))
    await service.clock.advance('61m')
    expect((await joined).session.user_id).toBe('ada')
  })

  test('a reset of the service breaks the connection of a delayed connect fault', async () => {
    const { service, send } = await startTestService()
    const fault = service.faults.add({ operation: 'connect', delay: '1h', after: 'write' })
    const outcome = connect(service.baseUrl)
    while (fault.matched === 0) await new Promise((resolve) => setImmediate(resolve))
    await service.reset()
    expect(await outcome).toBe('ECONNRESET')
    expect((await send('GET', '/rooms/weekly/sessions')).body.sessions).toEqual([])
  })

  test('a connect fault with after: write ignores refused connections', async () => {
    const { service } = await startTestService()
    const fault = service.faults.add({ operation: 'connect', status: 503, after: 'write' })
    expect(await connect(service.baseUrl, 'old')).toMatchObject({ code: 'terminated' })
    expect(fault.matched).toBe(0)
    expect(await connect(service.baseUrl)).toEqual(refusal)
  })

  test('a connect fault matches only connections to the given rooms', async () => {
    const { service, join, send } = await startTestService()
    const fault = service.faults.add({ operation: 'connect', id: 'weekly', status: 503, times: 2 })
    expect(await connect(service.baseUrl, 'old')).toMatchObject({ code: 'terminated' })
    expect((await send('GET', '/rooms/weekly')).status).toBe(200)
    expect(await Promise.all([connect(service.baseUrl), connect(service.baseUrl)])).toEqual([
      refusal,
      refusal,
    ])
    await join('weekly', 'ada-token')
    expect(fault.matched).toBe(2)
  })

  test('a fault without an operation ignores connections', async () => {
    const { service, join } = await startTestService()
    const fault = service.faults.add({ status: 503 })
    await join('weekly', 'ada-token')
    expect(fault.matched).toBe(0)
  })
})

describe('fault counts', () => {
  test('a fault makes at most `times` concurrent requests fail', async () => {
    const { service, createRoom, roomNames } = await startTestService({})
    await fc.assert(
      fc.asyncProperty(
        fc.nat(12),
        fc.integer({ min: 1, max: 12 }),
        fc.constantFrom('before', 'after'),
        fc.constantFrom<Partial<Fault>>({ status: 503 }, { connection: 'reset' }, { status: 500, delay: 1 }),
        async (count, times, when, effect) => {
          await service.reset()
          const fault = { operation: 'createRoom', times, ...effect } as const
          service.faults.add(when === 'after' ? { ...fault, after: 'write' } : fault)
          const outcomes = await Promise.all(Array.from({ length: count }, () => outcomeOf(createRoom())))
          const failed = Math.min(count, times)
          expect(outcomes.filter((outcome) => outcome !== 200).length).toBe(failed)
          expect((await roomNames()).length).toBe(when === 'after' ? count : count - failed)
        },
      ),
      { numRuns: sized(5, 60) },
    )
  })

  test('several faults apply in the order in which they were added', async () => {
    const { service, createRoom } = await startTestService({})
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({
            status: fc.constantFrom(400, 404, 429, 500, 503),
            times: fc.integer({ min: 1, max: 4 }),
          }),
          {
            maxLength: 5,
          },
        ),
        async (faults) => {
          await service.reset()
          for (const fault of faults) service.faults.add(fault)
          const expected = faults.flatMap(({ status, times }) => Array<number>(times).fill(status))
          const outcomes = []
          for (let i = 0; i <= expected.length; i++) outcomes.push((await createRoom()).status)
          expect(outcomes).toEqual([...expected, 200])
        },
      ),
      { numRuns: sized(8, 30) },
    )
  })

  test('a fault with a probability affects the same requests for the same seed', async () => {
    const { service, send } = await startTestService({})
    const draw = async (probability: number, seed: number, count = 200) => {
      await service.reset()
      service.faults.add({ operation: 'listRooms', status: 503, probability, seed })
      const outcomes = []
      for (let i = 0; i < count; i++) outcomes.push((await send('GET', '/rooms')).status === 503)
      return outcomes
    }
    const first = await draw(0.3, 7)
    const some = sized(50, 200)
    expect(await draw(0.3, 7, some)).toEqual(first.slice(0, some))
    expect(await draw(0.3, 8, some)).not.toEqual(first.slice(0, some))
    const hits = first.filter(Boolean).length
    expect(hits).toBeGreaterThan(35)
    expect(hits).toBeLessThan(85)
    expect((await draw(1, 0, some)).every(Boolean)).toBe(true)
  })
})
