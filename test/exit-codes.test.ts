import { beforeEach, describe, expect, test } from 'vitest'
import { TransportError } from '../src/api/wire.ts'
import { exitCodes } from '../src/cli/help/exit-codes.ts'
import type { HostOptions } from './helpers/host.ts'
import { answer, answering, createWorld, type World } from './helpers/world.ts'

let world: World
beforeEach(async () => {
  world = await createWorld()
})

const fine = answer(200, { room: { id: 'r1', type: 'open' }, rooms: [] })
const systemError = (code: string) => Object.assign(new Error(`${code}: write`), { code })

interface Case {
  when: string
  command: string
  code: number
  stderr: string
  arrange?: () => unknown
  options?: HostOptions
  /** Error of each write to standard output. */
  disk?: Error
  signal?: 'SIGINT' | 'SIGTERM'
}

const always = (status: number, body: unknown) => () => {
  world.intercept = async () => answer(status, body)
}
const throwing = (error: () => Error) => () => {
  world.intercept = async () => {
    throw error()
  }
}

const cases: Case[] = [
  {
    code: 0,
    when: 'the request succeeds',
    command: 'rooms get r1 -o ids',
    arrange: always(200, { room: { id: 'r1', type: 'open' } }),
    stderr: '',
  },
  { code: 0, when: 'the list is empty', command: 'rooms list', stderr: 'no rooms\n' },
  { code: 0, when: 'help is requested', command: '--help', stderr: '' },
  {
    code: 0,
    when: 'the reader of the output closes the pipe',
    command: 'rooms list --json',
    disk: systemError('EPIPE'),
    stderr: '',
  },
  {
    code: 1,
    when: 'the service responds 422',
    command: 'rooms update r1 --name New',
    arrange: always(422, { error: { message: 'the name is taken' } }),
    stderr: 'error: the service refuses the request (422): the name is taken\n',
  },
  {
    code: 1,
    when: 'every item of a batch fails',
    command: 'users delete a b --yes',
    stderr:
      'error: no such user: a\nhint: list the users with: meetroom users list --base-url https://meet.test/v1\n' +
      'error: no such user: b\n' +
      'error: deleted 0 of 2 users; 2 failed\n',
  },
  {
    code: 2,
    when: 'a flag is unknown',
    command: 'rooms list --limits 3',
    stderr:
      'error: unknown flag “--limits”\nhint: did you mean: meetroom rooms list --limit 3 --base-url https://meet.test/v1\n',
  },
  {
    code: 2,
    when: 'a flag has an invalid value',
    command: 'rooms list --timeout soon',
    stderr:
      'error: --timeout: the timeout must be a duration such as 30s or 1m30s, above 0 and at most 24h, not “soon”\n',
  },
  {
    code: 2,
    when: 'a setting is invalid',
    command: 'rooms list',
    options: { env: { MEETROOM_RETRIES: '-1' } },
    stderr: 'error: MEETROOM_RETRIES: the number of retries must be a whole number from 0 to 20, not “-1”\n',
  },
  {
    code: 2,
    when: 'a room ID is “..”',
    command: 'rooms get ..',
    stderr: 'error: “..” is not a valid room ID\n',
  },
  {
    code: 3,
    when: 'the room does not exist',
    command: 'rooms get nope',
    stderr:
      'error: no such room: nope\nhint: list the rooms with: meetroom rooms list --base-url https://meet.test/v1\n',
  },
  {
    code: 4,
    when: 'the key is missing',
    command: 'rooms list',
    options: { env: { MEETROOM_API_KEY: undefined } },
    stderr:
      'error: no API key\n' +
      'hint: log in with: meetroom auth login --base-url https://meet.test/v1, or set MEETROOM_API_KEY, or use the local workspace: meetroom rooms list --local\n',
  },
  {
    code: 4,
    when: 'the key is refused',
    command: 'rooms list',
    options: { env: { MEETROOM_API_KEY: 'wrong-key' } },
    stderr:
      'error: the service refuses the API key (400): the API key is missing or invalid\n' +
      'hint: the key is from MEETROOM_API_KEY; correct it, or unset it to use a stored key\n',
  },
  {
    code: 5,
    when: 'the connection is refused',
    command: 'rooms list --retries 0',
    arrange: throwing(() => new TransportError('connection refused', false)),
    stderr:
      'error: no response from meet.test: connection refused\nhint: find the cause with: meetroom doctor --base-url https://meet.test/v1\n',
  },
  {
    code: 5,
    when: 'a write fails before it is sent',
    command: 'rooms create --name X --type open --retries 0',
    arrange: throwing(() => new TransportError('connection refused', false)),
    stderr:
      'error: no response from meet.test: connection refused\nhint: find the cause with: meetroom doctor --base-url https://meet.test/v1\n',
  },
  {
    code: 6,
    when: 'the service responds 503',
    command: 'rooms list --retries 0',
    arrange: always(503, {}),
    stderr: 'error: the service failed (503)\n',
  },
  {
    code: 6,
    when: 'the response cannot be parsed',
    command: 'rooms list',
    arrange: always(200, '{'),
    stderr:
      'error: the service’s response cannot be read: it is not valid JSON\n' +
      'hint: find the cause with: meetroom doctor --base-url https://meet.test/v1\n',
  },
  {
    code: 7,
    when: 'a sent write gets no response',
    command: 'users update ada --name Ada --retries 0',
    arrange: throwing(() => new TransportError('the connection was reset', true)),
    stderr:
      'error: no response from meet.test: the connection was reset; the outcome of the change is unknown; a read does not confirm the change: the item cannot be read: no response from meet.test: the connection was reset\n' +
      'hint: check with: meetroom users get ada --base-url https://meet.test/v1\n',
  },
  {
    code: 8,
    when: 'some items of a batch fail',
    command: 'users delete nope ada --yes -o ids',
    arrange: () => world.send('POST', '/users', { user_id: 'ada' }),
    stderr:
      'error: no such user: nope\nhint: list the users with: meetroom users list --base-url https://meet.test/v1\n' +
      'error: deleted 1 of 2 users; 1 failed\n',
  },
  {
    code: 10,
    when: 'confirmation is required',
    command: 'users delete ada',
    arrange: async () => {
      await world.send('POST', '/users', { user_id: 'ada' })
    },
    stderr:
      'error: deleting users needs confirmation, and there is no terminal for a prompt\n' +
      'hint: pass --yes to confirm in advance\n',
  },
  {
    code: 70,
    when: 'an unexpected error contains the key',
    command: 'rooms list',
    arrange: throwing(() => new TypeError(`Invalid header value: Bearer ${world.apiKey}\nmore`)),
    stderr:
      'error: meetroom has a bug: TypeError: Invalid header value: Bearer [API key]\n' +
      'hint: run the same command with --verbose, and report the bug with its output\n',
  },
  {
    code: 74,
    when: 'the disk is full',
    command: 'rooms list -o csv',
    disk: systemError('ENOSPC'),
    stderr: 'error: the output cannot be written: no space left on the disk\n',
  },
  {
    code: 74,
    when: 'help is written to a full disk',
    command: '--help',
    disk: systemError('ENOSPC'),
    stderr: 'error: the output cannot be written: no space left on the disk\n',
  },
  {
    code: 130,
    when: 'SIGINT arrives',
    command: 'rooms list',
    signal: 'SIGINT',
    stderr: 'error: interrupted\n',
  },
  {
    code: 143,
    when: 'SIGTERM arrives',
    command: 'rooms list',
    signal: 'SIGTERM',
    stderr: 'error: interrupted\n',
  },
]

