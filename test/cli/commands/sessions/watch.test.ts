import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { testNow } from '../../../helpers/host.ts'
import { type Peer, restart, serveWorkspace } from '../../../helpers/live.ts'
import { away, events, replay, session, watchedRoom } from '../../../helpers/watched-room.ts'
import { answer, baseUrl, createWorld, tempDir } from '../../../helpers/world.ts'
import { sized } from '../../../suites/size.ts'

const at = (seconds: number) => new Date(testNow + seconds * 1000).toISOString()
const refused = (status: number, code: string) => answer(status, { error: { code, message: 'no' } })
const kinds = (stdout: string) =>
  events(stdout).map(({ event, session_id }) => (session_id ? `${event} ${session_id}` : event))

describe('output of sessions watch', () => {
  test('sessions watch prints the online sessions first, and then each join and leave', async () => {
    const room = await watchedRoom([
      { sessions: [session('s1', { name: 'Ada' })] },
      { sessions: [session('s1'), session('s2', { user_id: null, member_id: null })] },
      { sessions: [session('s2')] },
    ])
    const { code, stdout, stderr } = await room.run()
    const ada = { session_id: 's1', member_id: 'm-s1', user_id: 'u-s1', name: 'Ada' }
    const other = { session_id: 's2', member_id: null, user_id: null, name: null }
    const connected_at = '2026-01-02T03:00:00.000Z'
    expect({ code, stderr, told: events(stdout) }).toEqual({
      code: 0,
      stderr: '',
      told: [
        {
          at: at(0),
          event: 'room',
          room_id: 'r1',
          name: 'Standup',
          status: 'active',
          terminated_at: null,
        },
        { at: at(0), event: 'present', room_id: 'r1', ...ada, connected_at },
        { at: at(0), event: 'ready', room_id: 'r1', online: 1 },
        { at: at(2), event: 'joined', room_id: 'r1', ...other, connected_at, online: 2 },
        { at: at(4), event: 'left', room_id: 'r1', ...ada, connected_at, disconnected_at: null, online: 1 },
      ],
    })
    expect(stdout.split('\n')[2]).toBe(`{"at":"${at(0)}","event":"ready","room_id":"r1","online":1}`)
  })

  test('sessions watch redacts an API key in a response', async () => {
    const key = 'sk_live_0123456789abcdef'
    const looks = [{ sessions: [session('s1', { name: key })], room: { name: `x${key}`, status: key } }, {}]
    const room = await watchedRoom(looks)
    const { code, stdout } = await room.run('', { env: { MEETROOM_API_KEY: key } })
    expect({ code, names: events(stdout).map(({ name }) => name) }).toEqual({
      code: 0,
      names: ['x[API key]', '[API key]', undefined, 'Standup', '[API key]'],
    })
    expect(stdout).not.toContain(key.slice(0, 8))
  })

  test('sessions watch looks up name:NAME once, and prints the same events as for the room ID', async () => {
    const looks = [{ sessions: [session('s1')] }, {}]
    const byId = await (await watchedRoom(looks)).run()
    const room = await watchedRoom(looks)
    expect(await room.run('', {}, 'name:Standup')).toMatchObject({ code: 0, stdout: byId.stdout })
    expect(room.world.requests.filter(({ url }) => url.includes('name=Standup'))).toHaveLength(1)
  })

  test('sessions watch reports the renaming, termination and reopening of the room', async () => {
    const room = await watchedRoom([
      {},
      { room: { name: 'Retro' } },
      { room: { name: 'Retro', terminated_at: at(9) } },
      { room: { name: 'Retro' } },
    ])
    const { stdout } = await room.run()
    expect(
      events(stdout).map(({ event, name, status, terminated_at }) => [event, name, status, terminated_at]),
    ).toEqual([
      ['room', 'Standup', 'active', null],
      ['ready', undefined, undefined, undefined],
      ['room', 'Retro', 'active', null],
      ['room', 'Retro', 'terminated', at(9)],
      ['room', 'Retro', 'active', null],
    ])
  })

  test('sessions watch prints the same events in each JSON format, and applies --query', async () => {
    const looks = [{ sessions: [session('s1')] }, {}]
    const { stdout } = await (await watchedRoom(looks)).run()
    for (const format of ['-o json', '--json', '-o ndjson'])
      expect((await (await watchedRoom(looks)).run(format)).stdout).toBe(stdout)
    const { stdout: selected } = await (await watchedRoom(looks)).run('--query [[event,online]] -o tsv')
    expect(selected).toBe('room\t\npresent\t\nready\t1\nleft\t0\n')
  })

  test('sessions watch sorts joins between two polls by time', async () => {
    const late = session('late', { connected_at: at(1) })
    const unknown = session('unknown', { connected_at: null })
    const { stdout } = await (await watchedRoom([{}, { sessions: [unknown, late, session('early')] }])).run()
    expect(kinds(stdout).slice(2)).toEqual(['joined early', 'joined late', 'joined unknown'])
  })

  test('sessions watch writes each event to standard output separately', async () => {
    const { stdout, host } = await (await watchedRoom([{ sessions: [session('s1')] }])).run()
    expect(host.stdout.chunks.map(String)).toEqual(stdout.split(/(?<=\n)/))
  })

  test('sessions watch prints a large integer ID without rounding', async () => {
    const room = await watchedRoom([{ sessions: [session('s1')] }])
    const { intercept } = room.world
    room.world.intercept = async (request, ...rest) => {
      const given = (await intercept?.(request, ...rest)) ?? answer(500, {})
      const text = new TextDecoder().decode(given.body).replace('"id":"s1"', '"id":12345678901234567890')
      return { ...given, body: new TextEncoder().encode(text) }
    }
    expect((await room.run()).stdout).toContain('"session_id":12345678901234567890,')
  })
})

