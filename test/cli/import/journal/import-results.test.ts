import { beforeEach, describe, expect, test } from 'vitest'
import { TransportError } from '../../../../src/api/wire.ts'
import {
  goOn,
  importFixture,
  journalOf,
  resultsOf,
  roomsCsv,
  roomsOf,
  usersCsv,
  usersOf,
} from '../../../helpers/imports.ts'
import { answer } from '../../../helpers/world.ts'

const { world, run, user } = importFixture()

describe('the exit code of an import', () => {
  test.each<[number, string, string, string, () => unknown]>([
    [0, 'every row succeeds', '', 'imported 3 of 3 users\n', () => {}],
    [
      8,
      'one user already exists',
      '',
      'error: imported 2 of 3 users; 1 failed\n' +
        'hint: skip users that exist with: meetroom users import people.csv --if-exists skip --base-url https://meet.test/v1\n',
      () => user('u1'),
    ],
    [
      1,
      'every user already exists',
      '',
      'error: imported 0 of 3 users; 3 failed\n' +
        'hint: skip users that exist with: meetroom users import people.csv --if-exists skip --base-url https://meet.test/v1\n',
      () => Promise.all(['u1', 'u2', 'u3'].map((id) => user(id))),
    ],
    [
      2,
      'the file is not in the format of --input-format',
      ' --input-format json',
      '\nhint: JSON input is an array of objects, or {"users": […]}\n',
      () => {},
    ],
    [
      4,
      'the service refuses the key',
      '',
      'error: the service refuses the API key (401)\nhint: the key is from MEETROOM_API_KEY; correct it, or unset it to use a stored key\n',
      () => {
        world.intercept = async () => answer(401, {})
      },
    ],
    [
      7,
      'every connection is reset',
      ' --if-exists overwrite',
      'error: imported 0 of 3 users; 3 with an unknown outcome\nhint: resume with: meetroom users import people.csv --if-exists overwrite --resume --base-url https://meet.test/v1\n',
      () => {
        world.intercept = async () => {
          throw new TransportError('the connection was reset', true)
        }
      },
    ],
  ])('users import exits %i if %s', async (code, _when, flags, end, arrange) => {
    await arrange()
    world.file('people.csv', usersCsv(3))
    const ended = await run(`users import people.csv${flags}`)
    expect({ code: ended.code, end: ended.stderr.slice(-end.length) }).toEqual({ code, end })
    expect(ended.stdout).toBe('')
  })

  // The remaining rows would fail in the same way.
  test.each<[string, string, () => Promise<never> | Promise<ReturnType<typeof answer>>]>([
    ['a 401 response', 'error: the service refuses the API key (401)\n', async () => answer(401, {})],
    [
      'a refused connection',
      'error: no response from meet.test: connection refused\n',
      async () => {
        throw new TransportError('connection refused', false)
      },
    ],
  ])(
    'users import exits 8 and prints the command to resume if %s stops the run',
    async (_what, error, fail) => {
      world.file('people.csv', usersCsv(60))
      world.intercept = (_request, next) => (world.requests.length > 30 ? fail() : next())
      const ended = await run('users import people.csv --if-exists overwrite --concurrency 3')
      expect(ended.code).toBe(8)
      expect(ended.stderr).toContain(error)
      expect(ended.stderr).toMatch(/^error: imported 30 of 60 users; .*\d+ not tried$/m)
      expect(world.requests.length).toBeLessThan(60)
      world.intercept = undefined
      expect((await world.run(goOn(ended.stderr))).code).toBe(0)
      expect(await world.users()).toEqual(usersOf(60))
    },
  )
})

