import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, expectTypeOf, onTestFinished, test, vi } from 'vitest'
import type { OperationName } from '../../src/api/endpoints.ts'
import { startService } from '../../src/testing/testing.ts'
import type { Operation } from '../../src/testing/types.ts'
import { startReceiver } from '../helpers/receiver.ts'
import { seed, startTestService } from '../helpers/test-service.ts'
import { tempDir } from '../helpers/world.ts'

test('the published type Operation equals OperationName', () => {
  expectTypeOf<Operation>().toEqualTypeOf<OperationName>()
})

describe('startService', () => {
  test('startService resolves with a service that contains the seed', async () => {
    const { service, send } = await startTestService()
    expect(service.baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:[1-9]\d*\/v1$/)
    expect(service.seeded.users.map(({ user_id, access_token }) => [user_id, access_token])).toEqual([
      ['ada', 'ada-token'],
      ['bob', expect.stringMatching(/^.{42}$/)],
    ])
    const { room } = (await send('GET', '/rooms/weekly')).body
    const { members, pages, sessions, ...seeded } = service.seeded.rooms[0] ?? {}
    expect(seeded).toEqual(room)
    expect((await send('GET', '/rooms/weekly/members')).body.members).toEqual(members)
    expect([pages, sessions]).toEqual([[], []])
    expect((await send('GET', '/rooms/old')).body.room.terminated_at).not.toBeNull()
  })

  test('startService starts independent services in one process', async () => {
    const worlds = await Promise.all(Array.from({ length: 8 }, () => startTestService({})))
    expect(new Set(worlds.map(({ service }) => service.baseUrl)).size).toBe(8)
    expect(new Set(worlds.map(({ service }) => service.apiKey)).size).toBe(8)
    await Promise.all(worlds.map(({ createRoom }, i) => createRoom(`Room ${i}`)))
    worlds[0]?.service.faults.add({ status: 503 })
    await worlds[1]?.service.clock.advance('1d')
    for (const [i, { roomNames }] of worlds.slice(1).entries())
      expect(await roomNames()).toEqual([`Room ${i + 1}`])
    expect(worlds[2]?.service.clock.now()).toBeLessThan(worlds[1]?.service.clock.now() ?? 0)
    expect((await worlds[0]?.createRoom())?.status).toBe(503)
  })

  test('startService with apiKey starts a service that accepts only that key', async () => {
    const { send } = await startTestService({ seed, apiKey: 'my-key' })
    expect((await send('GET', '/rooms', undefined, 'my-key')).status).toBe(200)
    for (const key of ['my-key2', 'MY-KEY', 'ada', 'ada-token', 'test'])
      expect(await send('GET', '/rooms', undefined, key)).toMatchObject({
        status: 400,
        body: { error: { code: 'unauthorized' } },
      })
  })

  test.each([
    [
      { sed: {} },
      'startService has no option “sed”; options are seed, dataDir, port, apiKey, onUnknown, onUnmatchedFault, log',
    ],
    [{ onUnknown: 'warn' }, 'onUnknown must be throw, not “warn”'],
    [{ port: 70_000 }, 'port must be a whole number from 0 to 65535, not “70000”'],
    [{ apiKey: '' }, 'apiKey must be ASCII text without spaces'],
    [
      { apiKey: 'k', dataDir: '/tmp/x' },
      'apiKey and dataDir cannot be used together, because the directory stores its own key',
    ],
  ])('startService rejects for the invalid options %j', async (options, message) => {
    await expect(startService(options as object)).rejects.toThrow(message)
  })

  test('a test service responds while vitest fakes the clock', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    const { createRoom } = await startTestService()
    expect((await createRoom()).status).toBe(200)
  })

  test('a closed test service rejects further calls', async () => {
    const { service, join } = await startTestService()
    const peer = await join('weekly', 'ada-token')
    const report = await service.close()
    expect(report).toEqual({ unmatchedFaults: [], unknownOperations: [] })
    expect(await peer.closed).toMatchObject({ code: 1001 })
    await expect(fetch(service.baseUrl)).rejects.toThrow()
    expect(await service.close()).toBe(report)
    await expect(service.reset()).rejects.toThrow('the service is closed')
    await expect(service.clock.advance('1s')).rejects.toThrow('the service is closed')
    await expect(service.webhooks.next()).rejects.toThrow('the service is closed')
    expect(() => service.faults.add({ status: 503 })).toThrow('the service is closed')
  })

  test('startService rejects if another program uses the port', async () => {
    const { service } = await startTestService()
    const port = Number(new URL(service.baseUrl).port)
    await expect(startService({ port })).rejects.toThrow(
      `startService cannot use port ${port}: another program uses this port`,
    )
  })

  test('Symbol.asyncDispose closes a test service', async () => {
    const service = await startService()
    await service[Symbol.asyncDispose]()
    await expect(fetch(service.baseUrl)).rejects.toThrow()
  })
})