describe('participant names in sessions watch', () => {
  test('sessions watch reads participant names with at most one request for each member and each user', async () => {
    const sessions = [session('a'), session('b'), session('c', { user_id: undefined })]
    const { run, world } = await watchedRoom([{ sessions }, { sessions }], {
      '/rooms/r1/members/m-a': { member: { id: 'm-a', user_id: 'u-a', name: 'Ada' } },
      '/rooms/r1/members/m-b': { member: { id: 'm-b', user_id: 'u-b' } },
      '/rooms/r1/members/m-c': { member: { id: 'm-c', user_id: 'u-c' } },
      '/users/u-b': { user: { user_id: 'u-b', name: 'Grace' } },
    })
    const { stdout } = await run()
    expect(
      events(stdout).flatMap(({ event, user_id, name }) => (event === 'present' ? [[user_id, name]] : [])),
    ).toEqual([
      ['u-a', 'Ada'],
      ['u-b', 'Grace'],
      // The name of this user is unknown.
      ['u-c', null],
    ])
    const asked = world.requests
      .filter(({ url }) => /members|users/.test(url))
      .map(({ url }) => url.split('/v1')[1])
    expect(asked).toEqual([
      '/rooms/r1/members/m-a',
      '/rooms/r1/members/m-b',
      '/users/u-b',
      '/rooms/r1/members/m-c',
      '/users/u-c',
    ])
  })

  test('sessions watch reads the names of many new participants from the list of members', async () => {
    const sessions = Array.from({ length: 50 }, (_, i) => session(i))
    const members = sessions.map(({ member_id, user_id }) => ({
      id: member_id,
      user_id,
      name: `N ${user_id}`,
    }))
    const { run, world } = await watchedRoom([{ sessions }], { '/rooms/r1/members': { members } })
    const { stdout } = await run()
    expect(events(stdout)[50]).toMatchObject({ user_id: 'u-49', name: 'N u-49' })
    // Two more requests detect that this service ignores `limit` and `offset`.
    expect(world.requests.filter(({ url }) => url.includes('members'))).toHaveLength(3)
  })

  test('sessions watch prints null as the name if the member ID and the user ID are invalid', async () => {
    const { run } = await watchedRoom([{ sessions: [session('a', { member_id: '..', user_id: '..' })] }])
    expect(await run()).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('"name":null') })
  })

  test.each([
    ['a null member', answer(200, { member: null })],
    ['a member without an id', answer(200, { member: { name: 'Ada' } })],
    ['HTML instead of JSON', answer(200, '<html>', { 'content-type': 'text/html' })],
    ['a 500', answer(500, { error: { message: 'damaged' } })],
  ])(
    'sessions watch reports the join and the leave of a participant if the member response is %s',
    async (_, instead) => {
      const { run, world } = await watchedRoom([{}, { sessions: [session('a')] }, {}])
      const { intercept } = world
      world.intercept = async (request, ...rest) =>
        request.url.includes('/members/') || !intercept ? instead : intercept(request, ...rest)
      const { code, stdout, stderr } = await run()
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      expect(kinds(stdout)).toEqual(['room', 'ready', 'joined a', 'left a'])
    },
  )
})

