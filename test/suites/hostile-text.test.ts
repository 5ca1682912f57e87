import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { WebSocketServer } from 'ws'
import { reportError } from '../../src/cli/output/error.ts'
import { Printer } from '../../src/cli/output/printer.ts'
import { views } from '../../src/cli/output/views/views.ts'
import { formats } from '../../src/config/values.ts'
import { ApiError } from '../../src/errors.ts'
import { main } from '../../src/main.ts'
import { type HostOptions, testHost } from '../helpers/host.ts'
import { hostileJson, hostileText, noText } from '../helpers/hostile.ts'
import { perTest } from '../helpers/per-test.ts'
import { designed, harmIn, stack } from '../helpers/terminal.ts'
import { soon } from '../helpers/waiting.ts'
import { answer, createWorld, tempDir } from '../helpers/world.ts'
import { counted, sized } from './size.ts'

const { add } = counted('hostile')

type Kind = keyof typeof views

/** Generates items with hostile text or values of other types in their fields. */
const itemOf = (kind: Kind) => {
  const { fields, columns, unlisted = [] } = views[kind]
  const names = [...new Set([...fields, ...unlisted, ...columns.map(({ field }) => field)])]
  const value = fc.oneof({ arbitrary: hostileText, weight: 4 }, { arbitrary: hostileJson, weight: 1 })
  return fc
    .record({
      listed: fc
        .subarray(names, { minLength: 1 })
        .chain((chosen) => fc.record(Object.fromEntries(chosen.map((name) => [name, value])))),
      more: fc.dictionary(
        fc.oneof(
          hostileText,
          hostileText.map((text) => `${text}_at`),
          fc.constant('entities'),
        ),
        value,
        { maxKeys: 2 },
      ),
      id: fc.oneof(hostileText, fc.constantFrom<unknown>('r1', 7)),
    })
    .map(({ listed, more, id }): Record<string, unknown> => ({ ...listed, ...more, id, user_id: id }))
}

const kinds = Object.keys(views) as Kind[]
const screens = fc.record({
  width: fc.constantFrom(20, 40, 80, 200),
  color: fc.boolean(),
  format: fc.constantFrom(...formats),
})
const hostOf = ({ width, color }: { width: number; color: boolean }, options: HostOptions = {}) =>
  testHost({
    tty: true,
    columns: width,
    ...options,
    env: { ...options.env, ...(color ? { FORCE_COLOR: '1' } : { NO_COLOR: '1' }) },
  })
const plain = (text: string) => text
/** Replaces the tabs between the cells of TSV. Tabs in a cell are escaped. */
const withoutTabs = (text: string, format: string) => (format === 'tsv' ? text.replaceAll('\t', ' ') : text)

