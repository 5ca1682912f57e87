import { describe, expect, test } from 'vitest'
import { TransportError, type WireRequest, type WireResponse } from '../../src/api/wire.ts'
import { main } from '../../src/main.ts'
import { testHost, testNow } from '../helpers/host.ts'
import { perTest } from '../helpers/per-test.ts'
import { latch, soon } from '../helpers/waiting.ts'
import { answer, answering, baseUrl, createWorld } from '../helpers/world.ts'

const world = perTest(createWorld)

const room = { id: 'r1', type: 'open', name: 'One' }
const member = { id: 'm1', room_id: 'r1', user_id: 'ada' }
const fine = answer(200, { room, member, user: { user_id: 'ada' }, message: 'hi', rooms: [room] })
const lost = () => new TransportError('the connection was reset', true)
const unsent = () => new TransportError('connection refused', false)

function respondInOrder(...steps: (WireResponse | Error)[]) {
  let at = 0
  world.intercept = async () => {
    const step = steps[Math.min(at++, steps.length - 1)]
    if (step instanceof Error) throw step
    return step as WireResponse
  }
}

function respondByPath(byPath: Record<string, WireResponse>) {
  world.intercept = async ({ url }) => byPath[url.slice(baseUrl.length)] ?? answer(404, {})
}

const neverRespond = (_request: WireRequest, _next: unknown, signal: AbortSignal) =>
  new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))

const methods = () => world.requests.map(({ method }) => method)
const posts = () => methods().filter((method) => method === 'POST')
const paths = () => world.requests.map(({ method, url }) => `${method} ${url.slice(baseUrl.length)}`)

async function outcome(argv: string | string[], env: Record<string, string> = {}) {
  const { code, stdout, stderr } = await world.run(argv, { env })
  return { code, stdout, stderr }
}

const repeatable = {
  GET: 'rooms get r1 -o ids',
  PUT: 'rooms update r1 --name One -o ids',
  DELETE: 'rooms delete r1 --yes -q -o ids',
  'POST /users': 'users create ada --overwrite -o ids',
}
const unrepeatable = {
  'POST /rooms': 'rooms create --name One --type open -o ids',
  'POST /rooms/{id}/members': 'members add r1 ada',
  'POST /rooms/{id}/message': 'message send r1 hi --quiet',
}

