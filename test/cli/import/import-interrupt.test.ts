import { describe, expect, test } from 'vitest'
import type { WireResponse } from '../../../src/api/wire.ts'
import {
  goOn,
  importFixture,
  journalOf,
  resetNotice,
  roomsCsv,
  roomsOf,
  usersCsv,
  usersOf,
} from '../../helpers/imports.ts'
import { latch } from '../../helpers/waiting.ts'
import { baseUrl, type Run } from '../../helpers/world.ts'

const { world } = importFixture()

interface When {
  /** Number of requests with a response before the interrupt. */
  answered: number
  /** Number of requests in flight at the interrupt; 1 by default. */
  underWay?: number
}

/** Interrupts a command before its requests in flight get their responses. */
async function runInterrupted(
  line: readonly string[] | string,
  { answered, underWay = 1 }: When,
  signal: 'SIGINT' | 'SIGTERM' = 'SIGINT',
): Promise<Run & { later: number }> {
  const interrupt = latch()
  const before = world.requests.length + answered
  let sent = 0
  world.intercept = async (_request, next) => {
    if (world.requests.length <= before) return next()
    if (world.requests.length === before + underWay) {
      sent = world.requests.length
      host.signal(signal)
      interrupt.open()
    }
    await interrupt.opened
    return next()
  }
  const { host, done } = world.start(typeof line === 'string' ? line.split(' ') : line)
  const run = await done
  world.intercept = undefined
  // Number of requests that were sent after the interrupt.
  return { ...run, later: world.requests.length - sent }
}