describe('the printer', () => {
  test.each(kinds)('the printer escapes hostile text in a %s and in a list of items', async (kind) => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(itemOf(kind), { minLength: 1, maxLength: 3 }),
        screens,
        async (items, screen) => {
          const host = hostOf(screen)
          const printer = new Printer(host, { ...screen, header: true, quiet: false }, plain)
          const view = views[kind]
          await printer.list(
            view,
            'items',
            (async function* () {
              yield { items }
            })(),
          )
          const text = JSON.stringify({ item: items[0] })
          if (screen.format !== 'ids' || view.id)
            await printer.printOne(view, 'item', {
              bytes: Buffer.from(text),
              value: JSON.parse(text),
              isPlain: true,
            })
          await printer.printFacts(items[0] ?? {})
          expect(harmIn(withoutTabs(host.stdout.text + host.stderr.text, screen.format))).toBeUndefined()
          add('bodies', 2)
        },
      ),
      { numRuns: sized(9, 12_000) },
    )
  })

  test('the printer escapes hostile text in the result of --query', async () => {
    await fc.assert(
      fc.asyncProperty(
        hostileJson,
        screens,
        fc.constantFrom('json', 'tsv'),
        async (value, screen, format) => {
          const host = hostOf(screen)
          const query = (document: unknown) => document
          const options = { ...screen, format, query, header: true, quiet: false } as const
          await new Printer(host, options, plain).result(value)
          expect(harmIn(withoutTabs(host.stdout.text + host.stderr.text, format))).toBeUndefined()
          add('bodies')
        },
      ),
      { numRuns: sized(22, 12_000) },
    )
  })

  test('reportError and Printer.notice escape hostile text', async () => {
    await fc.assert(
      fc.asyncProperty(
        hostileText,
        hostileText,
        hostileJson,
        screens,
        async (message, hint, body, screen) => {
          const host = hostOf(screen)
          const error = new ApiError(message, { hint, body, request: { method: 'GET', path: hint } })
          for (const format of ['json', 'table'])
            await reportError(host, error, {
              format,
              color: screen.color,
              verbose: true,
              redact: plain,
              target: [],
            })
          await new Printer(host, { ...screen, header: true, quiet: false }, plain).notice(message)
          expect(harmIn(host.stdout.text + host.stderr.text)).toBeUndefined()
          add('bodies')
        },
      ),
      { numRuns: sized(45, 20_000) },
    )
  })
})

const bodyOf = (kind: Kind, result: string, many: boolean) =>
  fc.oneof(
    {
      arbitrary: itemOf(kind).map((item) => ({ [result]: many ? [item, item] : item, paging: { total: 2 } })),
      weight: 12,
    },
    { arbitrary: hostileJson.map((value) => ({ [result]: value })), weight: 2 },
    { arbitrary: hostileJson, weight: 1 },
    { arbitrary: hostileText, weight: 1 },
    {
      arbitrary: fc
        .integer({ min: 1, max: 3000 })
        .map((levels) => `{"${result}":${'['.repeat(levels)}${']'.repeat(levels)}}`),
      weight: 1,
    },
    {
      arbitrary: hostileText.map((text) => ({
        [result]: { id: 'r1', user_id: 'r1', name: text.repeat(500) },
      })),
      weight: 1,
    },
  )

const world = perTest(createWorld)

async function shownBy(argv: readonly string[], options: HostOptions): Promise<string> {
  const { code, stdout, stderr } = await world.run(argv, options)
  expect(designed, stderr).toContain(code)
  expect(stdout + stderr).not.toMatch(stack)
  return stdout + stderr
}

const commands: readonly (readonly [Kind, string, readonly string[]])[] = [
  ['room', 'rooms', ['rooms', 'list']],
  ['room', 'rooms', ['rooms', 'list', '--all', '--where', 'name~a']],
  ['room', 'rooms', ['rooms', 'list', '--sort', '-name,seats']],
  ['room', 'rooms', ['rooms', 'list', '--count-by', 'name']],
  ['room', 'rooms', ['rooms', 'export']],
  ['room', 'room', ['rooms', 'get', 'r1']],
  ['room', 'room', ['rooms', 'create', '--name', 'n', '--type', 'open']],
  ['member', 'members', ['members', 'list', 'r1']],
  ['member', 'member', ['members', 'get', 'r1', 'm1']],
  ['user', 'users', ['users', 'list']],
  ['user', 'user', ['users', 'update', 'ada', '--name', 'n']],
  ['session', 'sessions', ['sessions', 'list', 'r1']],
  ['session', 'sessions', ['sessions', 'report', 'r1', '--absent', '--html', 'page.html']],
  ['session', 'sessions', ['sessions', 'report', 'r1', '--by', 'session']],
  ['page', 'pages', ['pages', 'create', 'r1', '--image', 'https://i.test/a.png']],
  ['message', 'message', ['message', 'send', 'r1', 'hello']],
]

