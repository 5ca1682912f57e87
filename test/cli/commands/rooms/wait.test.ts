import { beforeEach, describe, expect, test } from 'vitest'
import { TransportError } from '../../../../src/api/wire.ts'
import { withRoomsInUse } from '../../../helpers/rooms-in-use.ts'
import { answer, baseUrl, createWorld, type Intercept, type World } from '../../../helpers/world.ts'

const diagnosis = 'hint: find the cause with: meetroom doctor --base-url https://meet.test/v1\n'

let world: World
let room: string
beforeEach(async () => {
  world = await createWorld()
  room = (await world.send('POST', '/rooms', { name: 'Standup', type: 'open' })).body.room.id
})

const requestedPaths = () => world.requests.map(({ url }) => url.slice(baseUrl.length))

/** Runs `work` before response number `count`. */
function at(count: number, work: () => unknown): void {
  world.intercept = async (_, next) => {
    if (world.requests.length === count) await work()
    return next()
  }
}

const terminate = () => world.send('PUT', `/rooms/${room}`, { is_terminated: true })
const refused = () => {
  throw new TransportError('connection refused', false)
}

describe('rooms wait', () => {
  test('rooms wait --for terminated polls every two seconds until the room is terminated', async () => {
    at(3, terminate)
    const { code, stdout, stderr, host } = await world.run(`rooms wait ${room} --for terminated`)
    expect({ code, stderr, slept: host.slept }).toEqual({ code: 0, stderr: '', slept: [2000, 2000] })
    expect(requestedPaths()).toEqual(Array(3).fill(`/rooms/${room}`))
    expect(stdout).toBe((await world.run(`rooms get ${room}`)).stdout)
  })

  test.each(['--json', '-o ndjson', '-o csv', '-o ids', '-q', '--query room.name', '--columns id,name'])(
    'rooms wait %s prints the same output as rooms get',
    async (flags) => {
      const waited = await world.run(`rooms wait ${room} --for empty ${flags}`)
      expect(waited).toMatchObject({ code: 0, stderr: '' })
      expect(waited.stdout).toBe((await world.run(`rooms get ${room} ${flags}`)).stdout)
    },
  )

  test('rooms wait --for started waits until started_at is set', async () => {
    const one = { id: 'r1', name: 'R', type: 'open', started_at: null as string | null }
    withRoomsInUse(world, [{ room: one }], {
      instead: () => {
        if (world.requests.length === 2) one.started_at = '2026-01-02T03:00:00.000Z'
        return undefined
      },
    })
    expect(await world.run('rooms wait r1 --for started -o ids')).toMatchObject({ code: 0, stdout: 'r1\n' })
    expect(requestedPaths()).toHaveLength(2)
  })

  describe('rooms wait with conditions', () => {
    const session = (id: string) => ({ id, disconnected_at: null as string | null })
    let sessions: ReturnType<typeof session>[]
    let looks: () => string[]
    /** Changes before the response to a request, by the number of the request. */
    let events: Record<number, () => unknown>
    beforeEach(() => {
      sessions = []
      events = {}
      const made = '2026-01-02T00:00:00.000Z'
      const one = { id: 'r1', name: 'R', type: 'private', terminated_at: null, created_at: made }
      looks = withRoomsInUse(world, [{ room: one, sessions, members: 3 }], {
        instead: () => {
          events[world.requests.length]?.()
          return undefined
        },
      })
    })

    test('rooms wait --for online>=2 waits until two sessions are online', async () => {
      events = { 3: () => sessions.push(session('a')), 5: () => sessions.push(session('b')) }
      const { code, stdout } = await world.run(['rooms', 'wait', 'r1', '--for', 'online>=2', '-o', 'ids'])
      expect({ code, stdout }).toEqual({ code: 0, stdout: 'r1\n' })
      const look = ['/rooms/r1', '/rooms/r1/sessions?is_connecting=true']
      expect(looks()).toEqual([...look, ...look, ...look])
    })

    test('rooms wait --for empty waits until no session is online', async () => {
      sessions.push(session('a'))
      events = { 3: () => sessions.pop() }
      expect(await world.run('rooms wait r1 --for empty -o ids')).toMatchObject({ code: 0, stdout: 'r1\n' })
      expect(looks()).toHaveLength(4)
    })

    test('rooms wait with several --for flags waits until all conditions are met', async () => {
      events = {
        // The first two participants leave before the first poll reads the sessions.
        1: () => sessions.push(session('a'), session('b')),
        2: () => sessions.splice(0),
        4: () => sessions.push(session('c'), session('d')),
      }
      const argv = ['rooms', 'wait', 'r1', '--for', 'name=R', '--for', 'online=2', '--for', 'members>2']
      expect(await world.run([...argv, '-o', 'ids'])).toMatchObject({ code: 0, stdout: 'r1\n' })
      const unmet = await world.run(['rooms', 'wait', 'r1', '--for', 'name=S', '--for', 'online=2'])
      expect(unmet.code).toBe(9)
      expect(looks().slice(-3)).toEqual(['/rooms/r1', '/rooms/r1', '/rooms/r1'])
    })

    test('rooms wait --for age>11050s evaluates the age at each poll', async () => {
      // The room was created 11,045.678 seconds before the test time.
      const { code, host } = await world.run([...'rooms wait r1 --for age>11050s -o ids'.split(' ')])
      expect({ code, slept: host.slept }).toEqual({ code: 0, slept: [2000, 2000, 2000] })
    })

    test('rooms wait reports the field value of an unmet condition after its timeout', async () => {
      const wait = async (condition: string) =>
        (await world.run(['rooms', 'wait', 'r1', '--for', condition, '--timeout', '3'])).stderr.split('\n')[0]
      expect(await wait('terminated_at!=')).toBe(
        'error: timed out after 3s waiting for terminated_at!=: terminated_at is empty',
      )
      expect(await wait('layout=grid')).toBe(
        'error: timed out after 3s waiting for layout=grid: the service does not show layout',
      )
      expect(await wait('last_active>1d')).toBe(
        'error: timed out after 3s waiting for last_active>1d: last_active is empty',
      )
      expect(await wait('idle>12h')).toBe(
        'error: timed out after 3s waiting for idle>12h: idle since 2026-01-02T00:00:00.000Z',
      )
    })
  })

  describe('rooms wait with a timeout', () => {
    test('rooms wait exits 9 after ten minutes by default', async () => {
      const { code, stdout, stderr, host } = await world.run(`rooms wait ${room} --for terminated`)
      expect({ code, stdout, stderr }).toEqual({
        code: 9,
        stdout: '',
        stderr:
          'error: timed out after 10m waiting for terminated: status is active\n' +
          `hint: show the room with: meetroom rooms get ${room} --base-url https://meet.test/v1\n`,
      })
      expect(host.slept.reduce((sum, ms) => sum + ms)).toBe(600_000)
    })

    test.each([
      ['--timeout 5s --interval 2s', [2000, 2000, 750, 250]],
      ['--timeout 5s --interval 1m', [4750, 250]],
      ['--timeout 1s', [750, 250]],
      ['--timeout 0.3 --interval 100ms', [100, 100, 100]],
    ])('rooms wait %s polls one last time before its timeout', async (flags, slept) => {
      const { code, host } = await world.run(`rooms wait ${room} --for terminated ${flags}`)
      expect({ code, slept: host.slept.map(Math.round) }).toEqual({ code: 9, slept })
      expect(requestedPaths()).toHaveLength(slept.length)
    })

    test('rooms wait accepts --timeout before or after the command name', async () => {
      const env = { MEETROOM_TIMEOUT: '7s' }
      const waited = async (line: string) => {
        const words = line.replace('WAIT', `rooms wait ${room} --for terminated`)
        const { host } = await world.run(words, { env })
        return host.slept.reduce((sum, ms) => sum + ms)
      }
      expect(await waited('--timeout 5s WAIT')).toBe(5000)
      expect(await waited('WAIT --timeout=1m30s')).toBe(90_000)
      expect(await waited('WAIT')).toBe(600_000)
    })

    test('rooms wait --json prints a retryable error object after its timeout', async () => {
      const { stderr } = await world.run(`rooms wait ${room} --for terminated --timeout 1s --json`)
      expect(JSON.parse(stderr)).toEqual({
        error: {
          code: 'condition',
          message: 'timed out after 1s waiting for terminated: status is active',
          hint: `show the room with: meetroom rooms get ${room} --base-url https://meet.test/v1`,
          retryable: true,
        },
      })
    })

    test('rooms wait limits each request to the request timeout and the remaining time', async () => {
      const within = async (flags: string, env = {}) => {
        const { host, done } = world.start(`rooms wait ${room} --for terminated ${flags}`.split(' '), { env })
        const delays = host.hurry()
        world.intercept = async (_request, _next, signal) =>
          new Promise((_, reject) => {
            signal.addEventListener('abort', () => reject(new TransportError('no response yet', true)))
          })
        // Only sleeps advance the clock, so later delays are not realistic.
        const { code, stderr } = await done
        return { code, first: delays[0], stderr: stderr.split('\n')[0] }
      }
      expect(await within('--timeout 5m --interval 2m')).toEqual({
        code: 5,
        first: 30_000,
        stderr: 'error: timed out after 5m: no response from meet.test within 0.25 s',
      })
      expect(await within('--timeout 5m', { MEETROOM_TIMEOUT: '45s' })).toMatchObject({ first: 45_000 })
      expect(await within('--timeout 20s', { MEETROOM_TIMEOUT: '45s' })).toMatchObject({ first: 20_000 })
    })

    test('rooms wait exits 130 immediately after ^C', async () => {
      const { host, done } = world.start(['rooms', 'wait', room, '--for', 'terminated'])
      host.sleep = async (_ms, signal) => {
        host.signal('SIGINT')
        signal?.throwIfAborted()
      }
      expect(await done).toMatchObject({ code: 130, stdout: '', stderr: 'error: interrupted\n' })
      expect(requestedPaths()).toHaveLength(1)
    })
  })

  describe('rooms wait after failures', () => {
    test.each([
      ['a refused connection', refused],
      ['a 429 response', () => answer(429, {})],
      ['a 500 response without JSON', () => answer(500, 'oops', { 'content-type': 'text/plain' })],
      ['a 500 response with JSON', () => answer(500, { error: { message: 'starting' } })],
      ['a 502 response', () => answer(502, 'bad gateway')],
      ['a 503 response', () => answer(503, {})],
    ])('rooms wait continues to poll after %s', async (_, failing) => {
      world.intercept = async (_request, next) => {
        if (world.requests.length === 3) await terminate()
        return [2, 4].includes(world.requests.length) || world.requests.length === 1 ? failing() : next()
      }
      const { code, stderr, host } = await world.run(`rooms wait ${room} --for terminated -o ids`)
      expect({ code, stderr, slept: host.slept }).toEqual({ code: 0, stderr: '', slept: [2000, 2000] })
    })

    test('rooms wait pauses for the longer of Retry-After and the interval after a 429 response', async () => {
      world.intercept = async (_, next) => {
        if (world.requests.length === 3) await terminate()
        const seconds = { 1: '7', 2: '1' }[world.requests.length]
        return seconds ? answer(429, {}, { 'retry-after': seconds }) : next()
      }
      const { code, host } = await world.run(`rooms wait ${room} --for terminated -o ids`)
      expect({ code, slept: host.slept }).toEqual({ code: 0, slept: [7000, 2000] })
    })

    test('rooms wait continues to poll after a failed request for sessions', async () => {
      world.intercept = async ({ url }, next) =>
        url.includes('sessions') && world.requests.length < 5 ? answer(503, {}) : next()
      expect(await world.run(`rooms wait ${room} --for empty -o ids`)).toMatchObject({ code: 0 })
      expect(requestedPaths()).toHaveLength(6)
    })

    test('rooms wait continues to poll after an incomplete list of sessions', async () => {
      let lists = 0
      world.intercept = async ({ url }, next) => {
        if (!url.includes('sessions')) return next()
        // The page has two sessions; a third session is only in the total.
        lists++
        const total = lists < 3 ? 3 : 0
        const sessions = total ? ['a', 'b'].map((id) => ({ id, disconnected_at: null })) : []
        return answer(200, { sessions, paging: { limit: 30, offset: 0, total } })
      }
      const { code, host } = await world.run(`rooms wait ${room} --for empty -o ids`)
      expect({ code, slept: host.slept }).toEqual({ code: 0, slept: [2000] })
    })

    test('rooms wait retries the lookup of the room name after refused connections', async () => {
      world.intercept = async (_, next) => (world.requests.length < 3 ? refused() : next())
      const { code, stdout } = await world.run([
        'rooms',
        'wait',
        'name:Standup',
        '--for',
        'empty',
        '-o',
        'ids',
      ])
      expect({ code, stdout }).toEqual({ code: 0, stdout: `${room}\n` })
    })
  })

  describe('rooms wait without a successful poll', () => {
    const never = async (failing: Intercept, flags = '--timeout 5s') => {
      world.intercept = failing
      const { code, stderr, host } = await world.run(`rooms wait ${room} --for terminated ${flags}`)
      return { code, stderr, slept: host.slept.reduce((sum, ms) => sum + ms, 0) }
    }

    test('rooms wait exits 5 after its timeout if the service never responds', async () => {
      expect(await never(refused)).toEqual({
        code: 5,
        stderr: `error: timed out after 5s: no response from meet.test: connection refused\n${diagnosis}`,
        slept: 5000,
      })
    })

    test('rooms wait exits 6 after its timeout if every response has status 503', async () => {
      expect(await never(async () => answer(503, {}))).toMatchObject({
        code: 6,
        stderr: 'error: timed out after 5s: the service failed (503)\n',
      })
    })

    test('rooms wait exits 6 immediately if Retry-After exceeds the timeout', async () => {
      expect(await never(async () => answer(429, {}, { 'retry-after': '60' }))).toMatchObject({
        code: 6,
        stderr:
          'error: the service asks for a pause longer than 5s: the service refuses the request (429)\n' +
          'hint: the service asks you to wait 60 s\n',
        slept: 0,
      })
      expect(requestedPaths()).toHaveLength(1)
    })

    test('rooms wait without a successful poll exits with the code of the last failure', async () => {
      const failing = async () => (world.requests.length < 3 ? answer(503, {}) : refused())
      expect(await never(failing)).toMatchObject({ code: 5 })
    })
  })

  test('rooms wait exits 9 if the service stops responding after the first poll', async () => {
    world.intercept = async (_, next) => (world.requests.length > 1 ? refused() : next())
    expect(await world.run(`rooms wait ${room} --for terminated --timeout 5s`)).toMatchObject({
      code: 9,
      stderr: expect.stringContaining(
        'waiting for terminated: status is active; then no response from meet.test: connection refused\n',
      ),
    })
  })

  test('rooms wait redacts the key in a truncated field value', async () => {
    const name = `${'x'.repeat(45)}${world.apiKey}`
    world.intercept = async () => answer(200, { room: { id: 'r1', name, type: 'open' } })
    const argv = ['rooms', 'wait', 'r1', '--for', 'name=R', '--timeout', '1s']
    const { code, stderr } = await world.run(argv, { tty: true, columns: 200 })
    expect(code).toBe(9)
    expect(stderr).toContain('name is xxx')
    expect(stderr).not.toContain(world.apiKey.slice(0, 12))
  })

  test.each([
    [3, 'the room does not exist', async () => answer(404, { error: { code: 'not_found' } })],
    [4, 'the service rejects the key', async () => answer(401, {})],
    [1, 'access to the room is denied', async () => answer(403, {})],
    [1, 'the service responds with 409', async () => answer(409, {})],
    [
      5,
      'the certificate is invalid',
      async () => Promise.reject(new TransportError('expired', false, false)),
    ],
  ] as const)('rooms wait exits %i immediately if %s', async (code, _, failing) => {
    world.intercept = async (request, next) => (request.url.includes('?') ? next() : failing())
    const { host, ...ended } = await world.run(`rooms wait ${room} --for terminated`)
    expect(ended).toMatchObject({ code, stdout: '' })
    expect(host.slept).toEqual([])
  })

  test('rooms wait exits 3 when the room is deleted during the wait', async () => {
    at(2, () => world.send('DELETE', `/rooms/${room}`))
    expect(await world.run(`rooms wait ${room} --for terminated`)).toMatchObject({ code: 3, stdout: '' })
  })

  describe('arguments of rooms wait', () => {
    test('rooms wait name:NAME looks up the room once', async () => {
      at(3, terminate)
      const { code } = await world.run('rooms wait name:Standup --for terminated')
      expect(code).toBe(0)
      expect(requestedPaths()).toEqual(['/rooms?name=Standup&limit=10', `/rooms/${room}`, `/rooms/${room}`])
    })

    test('rooms wait - reads exactly one room ID from stdin', async () => {
      const run = (stdin: string) => world.run('rooms wait - --for empty -o ids', { stdin })
      expect(await run(`${room}\n`)).toMatchObject({ code: 0, stdout: `${room}\n` })
      const problem = (count: number) => `error: standard input must contain one room ID, not ${count}\n`
      expect(await run('')).toMatchObject({ code: 2, stderr: problem(0) })
      expect(await run('a\nb\n')).toMatchObject({ code: 2, stderr: problem(2) })
      expect(await run('name:Standup\n')).toMatchObject({ code: 3 })
    })

    test.each([
      [[], '--for is missing'],
      [
        ['--for', 'terminatd'],
        "--for must be terminated, started, empty or a condition such as 'online>=2', not “terminatd”",
      ],
      [['--for', 'colour=red'], '--for: no room has a field “colour”'],
      [['--for', 'online>=two'], '--for online>=two: the value must be a number, not “two”'],
      [['--for', 'name~('], '--for name~(: the value is not a valid regular expression'],
      [['--for', 'status=open'], '--for status=open: status must be active or terminated, not “open”'],
      [['--for', 'idle=3'], '--for idle=3: idle needs one of < <= > >= and a duration, such as idle>90d'],
      [
        ['--for', 'empty', '--interval', '0'],
        '--interval must be a duration such as 30s or 1m30s, at least 0.1s and at most 24h, not “0”',
      ],
      [
        ['--for', 'empty', '--timeout', '25h'],
        '--timeout: the timeout must be a duration such as 30s or 1m30s, above 0 and at most 24h, not “25h”',
      ],
      [['--for', 'empty', '--columns', 'id', '--json'], '--columns cannot be used with the format json'],
      [['--for', 'empty', '--all-profiles'], '--all-profiles cannot be used with “rooms wait”'],
    ])('rooms wait with the flags %j exits 2 before any request', async (flags, message) => {
      const { code, stdout, stderr } = await world.run(['rooms', 'wait', room, ...flags])
      expect({ code, stdout, requests: requestedPaths() }).toEqual({ code: 2, stdout: '', requests: [] })
      expect(stderr).toContain(message)
    })

    test('rooms wait name:NAME --curl sends only the lookup request', async () => {
      const { code, stdout } = await world.run(['rooms', 'wait', 'name:Standup', '--for', 'empty', '--curl'])
      expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining(`/v1/rooms/${room}`) })
      expect(requestedPaths()).toEqual(['/rooms?name=Standup&limit=10'])
    })
  })

  describe('rooms wait on a terminal', () => {
    async function runOnTerminal(argv: readonly string[], columns: number) {
      const run = await world.run(argv, { tty: true, columns, env: { NO_COLOR: '1' } })
      const parts = run.stderr.split('\u001b[K').slice(0, -1)
      const lines = parts.map((part) => part.slice(part.indexOf('\r') + 1))
      return { code: run.code, lines, stdout: run.stdout }
    }

    test('rooms wait on a terminal shows the elapsed time and the current status', async () => {
      world.intercept = async (_, next) => {
        if (world.requests.length === 3) await terminate()
        return world.requests.length === 2 ? refused() : next()
      }
      const { lines } = await runOnTerminal(
        ['rooms', 'wait', room, '--for', 'terminated', '--timeout', '1m'],
        120,
      )
      expect(lines).toEqual([
        'waiting for terminated (0s of 1m): status is active',
        'waiting for terminated (2s of 1m): no response from meet.test: connection refused',
        '',
      ])
    })

    test('rooms wait on a terminal truncates its progress message to one line', async () => {
      const { code, lines } = await runOnTerminal(
        ['rooms', 'wait', room, '--for', 'terminated', '--timeout', '1s'],
        40,
      )
      expect({ code, lines }).toEqual({
        code: 9,
        lines: [
          ...['waiting for terminated (0s of 1s): sta…', 'waiting for terminated (0s of 1s): sta…'],
          '',
        ],
      })
    })

    test('rooms wait --quiet prints no progress message on a terminal', async () => {
      at(2, terminate)
      expect((await runOnTerminal(['rooms', 'wait', room, '--for', 'terminated', '-q'], 120)).lines).toEqual(
        [],
      )
    })
  })
})