describe('meetroom', () => {
  for (const [what, command] of Object.entries(repeatable)) {
    test.each([429, 502, 503, 504, 520, 522, 524])(
      `meetroom retries ${what} after the status %i`,
      async (status) => {
        respondInOrder(answer(status, {}), answer(status, {}), fine)
        const { code, stdout, host } = await world.run(command)
        expect({ code, stdout }).toEqual({ code: 0, stdout: what === 'POST /users' ? 'ada\n' : 'r1\n' })
        expect(methods()).toEqual(Array(3).fill(what.split(' ')[0]))
        expect(host.slept).toEqual([150, 300])
      },
    )

    test.each([lost(), unsent()])(`meetroom retries ${what} after the failure $message`, async (failure) => {
      respondInOrder(failure, fine)
      const { code, host } = await world.run(command)
      expect({ code, slept: host.slept }).toEqual({ code: 0, slept: [150] })
      expect(world.requests).toHaveLength(2)
    })
  }

  for (const [what, command] of Object.entries(unrepeatable)) {
    test(`meetroom retries ${what} after the status 429`, async () => {
      respondInOrder(answer(429, {}), fine)
      await world.run(command)
      expect(world.requests).toHaveLength(2)
    })

    test(`meetroom retries ${what} if the connection is refused`, async () => {
      respondInOrder(unsent(), fine)
      await world.run(command)
      expect(world.requests).toHaveLength(2)
    })

    test.each([502, 503, 504, 520, 522, 524])(
      `meetroom does not retry ${what} after the status %i`,
      async (status) => {
        respondInOrder(answer(status, {}))
        expect((await world.run(command)).code).toBe(7)
        expect(posts()).toHaveLength(1)
      },
    )

    test(`meetroom retries ${what} after 503 with Retry-After`, async () => {
      respondInOrder(answer(503, {}, { 'retry-after': '2' }), fine)
      const { host } = await world.run(command)
      expect(world.requests).toHaveLength(2)
      expect(host.slept).toEqual([2000])
    })

    test(`meetroom exits 6 if all attempts of ${what} end in 503 with Retry-After`, async () => {
      respondInOrder(answer(503, {}, { 'retry-after': '1' }))
      expect((await world.run(command)).code).toBe(6)
      expect(world.requests).toHaveLength(3)
    })

    test(`meetroom does not retry ${what} after 503 with an invalid Retry-After`, async () => {
      respondInOrder(answer(503, {}, { 'retry-after': 'soon' }))
      const { code, stderr } = await world.run(command)
      expect({ code, stderr }).toEqual({
        code: 7,
        stderr: expect.stringMatching(
          /^error: the service failed \(503\); the outcome of the change is unknown.*\nhint: (check with:|ask a participant) /m,
        ),
      })
      expect(posts()).toHaveLength(1)
    })

    test(`meetroom does not retry ${what} after a connection reset`, async () => {
      respondInOrder(lost())
      const { code, stderr } = await world.run(command)
      expect(code).toBe(7)
      expect(stderr).toMatch(
        /^error: no response from meet.test: the connection was reset; the outcome of the change is unknown.*\nhint:/m,
      )
      expect(posts()).toHaveLength(1)
    })
  }

  test('meetroom announces each retry unless --quiet is set', async () => {
    respondInOrder(answer(503, {}), lost(), fine)
    expect(await outcome('rooms get r1 -o ids')).toEqual({
      code: 0,
      stdout: 'r1\n',
      stderr:
        'the service responded with 503; retrying in 0.1 s\nthe connection was reset; retrying in 0.3 s\n',
    })
    respondInOrder(answer(503, {}), fine)
    expect(await outcome('rooms get r1 -o ids --quiet')).toEqual({ code: 0, stdout: 'r1\n', stderr: '' })
  })

  test('meetroom retries with an identical request', async () => {
    respondInOrder(lost(), fine)
    await world.run(repeatable.PUT)
    expect(world.requests[1]).toEqual(world.requests[0])
  })

  test('rooms get does not retry if the certificate has expired', async () => {
    respondInOrder(new TransportError('the certificate has expired', false, false))
    expect(await outcome('rooms get r1')).toEqual({
      code: 5,
      stdout: '',
      stderr:
        'error: no response from meet.test: the certificate has expired\nhint: find the cause with: meetroom doctor --base-url https://meet.test/v1\n',
    })
    expect(world.requests).toHaveLength(1)
  })

  test.each([500, 501])('rooms get does not retry after the status %i', async (status) => {
    respondInOrder(answer(status, ''))
    expect((await world.run('rooms get r1')).code).toBe(6)
    expect(world.requests).toHaveLength(1)
  })

  test('rooms update exits 1 with the message of a 500 response with JSON', async () => {
    respondInOrder(answer(500, { error: { message: 'the room is not private' } }))
    expect(await outcome('rooms update r1 --name New')).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'error: the service reports a validation exception (500): the room is not private\n' +
        'hint: fix the request: in this API, 500 means that it is invalid\n',
    })
  })

  test('rooms create exits 7 and suggests a check command after a gateway timeout', async () => {
    respondInOrder(answer(504, {}))
    expect(await outcome('rooms create --name X --type open')).toEqual({
      code: 7,
      stdout: '',
      stderr:
        'error: the service failed (504); the outcome of the change is unknown\n' +
        'hint: check with: meetroom rooms list --name X --base-url https://meet.test/v1\n',
    })
  })

  test.each([429, 503])(
    'users update exits 7 if all retries after a lost response get a %i response',
    async (status) => {
      respondInOrder(lost(), answer(status, {}), answer(status, {}), answer(status, {}))
      expect(await world.run('users update ada --name Ada --retries 3')).toMatchObject({
        code: 7,
        stderr: expect.stringMatching(
          /(an earlier attempt got no response and may have made the change|the outcome of the change is unknown); a read .*\nhint: check with: meetroom users get ada --base-url https:\/\/meet\.test\/v1\n$/,
        ),
      })
    },
  )

  test.each([400, 404, 500])(
    'users update with a lost response and a %i retry exits 0 only if the service made the change',
    async (status) => {
      await world.send('POST', '/users', { user_id: 'ada', name: 'Old' })
      for (const isExecuted of [false, true]) {
        world.requests.length = 0
        world.intercept = async (request, next) => {
          if (request.method === 'GET') return next()
          if (methods().length > 1) return answer(status, {})
          if (isExecuted) await next()
          throw lost()
        }
        expect((await world.run('users update ada --name Ada')).code).toBe(isExecuted ? 0 : 7)
      }
    },
  )
})