describe('a seed', () => {
  test('startService reads a seed from a JSON file', async () => {
    const file = join(tempDir(), 'seed.json')
    writeFileSync(file, JSON.stringify(seed))
    const { roomNames } = await startTestService({ seed: file })
    expect(await roomNames()).toEqual(['Old room', 'Weekly sync'])
  })

  test('a seed creates a room with its fields, member and pages', async () => {
    const src = 'https://cdn.example.com/1.png'
    const { service, send } = await startTestService({
      seed: {
        users: [
          {
            ...{ user_id: 'ada', name: 'Ada', profile_url: 'https://cdn.example.com/ada.png' },
            ...{ default_member_type: 'host', email: 'ada@example.com' },
          },
        ],
        rooms: [
          {
            ...{ name: 'Board', type: 'private', layout: 'grid', record: true, max_meeting_seconds: 60 },
            webhook: { url: 'https://hooks.example.com/', headers: { 'X-Token': 't' }, secret: 'secret' },
            members: [{ id: 'm1', user_id: 'ada', name: 'Chair', is_blocked: true }],
            pages: [{ entities: [{ type: 'Image', src }], size: { width: 4, height: 3 } }],
          },
        ],
      },
    })
    const [room] = service.seeded.rooms
    expect((await send('GET', `/rooms/${room?.id}`)).body.room).toMatchObject({
      ...{ name: 'Board', type: 'private', layout: 'grid', record: true, max_meeting_seconds: 60 },
    })
    expect((await send('GET', `/rooms/${room?.id}/members/m1`)).body.member).toMatchObject({
      ...{ user_id: 'ada', name: 'Chair', type: 'host', is_blocked: true },
    })
    expect((await send('GET', `/rooms/${room?.id}/pages`)).body.pages).toEqual(room?.pages)
    expect(room?.pages).toMatchObject([{ entities: [{ type: 'Image', src }], size: { width: 4, height: 3 } }])
  })

  test('meeting_time of a seeded room is the overlap of its ended sessions', async () => {
    const at = (time: string) => `2026-01-31T${time}:00Z`
    const visit = (from: string, to: string) => ({ connected_at: at(from), disconnected_at: at(to) })
    const { service, send } = await startTestService({
      seed: {
        users: [{ user_id: 'ada' }, { user_id: 'bob' }, { user_id: 'eve' }],
        rooms: [
          {
            ...{ id: 'weekly', name: 'Weekly sync', type: 'open', is_terminated: true },
            members: [
              { id: 'm1', user_id: 'ada', sessions: [visit('10:00', '11:00'), visit('09:00', '09:30')] },
              { user_id: 'bob', sessions: [{ id: 's1', ...visit('10:30', '12:00') }] },
              { user_id: 'eve', type: 'monitor', sessions: [visit('08:00', '13:00')] },
            ],
            sessions: [{ connected_at: '2026-01-31T12:50:00+01:00', disconnected_at: at('12:05') }],
          },
        ],
      },
    })
    const [seeded] = service.seeded.rooms
    const { sessions } = (await send('GET', '/rooms/weekly/sessions')).body
    expect(sessions).toEqual(seeded?.sessions)
    expect(sessions.map(({ user_id, connected_at }: any) => [user_id, connected_at.slice(11, 16)])).toEqual([
      [null, '11:50'],
      ['bob', '10:30'],
      ['ada', '10:00'],
      ['ada', '09:00'],
      ['eve', '08:00'],
    ])
    expect(sessions[1]).toMatchObject({ id: 's1', elapsed_time: 5400, end_reason: 'left' })
    expect(sessions[2]).toMatchObject({ member_id: 'm1', disconnected_at: '2026-01-31T11:00:00.000Z' })
    const { room } = (await send('GET', '/rooms/weekly')).body
    // Two participants are connected from 10:30 to 11:00 and from 11:50 to 12:00. A monitor does not count.
    expect(room).toMatchObject({ started_at: '2026-01-31T09:00:00.000Z', meeting_time: 40 * 60 })
    expect(seeded).toMatchObject(room)
    await service.reset()
    expect((await send('GET', '/rooms/weekly/sessions')).body.sessions).toEqual(sessions)
  })

  const room = { name: 'Room', type: 'open' }
  const visit = { connected_at: '2026-01-31T09:00:00Z', disconnected_at: '2026-01-31T10:00:00Z' }
  const users = [{ user_id: 'ada' }]
  test.each([
    [{ user: [] }, 'user is not a field of a seed; did you mean users?'],
    [
      { users: [{ user_id: 'ada', nmae: 'Ada' }] },
      'users[0].nmae is not a field of a seed; did you mean name?',
    ],
    [
      { rooms: [{ ...room, members: [{ userid: 'ada' }] }] },
      'rooms[0].members[0].userid is not a field of a seed; did you mean user_id?',
    ],
    [
      { rooms: [room, { ...room, webhook: { uri: 'x' } }] },
      'rooms[1].webhook.uri is not a field of a seed; did you mean url?',
    ],
    [
      { rooms: [{ ...room, xyzzy: 1 }] },
      'rooms[0].xyzzy is not a field of a seed; the fields are name, type,',
    ],
    [{ users: [{}] }, 'users[0].user_id is missing'],
    [{ rooms: [{ ...room, type: 'opn' }] }, 'rooms[0].type must be open, public or private, not “opn”'],
    [{ rooms: [{ ...room, members: [{ user_id: 'eve' }] }] }, 'rooms[0].members[0]: user_id: no such user'],
    [{ users: [{ user_id: 'ada' }, { user_id: 'ada' }] }, 'users[1].user_id “ada” occurs twice'],
    [
      {
        rooms: [
          { ...room, id: 'a' },
          { ...room, id: 'a' },
        ],
      },
      'rooms[1].id “a” occurs twice',
    ],
    [
      {
        users,
        rooms: [{ ...room, members: [{ user_id: 'ada', sessions: [{ ...visit, connected_at: '9:00' }] }] }],
      },
      'rooms[0].members[0].sessions[0].connected_at must be a timestamp such as 2026-01-31T09:00:00Z, not “9:00”',
    ],
    [
      { rooms: [{ ...room, sessions: [visit, { connected_at: visit.connected_at }] }] },
      'rooms[0].sessions[1].disconnected_at is missing',
    ],
    [
      { rooms: [{ ...room, sessions: [{ ...visit, disconnected_at: '2026-01-31T09:00:00+01:00' }] }] },
      'rooms[0].sessions[0].disconnected_at must not be before connected_at',
    ],
    [
      { rooms: [{ ...room, sessions: [{ ...visit, user_id: 'ada' }] }] },
      'rooms[0].sessions[0].user_id is not a field of a seed; the fields are id, connected_at, disconnected_at',
    ],
    [
      {
        users,
        rooms: [
          { ...room, sessions: [{ ...visit, id: 's' }] },
          { ...room, members: [{ user_id: 'ada', sessions: [{ ...visit, id: 's' }] }] },
        ],
      },
      'rooms[1].members[0].sessions[0].id “s” occurs twice',
    ],
    [
      { rooms: [{ ...room, type: 'private', sessions: [visit] }] },
      'rooms[0].sessions: anonymous participants can join only rooms of type open',
    ],
    [{ rooms: [{ ...room, id: '..' }] }, 'rooms[0]: “..” is not a valid room ID'],
    [[], 'it must be an object, not a list'],
    [null, 'it must be an object, not null'],
  ])('startService rejects for the invalid seed %j', async (bad, message) => {
    await expect(startService({ seed: bad as object })).rejects.toThrow(`the seed cannot be used: ${message}`)
  })

  test('startService rejects for a seed file that is missing or not valid JSON', async () => {
    const file = join(tempDir(), 'seed.json')
    await expect(startService({ seed: file })).rejects.toThrow(
      `the seed ${file} cannot be read: no such file`,
    )
    writeFileSync(file, '{"users": [}')
    await expect(startService({ seed: file })).rejects.toThrow(`the seed ${file} is not valid JSON`)
  })

  test('service.seed replaces the seed only if the new seed is valid', async () => {
    const { service, roomNames } = await startTestService()
    await service.seed({ rooms: [{ name: 'Other', type: 'open' }] })
    expect(await roomNames()).toEqual(['Other'])
    await expect(
      service.seed({ rooms: [{ name: 'Bad', type: 'open', members: [{ user_id: 'x' }] }] }),
    ).rejects.toThrow('no such user')
    expect(await roomNames()).toEqual(['Other'])
  })
})