describe('meetroom', () => {
  test.each(commands)(
    'meetroom escapes hostile text of a %s in the response field “%s” (arguments: %j)',
    async (kind, result, argv) => {
      await fc.assert(
        fc.asyncProperty(
          bodyOf(kind, result, result.endsWith('s')),
          screens,
          fc.boolean(),
          async (body, screen, verbose) => {
            world.intercept = async () => answer(200, body as object)
            const format = argv.includes('export') ? [] : ['-o', screen.format]
            const flags = [...format, ...(verbose ? ['--verbose'] : [])]
            const env = screen.color ? { FORCE_COLOR: '1' } : { NO_COLOR: '1' }
            const shown = await shownBy([...argv, ...flags], { tty: true, columns: screen.width, env })
            expect(harmIn(withoutTabs(shown, screen.format))).toBeUndefined()
            add('bodies, by the whole program')
          },
        ),
        { numRuns: sized(4, 1500) },
      )
    },
  )

  test.each(commands)(
    'meetroom prints non-text fields of a %s in “%s” as JSON or reports them (arguments: %j)',
    async (kind, result, argv) => {
      const { fields, columns } = views[kind]
      const names = [...fields, ...columns.map(({ field }) => field), 'entities']
      const item = { ...Object.fromEntries(names.map((name) => [name, noText])), id: 'r1', user_id: 'ada' }
      const one = { ...item, entities: [{ type: noText, src: noText }, noText] }
      world.intercept = async () =>
        answer(200, { [result]: result.endsWith('s') ? [item, one] : one, paging: noText })
      const shown = await shownBy([...argv, '--verbose'], { tty: true, columns: 1000 })
      expect(shown).toMatch(/\{"toString":null,"valueOf":null\}|cannot be read|does not show/)
      add('bodies, by the whole program')
    },
  )

  test('rooms get --verbose escapes hostile text in an error response', async () => {
    const statuses = fc.constantFrom(302, 400, 401, 404, 409, 429, 500, 502, 503)
    const bodies = fc.oneof(
      hostileText,
      hostileJson,
      fc.record({ error: fc.record({ code: hostileText, message: hostileText }) }),
    )
    await fc.assert(
      fc.asyncProperty(bodies, statuses, hostileText, screens, async (body, status, header, screen) => {
        const type = typeof body === 'string' ? { 'content-type': header } : {}
        world.intercept = async () =>
          answer(status, body as object, { location: header, 'retry-after': header, ...type })
        const format = screen.format === 'json' ? ['--json'] : []
        const env = screen.color ? { FORCE_COLOR: '1' } : { NO_COLOR: '1' }
        const shown = await shownBy(['rooms', 'get', 'r1', '--verbose', ...format], { tty: true, env })
        expect(harmIn(shown)).toBeUndefined()
        add('bodies, by the whole program')
      }),
      { numRuns: sized(22, 10_000) },
    )
  })

  test.each([[['r1']], [['r1', 'r2']]])(
    'rooms delete escapes hostile text in the prompt for the rooms %j',
    async (ids) => {
      await fc.assert(
        fc.asyncProperty(hostileText, async (name) => {
          world.intercept = async ({ url }) =>
            answer(200, { room: { id: url.split('/').at(-1), type: 'open', name } })
          // The prompt library cuts its own colors in two when it wraps a line with characters beyond the
          // BMP.
          const { host, done } = world.start(['rooms', 'delete', ...ids], { tty: true, columns: 9000 })
          setImmediate(() => host.type('n\n'))
          const { code, stderr } = await done
          expect(code).toBe(10)
          expect(stderr).toContain('Delete')
          expect(harmIn(stderr, true)).toBeUndefined()
          add('bodies, by the whole program')
        }),
        { numRuns: sized(4, 1000) },
      )
    },
  )

  test('users import escapes hostile text in its progress', async () => {
    await fc.assert(
      fc.asyncProperty(hostileText, hostileText, async (name, message) => {
        world.intercept = async ({ method, url }) =>
          url.endsWith('/rooms?limit=1')
            ? answer(200, { rooms: [] })
            : answer(method === 'GET' ? 404 : 400, { error: { code: message, message } })
        const rows = ['ada', 'grace'].map((user_id) => `${JSON.stringify({ user_id, name })}\n`)
        const argv = ['users', 'import', '-', '--input-format', 'ndjson', '--no-journal', '--rate', '0.1']
        const options = { stdin: rows.join(''), tty: true, columns: 200 }
        const { stdout, stderr } = await world.run(argv, options)
        expect(stderr).toContain('█')
        expect(harmIn(stdout + stderr, true)).toBeUndefined()
        add('bodies, by the whole program')
      }),
      { numRuns: sized(2, 500) },
    )
  })
})

