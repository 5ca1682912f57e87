import { beforeEach, describe, expect, test } from 'vitest'
import { TransportError } from '../../src/api/wire.ts'
import { withRoomsInUse } from '../helpers/rooms-in-use.ts'
import { answer, baseUrl, createWorld, type Intercept, type World } from '../helpers/world.ts'

let world: World
let room: string
beforeEach(async () => {
  world = await createWorld()
  room = (await world.send('POST', '/rooms', { name: 'Standup', type: 'open' })).body.room.id
})

/** The requests so far, without the base URL. */
const asked = () => world.requests.map(({ url }) => url.slice(baseUrl.length))

/** Does something when the service has been asked so often, before it answers. */
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
  test('looks every two seconds until the room is terminated, and prints it as rooms get does', async () => {
    at(3, terminate)
    const { code, stdout, stderr, host } = await world.run(`rooms wait ${room} --for terminated`)
    expect({ code, stderr, slept: host.slept }).toEqual({ code: 0, stderr: '', slept: [2000, 2000] })
    expect(asked()).toEqual(Array(3).fill(`/rooms/${room}`))
    expect(stdout).toBe((await world.run(`rooms get ${room}`)).stdout)
  })

  test.each(['--json', '-o ndjson', '-o csv', '-o ids', '-q', '--query room.name', '--columns id,name'])(
    'prints with %s what rooms get prints',
    async (flags) => {
      const waited = await world.run(`rooms wait ${room} --for empty ${flags}`)
      expect(waited).toMatchObject({ code: 0, stderr: '' })
      expect(waited.stdout).toBe((await world.run(`rooms get ${room} ${flags}`)).stdout)
    },
  )

  test('started is a room that tells when it was started', async () => {
    const one = { id: 'r1', name: 'R', type: 'open', started_at: null as string | null }
    withRoomsInUse(world, [{ room: one }], {
      instead: () => {
        if (world.requests.length === 2) one.started_at = '2026-01-02T03:00:00.000Z'
        return undefined
      },
    })
    expect(await world.run('rooms wait r1 --for started -o ids')).toMatchObject({ code: 0, stdout: 'r1\n' })
    expect(asked()).toHaveLength(2)
  })

  describe('with sessions', () => {
    const session = (id: string) => ({ id, disconnected_at: null as string | null })
    let sessions: ReturnType<typeof session>[]
    let looks: () => string[]
    /** What happens in the room before the n-th time that the service is asked. */
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

    test('waits for what --where can ask about a room', async () => {
      events = { 3: () => sessions.push(session('a')), 5: () => sessions.push(session('b')) }
      const { code, stdout } = await world.run(['rooms', 'wait', 'r1', '--for', 'online>=2', '-o', 'ids'])
      expect({ code, stdout }).toEqual({ code: 0, stdout: 'r1\n' })
      const look = ['/rooms/r1', '/rooms/r1/sessions?is_connecting=true']
      expect(looks()).toEqual([...look, ...look, ...look])
    })

    test('empty is a room that nobody is in', async () => {
      sessions.push(session('a'))
      events = { 3: () => sessions.pop() }
      expect(await world.run('rooms wait r1 --for empty -o ids')).toMatchObject({ code: 0, stdout: 'r1\n' })
      expect(looks()).toHaveLength(4)
    })

    test('several conditions must hold at once, and sessions are asked for only when the rest holds', async () => {
      events = {
        // While two are in, the room has another name.
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

    test('durations count back from the moment of each look', async () => {
      // The room was created 11,045.678 seconds before the tests begin.
      const { code, host } = await world.run([...'rooms wait r1 --for age>11050s -o ids'.split(' ')])
      expect({ code, slept: host.slept }).toEqual({ code: 0, slept: [2000, 2000, 2000] })
    })

    test('what is blank or not told does not hold yet, and is named in the end', async () => {
      const wait = async (condition: string) =>
        (await world.run(['rooms', 'wait', 'r1', '--for', condition, '--timeout', '3'])).stderr.split('\n')[0]
      expect(await wait('terminated_at!=')).toBe(
        'error: timed out after 3s waiting for terminated_at!=: terminated_at is blank',
      )
      expect(await wait('layout=grid')).toBe(
        'error: timed out after 3s waiting for layout=grid: the service does not tell layout',
      )
      expect(await wait('last_active>1d')).toBe(
        'error: timed out after 3s waiting for last_active>1d: last_active is blank',
      )
      expect(await wait('idle>12h')).toBe(
        'error: timed out after 3s waiting for idle>12h: idle since 2026-01-02T00:00:00.000Z',
      )
    })
  })

  describe('and time', () => {
    test('ends with 9 after ten minutes, and says how the room is', async () => {
      const { code, stdout, stderr, host } = await world.run(`rooms wait ${room} --for terminated`)
      expect({ code, stdout, stderr }).toEqual({
        code: 9,
        stdout: '',
        stderr:
          'error: timed out after 10m waiting for terminated: status is active\n' +
          `hint: look at it with: meetroom rooms get ${room} --base-url https://meet.test/v1\n`,
      })
      expect(host.slept.reduce((sum, ms) => sum + ms)).toBe(600_000)
    })

    test.each([
      ['--timeout 5s --interval 2s', [2000, 2000, 750, 250]],
      ['--timeout 5s --interval 1m', [4750, 250]],
      ['--timeout 1s', [750, 250]],
      ['--timeout 0.3 --interval 100ms', [100, 100, 100]],
    ])('with %s looks in time, the last time shortly before the end', async (flags, slept) => {
      const { code, host } = await world.run(`rooms wait ${room} --for terminated ${flags}`)
      expect({ code, slept: host.slept.map(Math.round) }).toEqual({ code: 9, slept })
      expect(asked()).toHaveLength(slept.length)
    })

    test('is given before the command or behind it, and never by the environment', async () => {
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

    test('is an error object in JSON modes, which says that another wait may succeed', async () => {
      const { stderr } = await world.run(`rooms wait ${room} --for terminated --timeout 1s --json`)
      expect(JSON.parse(stderr)).toEqual({
        error: {
          code: 'condition',
          message: 'timed out after 1s waiting for terminated: status is active',
          hint: `look at it with: meetroom rooms get ${room} --base-url https://meet.test/v1`,
          retryable: true,
        },
      })
    })

    test('each request keeps the deadline of the settings, and never outlives the wait', async () => {
      const within = async (flags: string, env = {}) => {
        const { host, done } = world.start(`rooms wait ${room} --for terminated ${flags}`.split(' '), { env })
        const delays = host.hurry()
        world.intercept = async (_request, _next, signal) =>
          new Promise((_, reject) => {
            signal.addEventListener('abort', () => reject(new TransportError('no answer yet', true)))
          })
        // The clock goes on by what is slept; the first request is what counts here.
        const { code, stderr } = await done
        return { code, first: delays[0], stderr: stderr.split('\n')[0] }
      }
      expect(await within('--timeout 5m --interval 2m')).toEqual({
        code: 5,
        first: 30_000,
        stderr: 'error: timed out after 5m: no answer from meet.test within 0.25 s',
      })
      expect(await within('--timeout 5m', { MEETROOM_TIMEOUT: '45s' })).toMatchObject({ first: 45_000 })
      expect(await within('--timeout 20s', { MEETROOM_TIMEOUT: '45s' })).toMatchObject({ first: 20_000 })
    })

    test('^C ends it at once with 130', async () => {
      const { host, done } = world.start(['rooms', 'wait', room, '--for', 'terminated'])
      host.sleep = async (_ms, signal) => {
        host.signal('SIGINT')
        signal?.throwIfAborted()
      }
      expect(await done).toMatchObject({ code: 130, stdout: '', stderr: 'error: interrupted\n' })
      expect(asked()).toHaveLength(1)
    })
  })

  describe('goes on through', () => {
    test.each([
      ['a connection that is refused', refused],
      ['429', () => answer(429, {})],
      ['500 without JSON', () => answer(500, 'oops', { 'content-type': 'text/plain' })],
      ['500 with JSON', () => answer(500, { error: { message: 'starting' } })],
      ['502', () => answer(502, 'bad gateway')],
      ['503', () => answer(503, {})],
    ])('%s, without retries of its own and without a word off a terminal', async (_, failing) => {
      world.intercept = async (_request, next) => {
        if (world.requests.length === 3) await terminate()
        return [2, 4].includes(world.requests.length) || world.requests.length === 1 ? failing() : next()
      }
      const { code, stderr, host } = await world.run(`rooms wait ${room} --for terminated -o ids`)
      expect({ code, stderr, slept: host.slept }).toEqual({ code: 0, stderr: '', slept: [2000, 2000] })
    })

    test('the pause that the service asks for, when it is longer than its own', async () => {
      world.intercept = async (_, next) => {
        if (world.requests.length === 3) await terminate()
        const seconds = { 1: '7', 2: '1' }[world.requests.length]
        return seconds ? answer(429, {}, { 'retry-after': seconds }) : next()
      }
      const { code, host } = await world.run(`rooms wait ${room} --for terminated -o ids`)
      expect({ code, slept: host.slept }).toEqual({ code: 0, slept: [7000, 2000] })
    })

    test('a failure to tell who is in the room', async () => {
      world.intercept = async ({ url }, next) =>
        url.includes('sessions') && world.requests.length < 5 ? answer(503, {}) : next()
      expect(await world.run(`rooms wait ${room} --for empty -o ids`)).toMatchObject({ code: 0 })
      expect(asked()).toHaveLength(6)
    })

    test('a list that changes while it is read', async () => {
      let lists = 0
      world.intercept = async ({ url }, next) => {
        if (!url.includes('sessions')) return next()
        // One page of two, and somebody who came meanwhile is in the total alone.
        lists++
        const total = lists < 3 ? 3 : 0
        const sessions = total ? ['a', 'b'].map((id) => ({ id, disconnected_at: null })) : []
        return answer(200, { sessions, paging: { limit: 30, offset: 0, total } })
      }
      const { code, host } = await world.run(`rooms wait ${room} --for empty -o ids`)
      expect({ code, slept: host.slept }).toEqual({ code: 0, slept: [2000] })
    })

    test('a restart while it looks for the room by its name', async () => {
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

  describe('when the room could never be read, ends with', () => {
    const never = async (failing: Intercept, flags = '--timeout 5s') => {
      world.intercept = failing
      const { code, stderr, host } = await world.run(`rooms wait ${room} --for terminated ${flags}`)
      return { code, stderr, slept: host.slept.reduce((sum, ms) => sum + ms, 0) }
    }

    test('5 when nothing answered', async () => {
      expect(await never(refused)).toEqual({
        code: 5,
        stderr: 'error: timed out after 5s: no answer from meet.test: connection refused\n',
        slept: 5000,
      })
    })

    test('6 when the service failed', async () => {
      expect(await never(async () => answer(503, {}))).toMatchObject({
        code: 6,
        stderr: 'error: timed out after 5s: the service failed (503)\n',
      })
    })

    test('6 at once when the service asks for a pause beyond the deadline', async () => {
      expect(await never(async () => answer(429, {}, { 'retry-after': '60' }))).toMatchObject({
        code: 6,
        stderr:
          'error: the service asks for a pause beyond 5s: the service refuses the request (429)\n' +
          'hint: it asks you to wait 60 s\n',
        slept: 0,
      })
      expect(asked()).toHaveLength(1)
    })

    test('what the last failure says', async () => {
      const failing = async () => (world.requests.length < 3 ? answer(503, {}) : refused())
      expect(await never(failing)).toMatchObject({ code: 5 })
    })
  })

  test('when the room could be read before the service went away, ends with 9 and tells both', async () => {
    world.intercept = async (_, next) => (world.requests.length > 1 ? refused() : next())
    expect(await world.run(`rooms wait ${room} --for terminated --timeout 5s`)).toMatchObject({
      code: 9,
      stderr: expect.stringContaining(
        'waiting for terminated: status is active; then no answer from meet.test: connection refused\n',
      ),
    })
  })

  test('when a long value that holds the key is cut off, shows no part of the key', async () => {
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
    [4, 'the key is refused (401)', async () => answer(401, {})],
    [1, 'access to the room is denied', async () => answer(403, {})],
    [1, 'the request is refused', async () => answer(409, {})],
    [5, 'the certificate is bad', async () => Promise.reject(new TransportError('expired', false, false))],
  ] as const)('ends at once with %i when %s', async (code, _, failing) => {
    world.intercept = async (request, next) => (request.url.includes('?') ? next() : failing())
    const { host, ...ended } = await world.run(`rooms wait ${room} --for terminated`)
    expect(ended).toMatchObject({ code, stdout: '' })
    expect(host.slept).toEqual([])
  })

  test('ends with 3 when the room is deleted meanwhile', async () => {
    at(2, () => world.send('DELETE', `/rooms/${room}`))
    expect(await world.run(`rooms wait ${room} --for terminated`)).toMatchObject({ code: 3, stdout: '' })
  })

  describe('takes', () => {
    test('the name of a room, and looks it up once', async () => {
      at(3, terminate)
      const { code } = await world.run('rooms wait name:Standup --for terminated')
      expect(code).toBe(0)
      expect(asked()).toEqual(['/rooms?name=Standup&limit=10', `/rooms/${room}`, `/rooms/${room}`])
    })

    test('one id from standard input', async () => {
      const run = (stdin: string) => world.run('rooms wait - --for empty -o ids', { stdin })
      expect(await run(`${room}\n`)).toMatchObject({ code: 0, stdout: `${room}\n` })
      const problem = (what: string) => `error: standard input must hold one room id, not ${what}\n`
      expect(await run('')).toMatchObject({ code: 2, stderr: problem('none') })
      expect(await run('a\nb\n')).toMatchObject({ code: 2, stderr: problem('several') })
      expect(await run('name:Standup\n')).toMatchObject({ code: 3 })
    })

    test.each([
      [[], '--for <condition> is missing'],
      [
        ['--for', 'terminatd'],
        "--for takes terminated, started, empty or a condition as in 'online>=2', not “terminatd”",
      ],
      [['--for', 'colour=red'], '--for: no room has a field “colour”'],
      [['--for', 'online>=two'], '--for online>=two: expected a number'],
      [['--for', 'name~('], '--for name~(: not a regular expression'],
      [['--for', 'status=open'], '--for status=open: status is active, terminated'],
      [['--for', 'idle=3'], '--for idle=3: idle takes one of < <= > >= and a duration, as in idle>90d'],
      [
        ['--for', 'empty', '--interval', '0'],
        '--interval: “0” is not a duration from 0.1s to 24h, as in 30s, 10m or 1m30s',
      ],
      [
        ['--for', 'empty', '--timeout', '25h'],
        '--timeout: “25h” is not a duration above 0 and up to 24h, as in 30s, 10m or 1m30s',
      ],
      [
        ['--for', 'empty', '--columns', 'id', '--json'],
        '--columns works with the formats table, csv and tsv',
      ],
      [['--for', 'empty', '--all-profiles'], '--all-profiles is for commands that only read'],
    ])('%j as a usage error, before anything is sent', async (flags, message) => {
      const { code, stdout, stderr } = await world.run(['rooms', 'wait', room, ...flags])
      expect({ code, stdout, requests: asked() }).toEqual({ code: 2, stdout: '', requests: [] })
      expect(stderr).toContain(message)
    })

    test('--curl, which shows the request of one look and finds the room by its name', async () => {
      const { code, stdout } = await world.run(['rooms', 'wait', 'name:Standup', '--for', 'empty', '--curl'])
      expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining(`/v1/rooms/${room}`) })
      expect(asked()).toEqual(['/rooms?name=Standup&limit=10'])
    })
  })

  describe('on a terminal', () => {
    /** The lines that are shown one after the other, and whether the last one is wiped. */
    async function shown(argv: readonly string[], columns: number) {
      const run = await world.run(argv, { tty: true, columns, env: { NO_COLOR: '1' } })
      const parts = run.stderr.split('\u001b[K').slice(0, -1)
      const lines = parts.map((part) => part.slice(part.indexOf('\r') + 1))
      return { code: run.code, lines, stdout: run.stdout }
    }

    test('says what it waits for, how long it has waited and what there is so far', async () => {
      world.intercept = async (_, next) => {
        if (world.requests.length === 3) await terminate()
        return world.requests.length === 2 ? refused() : next()
      }
      const { lines } = await shown(['rooms', 'wait', room, '--for', 'terminated', '--timeout', '1m'], 120)
      expect(lines).toEqual([
        'waiting for terminated (0s of 1m): status is active',
        'waiting for terminated (2s of 1m): no answer from meet.test: connection refused',
        '',
      ])
    })

    test('fits into one line', async () => {
      const { code, lines } = await shown(
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

    test('with --quiet says nothing', async () => {
      at(2, terminate)
      expect((await shown(['rooms', 'wait', room, '--for', 'terminated', '-q'], 120)).lines).toEqual([])
    })
  })
})

describe('auth status --wait', () => {
  test('waits until the service answers, and says that the key works', async () => {
    world.intercept = async (_, next) =>
      world.requests.length < 3 ? refused() : world.requests.length < 4 ? answer(503, {}) : next()
    const { code, stdout, stderr, host } = await world.run('auth status --wait 30s --json')
    expect({ code, stderr, slept: host.slept }).toEqual({ code: 0, stderr: '', slept: [1000, 1000, 1000] })
    expect(JSON.parse(stdout)).toMatchObject({ base_url: baseUrl, works: true })
  })

  test('ends at once when the service refuses the key', async () => {
    const { code, stdout, stderr, host } = await world.run('auth status --wait 30s', {
      env: { MEETROOM_API_KEY: 'wrong-key-0123456789' },
    })
    expect({ code, slept: host.slept }).toEqual({ code: 4, slept: [] })
    expect(stdout).toMatch(/^works +false$/m)
    expect(stderr).toMatch(/^error: the service refuses the key\n/)
  })

  test.each([
    [5, 'timed out after 5s: no answer from meet.test: connection refused', refused],
    [6, 'timed out after 5s: the service failed (503)', async () => answer(503, {})],
  ] as const)('ends with %i when the time is up: %s', async (code, message, failing) => {
    world.intercept = failing
    const { stdout, ...run } = await world.run('auth status --wait 5')
    expect(run).toMatchObject({ code, stderr: `error: ${message}\n` })
    expect(stdout).toMatch(/^works +false$/m)
  })

  test('needs no service for the local workspace, and a base URL for any other', async () => {
    expect(await world.run('--local auth status --wait 1s')).toMatchObject({ code: 0 })
    const env = { MEETROOM_BASE_URL: undefined }
    expect(await world.run('auth status --wait 1s', { env })).toMatchObject({ code: 2 })
  })

  test('^C ends it at once with 130, and prints nothing', async () => {
    world.intercept = refused
    const { host, done } = world.start(['auth', 'status', '--wait', '1m'])
    host.sleep = async (_ms, signal) => {
      host.signal('SIGINT')
      signal?.throwIfAborted()
    }
    expect(await done).toMatchObject({ code: 130, stdout: '', stderr: 'error: interrupted\n' })
  })

  test('says on a terminal what it waits for', async () => {
    world.intercept = async (_, next) => (world.requests.length < 2 ? refused() : next())
    const { stderr } = await world.run('auth status --wait 30s', { tty: true, columns: 120 })
    expect(stderr).toContain(
      'waiting for https://meet.test/v1 (0s of 30s): no answer from meet.test: connection refused',
    )
  })
})