describe('reset of a test service', () => {
  test('reset of a test service restores the seed with the same IDs and tokens', async () => {
    const receiver = await startReceiver((_, response) => void response.writeHead(500).end())
    const { service, send, createRoom, join, roomNames } = await startTestService()
    const before = service.seeded
    const webhook = { url: receiver.url }
    const { room } = (await send('POST', '/rooms', { name: 'Hooked', type: 'open', webhook })).body
    const peer = await join(room.id)
    expect(await service.webhooks.next()).toMatchObject({ type: 'sessionJoined', status: 500, attempt: 1 })
    await send('DELETE', '/users/bob')
    service.faults.add({ operation: 'createRoom', status: 503 })
    await service.clock.advance('1s')
    await service.reset()
    expect(await peer.closed).toEqual({ code: 1001, reason: 'the service is stopping' })
    expect(await roomNames()).toEqual(['Old room', 'Weekly sync'])
    expect((await createRoom()).status).toBe(200)
    const times = /"(created|updated|terminated)_at":"[^"]*"|"application_id":"[^"]*"/g
    expect(JSON.stringify(service.seeded).replace(times, '')).toBe(JSON.stringify(before).replace(times, ''))
    expect(Math.abs(service.clock.now() - Date.now())).toBeLessThan(1000)
    await service.clock.advance('1d')
    await expect(service.webhooks.next(undefined, { timeout: 0 })).rejects.toThrow('none was sent')
    expect(receiver.inbox.all.length).toBe(1)
  })

  test('reset of a test service aborts a delayed request', async () => {
    const { service, createRoom, roomNames } = await startTestService({})
    const fault = service.faults.add({ operation: 'createRoom', delay: '1h' })
    const delayed = createRoom('delayed').then(
      () => 'answered',
      () => 'broken',
    )
    while (fault.matched === 0) await new Promise((resolve) => setImmediate(resolve))
    await service.reset()
    expect(await delayed).toBe('broken')
    const writes = Array.from({ length: 8 }, (_, i) => createRoom(`Room ${i}`))
    const reset = service.reset()
    const later = createRoom('later')
    await reset
    expect((await later).status).toBe(200)
    await Promise.all(writes)
    expect((await roomNames()).includes('delayed')).toBe(false)
  })

  test('concurrent resets restore the seed of a test service', async () => {
    const { service, roomNames } = await startTestService()
    await Promise.all([service.reset(), service.clock.advance('1h'), service.reset()])
    expect(await roomNames()).toEqual(['Old room', 'Weekly sync'])
  })
})

