import { execFileSync } from 'node:child_process'
import { constants, readdirSync, writeFileSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { homes, type Running } from '../helpers/serving.ts'
import {
  heldService,
  measured,
  promptlyMs,
  type Signalled,
  type Stop,
  signalled,
  stopCodes,
  stuckService,
  withStops,
} from '../helpers/signalled.ts'
import { fullPort, openingPipe, silentPort, unansweredSyn, type Within } from '../helpers/stall.ts'
import { startTestService } from '../helpers/test-service.ts'
import { counted, full, share } from './size.ts'

// process-stay.test.ts tests signals to long-running commands.

const count = counted('process (signals)')

const key = 'key-0123456789-of-the-suite'
const envFor = (baseUrl: string) => ({ ...homes(), MEETROOM_BASE_URL: baseUrl, MEETROOM_API_KEY: key })
function withFiles(baseUrl: string) {
  const env = envFor(baseUrl)
  writeFileSync(join(env.HOME, 'users.csv'), 'user_id,name\nu1,A\nu2,B\nu3,C\n')
  return env
}

function expectPrompt({ lingeredMs }: Signalled): void {
  count.add('signals')
  expect(lingeredMs).toBeLessThan(promptlyMs)
}

/** Expects the exit code of a signal, or a process that the signal has ended. */
function expectStopped({ code, signal }: Signalled, stop: Stop): void {
  expect(code === null ? signal : code).toBe(code === null ? stop : stopCodes[stop])
}

/** Delays the signal randomly in a full run, to reach various moments of a phase. */
const later = () => (full ? pause(Math.random() * 60) : Promise.resolve())

const selectLines = (lines: readonly string[]) => (full ? lines : lines.slice(0, 1))

const reads = selectLines([
  'rooms list',
  'rooms get r1',
  'rooms list --all -o ids',
  'users export -o csv',
  'api GET /rooms',
])
const writes = selectLines([
  'rooms create --name a --type open',
  'rooms delete r1 --yes',
  'message send r1 hello',
  'users update u1 --name a',
])

describe('pending connections', () => {
  const commands = [...reads, ...writes, 'rooms delete r1 r2 r3 --yes', 'users import users.csv', 'join r1']

  test.each(withStops(share(commands, 0, 2)))(
    '%s ends “%s” before the connection opens',
    measured,
    async (stop, line) => {
      let connected = () => {}
      const connection = new Promise<void>((resolve) => {
        connected = resolve
      })
      const port = await silentPort(connected)
      const env = withFiles(`https://127.0.0.1:${port}/v1`)
      const ended = await signalled(line.split(' '), { env, cwd: env.HOME }, stop, () =>
        connection.then(later),
      )
      expect({ code: ended.code, stdout: ended.stdout }).toEqual({ code: stopCodes[stop], stdout: '' })
      const said: Record<string, string> = {
        'rooms delete r1 r2 r3 --yes': 'deleted 0 of 3 rooms; 3 not tried\nerror: interrupted',
        'users import users.csv': `imported 0 of 3 users; 3 not tried\nerror: interrupted\nhint: nothing was sent; retry with: meetroom users import users.csv --base-url ${env.MEETROOM_BASE_URL}`,
      }
      expect(ended.stderr).toBe(said[line] ?? 'error: interrupted')
      expectPrompt(ended)
    },
  )

  test
    .runIf(process.platform === 'linux')
    .each(withStops(share(['rooms list', 'users import users.csv'], 1, 2)))(
    '%s ends “%s” while every SYN packet is dropped',
    measured,
    async (stop, line) => {
      const port = await fullPort()
      const env = withFiles(`http://127.0.0.1:${port}/v1`)
      const ended = await signalled(line.split(' '), { env, cwd: env.HOME }, stop, () =>
        unansweredSyn(port).then(later),
      )
      expect(ended.code).toBe(stopCodes[stop])
      expectPrompt(ended)
    },
  )
})

const half = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 5000\r\n\r\n{"rooms":['

describe.each([
  ['during the wait for response headers', ''],
  ['in the middle of a response body', half],
])('signals %s', (phase, answer) => {
  test.each(withStops(reads))(`%s ends “%s” ${phase}`, measured, async (stop, line) => {
    const { baseUrl, asked } = await stuckService(answer)
    const ended = await signalled(line.split(' '), { env: envFor(baseUrl) }, stop, () => asked.then(later))
    expect(ended).toMatchObject({ code: stopCodes[stop], stdout: '', stderr: 'error: interrupted' })
    expectPrompt(ended)
  })

  test.each(withStops(writes))(
    `%s ${phase} makes “%s” print that the change may have been made`,
    measured,
    async (stop, line) => {
      const { baseUrl, asked } = await stuckService(answer)
      const ended = await signalled(line.split(' '), { env: envFor(baseUrl) }, stop, () => asked.then(later))
      expect(ended).toMatchObject({ code: stopCodes[stop], stdout: '' })
      expect(ended.stderr).toMatch(/^error: interrupted\nhint: the change may have been made; /)
      expectPrompt(ended)
    },
  )
})

describe('pause before a retry', () => {
  const busy = 'HTTP/1.1 503 Busy\r\nretry-after: 20\r\ncontent-length: 2\r\n\r\n{}'
  const waits = ({ logged }: Running) => logged(/retrying in 20/)

  test.each(withStops(share([...reads, 'rooms delete r1 --yes'], 1, 2)))(
    '%s ends “%s” in the pause before a retry',
    measured,
    async (stop, line) => {
      const { baseUrl } = await stuckService(busy)
      const ended = await signalled(line.split(' '), { env: envFor(baseUrl) }, stop, waits)
      expect(ended).toMatchObject({ code: stopCodes[stop], stdout: '' })
      expect(ended.stderr.split('\n').slice(1)).toEqual(['error: interrupted'])
      expectPrompt(ended)
    },
  )

  test.each(withStops(share(['rooms delete r1 r2 --yes', 'users import users.csv'], 1, 2)))(
    '%s in the pause before a retry makes “%s” print the number of untried items',
    measured,
    async (stop, line) => {
      const { baseUrl } = await stuckService(busy)
      const env = withFiles(baseUrl)
      const ended = await signalled(line.split(' '), { env, cwd: env.HOME }, stop, ({ logged }) =>
        logged(/the service is busy/),
      )
      expect(ended).toMatchObject({ code: stopCodes[stop], stdout: '' })
      expect(ended.stderr).toMatch(/ 0 of \d (users|rooms); \d not tried\nerror: interrupted/)
      expectPrompt(ended)
    },
  )

  test.each(withStops(['join r1']))(
    '%s ends “%s” in the pause before a retry',
    measured,
    async (stop, line) => {
      const { baseUrl } = await stuckService(
        'HTTP/1.1 503 Busy\r\nconnection: close\r\ncontent-length: 2\r\n\r\n{}',
      )
      const ended = await signalled(line.split(' '), { env: envFor(baseUrl) }, stop, ({ logged }) =>
        logged(/retrying/),
      )
      expect(ended.code).toBe(stopCodes[stop])
      expectPrompt(ended)
    },
  )
})

describe('concurrent writes', () => {
  const lines = [
    'rooms delete r1 r2 r3 --yes --concurrency 2',
    'users import users.csv --if-exists overwrite --concurrency 2',
  ]
  test.each(withStops(share(lines, 0, 2)))(
    '%s ends “%s” after the responses to the pending requests',
    measured,
    async (stop, line) => {
      const service = await heldService()
      const env = withFiles(service.baseUrl)
      const ended = await signalled(
        line.split(' '),
        { env, cwd: env.HOME },
        stop,
        () => service.holds(2),
        () => pause(50).then(service.letGo),
      )
      expect({
        code: ended.code,
        last: ended.stderr.split('\n').filter((line) => !/^(hint|warning):/.test(line)),
      }).toEqual({
        code: stopCodes[stop],
        last: [
          expect.stringMatching(/^deleted 2 of 3 rooms; .*1 not tried$|^imported 2 of 3 users; 1 not tried$/),
          'error: interrupted',
        ],
      })
      expectPrompt(ended)
    },
  )

  test.runIf(full).each(withStops(['users import users.csv --if-exists overwrite']))(
    '%s ends “%s” after five seconds without responses',
    { timeout: 60_000 },
    async (stop, line) => {
      const service = await heldService()
      const env = withFiles(service.baseUrl)
      const ended = await signalled(line.split(' '), { env, cwd: env.HOME }, stop, () => service.holds(3))
      expect(ended.code).toBe(stopCodes[stop])
      expect(ended.stderr).toContain(
        'imported 0 of 3 users; 3 with an unknown outcome\nerror: interrupted\nhint: resume with',
      )
      expect(ended.lingeredMs).toBeGreaterThan(4900)
      expect(ended.lingeredMs).toBeLessThan(5000 + promptlyMs)
      count.add('signals')
    },
  )
})

describe('reading of standard input', () => {
  const lines = [
    'users import - --input-format csv',
    'rooms delete - --yes',
    'message send r1 -',
    'auth login --with-token',
    'rooms update r1 --data -',
  ]

  test.each(withStops(share(lines, 0, 2)))(
    '%s ends “%s” while the command reads stdin',
    measured,
    async (stop, line) => {
      const env = envFor('http://127.0.0.1:9/v1')
      // Larger than the buffer between the processes, so that the write completes only if the command reads.
      const text = 'u1,name\n'.repeat(50_000)
      const reading = ({ child }: Running) => new Promise((done) => child.stdin?.write(text, done))
      const ended = await signalled(line.split(' '), { env, openStdin: true }, stop, reading)
      expect({ ...ended, lingeredMs: 0 }).toMatchObject({
        code: stopCodes[stop],
        stdout: '',
        stderr: 'error: interrupted',
      })
      expectPrompt(ended)
      expect(readdirSync(env.TMPDIR).filter((name) => name.startsWith('meetroom-'))).toEqual([])
    },
  )
})

describe.skipIf(process.platform === 'win32')('named pipes without another end', () => {
  const lines = selectLines([
    'users import pipe --input-format csv',
    'rooms update r1 --data @pipe',
    'webhooks verify pipe --headers pipe --secret x',
    'workspace diff pipe',
    'workspace apply --plan pipe desired.yaml',
    'local seed pipe --control control.json',
    'workspace diff desired.yaml --out pipe',
    'users import users.csv --failed-out pipe',
    'sessions report weekly --html pipe',
  ])

  test.each(withStops(lines))(
    '%s ends “%s” while a named pipe has no other end',
    measured,
    async (stop, line) => {
      const { service } = await startTestService()
      const env = { ...withFiles(service.baseUrl), MEETROOM_API_KEY: service.apiKey }
      writeFileSync(join(env.HOME, 'desired.yaml'), 'rooms: []\n')
      execFileSync('mkfifo', [join(env.HOME, 'pipe')])
      const ended = await signalled(line.split(' '), { env, cwd: env.HOME }, stop, ({ child }) =>
        openingPipe(child.pid ?? 0).then(later),
      )
      expectStopped(ended, stop)
      expect(ended.stderr).toContain('error: interrupted')
      expectPrompt(ended)
    },
  )

  test.each(withStops(['users import pipe --input-format csv']))(
    '%s ends “%s” after a named pipe has sent a part of the input',
    measured,
    async (stop, line) => {
      const env = envFor('http://127.0.0.1:9/v1')
      const pipe = join(env.HOME, 'pipe')
      execFileSync('mkfifo', [pipe])
      let writer: FileHandle | undefined
      onTestFinished(() => writer?.close())
      const ended = await signalled(line.split(' '), { env, cwd: env.HOME }, stop, async () => {
        writer = await open(pipe, 'w')
        await writer.write('user_id\n')
        await later()
      })
      expectStopped(ended, stop)
      expectPrompt(ended)
      expect(readdirSync(env.TMPDIR).filter((name) => name.startsWith('meetroom-'))).toEqual([])
    },
  )
})

describe.skipIf(process.platform === 'win32')('output without a reader', () => {
  const page = JSON.stringify({
    rooms: Array.from({ length: 30 }, (_, i) => ({ id: i, name: 'x'.repeat(9000) })),
  })
  const answer = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${page.length}\r\n\r\n${page}`

  test.each(withStops(share(['rooms list -o csv', 'api GET /rooms'], 0, 2)))(
    '%s ends “%s” while the output pipe is full',
    measured,
    async (stop, line) => {
      const { baseUrl } = await stuckService(answer)
      const env = envFor(baseUrl)
      const pipe = join(env.HOME, 'pipe')
      execFileSync('mkfifo', [pipe])
      // O_RDWR gives the pipe a reader that never reads. O_NONBLOCK makes writes to the full pipe fail.
      const both = await open(pipe, constants.O_RDWR | constants.O_NONBLOCK)
      onTestFinished(() => both.close())
      const within: Within = (argv) => ['sh', '-c', 'exec "$@" > "$0"', pipe, ...argv]
      const ended = await signalled(line.split(' '), { env, within }, stop, () =>
        waitUntilFull(both).then(later),
      )
      expectStopped(ended, stop)
      expect(ended.stderr).toContain('error: interrupted')
      // After a signal, the program waits up to one second for a slow reader.
      expect(ended.lingeredMs).toBeLessThan(1200 + promptlyMs)
    },
  )
})

async function waitUntilFull(pipe: FileHandle): Promise<void> {
  const isTaken = () =>
    pipe.write('\n').then(
      () => true,
      () => false,
    )
  while (await isTaken()) await pause(20)
}