describe('retries and timeouts', () => {
  test.each([
    ['--retries 0', 1],
    ['--retries 1', 2],
    ['', 3],
    ['--retries 5', 6],
  ])(
    'rooms get limits its attempts if every response is lost (flags: “%s”, attempts: %i)',
    async (flag, attempts) => {
      respondInOrder(lost())
      expect((await world.run(`rooms get r1 ${flag}`.trim())).code).toBe(5)
      expect(world.requests).toHaveLength(attempts)
    },
  )

  test('rooms get doubles the backoff before each retry up to 6 s', async () => {
    respondInOrder(answer(503, {}))
    const { host } = await world.run('rooms get r1 --retries 8 --timeout 60')
    expect(host.slept).toEqual([150, 300, 600, 1200, 2400, 4800, 6000, 6000])
  })

  test.each([
    ['seconds', '7', 7000],
    ['zero seconds', '0', 0],
    ['an HTTP date', new Date(testNow + 8000).toUTCString(), 7322],
    ['an HTTP date in the past', new Date(testNow - 8000).toUTCString(), 0],
    ['invalid text', 'soon', 150],
    ['an invalid fraction', '1.5', 150],
    ['an invalid negative number', '-5', 150],
  ])(
    'rooms get that receives a Retry-After with %s (%s) retries after %i ms',
    async (_what, header, waited) => {
      respondInOrder(answer(429, {}, { 'retry-after': header }), fine)
      const { code, host } = await world.run('rooms get r1')
      expect({ code, slept: host.slept }).toEqual({ code: 0, slept: [waited] })
    },
  )

  test.each(['31', '99999999999999999999', new Date(testNow + 31_000).toUTCString()])(
    'rooms get exits 6 without a retry if the Retry-After %s exceeds the timeout',
    async (header) => {
      respondInOrder(answer(503, {}, { 'retry-after': header }))
      const { code, stderr, host } = await world.run('rooms get r1')
      expect({ code, stderr }).toEqual({ code: 6, stderr: 'error: the service failed (503)\n' })
      expect(host.slept).toEqual([])
      expect(world.requests).toHaveLength(1)
    },
  )

  test('rooms get reports the Retry-After of a 429 response if it exceeds the timeout', async () => {
    respondInOrder(answer(429, { message: 'slow down' }, { 'retry-after': '3600' }))
    expect(await outcome('rooms get r1')).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'error: the service refuses the request (429): slow down\nhint: the service asks you to wait 3600 s\n',
    })
  })

  test('rooms get reports the date of a Retry-After that exceeds the timeout', async () => {
    const date = 'Fri, 31 Dec 9999 23:59:59 GMT'
    respondInOrder(answer(429, {}, { 'retry-after': date }))
    const { stderr } = await outcome('rooms get r1')
    expect(stderr).toContain(`hint: the service asks you to wait until ${date}\n`)
  })

  test('rooms get reports the last response if the next backoff exceeds the timeout', async () => {
    respondInOrder(answer(503, { message: 'overloaded' }))
    expect(await outcome('rooms get r1 --timeout 0.1')).toEqual({
      code: 6,
      stdout: '',
      stderr: 'error: the service failed (503): overloaded\n',
    })
  })

  test('rooms get keeps its backoff after the wall clock is set forward by an hour', async () => {
    world.intercept = async () => {
      host.setWallClock(3_600_000)
      return world.requests.length === 1 ? answer(503, {}) : fine
    }
    const { host, done } = world.start(['rooms', 'get', 'r1'])
    expect((await done).code).toBe(0)
    expect(host.slept).toEqual([150])
  })

  test('rooms get exits 5 at the timeout if the service sends no response', async () => {
    world.intercept = neverRespond
    expect(await outcome('rooms get r1 --timeout 0.05')).toEqual({
      code: 5,
      stdout: '',
      stderr:
        'error: no response from meet.test within 0.05 s\nhint: find the cause with: meetroom doctor --base-url https://meet.test/v1\n',
    })
  })

  test.each([
    ['rooms update r1 --name New', 'check with: meetroom rooms get r1 --base-url https://meet.test/v1'],
    ['rooms delete r1 --yes', 'check with: meetroom rooms get r1 --base-url https://meet.test/v1'],
    [
      'rooms create --name X --type open',
      'check with: meetroom rooms list --name X --base-url https://meet.test/v1',
    ],
    ['users create ada --overwrite', 'check with: meetroom users get ada --base-url https://meet.test/v1'],
    [
      'members update r1 m1 --type host',
      'check with: meetroom members get r1 m1 --base-url https://meet.test/v1',
    ],
    ['message send r1 hi', 'ask a participant before you send the message again'],
    [
      'pages create r1 --image https://x.test/1.png',
      'check with: meetroom pages list r1 --base-url https://meet.test/v1',
    ],
    [
      'api PUT /users/ada --data {"name":"A"}',
      'check with: meetroom api GET /users/ada --base-url https://meet.test/v1',
    ],
  ])(
    '“%s” exits 7 with a hint to check the result if the service sends no response',
    async (command, hint) => {
      world.intercept = neverRespond
      const { code, stdout, stderr } = await outcome(`${command} --timeout 0.05`)
      expect({ code, stdout }).toEqual({ code: 7, stdout: '' })
      expect(stderr).toMatch(
        /^error: no response from meet.test within 0.05 s; the outcome of the change is unknown/,
      )
      expect(stderr.split('\n').at(-2)).toBe(`hint: ${hint}`)
      expect(methods().filter((method) => method !== 'GET')).toHaveLength(1)
    },
  )

  test('rooms create quotes the name in the check command after a connection reset', async () => {
    respondInOrder(lost())
    const { stderr } = await world.run(['rooms', 'create', '--name', "Ada's; rm -rf $HOME", '--type', 'open'])
    expect(stderr).toContain(
      `hint: check with: meetroom rooms list --name 'Ada'\\''s; rm -rf $HOME' --base-url https://meet.test/v1\n`,
    )
  })

  test('rooms update exits 5 if the request is not sent before the timeout', async () => {
    world.intercept = (_request, _next, signal) =>
      new Promise((_, reject) =>
        signal.addEventListener('abort', () => reject(new TransportError('no connection yet', false))),
      )
    expect(await outcome('rooms update r1 --name New --timeout 0.05')).toEqual({
      code: 5,
      stdout: '',
      stderr:
        'error: no response from meet.test within 0.05 s: no connection yet\nhint: find the cause with: meetroom doctor --base-url https://meet.test/v1\n',
    })
  })

  test('rooms get exits 5 if the timeout elapses before a retry', async () => {
    world.intercept = async (_request, _next, signal) => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      return answer(503, {}, { 'retry-after': '0' })
    }
    const { code, stderr } = await world.run('rooms get r1 --timeout 0.05')
    expect(stderr).not.toContain('bug')
    expect(code).toBe(5)
  })
})