describe('the results of an import', () => {
  beforeEach(async () => {
    await user('u1')
    world.file('people.csv', usersCsv(3))
  })
  const [one, two, three] = [
    { row: 1, key: 'u1', status: 'failed', error: 'the user already exists' },
    { row: 2, key: 'u2', status: 'ok', id: 'u2' },
    { row: 3, key: 'u3', status: 'ok', id: 'u3' },
  ]
  const summary = 'imported 2 of 3 users; 1 failed'
  const hint = (flags: string) =>
    `skip users that exist with: meetroom users import people.csv ${flags}--if-exists skip --base-url https://meet.test/v1`
  const partial = (format: string) =>
    `${JSON.stringify({ error: { code: 'partial', message: summary, hint: hint(`--output ${format} --concurrency 1 `), retryable: false } })}\n`

  test.each([
    [
      'table',
      '',
      `error: people.csv:2 (u1): the user already exists\nerror: ${summary}\nhint: ${hint('--output table --concurrency 1 ')}\n`,
    ],
    [
      'csv',
      'row,key,status,id,error\r\n1,u1,failed,,the user already exists\r\n2,u2,ok,u2,\r\n3,u3,ok,u3,\r\n',
      `error: ${summary}\nhint: ${hint('--output csv --concurrency 1 ')}\n`,
    ],
    [
      'csv --columns status,row --no-header',
      'failed,1\r\nok,2\r\nok,3\r\n',
      `error: ${summary}\nhint: ${hint('--output csv --columns status,row --no-header --concurrency 1 ')}\n`,
    ],
    [
      'ids',
      'u2\nu3\n',
      `error: people.csv:2 (u1): the user already exists\nerror: ${summary}\nhint: ${hint('--output ids --concurrency 1 ')}\n`,
    ],
    [
      'ndjson',
      `${[one, two, three].map((result) => JSON.stringify(result)).join('\n')}\n`,
      partial('ndjson'),
    ],
    ['json', `${JSON.stringify({ results: [one, two, three] })}\n`, partial('json')],
  ])('users import -o %s reports the failed row and prints a summary', async (format, stdout, stderr) => {
    expect(await run(`users import people.csv --concurrency 1 -o ${format}`)).toMatchObject({
      code: 8,
      stdout,
      stderr,
    })
  })

  test('the results of users import are printed before the next row is sent', async () => {
    const seen: number[] = []
    world.intercept = async (request, next) => {
      if (request.method === 'GET') {
        while (resultsOf(host.stdout.text).length < seen.length)
          await new Promise((resolve) => setImmediate(resolve))
        seen.push(resultsOf(host.stdout.text).length)
      }
      return next()
    }
    const { host, done } = world.start('users import people.csv --concurrency 1 -o ndjson'.split(' '))
    expect((await done).code).toBe(8)
    expect(seen).toEqual([0, 1, 2])
  })

  test('the results of users import include at most twenty failures in the default format', async () => {
    world.file('people.csv', usersCsv(25))
    await run('users import people.csv --if-exists overwrite')
    const { stderr } = await run('users import people.csv --concurrency 1')
    expect(stderr.split('\n').slice(19)).toEqual([
      'error: people.csv:21 (u20): the user already exists',
      'and 5 more; --failed-out FILE collects every failed row',
      'error: imported 0 of 25 users; 25 failed',
      `hint: ${hint('--concurrency 1 ')}`,
      '',
    ])
  })

  test('users import completes if the reader of its results closes the pipe', async () => {
    const { host, done } = world.start('users import people.csv -o ndjson'.split(' '))
    host.stdout.failure = Object.assign(new Error('EPIPE'), { code: 'EPIPE' })
    expect((await done).code).toBe(8)
    expect(await world.users()).toEqual({ ...usersOf(3), u1: null })
  })

  test('users import masks the key from error responses in its output, its journal and the file of failed rows', async () => {
    world.intercept = async ({ headers }, next) =>
      world.requests.length > 1 ? answer(422, { message: `no ${headers['authorization']}` }) : next()
    const { code, stdout, stderr } = await run('users import people.csv -o ndjson --failed-out again.csv')
    expect(code).toBe(1)
    const said = [stdout, stderr, world.read('again.csv'), world.read(journalOf('people.csv'))].join('')
    expect(said).toContain('no Bearer [API key]')
    expect(said).not.toContain(world.apiKey)
  })

  test('rooms import exits 74 if the disk is full for its results, and --resume creates every room once', async () => {
    world.file('rooms.csv', roomsCsv(20))
    const { host, done } = world.start('rooms import rooms.csv -o ndjson'.split(' '))
    host.stdout.failure = Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' })
    expect((await done).code).toBe(74)
    expect(await run('rooms import rooms.csv --resume')).toMatchObject({ code: 0 })
    expect(await world.rooms()).toEqual(roomsOf(20))
  })

  test('users import exits 74 without an unhandled rejection if the disk is full for its results', async () => {
    const crashes: unknown[] = []
    const listeners = process.listeners('unhandledRejection')
    process
      .removeAllListeners('unhandledRejection')
      .on('unhandledRejection', (reason) => crashes.push(reason))
    try {
      const { host, done } = world.start('users import people.csv --concurrency 1 -o ndjson'.split(' '))
      host.stdout.failure = Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' })
      expect((await done).code).toBe(74)
    } finally {
      process.removeAllListeners('unhandledRejection')
      for (const listener of listeners) process.on('unhandledRejection', listener)
    }
    expect(crashes).toEqual([])
  })

  test('users import with 50 concurrent requests causes no Node.js warnings', async () => {
    const warnings: string[] = []
    const warn = ({ message }: Error) => warnings.push(message)
    process.on('warning', warn)
    world.file('people.csv', usersCsv(100))
    await run('users import people.csv --concurrency 50')
    await new Promise((resolve) => setImmediate(resolve))
    process.off('warning', warn)
    expect(warnings).toEqual([])
  })
})

