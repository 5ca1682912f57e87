import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { own, visible } from '../../../../src/cli/output/terminal/visible.ts'
import { views } from '../../../../src/cli/output/views/views.ts'
import type { Host } from '../../../../src/host.ts'
import { main } from '../../../../src/main.ts'
import { type HostOptions, testHost } from '../../../helpers/host.ts'
import { Inbox } from '../../../helpers/inbox.ts'
import { serveWorkspace } from '../../../helpers/live.ts'
import { perTest } from '../../../helpers/per-test.ts'
import { answer, createWorld, tempDir } from '../../../helpers/world.ts'
import { sized } from '../../../suites/size.ts'

// Text of a response must never control the terminal.

const world = perTest(createWorld)

const esc = '\u001b'
const trouble = [
  `${esc}]52;c;b3duZWQ=\u0007`,
  `${esc}[2J`,
  `${esc}[31m`,
  `${esc}P$q${esc}\\`,
  '\u009b31m',
  '\u009d0;x\u009c',
  '\u0000',
  '\u0008',
  '\r',
  '\n',
  '\t',
  '\u007f',
  '\u202e',
  '\u2066',
  '\u200b',
  '\ufeff',
  '\u2028',
  '\u{e0041}',
  '\ud800',
]
const hostile = fc
  .array(fc.oneof(fc.constantFrom(...trouble), fc.string({ unit: 'binary', maxLength: 4 })), {
    minLength: 1,
    maxLength: 5,
  })
  .map((parts) => parts.join(''))

/** Hostile text that the embedded service accepts. */
const acceptable = hostile
  .map((text) => text.replaceAll('\0', '').toWellFormed())
  .filter((text) => text !== '')

/** Hostile text without `ESC [`, because prompts and progress bars print this sequence themselves. */
const withoutCursor = hostile.map((text) => text.replaceAll(`${esc}[`, `${esc}]`))
const cursorRemoved = (text: string) =>
  text.replaceAll(new RegExp(`\\r(?=█|${esc})|${esc}\\[[?\\d;]*[A-Za-z]`, 'g'), '')

/** Some characters that a terminal may obey or hide; line feeds are excluded. */
const obeyed = /(?!\n)[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]|[\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff]/u

const plain: HostOptions = { tty: true, columns: 200, env: { NO_COLOR: '1' } }

async function readOutput(argv: readonly string[], options: HostOptions = plain): Promise<string> {
  const { stdout, stderr } = await world.run(argv, options)
  return stdout + stderr
}

function itemOf(kind: keyof typeof views, text: string): Record<string, unknown> {
  const {
    fields,
    columns,
    unlisted = [],
  } = views[kind] as {
    fields: readonly string[]
    columns: readonly { field: string }[]
    unlisted?: readonly string[]
  }
  const all = [...fields, ...unlisted, ...columns.map(({ field }) => field)]
  return {
    ...Object.fromEntries(all.map((field) => [field, text])),
    // These fields are not text.
    ...(kind === 'room' ? { record: true, meeting_time: 1 } : {}),
    ...(kind === 'page' ? { entities: [{ type: text, src: text }] } : {}),
    later_at: text,
    [`${text}_at`]: { [text]: [text] },
  }
}