test.each(cases)(
  'meetroom exits $code when $when',
  async ({ command, code, stderr, arrange, options, disk, signal }) => {
    await arrange?.()
    if (signal)
      world.intercept = (_request, _next, aborted) => {
        host.signal(signal)
        return Promise.reject(aborted.reason)
      }
    const { host, done } = world.start(command.split(' '), options)
    host.stdout.failure = disk
    const run = await done
    expect({ code: run.code, stderr: run.stderr }).toEqual({ code, stderr })
  },
)

test('a failed command with an exit code other than 8 prints nothing to stdout', async () => {
  for (const { command, arrange, options, disk, signal, code } of cases) {
    if (disk || signal || code === 0 || code === 8) continue
    world = await createWorld()
    await arrange?.()
    const { stdout } = await world.run(command, options)
    expect({ command, stdout }).toEqual({ command, stdout: '' })
  }
})

describe.each(['-o json', '-o ndjson', '--json', '--output=json'])('an error with %s', (format) => {
  async function errorOf(command: string, options?: HostOptions) {
    const { stdout, stderr } = await world.run(`${command} ${format}`, options)
    expect(stdout).toBe('')
    expect(stderr).toMatch(/^.*\n$/)
    return JSON.parse(stderr)
  }

  test(`an error with ${format} contains the status, request and body of a refused request`, async () => {
    world.intercept = async () =>
      answer(429, { error: { message: 'slow down', n: 1 } }, { 'retry-after': '60' })
    const error = await errorOf('rooms update r1 --name New')
    expect(error).toEqual({
      error: {
        code: 'refused',
        message: 'the service refuses the request (429): slow down',
        hint: 'the service asks you to wait 60 s',
        status: 429,
        retryable: true,
        request: { method: 'PUT', path: '/rooms/r1' },
        body: { error: { message: 'slow down', n: 1 } },
      },
    })
    expect(Object.keys(error.error)).toEqual([
      'code',
      'message',
      'hint',
      'status',
      'retryable',
      'request',
      'body',
    ])
  })

  test(`an error with ${format} omits fields without a value`, async () => {
    expect(await errorOf('rooms list --timeout soon')).toEqual({
      error: {
        code: 'usage',
        message:
          '--timeout: the timeout must be a duration such as 30s or 1m30s, above 0 and at most 24h, not “soon”',
        retryable: false,
      },
    })
  })

  test(`an unknown command with ${format} prints a JSON error`, async () => {
    expect(await errorOf('rooms lst')).toEqual({
      error: {
        code: 'usage',
        message: 'unknown command “lst”',
        hint: expect.stringMatching(
          /^did you mean: meetroom rooms list .*--base-url https:\/\/meet\.test\/v1$/,
        ),
        retryable: false,
      },
    })
  })

  test(`an error with ${format} contains a non-JSON response body as a string`, async () => {
    world.intercept = answering(answer(404, '<h1>Not found</h1>'))
    expect(await errorOf('rooms get r1')).toEqual({
      error: {
        code: 'not_found',
        message: 'no such room: r1: Not found',
        hint: 'list the rooms with: meetroom rooms list --base-url https://meet.test/v1',
        status: 404,
        retryable: false,
        request: { method: 'GET', path: '/rooms/r1' },
        body: '<h1>Not found</h1>',
      },
    })
  })

  test(`with ${format}, a missing response is retryable for a read and not for a write`, async () => {
    world.intercept = throwingLost
    expect(await errorOf('rooms get r1 --retries 0')).toEqual({
      error: {
        code: 'network',
        message: 'no response from meet.test: the connection was reset',
        hint: 'find the cause with: meetroom doctor --base-url https://meet.test/v1',
        retryable: true,
        request: { method: 'GET', path: '/rooms/r1' },
      },
    })
    expect(await errorOf('rooms update r1 --name New --retries 0')).toEqual({
      error: {
        code: 'unknown_outcome',
        message:
          'no response from meet.test: the connection was reset; the outcome of the change is unknown; a read does not confirm the change: the item cannot be read: no response from meet.test: the connection was reset',
        hint: 'check with: meetroom rooms get r1 --base-url https://meet.test/v1',
        retryable: false,
        request: { method: 'PUT', path: '/rooms/r1' },
      },
    })
  })

  test(`an internal error with ${format} is a JSON object with the code bug`, async () => {
    world.intercept = async () => {
      throw new TypeError(`no: ${world.apiKey}`)
    }
    expect(await errorOf('rooms get r1')).toEqual({
      error: {
        code: 'bug',
        message: 'meetroom has a bug: TypeError: no: [API key]',
        hint: 'run the same command with --verbose, and report the bug with its output',
        retryable: false,
      },
    })
  })
})