describe('sessions watch with another service', () => {
  test('sessions watch prints disconnected_at if the service lists ended sessions', async () => {
    const gone = session('s0', { disconnected_at: at(-9) })
    const { stdout } = await (
      await watchedRoom([
        { sessions: [gone, session('s1')] },
        { sessions: [gone, session('s1', { disconnected_at: at(1) })] },
      ])
    ).run()
    expect(kinds(stdout)).toEqual(['room', 'present s1', 'ready', 'left s1'])
    expect(events(stdout).at(-1)).toMatchObject({ disconnected_at: at(1) })
  })

  test('sessions watch accepts lists with repeated sessions and missing fields', async () => {
    const bare = { id: 7 }
    const { stdout } = await (
      await watchedRoom([{ sessions: [bare, bare, session('7b')] }, { sessions: [bare] }])
    ).run()
    expect(kinds(stdout)).toEqual(['room', 'present 7b', 'present 7', 'ready', 'left 7b'])
    expect(events(stdout)[2]).toMatchObject({ session_id: 7, user_id: null, connected_at: null })
  })

  test('sessions watch omits the limit parameter after the service refuses it', async () => {
    const room = await watchedRoom([{ sessions: [session('s1')] }, { sessions: [session('s1')] }])
    const { intercept } = room.world
    room.world.intercept = async (request, ...rest) =>
      request.url.includes('limit=1000')
        ? answer(400, { error: { code: 'invalid_parameters', message: 'limit?' } })
        : ((await intercept?.(request, ...rest)) ?? answer(500, {}))
    expect(kinds((await room.run()).stdout)).toEqual(['room', 'present s1', 'ready'])
    expect(room.world.requests.filter(({ url }) => url.includes('limit=1000'))).toHaveLength(1)
  })

  test('sessions watch exits 6 for a session without an ID', async () => {
    const { run } = await watchedRoom([{ sessions: [{ user_id: 'ada' }] }])
    expect(await run()).toMatchObject({
      code: 6,
      stdout: '',
      stderr: 'error: the service’s response cannot be read: sessions[0] has no id\n',
    })
  })

  test('sessions watch reports a leave only after two polls without the session if lists are paged', async () => {
    const all = Array.from({ length: 5 }, (_, i) => session(`s${i}`, { name: 'N' }))
    const without = (...ids: string[]) => all.filter(({ id }) => !ids.includes(String(id)))
    const { run, world } = await watchedRoom([
      { sessions: all, page: 2 },
      { sessions: without('s2'), page: 2 },
      { sessions: all, page: 2 },
      { sessions: without('s3'), page: 2 },
      { sessions: without('s3', 's4'), page: 2 },
    ])
    const { stdout } = await run()
    expect(kinds(stdout).slice(7)).toEqual(['left s3', 'left s4'])
    expect(new Set(world.requests.map(({ url }) => url.split('?')[1]))).toContain(
      'is_connecting=true&limit=1000&offset=4',
    )
  })
})