describe('^C during an import', () => {
  test('^C during users import lets started rows complete, starts no other row, and prints the command to resume', async () => {
    world.file('in.csv', usersCsv(40))
    const line = 'users import in.csv --if-exists overwrite --concurrency 4'
    const { code, stdout, stderr, later } = await runInterrupted(line, { answered: 9, underWay: 4 })
    expect({ code, stdout, stderr, later }).toEqual({
      code: 130,
      stdout: '',
      stderr:
        resetNotice +
        'imported 13 of 40 users; 27 not tried\n' +
        'error: interrupted\n' +
        `hint: resume with: meetroom users import in.csv --if-exists overwrite --concurrency 4 --resume --base-url https://meet.test/v1\n`,
      later: 0,
    })
    expect(Object.keys(await world.users())).toHaveLength(13)
    world.requests.length = 0
    expect(await world.run(goOn(stderr))).toMatchObject({
      code: 0,
      stderr: 'imported 40 of 40 users; 13 recorded as done by an earlier run\n',
    })
    expect(world.requests).toHaveLength(27)
    expect(await world.users()).toEqual(usersOf(40))
  })

  test('rooms import --resume after ^C creates each missing room once', async () => {
    world.file('in.csv', roomsCsv(30))
    const { code, stderr } = await runInterrupted('rooms import in.csv', { answered: 12, underWay: 8 })
    expect(code).toBe(130)
    expect(await world.run(goOn(stderr))).toMatchObject({ code: 0 })
    expect(await world.rooms()).toEqual(roomsOf(30))
    expect(world.writes()).toHaveLength(30)
  })

  test('^C while rooms import reads the names of existing rooms exits 130 without a write', async () => {
    world.file('in.csv', roomsCsv(30))
    const { code, stderr } = await runInterrupted('rooms import in.csv', { answered: 0 })
    expect({ code, stderr, writes: world.writes() }).toEqual({
      code: 130,
      stderr:
        'imported 0 of 30 rooms; 30 not tried\nerror: interrupted\n' +
        'hint: nothing was sent; retry with: meetroom rooms import in.csv --base-url https://meet.test/v1\n',
      writes: [],
    })
    expect(await world.run('rooms import in.csv')).toMatchObject({ code: 0 })
  })

  test('^C during rooms import lets a started row complete if it needs several requests', async () => {
    world.file('in.csv', roomsCsv(6).replaceAll(',open', ',open,true').replace('type', 'type,is_terminated'))
    const { code, stderr } = await runInterrupted('rooms import in.csv --concurrency 2', {
      answered: 1,
      underWay: 2,
    })
    expect({ code, requests: world.sent().map((line) => line.slice(0, 4)) }).toEqual({
      code: 130,
      requests: ['GET ', 'POST', 'POST', 'PUT ', 'PUT '],
    })
    expect(await world.run(goOn(stderr))).toMatchObject({ code: 0 })
    expect(await world.rooms()).toEqual(roomsOf(6))
  })

  test.each([
    ['creates no user', '', 0],
    ['updates no user', ' --if-exists update', 6],
  ])(
    'users import interrupted by ^C %s whose lookup is in flight, and the resumed run completes the import',
    async (_, flags, existing) => {
      for (let i = 0; i < existing; i++) await world.send('POST', '/users', { user_id: `u${i}` })
      world.file('in.csv', usersCsv(6))
      world.requests.length = 0
      const line = `users import in.csv --concurrency 2${flags}`
      const { code, stderr } = await runInterrupted(line, { answered: 0, underWay: 2 })
      expect({ code, writes: world.sent().filter((sent) => !sent.startsWith('GET')) }).toEqual({
        code: 130,
        writes: [],
      })
      expect(stderr).toContain('imported 0 of 6 users; 6 not tried\n')
      expect(await world.run(goOn(stderr))).toMatchObject({ code: 0 })
      expect(await world.users()).toMatchObject(usersOf(6))
    },
  )

  test('SIGTERM during users import exits 143, and the command to resume completes the import', async () => {
    world.file('in.csv', usersCsv(40))
    const { code, stderr } = await runInterrupted('users import in.csv', { answered: 8 }, 'SIGTERM')
    expect(code).toBe(143)
    expect(await world.run(goOn(stderr))).toMatchObject({ code: 0 })
    expect(await world.users()).toEqual(usersOf(40))
  })

  test.each([
    ['if no row is left', 4, '--if-exists overwrite', { answered: 3 }, `${resetNotice}imported 4 of 4 users`],
    [
      'without a journal',
      40,
      '--no-journal --concurrency 2',
      { answered: 3, underWay: 2 },
      'imported 2 of 40 users; 38 not tried',
    ],
  ])(
    'users import interrupted by ^C prints no command to resume %s',
    async (_when, rows, flags, when, summary) => {
      world.file('in.csv', usersCsv(rows))
      expect(await runInterrupted(`users import in.csv ${flags}`, when)).toMatchObject({
        code: 130,
        stderr: `${summary}\nerror: interrupted\n`,
      })
    },
  )

  test('^C during users import --dry-run exits 130 without a write and without a journal', async () => {
    world.file('in.csv', usersCsv(40))
    const { code, stderr } = await runInterrupted('users import in.csv --dry-run -o ids', {
      answered: 8,
    })
    expect({ code, words: goOn(stderr) }).toEqual({ code: 130, words: [] })
    expect(world.writes()).toEqual([])
    expect(world.read(journalOf('in.csv'))).toBeUndefined()
  })

  test('^C during users import before the file is completely checked exits 130 and sends no request', async () => {
    world.file('in.csv', usersCsv(20_000))
    const { host, done } = world.start('users import in.csv'.split(' '))
    host.signal('SIGINT')
    expect((await done).code).toBe(130)
    expect(world.requests).toEqual([])
  })

  test('^C during users import with -o ndjson prints one error object with the command to retry as its hint', async () => {
    world.file('in.csv', usersCsv(40))
    const { stderr } = await runInterrupted('users import in.csv -o ndjson --quiet', { answered: 2 })
    expect(JSON.parse(stderr)).toEqual({
      error: {
        code: 'interrupted',
        message: 'interrupted',
        hint: expect.stringMatching(
          /^nothing was sent; retry with: meetroom users import in\.csv .*--base-url https:\/\/meet\.test\/v1$/,
        ),
        retryable: false,
      },
    })
  })
})