/** Runs a long-running command, and stops it after `act`. */
async function until(
  argv: readonly string[],
  env: Record<string, string>,
  act: (shown: () => string) => Promise<void>,
) {
  const host = testHost({
    tty: true,
    columns: 200,
    env: { MEETROOM_CONFIG_DIR: tempDir(), NO_COLOR: '1', ...env },
  })
  const shown = () => host.stdout.text + host.stderr.text
  const done = main(argv, host)
  onTestFinished(async () => {
    host.signal('SIGTERM')
    await done
  })
  await act(shown)
  host.signal('SIGINT')
  return { code: await done, shown: shown() }
}

const untilSaid = (shown: () => string, text: string) =>
  soon(
    `“${text}”`,
    (async () => {
      while (!shown().includes(text)) await new Promise((turn) => setTimeout(turn, 1))
    })(),
    () => shown().slice(-2000),
  )

describe.each(['table', 'ndjson'])('a long-running command with -o %s', (format) => {
  test(`join -o ${format} escapes hostile text in the messages of a room`, async () => {
    const messages = fc.sample(fc.oneof(hostileText, hostileJson), sized(22, 5000))
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
    onTestFinished(() => server.close())
    server.on('connection', (peer) => {
      for (const message of messages)
        peer.send(JSON.stringify({ event: 'message', message, [JSON.stringify(message)]: message }))
      peer.send(JSON.stringify({ event: 'message', message: 'the last one' }))
    })
    await new Promise((resolve) => server.once('listening', resolve))
    const { port } = server.address() as { port: number }
    const env = { MEETROOM_BASE_URL: `http://127.0.0.1:${port}/v1`, MEETROOM_API_KEY: 'a-key-of-mine' }
    const { code, shown } = await until(['join', 'r1', '-o', format], env, (shown) =>
      untilSaid(shown, 'the last one'),
    )
    expect(code).toBe(0)
    expect(harmIn(shown)).toBeUndefined()
    add('frames and webhooks', messages.length)
  })

  test(`webhooks listen -o ${format} escapes hostile text in received webhooks`, async () => {
    const texts = fc.sample(fc.oneof(hostileText, hostileJson), sized(14, 2500))
    const { code, shown } = await until(
      ['webhooks', 'listen', '--port', '0', '-o', format],
      {},
      async (shown) => {
        await untilSaid(shown, 'http://')
        const [url = ''] = /http:[^";]+/.exec(shown()) ?? []
        const counts = { sessionsCount: 1, membersCount: 1, timestamp: '2024-05-06T07:08:09.123Z' }
        for (const text of texts) {
          const payload = {
            roomId: text,
            userId: text,
            memberId: text,
            sessionId: text,
            [JSON.stringify(text)]: text,
            ...counts,
          }
          await fetch(url, { method: 'POST', body: JSON.stringify({ action: 'sessionJoined', payload }) })
          await fetch(url, { method: 'POST', body: JSON.stringify({ action: text, payload }) })
        }
      },
    )
    expect(code).toBe(0)
    expect(harmIn(shown)).toBeUndefined()
    add('frames and webhooks', 2 * texts.length)
  })
})