describe('sessions watch with a failing service', () => {
  test('sessions watch retries a lost connection with backoff, and reports the recovery', async () => {
    const { run } = await watchedRoom([
      { sessions: [session('s1')] },
      ...Array.from({ length: 5 }, () => ({ instead: away() })),
      { sessions: [session('s2')] },
    ])
    const { code, stdout, stderr, host } = await run('--retries 0')
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr:
        'connection lost at 2026-01-02 03:04:07, retrying: no response from meet.test: connection refused\nconnected again after 4.7 s\n',
    })
    expect(kinds(stdout)).toEqual(['room', 'present s1', 'ready', 'lost', 'back', 'left s1', 'joined s2'])
    expect(events(stdout).slice(3, 5)).toEqual([
      { at: at(2), event: 'lost', room_id: 'r1', reason: 'no response from meet.test: connection refused' },
      { at: at(6.65), event: 'back', room_id: 'r1', seconds: 4.7 },
    ])
    // The pause doubles after each failure, and equals the interval after a success.
    expect(host.slept).toEqual([2000, 150, 300, 600, 1200, 2400, 2000])
  })

  test.each([
    ['keeps', 7, [1200, 2400, 4800]],
    ['resets', 8, [150, 300, 600]],
  ])('sessions watch %s the backoff after %i seconds of successful polls', async (_, seconds, pauses) => {
    const failing = Array.from({ length: 3 }, () => [{ instead: away() }, {}]).flat()
    const { run } = await watchedRoom([
      {},
      ...failing,
      ...Array.from({ length: seconds }, () => ({})),
      ...failing,
    ])
    const { host } = await run('--retries 0 --interval 1s')
    expect(host.slept.filter((ms) => ms !== 1000)).toEqual([150, 300, 600, ...pauses])
  })

  test('sessions watch prints no message if the retry of a failed request succeeds', async () => {
    const { run } = await watchedRoom([{}, { instead: away() }, {}])
    expect(await run()).toMatchObject({ code: 0, stderr: '' })
  })

  test.each([
    ['a 503', answer(503, 'busy', { 'retry-after': '40' }), 40_000],
    ['a 429', answer(429, { error: { message: 'slow down' } }, { 'retry-after': '40' }), 40_000],
    ['a 503 with a Retry-After of one day', answer(503, 'busy', { 'retry-after': '86400' }), 300_000],
    ['a 500 response with JSON', answer(500, { error: { message: 'out of memory' } }), 150],
    ['an HTML page', answer(200, '<html>'), 150],
    ['a redirect', answer(302, '', { location: '/login' }), 150],
    ['a 404 for every request', answer(404, 'nothing here'), 150],
  ])('sessions watch reports %s as a lost connection and retries', async (_, instead, waitMs) => {
    const { run } = await watchedRoom([{}, { instead }, {}])
    const { code, stdout, host } = await run('--retries 0')
    expect({ code, kinds: kinds(stdout) }).toEqual({ code: 0, kinds: ['room', 'ready', 'lost', 'back'] })
    expect(host.slept).toEqual([2000, waitMs, 2000])
  })

  test('sessions watch reports a 503 before it waits for Retry-After', async () => {
    const { run } = await watchedRoom([{}, { instead: answer(503, 'busy', { 'retry-after': '12' }) }, {}])
    const { stdout, stderr } = await run()
    expect(events(stdout)[2]).toMatchObject({ event: 'lost', reason: 'the service responded with 503' })
    expect(stderr).toMatch(
      /^connection lost at .*: the service responded with 503\nconnected again after 12 s\n$/,
    )
  })

  test('sessions watch exits 5 if the first request and its retry fail', async () => {
    const { run } = await watchedRoom([{ instead: away() }, { instead: away() }])
    expect(await run('--retries 1')).toMatchObject({
      code: 5,
      stdout: '',
      stderr:
        'connection refused; retrying in 0.1 s\nerror: no response from meet.test: connection refused\nhint: find the cause with: meetroom doctor --base-url https://meet.test/v1\n',
    })
  })

  test('sessions watch lengthens the interval if a poll takes longer than the interval', async () => {
    const room = await watchedRoom([{}, {}, {}])
    const { intercept } = room.world
    room.world.intercept = async (request, next, signal) => {
      await running.host.sleep(3000)
      return (await intercept?.(request, next, signal)) ?? next()
    }
    const running = room.start()
    const { host } = await running.done
    expect(host.slept.filter((ms) => ms !== 3000)).toEqual([2000, 6000, 6000])
  })
})