describe('the JSON error', () => {
  test.each([
    [400, false],
    [404, false],
    [408, true],
    [409, false],
    [422, false],
    [429, true],
    [500, false],
    [503, true],
  ])('the JSON error for the status %i has retryable set to %s', async (status, retryable) => {
    respondByPath({ '/rooms/r1': answer(status, {}), '/rooms?limit=1': answer(200, { rooms: [] }) })
    const { stderr } = await world.run('rooms get r1 --json --retries 0')
    expect(JSON.parse(stderr).error).toMatchObject({ status, retryable })
  })
})

describe('a redirect', () => {
  test.each([301, 302, 303, 307, 308])(
    'rooms list exits 6 without following a redirect with the status %i',
    async (status) => {
      respondInOrder(answer(status, '', { location: 'https://elsewhere.test/v1/rooms' }))
      expect(await outcome('rooms list')).toEqual({
        code: 6,
        stdout: '',
        stderr:
          `error: the service responded with a redirect (${status}), and redirects are not followed\n` +
          'hint: the redirect points to https://elsewhere.test/v1/rooms\n',
      })
      expect(world.requests).toHaveLength(1)
    },
  )
})

describe('a 400 response without a reason', () => {
  const bad = answer(400, { message: 'Bad Request' })
  const empty = answer(200, { rooms: [] })

  test('rooms update exits 4 if the write and the probe get a 400 response without a reason', async () => {
    respondInOrder(bad)
    expect(await outcome('rooms update r1 --name New')).toEqual({
      code: 4,
      stdout: '',
      stderr:
        'error: the service refuses the API key (400): Bad Request\n' +
        'hint: the key is from MEETROOM_API_KEY; correct it, or unset it to use a stored key\n',
    })
    expect(paths()).toEqual(['PUT /rooms/r1', 'GET /rooms?limit=1'])
  })

  test('rooms update exits 1 after a 400 response without a reason if the probe succeeds', async () => {
    respondByPath({ '/rooms/r1': bad, '/rooms?limit=1': empty })
    expect(await outcome('rooms update r1 --name New')).toEqual({
      code: 1,
      stdout: '',
      stderr: 'error: the service refuses the request (400): Bad Request\n',
    })
  })

  test('members get exits 3 after a 400 response without a reason if the probe succeeds', async () => {
    respondByPath({ '/rooms/r1/members/m1': bad, '/rooms?limit=1': empty })
    expect(await outcome('members get r1 m1')).toEqual({
      code: 3,
      stdout: '',
      stderr:
        'error: no such room or member: r1 m1: Bad Request\nhint: list the members with: meetroom members list r1 --base-url https://meet.test/v1\n',
    })
  })

  test('users delete sends one probe if three IDs get a 400 response without a reason', async () => {
    respondByPath({ '/users/a': bad, '/users/b': bad, '/users/c': bad, '/rooms?limit=1': empty })
    const { code, stderr } = await world.run('users delete a b c --yes --concurrency 1')
    expect(code).toBe(1)
    expect(stderr.match(/^error: no such user: [abc]: Bad Request$/gm)).toHaveLength(3)
    expect(paths()).toEqual(['DELETE /users/a', 'GET /rooms?limit=1', 'DELETE /users/b', 'DELETE /users/c'])
  })

  test('users delete with three IDs stops at the first 400 response if the probe is refused', async () => {
    respondInOrder(bad)
    expect((await world.run('users delete a b c --yes --concurrency 1')).code).toBe(4)
    expect(paths()).toEqual(['DELETE /users/a', 'GET /rooms?limit=1'])
  })

  test('rooms update exits 1 after a 400 response without a reason if the probe gets a 500 response', async () => {
    respondByPath({ '/rooms/r1': bad, '/rooms?limit=1': answer(500, {}) })
    expect((await world.run('rooms update r1 --name New')).code).toBe(1)
  })

  test('rooms get exits 4 without a probe after a 401 response', async () => {
    respondInOrder(answer(401, {}))
    expect((await world.run('rooms get r1')).code).toBe(4)
    expect(world.requests).toHaveLength(1)
  })

  test('rooms get exits 4 after a 403 response if the probe is refused', async () => {
    respondInOrder(answer(403, {}))
    expect((await world.run('rooms get r1')).code).toBe(4)
    expect(world.requests).toHaveLength(2)
  })

  test.each([404, 410])('users get exits 3 after a %i response', async (status) => {
    respondByPath({ '/users/ada': answer(status, {}), '/rooms?limit=1': empty })
    expect((await world.run('users get ada')).code).toBe(3)
  })

  test.each(['null', { user: null }])(
    'users get exits 3 after a 200 response with the body %s',
    async (body) => {
      respondByPath({ '/users/ada': answer(200, body), '/rooms?limit=1': empty })
      expect((await world.run('users get ada')).code).toBe(3)
    },
  )

  test.each([
    ['unauthorized', 4],
    ['invalid_parameters', 1],
  ])(
    'users update exits $1 without a probe after a 400 response with the code %s',
    async (code, exitCode) => {
      respondInOrder(answer(400, { error: { code, message: 'no' } }))
      expect((await world.run('users update ada --name New')).code).toBe(exitCode)
      expect(world.requests).toHaveLength(1)
    },
  )
})