describe('control characters on a terminal', () => {
  const commands: readonly (readonly [keyof typeof views, string, readonly string[]])[] = [
    ['room', 'rooms', ['rooms', 'list']],
    ['room', 'room', ['rooms', 'get', 'r1']],
    ['room', 'room', ['rooms', 'create', '--name', 'n', '--type', 'open']],
    ['member', 'members', ['members', 'list', 'r1']],
    ['member', 'member', ['members', 'get', 'r1', 'm1']],
    ['user', 'users', ['users', 'list']],
    ['user', 'user', ['users', 'get', 'ada']],
    ['session', 'sessions', ['sessions', 'list', 'r1']],
    ['page', 'pages', ['pages', 'create', 'r1', '--image', 'https://i.test/a.png']],
    ['message', 'message', ['message', 'send', 'r1', 'hello']],
  ]
  const formats = ['table', 'csv', 'ids', 'json', 'ndjson']

  test.each(commands)(
    'terminal output escapes control characters in a %s%c for the command %j',
    async (kind, key, argv) => {
      await fc.assert(
        fc.asyncProperty(hostile, async (text) => {
          const item = itemOf(kind, text)
          const result = kind === 'message' ? text : key.endsWith('s') ? [item, item] : item
          world.intercept = async () => answer(200, { [key]: result, paging: { total: 1 } })
          for (const format of formats) expect(await readOutput([...argv, '-o', format])).not.toMatch(obeyed)
        }),
        { numRuns: sized(3, 20) },
      )
    },
  )

  test.each(['table', 'json'])(
    'rooms get -o %s escapes control characters in an error response on a terminal',
    async (format) => {
      await fc.assert(
        fc.asyncProperty(hostile, fc.constantFrom(302, 400, 404, 429, 500, 503), async (text, status) => {
          const headers = { location: `/${text}`, 'retry-after': text }
          for (const body of [text, { [text]: text, error: { code: text, message: text } }]) {
            world.intercept = async () => answer(status, body, headers)
            expect(await readOutput(['rooms', 'get', 'r1', '--verbose', '-o', format])).not.toMatch(obeyed)
          }
        }),
        { numRuns: sized(5, 50) },
      )
    },
  )

  test('rooms get escapes control characters in an internal error and its stack trace on a terminal', async () => {
    await fc.assert(
      fc.asyncProperty(hostile, async (text) => {
        world.intercept = async () => {
          throw Object.assign(new TypeError(text), { stack: `TypeError: ${text}\n    at x` })
        }
        const shown = await readOutput(['rooms', 'get', 'r1', '--verbose'])
        expect(shown).toMatch(/→ no response\r?\nerror: meetroom has a bug: TypeError/)
        expect(shown).not.toMatch(obeyed)
      }),
      { numRuns: sized(8, 100) },
    )
  })

  test('the confirmation prompt of rooms delete escapes control characters in room names', async () => {
    await fc.assert(
      fc.asyncProperty(withoutCursor, async (name) => {
        world.intercept = async ({ url }) =>
          answer(200, { room: { id: url.split('/').at(-1), type: 'open', name } })
        for (const ids of [['r1'], ['r1', 'r2']]) {
          // Wide enough for the prompt: the prompt library wraps within characters outside the BMP.
          const { host, done } = world.start(['rooms', 'delete', ...ids], { ...plain, columns: 5000 })
          setImmediate(() => host.type('n\n'))
          const { code, stderr } = await done
          expect(code).toBe(10)
          expect(cursorRemoved(stderr)).not.toMatch(obeyed)
        }
      }),
      { numRuns: sized(3, 20) },
    )
  })

  test('users import escapes control characters in its output on a terminal', async () => {
    await fc.assert(
      fc.asyncProperty(withoutCursor, async (text) => {
        const rows = ['ada', 'grace'].map((user_id) => `${JSON.stringify({ user_id, name: text })}\n`)
        writeFileSync(join(world.dir, 'users.ndjson'), rows.join(''))
        world.intercept = async ({ method, url }) =>
          url.endsWith('/rooms?limit=1')
            ? answer(200, { rooms: [] })
            : answer(method === 'GET' ? 404 : 400, { error: { code: text, message: text } })
        const argv = ['users', 'import', 'users.ndjson', '--no-journal', '--rate', '0.1']
        const { stdout, stderr } = await world.run(argv, plain)
        expect(stderr).toContain('█')
        expect(stdout + cursorRemoved(stderr)).not.toMatch(obeyed)
      }),
      { numRuns: sized(3, 20) },
    )
  })

  test.each(['table', 'ndjson'])(
    'join -o %s escapes control characters in room messages on a terminal',
    async (format) => {
      const served = await serveWorkspace()
      const room = await served.room()
      const env = { MEETROOM_BASE_URL: served.baseUrl, MEETROOM_API_KEY: served.apiKey }
      const messages = fc.sample(acceptable, { numRuns: 50, seed: 1 })
      const { code, shown } = await untilShown(
        ['join', room, '-o', format],
        env,
        messages.length,
        async () => {
          for (const message of messages) await served.say(room, message)
        },
      )
      expect(code).toBe(0)
      expect(shown).not.toMatch(obeyed)
    },
  )

  test.each(['table', 'ndjson'])(
    'webhooks listen -o %s escapes control characters in webhooks on a terminal',
    async (format) => {
      const texts = fc.sample(hostile, { numRuns: 50, seed: 2 })
      const counts = { sessionsCount: 1, membersCount: 1 }
      const argv = ['webhooks', 'listen', '--port', '0', '-o', format]
      const { code, shown } = await untilShown(argv, {}, texts.length, async (said) => {
        const [url = ''] = /http:[^";]+/.exec(said) ?? []
        const post = (body: unknown) => fetch(url, { method: 'POST', body: JSON.stringify(body) })
        for (const text of texts) {
          const payload = {
            roomId: text,
            userId: text,
            memberId: text,
            sessionId: text,
            [text]: text,
            ...counts,
          }
          const timestamp = '2026-01-02T03:04:05.678Z'
          await post({ action: 'sessionJoined', payload: { ...payload, timestamp } })
          await post({ action: 'sessionJoined', payload: { ...payload, timestamp: text } })
          await post({ action: text, payload })
        }
      })
      expect(code).toBe(0)
      expect(shown).not.toMatch(obeyed)
    },
  )

  test('webhooks verify escapes control characters in a saved webhook on a terminal', async () => {
    await fc.assert(
      fc.asyncProperty(hostile, async (text) => {
        writeFileSync(join(world.dir, 'body'), JSON.stringify({ action: text }))
        writeFileSync(join(world.dir, 'headers'), JSON.stringify({ 'webhook-id': text }))
        for (const format of ['table', 'json'])
          expect(
            await readOutput(['webhooks', 'verify', 'body', '--headers', 'headers', '-o', format]),
          ).not.toMatch(obeyed)
      }),
      { numRuns: sized(8, 100) },
    )
  })

  test('errors about an invalid command line escape control characters on a terminal', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(hostile, { minLength: 1, maxLength: 3 }), async (words) => {
        for (const argv of [
          words,
          ['rooms', ...words],
          ['rooms', 'list', '--where', ...words],
          ['help', ...words],
        ])
          expect(await readOutput(argv)).not.toMatch(obeyed)
      }),
      { numRuns: sized(8, 100) },
    )
  })
})