describe('sessions watch', () => {
  test.each([
    [401, 'unauthorized', 4],
    [403, 'forbidden', 1],
    [404, 'not_found', 3],
    [400, 'not_found', 3],
    [400, 'unauthorized', 4],
    [422, 'invalid', 1],
  ])('after a %i response with the code %s, sessions watch exits %i', async (status, word, code) => {
    const { world, run } = await watchedRoom([{}, {}])
    const { intercept } = world
    world.intercept = async (request, ...rest) => {
      const looks = world.requests.filter(({ url }) => url.endsWith('/rooms/r1'))
      if (looks.length > 1 && !request.url.includes('limit=1')) return refused(status, word)
      return (await intercept?.(request, ...rest)) ?? answer(500, {})
    }
    expect((await run()).code).toBe(code)
  })

  test('sessions watch exits 130 at ^C before the first poll, and 0 at ^C or SIGTERM after the first poll', async () => {
    const { start, world } = await watchedRoom([{}])
    const started = start()
    started.host.signal('SIGINT')
    expect((await started.done).code).toBe(130)
    world.intercept = undefined
    const { room } = (await world.send('POST', '/rooms', { name: 'R', type: 'open' })).body
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      const { host, done } = world.start(['sessions', 'watch', room.id])
      const { sleep } = host
      host.sleep = (...args) => {
        host.signal(signal)
        return sleep(...args)
      }
      expect(await done).toMatchObject({ code: 0, stderr: '' })
    }
  })

  test('sessions watch exits 0 without a message when the reader closes the pipe', async () => {
    const { start } = await watchedRoom([{}, { sessions: [session('s1')] }])
    const { host, done } = start()
    const { sleep } = host
    host.sleep = (...args) => {
      host.stdout.failure = Object.assign(new Error(), { code: 'EPIPE' })
      return sleep(...args)
    }
    expect(await done).toMatchObject({ code: 0, stderr: '' })
  })

  test('sessions watch exits 74 when the disk is full', async () => {
    const { start } = await watchedRoom([{}])
    const { host, done } = start()
    host.stdout.failure = Object.assign(new Error(), { code: 'ENOSPC' })
    expect((await done).code).toBe(74)
  })
})

describe('usage errors of sessions watch', () => {
  test.each([
    ['-o csv', '-o csv cannot be used with “sessions watch”, which prints a view or ndjson'],
    ['-o ids', '-o ids cannot be used with “sessions watch”, which prints a view or ndjson'],
    ['--columns name', '--columns cannot be used without the view on a terminal'],
    [
      '--interval 0',
      '--interval must be a duration such as 30s or 1m30s, at least 0.1s and at most 24h, not “0”',
    ],
    [
      '--interval 25h',
      '--interval must be a duration such as 30s or 1m30s, at least 0.1s and at most 24h, not “25h”',
    ],
    ['--dry-run', '--dry-run cannot be used with “sessions watch”'],
  ])('sessions watch %s exits 2 before any request', async (flags, message) => {
    const { run, world } = await watchedRoom([{}])
    expect(await run(flags)).toMatchObject({ code: 2, stderr: expect.stringContaining(`error: ${message}`) })
    expect(world.requests).toEqual([])
  })

  test('sessions watch exits 2 for an unknown column in the terminal view', async () => {
    const { run } = await watchedRoom([{}])
    expect(await run('--columns nope', { tty: true })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('no session has a field “nope”'),
    })
  })

  test('sessions watch --local exits 2 if the local workspace is not served', async () => {
    const world = await createWorld()
    expect(await world.run('sessions watch r1 --local')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('online sessions need a served local workspace'),
    })
  })
})