test.each([502, 504])('rooms get suggests doctor if a gateway responds with %i', async (status) => {
  respondInOrder(answer(status, ''))
  expect((await outcome('rooms get r1 --retries 0')).stderr).toBe(
    `error: the service failed (${status})\nhint: find the cause with: meetroom doctor --base-url https://meet.test/v1\n`,
  )
})

describe('a response that cannot be parsed', () => {
  const hint = 'hint: find the cause with: meetroom doctor --base-url https://meet.test/v1\n'

  test.each<[string, WireResponse, string]>([
    [
      'HTML',
      answer(200, '<!doctype html><title>Welcome</title>', { 'content-type': 'text/html; charset=utf-8' }),
      'it is text/html, not JSON',
    ],
    ['truncated JSON', answer(200, '{"room":{"id":"r1"'), 'it is not valid JSON'],
    ['empty', answer(200, ''), 'it is empty'],
    [
      'invalid UTF-8',
      { ...fine, body: Buffer.concat([Buffer.from('{"room":"'), Buffer.from([0xff]), Buffer.from('"}')]) },
      'it is not valid JSON',
    ],
  ])('rooms get exits 6 if the response is %s', async (_what, response, why) => {
    respondInOrder(response)
    expect(await outcome('rooms get r1')).toEqual({
      code: 6,
      stdout: '',
      stderr: `error: the service’s response cannot be read: ${why}\n${hint}`,
    })
  })

  test.each([
    [[], `it is not an object\n${hint}`],
    ['"room"', `it is not an object\n${hint}`],
    [{}, 'room has no id\n'],
    [{ room: [] }, 'room has no id\n'],
    [{ room: { ...room, id: null } }, 'room has no id\n'],
    [{ room: { ...room, id: { $oid: 'r1' } } }, 'room has no id\n'],
  ])('rooms get exits 6 if the JSON response is %j', async (body, why) => {
    respondInOrder(answer(200, body))
    expect(await outcome('rooms get r1')).toEqual({
      code: 6,
      stdout: '',
      stderr: `error: the service’s response cannot be read: ${why}`,
    })
  })

  test('rooms list reports the position of an item without an ID', async () => {
    respondInOrder(answer(200, { rooms: [room, { type: 'open' }] }))
    expect((await world.run('rooms list')).stderr).toBe(
      'error: the service’s response cannot be read: rooms[1] has no id\n',
    )
  })

  test('rooms get prints an HTML error page in a single line', async () => {
    world.intercept = answering(
      answer(404, '<h1>\n\u001b[31mNot found</h1>', { 'content-type': 'text/html' }),
    )
    expect((await world.run('rooms get r1')).stderr).toBe(
      'error: no such room: r1: \\u001b[31mNot found\nhint: list the rooms with: meetroom rooms list --base-url https://meet.test/v1\n',
    )
  })

  test('rooms get escapes control characters in the message of an error response', async () => {
    world.intercept = answering(answer(404, { message: 'gone\r\n\u001b[2J\u202etxt' }))
    expect((await world.run('rooms get r1')).stderr).toBe(
      'error: no such room: r1: gone\\r\\n\\u001b[2J\\u202etxt\nhint: list the rooms with: meetroom rooms list --base-url https://meet.test/v1\n',
    )
  })
})