async function throwingLost(): Promise<never> {
  throw new TransportError('the connection was reset', true)
}

test('users delete --json prints each error as a JSON object on its own line', async () => {
  const { stderr } = await world.run('users delete a b --yes --json')
  expect(
    stderr
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).error.message),
  ).toEqual(['no such user: a', 'no such user: b', 'deleted 0 of 2 users; 2 failed'])
})

test('MEETROOM_OUTPUT sets the format of errors', async () => {
  const { stderr } = await world.run('rooms get nope', { env: { MEETROOM_OUTPUT: 'ndjson' } })
  expect(JSON.parse(stderr).error.code).toBe('not_found')
})

test('users delete deletes every user even if the reader of its output closes the pipe', async () => {
  for (const user_id of ['ada', 'grace']) await world.send('POST', '/users', { user_id })
  const { host, done } = world.start(['users', 'delete', 'ada', 'grace', '--yes'])
  host.stdout.failure = systemError('EPIPE')
  expect((await done).code).toBe(0)
  expect((await world.send('GET', '/users')).body.users).toEqual([])
})

test('a failed command keeps its exit code if stderr is closed', async () => {
  const { host, done } = world.start(['rooms', 'get', 'nope'])
  host.stderr.failure = systemError('EPIPE')
  expect((await done).code).toBe(3)
})

test('the exit code tests cover every documented exit code except 9 and 129', () => {
  const documented = Object.keys(exitCodes).map(Number)
  expect([...new Set([...cases.map(({ code }) => code), 9, 129])].sort((a, b) => a - b)).toEqual(documented)
})

test('a successful rooms get prints nothing to stderr', async () => {
  world.intercept = async () => fine
  expect(await world.run('rooms get r1')).toMatchObject({ code: 0, stderr: '' })
})