describe('an unknown operation', () => {
  test.each([
    ['POST', '/room', 'createRoom (POST /v1/rooms)'],
    ['GET', '/users/ada/more', 'getUser (GET /v1/users/{user_id})'],
    ['PATCH', '/rooms/weekly', 'updateRoom (PUT /v1/rooms/{id})'],
    ['POST', '/rooms/weekly/messages', 'sendMessage (POST /v1/rooms/{room_id}/message)'],
    ['POST', '/rooms/weekly/pages', 'createPages (POST /v1/rooms/{room_id}/pages/create_many)'],
  ])(
    'the response to the unknown operation %s %s suggests the nearest operation',
    async (method, path, nearest) => {
      const { send } = await startTestService()
      expect(await send(method, path, method === 'GET' ? undefined : {})).toMatchObject({
        status: 400,
        body: {
          error: {
            code: 'unknown_operation',
            message: `no such operation: ${method} /v1${path}; did you mean ${nearest}?`,
          },
        },
      })
    },
  )

  test('reset and close reject after an unknown operation with onUnknown: throw', async () => {
    const { service, send } = await startTestService({ onUnknown: 'throw' })
    await send('POST', '/room', {})
    await expect(service.reset()).rejects.toThrow('requests for unknown operations: POST /v1/room')
    await service.reset()
    await send('GET', '/nothing', undefined, 'wrong key')
    await service.reset()
    await send('GET', '/nothing')
    await expect(service.close()).rejects.toThrow('requests for unknown operations: GET /v1/nothing')
    const silent = await startTestService()
    await silent.send('GET', '/nothing')
    expect(await silent.service.close()).toMatchObject({ unknownOperations: ['GET /v1/nothing'] })
  })
})

describe('startService with dataDir', () => {
  test('startService with dataDir keeps the workspace after a restart', async () => {
    const dataDir = join(tempDir(), 'data')
    const first = await startTestService({ seed, dataDir })
    await first.createRoom('Kept')
    await first.service.close()
    const second = await startTestService({ seed, dataDir })
    expect(await second.roomNames()).toEqual(['Kept', 'Old room', 'Weekly sync'])
    await second.service.reset()
    expect(await second.roomNames()).toEqual(['Old room', 'Weekly sync'])
    await expect(startService({ dataDir })).rejects.toThrow('is already served')
    await second.service.close()
    expect(existsSync(join(dataDir, 'serve.json'))).toBe(false)
  })

  test('startService with dataDir rejects if the workspace was not created by startService', async () => {
    const dataDir = tempDir()
    writeFileSync(join(dataDir, 'workspace.db'), '')
    await expect(startService({ dataDir })).rejects.toThrow(
      `the local workspace in ${dataDir} was not created by startService, and reset() would delete it`,
    )
  })
})