describe('responses with more or fewer fields than documented', () => {
  const nulls = {
    ...room,
    name: null,
    layout: null,
    record: null,
    meeting_time: null,
    started_at: null,
    terminated_at: null,
    extra: { nested: [null, 1] },
  }

  test('rooms get --json prints unlisted fields and null values unchanged', async () => {
    const text = JSON.stringify({ room: nulls, unlisted: true }, null, 3)
    respondInOrder(answer(200, text))
    expect(await outcome('rooms get r1 --json')).toEqual({ code: 0, stdout: text, stderr: '' })
  })

  test('rooms get prints unlisted fields last and null as an empty value', async () => {
    respondInOrder(answer(200, { room: { extra: { nested: [null, 1] }, ...room, name: null } }))
    expect((await world.run('rooms get r1')).stdout).toBe(
      'id      r1\ntype    open\nname\nstatus\nextra   {"nested":[null,1]}\n',
    )
  })

  test('rooms get accepts an unknown room type', async () => {
    respondInOrder(answer(200, { room: { ...room, type: 'hybrid' } }))
    expect((await world.run('rooms get r1 --columns type')).stdout).toBe('type  hybrid\n')
  })

  test('rooms get prints the last value of a field that the response repeats', async () => {
    const item = '{"id":"r1","type":"open","name":"a","name":"b","n":12345678901234567890}'
    respondInOrder(answer(200, `{"room":${item}}`))
    expect((await world.run('rooms get r1 --columns name')).stdout).toBe('name  b\n')
  })

  test('rooms get -o ndjson prints a field named __proto__ unchanged', async () => {
    const text = '{"id":"r1","type":"open","__proto__":{"id":"evil"},"n":12345678901234567890}'
    respondInOrder(answer(200, `{"room":${text}}`))
    expect(await outcome('rooms get r1 -o ndjson')).toEqual({ code: 0, stdout: `${text}\n`, stderr: '' })
  })

  test('rooms get exits 6 for a response with 50,000 levels of nesting', async () => {
    const deep = '['.repeat(50_000) + ']'.repeat(50_000)
    respondInOrder(answer(200, `{"room":{"id":"r1","type":"open","deep":${deep}}}`))
    const { code, stderr } = await world.run('rooms get r1 -o ndjson')
    expect(stderr).not.toContain('bug')
    expect(code).toBe(6)
  })
})

describe('numbers beyond double precision', () => {
  const item =
    '{"id":"r1","type":"open","meeting_time":12345678901234567890,"big":9007199254740993,"pi":3.14159265358979323846,"tiny":1e-400}'
  const one = `{ "room" : ${item} }`
  const list = `{ "rooms" : [ ${item} ],\n"paging":{"total":1}}`
  const columns = '--columns meeting_time,big,pi,tiny'

  test('rooms list -o csv prints every digit of numbers beyond double precision', async () => {
    respondInOrder(answer(200, list))
    expect((await world.run(`rooms list -o csv ${columns}`)).stdout).toBe(
      'meeting_time,big,pi,tiny\r\n12345678901234567890,9007199254740993,3.14159265358979323846,1e-400\r\n',
    )
  })

  test('rooms list and rooms get print every digit of numbers beyond double precision', async () => {
    respondInOrder(answer(200, list))
    expect((await world.run(`rooms list ${columns}`)).stdout).toBe(
      'MEETING TIME          BIG               PI                      TINY\n' +
        '────────────────────  ────────────────  ──────────────────────  ──────\n' +
        '12345678901234567890  9007199254740993  3.14159265358979323846  1e-400\n',
    )
    respondInOrder(answer(200, one))
    expect((await world.run(`rooms get r1 ${columns}`)).stdout).toBe(
      'meeting_time  12345678901234567890\nbig           9007199254740993\n' +
        'pi            3.14159265358979323846\ntiny          1e-400\n',
    )
  })

  test('rooms update --set sends every digit of numbers beyond double precision', async () => {
    respondInOrder(fine)
    await world.run(['rooms', 'update', 'r1', '--set', 'n=9007199254740993', '--set', 'm=1.10e400'])
    expect(world.requests[0]?.body).toBe('{"n":9007199254740993,"m":1.10e400}')
  })
})