test('sessions watch waits at most five minutes after the computer slept during a poll', async () => {
  const { start, world } = await watchedRoom([{}, {}, {}])
  const { host, done } = start('--interval 10s')
  let asleepMs = 0
  const { monotonic } = host
  host.monotonic = () => monotonic() + asleepMs
  const { intercept } = world
  world.intercept = async (request, ...rest) => {
    // The machine sleeps for eight hours during the second poll.
    if (host.slept.length === 1 && request.url.includes('sessions')) asleepMs = 8 * 3_600_000
    return (await intercept?.(request, ...rest)) ?? answer(500, {})
  }
  await done
  expect(host.slept).toEqual([10_000, 300_000, 10_000])
})

test('sessions watch --interval 1m30s polls every 90 seconds', async () => {
  const { run } = await watchedRoom([{}, {}])
  expect((await run('--interval 1m30s')).host.slept).toEqual([90_000, 90_000])
})

test('sessions watch reads ten thousand sessions in eleven requests per poll', async () => {
  const sessions = Array.from({ length: 10_000 }, (_, i) => session(i, { name: 'N' }))
  const { run, world } = await watchedRoom([{ sessions, page: 1000 }])
  const { stdout } = await run()
  expect(replay(events(stdout)).size).toBe(10_000)
  expect(world.requests.filter(({ url }) => url.includes('sessions'))).toHaveLength(22)
})

const list = fc.uniqueArray(fc.integer({ min: 0, max: 12 }), { maxLength: 12 })

test('sessions watch prints events that reproduce the last list of sessions, for random lists', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.option(list), { minLength: 1, maxLength: 8 }),
      fc.option(fc.integer({ min: 1, max: 4 }), { nil: 0 }),
      async (lists, page) => {
        const looks = lists.map((ids) =>
          ids === null
            ? { instead: away() }
            : { page, sessions: ids.flatMap((id) => Array(1 + (id % 2)).fill(session(id, { name: 'N' }))) },
        )
        // A leave may be reported only at the second poll.
        const last = lists.findLast((ids) => ids !== null) ?? []
        const ending = { page, sessions: last.map((id) => session(id, { name: 'N' })) }
        const { run } = await watchedRoom([{}, ...looks, ending, ending])
        const { code, stdout } = await run('--retries 0')
        expect(code).toBe(0)
        expect([...replay(events(stdout))].map(Number).sort()).toEqual(last.toSorted())
      },
    ),
    { numRuns: sized(12, 60) },
  )
})

test('sessions watch reports joins, leaves and a restart of the embedded service', async () => {
  let served = await serveWorkspace({ dir: tempDir() })
  const token = await served.user('ada', { name: 'Ada' })
  const room = await served.room()
  const world = await createWorld()
  const { host, done } = world.start(['sessions', 'watch', room, '--retries', '0'], {
    env: { MEETROOM_API_KEY: served.apiKey },
  })
  world.intercept = async ({ url, method, headers }) => {
    const answer = await fetch(url.replace(baseUrl, served.baseUrl), { method, headers }).catch(() => {
      throw away()
    })
    return { status: answer.status, headers: {}, body: new Uint8Array(await answer.arrayBuffer()) }
  }
  const { sleep } = host
  let peer: Peer | undefined
  const steps = [
    async () => {
      peer = await served.join(room, { token })
    },
    async () => {
      await peer?.leave()
      await served.untilSessions(room, (sessions) => sessions.every((session) => session.disconnected_at))
    },
    async () => void (await served.ask('PUT', `/rooms/${room}`, { is_terminated: true })),
    () => served.stop(),
    async () => {
      served = await restart(served)
    },
  ]
  host.sleep = async (...args) => {
    const step = steps.shift()
    if (step) await step()
    else host.signal('SIGINT')
    return sleep(...args)
  }
  const { code, stdout } = await done
  expect({ code, kinds: events(stdout).map(({ event }) => event) }).toEqual({
    code: 0,
    kinds: ['room', 'ready', 'joined', 'left', 'room', 'lost', 'back'],
  })
  expect(events(stdout)[2]).toMatchObject({ user_id: 'ada', name: 'Ada', online: 1 })
})