describe('auth status --wait', () => {
  test('auth status --wait polls until the service accepts the key', async () => {
    world.intercept = async (_, next) =>
      world.requests.length < 3 ? refused() : world.requests.length < 4 ? answer(503, {}) : next()
    const { code, stdout, stderr, host } = await world.run('auth status --wait 30s --json')
    expect({ code, stderr, slept: host.slept }).toEqual({ code: 0, stderr: '', slept: [1000, 1000, 1000] })
    expect(JSON.parse(stdout)).toMatchObject({ base_url: baseUrl, works: true })
  })

  test('auth status --wait exits 4 immediately if the service rejects the key', async () => {
    const { code, stdout, stderr, host } = await world.run('auth status --wait 30s', {
      env: { MEETROOM_API_KEY: 'wrong-key-0123456789' },
    })
    expect({ code, slept: host.slept }).toEqual({ code: 4, slept: [] })
    expect(stdout).toMatch(/^works +false$/m)
    expect(stderr).toMatch(/^error: the service refuses the key\n/)
  })

  test.each([
    [5, 'timed out after 5s: no response from meet.test: connection refused', diagnosis, refused],
    [6, 'timed out after 5s: the service failed (503)', '', async () => answer(503, {})],
  ] as const)(
    'auth status --wait exits %i after its timeout with the error “%s”',
    async (code, message, hint, failing) => {
      world.intercept = failing
      const { stdout, ...run } = await world.run('auth status --wait 5')
      expect(run).toMatchObject({ code, stderr: `error: ${message}\n${hint}` })
      expect(stdout).toMatch(/^works +false$/m)
    },
  )

  test('auth status --wait exits 2 without a base URL', async () => {
    expect(await world.run('--local auth status --wait 1s')).toMatchObject({ code: 0 })
    const env = { MEETROOM_BASE_URL: undefined }
    expect(await world.run('auth status --wait 1s', { env })).toMatchObject({ code: 2 })
  })

  test('auth status --wait exits 130 immediately after ^C', async () => {
    world.intercept = refused
    const { host, done } = world.start(['auth', 'status', '--wait', '1m'])
    host.sleep = async (_ms, signal) => {
      host.signal('SIGINT')
      signal?.throwIfAborted()
    }
    expect(await done).toMatchObject({ code: 130, stdout: '', stderr: 'error: interrupted\n' })
  })

  test('auth status --wait shows the base URL and the last failure on a terminal', async () => {
    world.intercept = async (_, next) => (world.requests.length < 2 ? refused() : next())
    const { stderr } = await world.run('auth status --wait 30s', { tty: true, columns: 120 })
    expect(stderr).toContain(
      'waiting for https://meet.test/v1 (0s of 30s): no response from meet.test: connection refused',
    )
  })
})