describe('redaction of the API key', () => {
  const echo = (key: string, status = 401) => answer(status, { error: { message: `key ${key} is unknown` } })

  test('rooms get redacts the API key in the error message of the service', async () => {
    respondInOrder(echo(world.apiKey))
    expect((await world.run('rooms get r1')).stderr).toBe(
      'error: the service refuses the API key (401): key [API key] is unknown\n' +
        'hint: the key is from MEETROOM_API_KEY; correct it, or unset it to use a stored key\n',
    )
  })

  test('rooms get --json redacts the API key in the error body', async () => {
    respondInOrder(echo(world.apiKey))
    const { stderr } = await world.run('rooms get r1 --json')
    expect(stderr).not.toContain(world.apiKey)
    expect(JSON.parse(stderr).error.body).toEqual({ error: { message: 'key [API key] is unknown' } })
  })

  test.each(['table', 'json'])(
    'rooms get -o %s redacts an API key with characters that JSON escapes',
    async (format) => {
      const key = 'se"cr\\et-0123456789'
      respondInOrder(echo(key))
      const { stderr } = await world.run(`rooms get r1 -o ${format}`, { env: { MEETROOM_API_KEY: key } })
      expect(stderr).not.toContain('0123456789')
    },
  )

  test.each([
    ['message', (text: string) => ({ message: text }), 500],
    ['text', (text: string) => text, 2000],
  ])(
    'rooms get --json redacts the API key if a long %s is truncated within the key',
    async (_what, body, length) => {
      respondInOrder(answer(401, body(`${'x'.repeat(length - 20)}${world.apiKey}`)))
      const { stderr } = await world.run('rooms get r1 --json')
      expect(stderr).not.toContain(world.apiKey.slice(0, 16))
    },
  )

  test('rooms get redacts the API key in the target of a redirect', async () => {
    respondInOrder(answer(302, '', { location: `https://elsewhere.test/?key=${world.apiKey}` }))
    expect((await world.run('rooms get r1')).stderr).toContain(
      'hint: the redirect points to https://elsewhere.test/?key=[API key]\n',
    )
  })

  test('users delete redacts the API key in the error of one of two IDs', async () => {
    world.intercept = async ({ url }) => (url.endsWith('/a') ? echo(world.apiKey, 404) : fine)
    expect((await world.run('users delete a ada --yes')).stderr).toBe(
      'error: no such user: a: key [API key] is unknown\n' +
        'hint: list the users with: meetroom users list --base-url https://meet.test/v1\n' +
        'error: deleted 1 of 2 users; 1 failed\n',
    )
  })

  test('rooms get --verbose prints its request without the API key', async () => {
    respondInOrder(answer(503, {}), fine)
    expect((await world.run('rooms get r1 -o ids --verbose')).stderr).toBe(
      'GET https://meet.test/v1/rooms/r1 → 503\nthe service responded with 503; retrying in 0.1 s\nGET https://meet.test/v1/rooms/r1 → 200\n',
    )
    expect(world.requests[0]?.headers['authorization']).toBe(`Bearer ${world.apiKey}`)
  })

  test('--verbose prints a request that gets no response', async () => {
    respondInOrder(new TransportError('connection refused', false))
    const { code, stderr } = await world.run('rooms get r1 --verbose --retries 0')
    expect(code).toBe(5)
    expect(stderr).toMatch(
      /^GET https:\/\/meet\.test\/v1\/rooms\/r1 → connection refused\nerror: no response from /,
    )
  })

  test('rooms get --verbose redacts the API key in an unexpected error', async () => {
    respondInOrder(new TypeError(`invalid header value: Bearer ${world.apiKey}`))
    const { code, stderr } = await world.run('rooms get r1 --verbose')
    expect(code).toBe(70)
    expect(stderr).toContain('Bearer [API key]\n    at ')
    expect(stderr).not.toContain(world.apiKey)
  })

  test.each([
    ['some bad key', 'a space or a line break'],
    ['some bad\nkey', 'a space or a line break'],
    ['Bearer abcdefgh', 'the word “Bearer”'],
    ['schlüssel', 'a character that is not allowed in a key'],
    ['\u0000 and more', 'a space or a line break'],
  ])('rooms list exits 4 without printing the malformed API key %j', async (key, surplus) => {
    expect(await outcome('rooms list', { MEETROOM_API_KEY: key })).toEqual({
      code: 4,
      stdout: '',
      stderr:
        `error: the API key contains ${surplus}\n` +
        'hint: the key is from MEETROOM_API_KEY; correct it, or unset it to use a stored key\n',
    })
    expect(world.requests).toEqual([])
  })
})