describe('an import', () => {
  test.each([
    ['2', 500],
    ['2/s', 500],
    ['0.5', 2000],
    ['1000', 1],
  ])('users import with --rate %s pauses between requests', async (rate, pause) => {
    world.file('people.csv', usersCsv(4))
    const { code, host } = await run(`users import people.csv --concurrency 1 --rate ${rate}`)
    // Each row needs a lookup and a creation, and the first missing user a probe.
    expect({ code, slept: host.slept }).toEqual({ code: 0, slept: Array(8).fill(pause) })
    expect(await world.users()).toEqual(usersOf(4))
  })

  test('users import --concurrency 5 sends at most five requests concurrently', async () => {
    world.file('people.csv', usersCsv(30))
    let under = 0
    let most = 0
    world.intercept = async (_request, next) => {
      most = Math.max(most, ++under)
      for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
      under--
      return next()
    }
    await run('users import people.csv --concurrency 5')
    expect({ most, users: await world.users() }).toEqual({ most: 5, users: usersOf(30) })
  })

  test.each([
    ['--max-errors 2', 3],
    ['--max-errors 0', 1],
    ['--fail-fast', 1],
  ])(
    'users import %s stops and prints the command to resume when the failure count is %i',
    async (flags, tried) => {
      for (let i = 1; i <= 5; i++) await user(`u${i}`)
      world.file('people.csv', usersCsv(9))
      const ended = await run(`users import people.csv --concurrency 1 ${flags}`)
      expect({ code: ended.code, end: ended.stderr.split('\n').slice(-3) }).toEqual({
        code: 1,
        end: [
          `error: imported 0 of 9 users; ${tried} failed; ${9 - tried} not tried`,
          `hint: resume with: meetroom users import people.csv --concurrency 1 --resume --base-url https://meet.test/v1`,
          '',
        ],
      })
      expect(world.sent()).toHaveLength(tried)
    },
  )

  test('users import continues if the number of failures equals --max-errors', async () => {
    await user('u1')
    await user('u2')
    world.file('people.csv', usersCsv(4))
    expect(await run('users import people.csv --max-errors 2')).toMatchObject({ code: 8 })
    expect(Object.keys(await world.users())).toHaveLength(4)
  })
})