test('a string that may reach the terminal causes a compile error', async () => {
  const { stdout } = testHost() as Host
  const name: string = 'a name'
  // @ts-expect-error: a field of the service in trusted text
  own`created ${name}`
  // @ts-expect-error: unescaped text to a stream that may be a terminal
  await stdout.write(name)
  // A stream that is not a terminal accepts any text.
  if (!stdout.isTTY) await stdout.write(name)
  await stdout.write(own`created ${visible(name)}`)
})

/** Runs a command, passes the first output to `act`, and stops after `lines` lines on standard output. */
async function untilShown(
  argv: readonly string[],
  env: Record<string, string>,
  lines: number,
  act: (said: string) => Promise<void>,
) {
  const config = { MEETROOM_CONFIG_DIR: join(tempDir(), 'config'), NO_COLOR: '1' }
  const host = testHost({ ...plain, env: { ...config, ...env } })
  const said = new Inbox<string>()
  for (const output of [host.stdout, host.stderr]) {
    const write = output.write.bind(output)
    output.write = async (data) => {
      await write(data)
      said.put(String(data))
    }
  }
  const done = main(argv, host)
  onTestFinished(async () => {
    host.signal('SIGTERM')
    await done
  })
  await act(await said.next())
  while (host.stdout.text.split('\n').length <= lines) await said.next()
  host.signal('SIGINT')
  return { code: await done, shown: host.stdout.text + host.stderr.text }
}