describe('writes after a failed first attempt', () => {
  const unknown = {
    code: 7,
    stdout: '',
    stderr: expect.stringContaining(
      'error: the item no longer exists, but an earlier attempt got no response and may have deleted it\n' +
        'hint: check with: meetroom users get ada --base-url https://meet.test/v1\n',
    ),
  }

  test.each([
    ['lost', lost()],
    ['a gateway’s 502', answer(502, {})],
    ['a gateway’s 504', answer(504, {})],
  ])(
    'users delete exits 7 if its first response is %s and its retry gets a 404 response',
    async (_what, first) => {
      respondInOrder(first, answer(404, {}))
      expect(await outcome('users delete ada --yes')).toEqual(unknown)
    },
  )

  test('users delete exits 7 if its first response is lost and its retry gets a 400 without a reason', async () => {
    let attempts = 0
    world.intercept = async ({ method }) => {
      if (method === 'GET') return answer(200, { rooms: [] })
      if (attempts++ === 0) throw lost()
      return answer(400, {})
    }
    expect(await outcome('users delete ada --yes')).toEqual(unknown)
  })

  test.each([
    ['a refused connection', unsent()],
    ['a 429 response', answer(429, {})],
    ['a 503 response with Retry-After', answer(503, {}, { 'retry-after': '1' })],
  ])(
    'users delete exits 3 if its first attempt ends with %s and its retry gets a 404 response',
    async (_what, first) => {
      respondInOrder(first, answer(404, {}), answer(200, { rooms: [] }))
      expect((await world.run('users delete ada --yes')).code).toBe(3)
    },
  )

  test('users delete exits 7 if its first response is a 503 without Retry-After and its retry gets a 404', async () => {
    respondInOrder(answer(503, {}), answer(404, {}), answer(200, { rooms: [] }))
    expect((await world.run('users delete ada --yes')).code).toBe(7)
  })

  test.each(['users delete ada --yes', 'users update ada --name X'])(
    '“%s” exits 7 if the first response is lost and the retry gets a 503 response',
    async (command) => {
      respondInOrder(lost(), answer(503, {}))
      const { code, stderr } = await outcome(command)
      const words = 'the service failed (503); the outcome of the change is unknown'
      expect({ code, stderr }).toEqual({ code: 7, stderr: expect.stringContaining(words) })
    },
  )

  test('users delete exits 0 if its first response is lost and its retry succeeds', async () => {
    respondInOrder(lost(), fine)
    expect((await world.run('users delete ada --yes')).code).toBe(0)
  })
})

test('rooms list exits 2 if HTTPS_PROXY is malformed', async () => {
  // Without a test transport, main sets up the network.
  const host = testHost({
    env: {
      MEETROOM_API_KEY: world.apiKey,
      MEETROOM_BASE_URL: 'https://meet.test/v1',
      MEETROOM_CONFIG_DIR: world.configDir,
      HTTPS_PROXY: 'not a url',
    },
  })
  expect(await main(['rooms', 'list', '--retries', '0'], host)).toBe(2)
  expect(host.stderr.text).toBe(
    'error: HTTPS_PROXY is not the URL of an HTTP proxy\nhint: a proxy URL has the form http://proxy.example.com:3128\n',
  )
})

describe('an interrupt during a request', () => {
  async function runInterrupted(name: 'SIGINT' | 'SIGTERM', command: string) {
    const started = latch()
    world.intercept = (request, next, signal) => {
      started.open()
      return neverRespond(request, next, signal)
    }
    const { host, done } = world.start(command.split(' '))
    await soon('the first request', started.opened)
    host.hurry()
    host.signal(name)
    const { code, stdout, stderr } = await done
    return { code, stdout, stderr }
  }

  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('rooms get exits $1 after %s', async (name, code) => {
    expect(await runInterrupted(name, 'rooms get r1')).toEqual({
      code,
      stdout: '',
      stderr: 'error: interrupted\n',
    })
  })

  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('rooms update exits $1 after %s and suggests a check command', async (name, code) => {
    expect(await runInterrupted(name, 'rooms update r1 --name New')).toEqual({
      code,
      stdout: '',
      stderr:
        'error: interrupted\nhint: the change may have been made; check with: meetroom rooms get r1 --base-url https://meet.test/v1\n',
    })
  })

  test('users delete sends no requests for the remaining IDs after SIGINT', async () => {
    const { code } = await runInterrupted('SIGINT', 'users delete a b c --yes --concurrency 1')
    expect(code).toBe(130)
    expect(paths()).toEqual(['DELETE /users/a'])
  })

  test('rooms get --json prints a JSON error after SIGINT', async () => {
    const { stderr } = await runInterrupted('SIGINT', 'rooms get r1 --json')
    expect(JSON.parse(stderr)).toEqual({
      error: { code: 'interrupted', message: 'interrupted', retryable: false },
    })
  })
})