describe('the command to resume an import', () => {
  const target = ['--base-url', baseUrl]

  test('the command to resume users import contains every flag of the first run', async () => {
    const name = "o'neill & co people.txt"
    const csv = usersCsv(30).replace('user_id,name', 'id no,Full name')
    world.file(name, `${csv}only one cell\n`)
    const argv = [
      ...[
        'users',
        'import',
        name,
        '--input-format',
        'csv',
        '--map',
        'id no=user_id',
        '--map',
        'Full name=name',
      ],
      ...['--if-exists', 'skip', '--skip-invalid', '--concurrency', '3', '--rate', '1000'],
      ...['--failed-out', 'my rejects.csv', '--journal', 'my journal'],
    ]
    const { code, stderr } = await runInterrupted(argv, { answered: 7 })
    expect({ code, words: goOn(stderr).sort() }).toEqual({
      code: 130,
      words: [...argv, '--resume', ...target].sort(),
    })
    expect(await world.run(goOn(stderr))).toMatchObject({ code: 8 })
    expect(await world.users()).toEqual(usersOf(30))
    expect(world.read('my rejects.csv')).toMatch(/^id no,Full name,reason\r\n.*1 cell instead of 2\r\n$/)
  })

  test('the command to resume users import contains the global flags except --max-errors', async () => {
    world.file('in.csv', usersCsv(30))
    const kept = ['--columns', 'row,status', '--no-header', '--no-color', '--retries', '1', '--timeout', '20']
    const argv = ['users', 'import', 'in.csv', ...kept, '--max-errors', '3']
    const { stderr } = await runInterrupted(argv, { answered: 4 })
    expect(goOn(stderr).sort()).toEqual(['users', 'import', 'in.csv', ...kept, ...target].sort())
    expect((await world.run(goOn(stderr))).code).toBe(0)
  })

  test('the command to resume members import contains the value of --room, but not --fail-fast', async () => {
    const room = await world.room('A')
    world.file('people.csv', usersCsv(20))
    await world.run('users import people.csv --no-journal')
    world.file('in.csv', usersCsv(20))
    const { code, stderr } = await runInterrupted(
      ['members', 'import', 'in.csv', '--room', room, '--fail-fast'],
      { answered: 4 },
    )
    expect({ code, words: goOn(stderr) }).toEqual({
      code: 130,
      words: ['members', 'import', 'in.csv', '--room', room, '--resume', ...target],
    })
    expect((await world.run(goOn(stderr))).code).toBe(0)
    expect(await world.members(room)).toHaveLength(20)
  })

  test('the command to resume users import contains the base URL of the first run', async () => {
    world.file('in.csv', usersCsv(30))
    const argv = ['users', 'import', 'in.csv', '--base-url', 'https://meet.test/v1/']
    const { stderr } = await runInterrupted(argv, { answered: 4 })
    expect(goOn(stderr)).toContain('--base-url')
    expect((await world.run(goOn(stderr))).code).toBe(0)
  })
})

describe('a request without a response after ^C', () => {
  /** Interrupts a command after the service stops responding; the grace period ends immediately. */
  async function runWithoutResponses(line: string, answered: number) {
    let waits: readonly number[] = []
    world.intercept = (_request, next, signal): Promise<WireResponse> => {
      if (world.requests.length <= answered) return next()
      if (world.requests.length === answered + 2) {
        waits = host.hurry()
        host.signal('SIGINT')
      }
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    }
    const { host, done } = world.start(line.split(' '))
    const run = await done
    world.intercept = undefined
    return { ...run, waits }
  }

  test('a request without a response has an unknown outcome when the grace period of five seconds after ^C ends', async () => {
    world.file('in.csv', usersCsv(20))
    const { code, stderr, waits } = await runWithoutResponses(
      'users import in.csv --if-exists overwrite --concurrency 2',
      6,
    )
    expect({ code, waits }).toEqual({ code: 130, waits: [1000, 5000] })
    expect(stderr).toMatch(
      /\nwaiting for pending requests; press \^C again to stop immediately\n[\s\S]*\nimported 6 of 20 users; 2 with an unknown outcome; 12 not tried$/m,
    )
    world.requests.length = 0
    expect(await world.run(goOn(stderr))).toMatchObject({
      code: 0,
      stderr: 'imported 20 of 20 users; 6 recorded as done by an earlier run\n',
    })
    expect(await world.users()).toEqual(usersOf(20))
    expect(world.writes()).toHaveLength(14)
  })

  test('rooms import --resume does not repeat a request without a response if a room with the same name exists', async () => {
    world.file('in.csv', roomsCsv(10))
    const { code, stderr } = await runWithoutResponses('rooms import in.csv --concurrency 2', 5)
    expect(code).toBe(130)
    // Simulates that the service processed one of the two requests.
    await world.room('R5')
    const { code: second, stderr: end } = await world.run(goOn(stderr))
    expect({ second, end: end.split('\n').slice(-3, -1) }).toEqual({
      second: 8,
      end: [
        'error: imported 9 of 10 rooms; 1 with an unknown outcome; 4 recorded as done by an earlier run',
        'hint: check for each row whether its room exists; --failed-out FILE collects the rows',
      ],
    })
    expect(await world.rooms()).toEqual(roomsOf(10))
  })
})
